import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { candor, fileWith, root, temporaryFolder } from "./candor.js";

const contributing = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
const [, mine = ""] = /## Add an analysis[\s\S]*?```ts\n([\s\S]*?)```/.exec(contributing) ?? [];

it("an analysis of one's own, as CONTRIBUTING has it, runs without a fork or a build", async () => {
  const out = temporaryFolder();
  const { code, stdout } = await candor(["analyze", fileWith("mine.ts", mine), "--out", out]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/so many can gain: \d+ at a budget of 6,\s/);
  const csv = readFileSync(join(out, "gainers.gainers.csv"), "utf8").trim().split(/\r?\n/);
  expect(csv).toHaveLength(4);
});

const readme = readFileSync(join(root, "analyses/README.md"), "utf8");
const [, smallest = ""] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];

it("the smallest example of analyses/README.md runs", async () => {
  const out = temporaryFolder();
  const { code, stdout } = await candor(["analyze", fileWith("arrivals.ts", smallest), "--out", out]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/\d+ workers are there at the start\./)]);
  const csv = readFileSync(join(out, "arrivals.arrivals.csv"), "utf8").trim().split(/\r?\n/);
  expect(csv[0]).toBe("arrival,workers,cost");
  expect(csv).toHaveLength(11);
});

it("an analysis written in steps still runs: settings, plan, job, conclude, tables, charts, findings, methods", async () => {
  const { code, stdout } = await candor([
    "analyze",
    fileWith("steps.ts", inSteps),
    "--out",
    temporaryFolder(),
  ]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/6 workers in all\./);
});

const inSteps = `
import { type Analysis, drawMarket, listing, paperRules } from "candor";

export default {
  name: "steps",
  question: "How many workers are there?",
  settings: () => ({ markets: 3 }),
  plan: ({ markets }) => [{ cell: { workers: 2 }, markets }],
  job: listing(
    ({ workers }: { workers: number }, k, { stream }) =>
      drawMarket({ rules: { ...paperRules, budget: 1, rounds: 2 }, workers }, stream.fork(k)).workers.length,
    () => 1,
  ),
  conclude: ([first]) => first!.summary!.reduce((a, b) => a + b, 0),
  tables: () => [],
  charts: () => [],
  findings: (all) => [{ text: \`\${all} workers in all.\`, weight: 1 }],
  methods: () => [],
} satisfies Analysis<{ markets: number }, { workers: number }, number[], number>;
`;
