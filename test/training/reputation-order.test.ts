import { describe, expect, it } from "vitest";
import { stream } from "../../src/lib/random.js";
import { afterTask, type ReputationSettings, reputationSettings } from "../../src/training/reputation.js";
import { surrogate } from "../../src/training/surrogate.js";
import { readDataset } from "../../src/training/tfjs/read-dataset.js";
import { tfjs } from "../../src/training/tfjs.js";
import type { Trainer, Worth } from "../../src/training/trainer.js";
import { isLong } from "../long.js";

const classes = [1, 0.7, 0.4, 0.1];

/** What fails every test loses half of the start five times. */
const LOST = 0.5 ** 6;

interface Scene {
  readonly trainer: Trainer;
  /** Workers of accuracy 1.0, 0.7, 0.4 and 0.1; all work in all rounds of five tasks. */
  readonly mix: readonly number[];
  readonly rounds: number;
  readonly seed: number;
}

type Tasks = readonly (readonly (readonly Worth[])[])[];

async function fiveTasks({ trainer, mix, rounds, seed }: Scene): Promise<Tasks> {
  const workers = accuraciesOf(mix).map((accuracy, id) => ({ id, samples: 1000, accuracy }));
  const own = stream("order").fork(seed);
  const tasks: (readonly Worth[])[][] = [];
  for (let task = 0; task < 5; task++) {
    const training = await trainer.start({ workers, data: own.fork("data"), training: own.fork(task) });
    const worths: (readonly Worth[])[] = [];
    for (let round = 0; round < rounds; round++)
      worths.push((await training.round(workers.map(({ id }) => id))).worths);
    training.end();
    tasks.push(worths);
  }
  return tasks;
}

const accuraciesOf = (mix: readonly number[]): number[] =>
  mix.flatMap((count, k) => Array.from({ length: count }, () => classes[k]!));

/** Mean reputations after the tasks, by accuracy. */
function reputations(
  tasks: Tasks,
  mix: readonly number[],
  changes: Partial<ReputationSettings> = {},
): number[] {
  const settings = reputationSettings(changes);
  let all: ReadonlyMap<number, number> = new Map();
  for (const task of tasks) all = afterTask(all, task, settings);
  const accuracies = accuraciesOf(mix);
  return classes.map((accuracy) => {
    const own = [...all].filter(([id]) => accuracies[id] === accuracy).map(([, value]) => value);
    return own.reduce((sum, value) => sum + value, 0) / own.length;
  });
}

const isStrict = (values: readonly number[]): boolean =>
  values.every((value, k) => k === 0 || value < values[k - 1]!);

/** A gentler curve of quality, so that among those who fail all tests contribution decides. */
const gentle = { steepness: 1 };

/** Wherever everybody works in every round of five tasks, in the paper's mix of 3 : 1 : 1 : 1. */
function expectPaperOrder(tasks: Tasks, mix: readonly number[]): void {
  const usual = reputations(tasks, mix);
  expect(usual[0]).toBeGreaterThan(0.7);
  expect(usual[1]).toBeLessThan(0.3);
  expect(usual[1]! - usual[2]!).toBeGreaterThan(-1e-12);
  expect(usual[2]).toBeCloseTo(LOST, 3);
  expect(usual[3]).toBeCloseTo(LOST, 12);
  expect(isStrict(reputations(tasks, mix, gentle))).toBe(true);
}

/** With as many of each, both 1.0 and 0.7 are better than the average and pass, and 0.7 is nearer to it. */
function expectEvenOrder(tasks: Tasks, mix: readonly number[]): void {
  const usual = reputations(tasks, mix);
  expect(Math.min(usual[0]!, usual[1]!)).toBeGreaterThan(0.5);
  expect(usual[2]).toBeCloseTo(LOST, 3);
  expect(usual[3]).toBeCloseTo(LOST, 12);
  const [first, second, third, fourth] = reputations(tasks, mix, gentle) as [number, number, number, number];
  expect(Math.min(first, second)).toBeGreaterThan(third);
  expect(third).toBeGreaterThan(fourth);
}

describe.runIf(isLong)("after five tasks in which all work, real training", () => {
  const trainer = tfjs({ dataset: readDataset("mnist"), model: "mlp", validation: 1000, test: 100 });

  it("in the paper's mix lifts 1.0 and drops the others alike; with steepness 1 it orders 1.0 > 0.7 > 0.4 > 0.1", async () => {
    const mix = [3, 1, 1, 1];
    expectPaperOrder(await fiveTasks({ trainer, mix, rounds: 3, seed: 1 }), mix);
  });

  it("with as many of each lifts 1.0 and 0.7 and drops 0.4 and 0.1; with steepness 1 it orders those as well", async () => {
    const mix = [1, 1, 1, 1];
    expectEvenOrder(await fiveTasks({ trainer, mix, rounds: 3, seed: 1 }), mix);
  });
});

describe.each(["mnist", "fashion"] as const)(
  "after five tasks in which all work, the surrogate of %s",
  (dataset) => {
    const trainer = surrogate({ dataset });
    const seeds = [...Array(20).keys()];

    it("does the same in the paper's mix, whatever the seed", async () => {
      const mix = [15, 5, 5, 5];
      for (const seed of seeds) expectPaperOrder(await fiveTasks({ trainer, mix, rounds: 10, seed }), mix);
    });

    it("does the same with as many of each", async () => {
      const mix = [5, 5, 5, 5];
      for (const seed of seeds) expectEvenOrder(await fiveTasks({ trainer, mix, rounds: 10, seed }), mix);
    });
  },
);
