import { readdirSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";

/** Test files that leave their longest cases out of `npm test`. */
const withLongCases = (readdirSync("test", { recursive: true }) as string[])
  .filter((path) => path.endsWith(".test.ts"))
  .map((path) => `test/${path}`)
  .filter((path) => readFileSync(path, "utf8").includes("isLong"));

/** What takes minutes: `npm run test:all` runs it after all other tests. */
export default defineConfig({
  test: {
    include: ["test/long/**/*.test.ts", ...withLongCases],
    setupFiles: ["test/setup.ts"],
    env: { CANDOR_LONG: "1" },
    testTimeout: 60 * 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
    server: { deps: { external: [/\/dist\/src\//] } },
  },
});
