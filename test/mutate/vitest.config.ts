import { defineConfig } from "vitest/config";

/** The tests that mutants are held against: those of the folders in MUTATE_TESTS. */
export default defineConfig({
  test: {
    include: (process.env.MUTATE_TESTS ?? "test/lib").split(",").map((folder) => `${folder}/**/*.test.ts`),
    setupFiles: ["test/setup.ts", "test/mutate/setup.ts"],
    testTimeout: 120_000,
    maxWorkers: 1,
    isolate: false,
  },
});
