import { defineConfig } from "vitest/config";

/** What takes minutes: `npm run test:all` runs it after all other tests. */
export default defineConfig({
  test: {
    include: ["test/long/**/*.test.ts"],
    setupFiles: ["test/setup.ts"],
    testTimeout: 60 * 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
  },
});
