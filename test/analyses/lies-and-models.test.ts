import { describe, expect, it } from "vitest";
import { liesAndModels } from "../../analyses/lies-and-models.js";
import { bidsTruthfully } from "../../src/agents/agent.js";
import { vanilla } from "../../src/mechanisms/vanilla.js";
import type { ChosenText, Row } from "../../src/report/result.js";
import { recordedLies, recordedTables } from "../../src/training/recordings.js";
import { withoutText } from "../searched.js";
import { contextFor, expectWellFormed, resultWith, rowsOf } from "./context.js";
import { testWholeResult } from "./whole-result.js";

const settings = { seeds: 8, tasks: 7, lessons: 8, stretch: 4, budgets: [6, 80], recorded: recordedLies };
const context = contextFor(1);
const result = await resultWith(liesAndModels, context, settings);
const effects = rowsOf(result, "effects");

const find = (about: Row): Row[] =>
  effects.filter((row) => Object.entries(about).every(([name, value]) => row[name] === value));

const LOSS = "Loss after the last round";
const ALL = "surrogate, all lie (8 seeds)";

testWholeResult(result);

it("is well formed: one chart, at most four findings", () => {
  expectWellFormed(result);
  expect(result.charts).toHaveLength(1);
  expect(result.findings.length).toBeLessThanOrEqual(4);
});

it("has the truth and every liar, played by all and by half, on both data sets", () => {
  const liars = context.agents.filter((agent) => !bidsTruthfully(agent)).map(({ name }) => name);
  expect(liars).toEqual(expect.arrayContaining(["best-responder", "low-baller", "learner"]));
  for (const dataset of ["MNIST", "Fashion-MNIST"]) {
    const losses = find({ dataset, measure: LOSS }).filter(({ line }) => /^surrogate/.test(String(line)));
    expect(new Set(losses.map(({ agent }) => agent))).toEqual(new Set(["truthful", ...liars]));
    expect(losses).toHaveLength(1 + 2 * liars.length);
  }
});

it("compares with the truth in the same markets: who does not change a bid changes nothing at all", () => {
  for (const { change, changeLow, changeHigh } of find({ agent: "start-forcer" }))
    expect([change, changeLow, changeHigh]).toEqual([0, 0, 0]);
  for (const { change } of find({ agent: "truthful" })) expect(change).toBeNull();
});

it("finds that bids of 0 let everybody in, and that the model is the worse for it", () => {
  const [loss] = find({ agent: "low-baller", line: ALL, dataset: "MNIST", measure: LOSS });
  const measure = "Share of good workers among the selected";
  const [good] = find({ agent: "low-baller", line: ALL, dataset: "MNIST", measure });
  expect(Number(loss!.changeLow)).toBeGreaterThan(0);
  expect(Number(good!.change)).toBeLessThan(0);
});

it("has no number where nobody is ever selected, and says so", () => {
  for (const { mean, change } of find({ agent: "start-blocker", line: ALL, measure: LOSS }))
    expect([mean, change]).toEqual([null, null]);
  for (const { chosen, text } of result.charts[0]!.summary as ChosenText[])
    expect(text.includes("With start-blocker nobody is ever selected.")).toBe(
      chosen.measure !== "Spent per task",
    );
});

it("states the number of tasks in the figure's legend", () => {
  expect(effects.map(({ line }) => line)).toContain("real training, all lie (7 tasks)");
});

it("leaves best responses out where each would need a search, and says so", async () => {
  const few = { ...settings, seeds: 2, tasks: 2, lessons: 2, stretch: 1, budgets: [80] };
  const other = await resultWith(liesAndModels, contextFor(1, withoutText(vanilla)), few);
  const rows = rowsOf(other, "effects");
  expect(rows.some(({ agent }) => agent === "best-responder")).toBe(false);
  expect(rows.some(({ line }) => /^real/.test(String(line)))).toBe(false);
  expect(other.methods.some((text) => text.startsWith("Left out is best-responder"))).toBe(true);
});

describe("recorded runs of liars", () => {
  const truth = recordedTables.mnist.runs[0]!;
  const lying = async (tasks: number, off: (k: number) => number) => {
    const lies = truth.tasks
      .slice(0, tasks)
      .map((task, k) => ({ ...task, losses: task.losses.map((loss) => loss + off(k)) }));
    const runs = [truth, { ...truth, agent: "best-responder", tasks: lies }];
    const recorded = { ...recordedTables.mnist, runs };
    return liesAndModels.conclude([], { ...settings, recorded }, context);
  };
  const said = async (...args: Parameters<typeof lying>) =>
    liesAndModels
      .findings(await lying(...args))
      .map(({ text }) => text)
      .join(" ");

  it("are held against the recorded truth, task by task", async () => {
    const { effects } = await lying(12, () => 0.25);
    const loss = effects.find(({ agent, measure }) => agent !== null && measure === "loss")!;
    expect(loss.change!.mean).toBeCloseTo(0.25, 9);
    expect(loss.level.n).toBe(7);
  });

  it("claim an effect only where the interval lies on one side, and none from fewer than five tasks", async () => {
    const vague = await said(12, (k) => 0.1 * (-1) ** k);
    expect(vague).toMatch(/7 tasks do not tell whether the loss rises or falls in any of 1 population/);
    expect(await said(12, (k) => 0.25 + 0.001 * (k % 2))).toMatch(
      /changes most where all workers play best-responder: by \+0\.25\d* \(\+0\.2.* to \+0\.25/,
    );
    const few = await said(8, () => 0.25);
    expect(few).toContain("3 tasks do not tell whether the loss rises or falls");
    expect(few).not.toContain("changes most");
  });
});

describe("learners", () => {
  it("are counted by the regime of the same task if all told the truth, never over all regimes", () => {
    const found = new Set(rowsOf(result, "learners").map(({ regime }) => regime));
    expect(found).toContain("late start");
    expect(found).toContain("sufficient");
    expect(found).not.toContain("all");
  });

  const cell = { kind: "learners", agent: "learner", tasks: 4, stretch: 2 } as const;
  const seeds = Array.from({ length: 8 }, (_, k) => {
    const noise = 0.01 * (k % 3);
    const at = (stretch: number, honest: number, [ratio, delay]: readonly [number, number]) => {
      return {
        stretch,
        regime: "tight" as const,
        bids: 100,
        honest,
        ratio: 100 * (ratio + noise),
        delay: 100 * (delay + noise),
      };
    };
    return [at(1, 20 + (k % 2), [0.7, 0.373]), at(2, 60, [0.9, 0.5 + noise])];
  });
  const said = (some: typeof seeds) =>
    liesAndModels.findings({
      effects: [],
      learning: { cell, seeds: some },
      recordings: result.tables[0]!,
      methods: [],
    })[0]!.text;

  it("move toward the truth or away from it by what the bids say, each measure for itself", () => {
    expect(said(seeds)).toMatch(
      /nearer to the truth in the share of truthful bids where the budget is tight \(21 % to 60 %\) and price over cost where the budget is tight \(0\.709 to 0\.909\) and move away from the truth in delay in rounds where the budget is tight \(0\.382 to 0\.518\)/,
    );
  });

  it("prices above the cost that rise move away from the truth", () => {
    const above = seeds.map((sums) => sums.map((one) => ({ ...one, ratio: one.ratio + 40 })));
    expect(said(above)).toMatch(
      /move away from the truth in price over cost where the budget is tight \(1\.11 to 1\.31\)/,
    );
  });

  it("are undecided from fewer than five seeds", () => {
    expect(said(seeds.slice(0, 4))).toContain("bids do not surely change. 3 of 3 changes are undecided");
  });
});
