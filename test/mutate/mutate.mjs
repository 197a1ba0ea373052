/**
 * Mutation testing: faults are put into the sources of a folder one by one, and the tests of the same folder must
 * notice each. Prints those that no test noticed, and the score; fails below 85 %, and for the kernel below 90 %.
 */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";

/** What the strong words rest on: `npm run mutate -- kernel`. */
const KERNEL = JSON.parse(readFileSync("test/kernel.json", "utf8"));
const STATISTICS = ["statistics", "summaries", "tolerance"].map((name) => `src/lib/${name}.ts`);
const DEFAULT = [...STATISTICS, "src/mechanisms", "src/responses", "src/verdicts"];

const { values, positionals } = parseArgs({
  options: { sample: { type: "string" }, tests: { type: "string" } },
  allowPositionals: true,
});
const places = (positionals.length > 0 ? positionals : DEFAULT).flatMap((place) =>
  place === "kernel" ? KERNEL : [place],
);

const isFile = (place) => statSync(place).isFile();
const testsOf = (place) => (isFile(place) ? dirname(place) : place).replace(/^src/, "test");
const filesIn = (place) =>
  isFile(place)
    ? [place]
    : readdirSync(place, { recursive: true })
        .filter((path) => path.endsWith(".ts"))
        .map((path) => join(place, path));

/** A random share of the lines of a file, for a first impression: faults that span several lines are left out then. */
const linesOf = (file, share) =>
  readFileSync(file, "utf8")
    .split("\n")
    .flatMap((_, k) => (Math.random() < share ? [`${file}:${k + 1}-${k + 1}`] : []));

const files = places.flatMap(filesIn);
const lowest = files.every((file) => KERNEL.includes(file)) ? 90 : 85;
process.env.MUTATE_TESTS = values.tests ?? [...new Set(places.map(testsOf))].join();

await new Stryker({
  mutate: values.sample === undefined ? files : files.flatMap((file) => linesOf(file, Number(values.sample))),
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  vitest: { configFile: "test/mutate/vitest.config.ts", related: true },
  // A string that means something is known to the compiler; the others are texts that people read.
  mutator: { excludedMutations: ["StringLiteral"] },
  coverageAnalysis: "perTest",
  // What is computed once when a file is loaded would need a fresh process for each mutant.
  ignoreStatic: true,
  concurrency: Number(process.env.MUTATE_CONCURRENCY ?? 1),
  ignorePatterns: ["dist", "reports", "coverage"],
  reporters: ["progress-append-only", "clear-text", "json"],
  clearTextReporter: { allowColor: false, reportTests: false },
  jsonReporter: { fileName: "reports/mutate.json" },
  thresholds: { high: 95, low: lowest, break: lowest },
  timeoutMS: 10_000,
  dryRunTimeoutMinutes: 60,
  allowEmpty: false,
}).runMutationTest();
