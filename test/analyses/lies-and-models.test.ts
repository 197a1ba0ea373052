import { describe, expect, it } from "vitest";
import { addedUp } from "../../analyses/lies-and-models/drift.js";
import { type Drift, driftOf } from "../../analyses/lies-and-models/drift-views.js";
import { liarsOf, recordedEffects } from "../../analyses/lies-and-models/effects.js";
import { runLies } from "../../analyses/lies-and-models.js";
import { rrafl } from "../../src/mechanisms/rrafl.js";
import { vanilla } from "../../src/mechanisms/vanilla.js";
import type { Row } from "../../src/report/result.js";
import { recordedTables } from "../../src/training/recorded-run.js";
import { contextFor, expectWellFormed, rowsOf } from "./context.js";
import { testWholeResult } from "./whole-result.js";

const sizes = { seeds: 3, tasks: 7, lessons: 8, stretch: 4, budgets: [6, 80] };
const context = contextFor(1);
const result = await runLies(context, sizes);
const effects = rowsOf(result, "effects");

const find = (about: Row): Row[] =>
  effects.filter((row) => Object.entries(about).every(([name, value]) => row[name] === value));

testWholeResult(result);

it("is well formed", () => expectWellFormed(result));

it("has the truth and every liar, played by all and by half, on both data sets", () => {
  const liars = liarsOf(context).map(({ name }) => name);
  expect(liars).toEqual(expect.arrayContaining(["best-responder", "low-baller", "learner"]));
  for (const dataset of ["MNIST", "Fashion-MNIST"]) {
    const losses = find({ dataset, measure: "Loss after the last round" }).filter(({ line }) =>
      String(line).startsWith("surrogate"),
    );
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
  const [loss] = find({
    agent: "low-baller",
    line: "surrogate, all lie",
    dataset: "MNIST",
    measure: "Loss after the last round",
  });
  const [good] = find({
    agent: "low-baller",
    line: "surrogate, all lie",
    dataset: "MNIST",
    measure: "Share of good workers among the selected",
  });
  expect(Number(loss!.changeLow)).toBeGreaterThan(0);
  expect(Number(good!.change)).toBeLessThan(0);
});

it("has no number where nobody is ever selected, and says so", () => {
  const rows = find({
    agent: "start-blocker",
    line: "surrogate, all lie",
    measure: "Loss after the last round",
  });
  for (const { mean, change } of rows) expect([mean, change]).toEqual([null, null]);
  expect(result.findings.some(({ text }) => /start-blocker.*there is no model/.test(text))).toBe(true);
});

it("replays: the same seed gives the same, another seed another", async () => {
  const few = { ...sizes, seeds: 2, tasks: 2, lessons: 4, stretch: 2 };
  const [one, again, other] = await Promise.all([1, 1, 2].map((seed) => runLies(contextFor(seed), few)));
  expect(again).toEqual(one);
  expect(other!.tables).not.toEqual(one!.tables);
});

it("leaves best responses out where each would need a search, and says so", async () => {
  const few = { ...sizes, seeds: 2, tasks: 2, lessons: 2, stretch: 1, budgets: [80] };
  const other = await runLies(contextFor(1, vanilla), few);
  expect(rowsOf(other, "effects").some(({ agent }) => agent === "best-responder")).toBe(false);
  expect(other.leftOut.some((text) => text.startsWith("Left out is best-responder"))).toBe(true);
  expect(rowsOf(other, "effects").some(({ line }) => String(line).startsWith("recorded"))).toBe(false);
  expect(liarsOf(contextFor(1, rrafl)).length).toBeGreaterThan(0);
});

it("recorded runs of liars are held against the recorded truth, task by task", () => {
  const truth = recordedTables.mnist.runs[0]!;
  const worse = truth.tasks.map((task) => ({ ...task, losses: task.losses.map((loss) => loss + 0.25) }));
  const runs = [truth, { ...truth, agent: "overbid", tasks: worse }];
  const found = recordedEffects({ ...recordedTables.mnist, runs });
  const loss = found.find(({ agent, measure }) => agent === "overbid" && measure === "loss")!;
  expect(loss.change!.mean).toBeCloseTo(0.25, 9);
  expect(loss.level.n).toBe(truth.tasks.filter(({ task, selected }) => task > 5 && selected > 0).length);
});

describe("drift", () => {
  it("is counted by the regime of the same task if all told the truth", () => {
    const worlds = new Set(rowsOf(result, "drift").map(({ world }) => world));
    expect(worlds).toContain("all");
    expect(worlds).toContain("late start");
    expect(worlds).toContain("sufficient");
    for (const { measure, mean } of rowsOf(result, "drift"))
      if (measure === "Bids that state the truth") expect(Number(mean)).toBeLessThanOrEqual(1);
  });

  it("is the last stretch less the first, seed by seed", () => {
    const cell = { agent: "learner", budget: 1, tasks: 4, stretch: 2 };
    const tally = (stretch: number, honest: number) =>
      ({ stretch, regime: "tight", bids: 10, honest, ratio: 10, delay: 0 }) as const;
    const seeds = [
      [tally(1, 2), tally(2, 5)],
      [tally(1, 1), tally(2, 4)],
    ];
    const drifts: Drift[] = [{ cell, seeds }];
    expect(driftOf(drifts, "tight", "honest").mean).toBeCloseTo(0.3, 12);
    expect(driftOf(drifts, "sufficient", "honest").n).toBe(0);
    expect(addedUp([tally(1, 2), tally(1, 3)])).toEqual([{ ...tally(1, 5), bids: 20, ratio: 20 }]);
  });
});
