import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/long/**"],
    setupFiles: ["test/setup.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A busy machine may take its time; what is waited for is not how long it takes.
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
    // The built program runs as Node runs it.
    server: { deps: { external: [/\/dist\/src\//] } },
  },
});
