import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { codeOn } from "../pages.js";
import { candor, fileWith, temporaryFolder } from "./candor.js";

const [smallest = ""] = codeOn("analyses/README.md", "ts");
const [mine = ""] = codeOn("analyses/README.md", "ts", "Add an analysis");

it("an analysis of one's own, as its page has it, runs without a fork or a build", async () => {
  const out = temporaryFolder();
  const { code, stdout } = await candor(["analyze", fileWith("mine.ts", mine), "--out", out]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/So many workers can gain: \d+ of 400 at a budget of 6,\s/);
  const csv = readFileSync(join(out, "gainers.gainers.csv"), "utf8").trim().split(/\r?\n/);
  expect(csv).toHaveLength(4);
});

it.each([
  ["cost: () => 2,", "", "defineAnalysis: cost must be a function, got undefined"],
  ["=> gain, { among: gains }", "=> 0 * gain + NaN", "a value of a row: must be a number or null, got NaN"],
  ['lines("share")', 'lines("shar")', 'breakdown: no "shar"; did you mean "share"?'],
  [
    ".map(({ gain }): Row => ({ budget, gain }))",
    ".length as never",
    "look: must give a list of rows, got 8",
  ],
])("one with %s as %s is told what is wrong", async (right, wrong, message) => {
  expect(mine).toContain(right);
  const path = fileWith("mine.ts", mine.replace(right, wrong));
  const { code, stdout, stderr } = await candor(["analyze", path, "--out", temporaryFolder()]);
  expect(code).toBeGreaterThan(0);
  expect((stdout + stderr).replace(/\s+/g, " ")).toContain(message);
});

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
