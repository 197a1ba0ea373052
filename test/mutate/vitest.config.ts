import { defineConfig } from "vitest/config";

/** The tests that mutants are held against: the files, and those of the folders, in MUTATE_TESTS. */
export default defineConfig({
  test: {
    include: (process.env.MUTATE_TESTS ?? "test/lib")
      .split(",")
      .map((place) => (place.endsWith(".test.ts") ? place : `${place}/**/*.test.ts`)),
    // It asserts how often something rare occurs among all of its cases, of which a mutation run draws a fifth.
    exclude: ["test/responses/supremum.test.ts"],
    setupFiles: ["test/setup.ts", "test/mutate/setup.ts"],
    testTimeout: 120_000,
    maxWorkers: 1,
    isolate: false,
  },
});
