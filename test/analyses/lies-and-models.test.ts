import { describe, expect, it } from "vitest";
import { addedUp } from "../../analyses/lies-and-models/drift.js";
import { type Drift, driftFindings, driftOf } from "../../analyses/lies-and-models/drift-views.js";
import { effectFindings } from "../../analyses/lies-and-models/effect-words.js";
import { liarsOf, recordedEffects } from "../../analyses/lies-and-models/effects.js";
import { runLies } from "../../analyses/lies-and-models.js";
import { rrafl } from "../../src/mechanisms/rrafl.js";
import { vanilla } from "../../src/mechanisms/vanilla.js";
import type { Row } from "../../src/report/result.js";
import { recordedTables } from "../../src/training/recordings.js";
import { withoutText } from "../searched.js";
import { contextFor, expectWellFormed, rowsOf } from "./context.js";
import { testWholeResult } from "./whole-result.js";

const sizes = { seeds: 5, tasks: 7, lessons: 8, stretch: 4, budgets: [6, 80] };
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
  const other = await runLies(contextFor(1, withoutText(vanilla)), few);
  expect(rowsOf(other, "effects").some(({ agent }) => agent === "best-responder")).toBe(false);
  expect(other.methods.some((text) => text.startsWith("Left out is best-responder"))).toBe(true);
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

it("states how many tasks or seeds there are, and claims no effect from too few", () => {
  const truth = recordedTables.mnist.runs[0]!;
  const lying = (tasks: number, off: (k: number) => number) => ({
    ...truth,
    agent: "best-responder",
    tasks: truth.tasks
      .slice(0, tasks)
      .map((task, k) => ({ ...task, losses: task.losses.map((loss) => loss + off(k)) })),
  });
  const said = (liar: typeof truth) => {
    const found = recordedEffects({ ...recordedTables.mnist, runs: [truth, liar] });
    return effectFindings(found, liarsOf(context))
      .map(({ text }) => text)
      .join(" ");
  };
  const vague = said(lying(12, (k) => 0.1 * (-1) ** k));
  expect(vague).toContain("7 tasks are too few to tell whether it changes the loss (");
  expect(vague).not.toMatch(/not told apart|no effect/);
  const clear = said(lying(12, (k) => 0.25 + 0.001 * (k % 2)));
  expect(clear).toMatch(/1 raises it: best-responder \(\+0\.25\d?\)/);
  expect(clear).toMatch(/it changes the loss by \+0\.25\d?, 95 %:/);
  const few = said(lying(8, () => 0.25));
  expect(few).toContain("3 tasks are too few to tell");
  expect(few).not.toMatch(/raises? it/);
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

  it("goes toward the truth or away from it by what the bids say, each measure for itself", () => {
    const cell = { agent: "learner", budget: 1, tasks: 4, stretch: 2 };
    const seeds = Array.from({ length: 8 }, (_, k) => {
      const noise = 0.01 * (k % 3);
      const at = (stretch: number, honest: number, ratio: number, delay: number) =>
        ({
          stretch,
          regime: "tight",
          bids: 100,
          honest,
          ratio: 100 * (ratio + noise),
          delay: 100 * (delay + noise),
        }) as const;
      return [at(1, 20 + (k % 2), 0.7, 0.373), at(2, 60, 0.9 + noise, 0.5 + noise)];
    });
    const [{ text } = { text: "" }] = driftFindings([{ cell, seeds }], "learner");
    expect(text).toMatch(/truth goes from 21 % to 60 % \(toward the truth\)/);
    expect(text).toMatch(/prices go from 0\.709 to 0\.917 times the cost \(toward the truth\)/);
    expect(text).toMatch(/delays go from 0\.382 to 0\.518 ticks \(away from the truth\)/);
    const [few] = driftFindings([{ cell, seeds: seeds.slice(0, 3) }], "learner");
    expect(few!.text.match(/which way, 3 seeds are too few to tell/g)).toHaveLength(3);
  });

  it("is the last stretch less the first, seed by seed", () => {
    const cell = { agent: "learner", budget: 1, tasks: 4, stretch: 2 };
    const tally = (stretch: number, honest: number) =>
      ({ stretch, regime: "tight", bids: 10, honest, ratio: 10, delay: 0 }) as const;
    const seeds = [
      [tally(1, 2), tally(2, 5)],
      [tally(1, 1), tally(2, 4)],
    ];
    // Three in ten more state the truth: nearer to it.
    const drifts: Drift[] = [{ cell, seeds }];
    expect(driftOf(drifts, "tight", "honest").mean).toBeCloseTo(-0.3, 12);
    expect(driftOf(drifts, "sufficient", "honest").n).toBe(0);
    expect(addedUp([tally(1, 2), tally(1, 3)])).toEqual([{ ...tally(1, 5), bids: 20, ratio: 20 }]);
  });
});
