import { describe, expect, it } from "vitest";
import { stream } from "../../src/lib/random.js";
import { online } from "../../src/mechanisms/online/online.js";
import { paperPopulation, paperTaskRules } from "../../src/training/population.js";
import { recordedTables } from "../../src/training/recordings.js";
import { surrogate } from "../../src/training/surrogate.js";
import { runTasks } from "../../src/training/tasks.js";
import { readDataset } from "../../src/training/tfjs/read-dataset.js";
import { tfjs } from "../../src/training/tfjs.js";
import type { Trainer } from "../../src/training/trainer.js";
import { isLong } from "../long.js";

const classes = [1, 0.7, 0.4, 0.1];

/** Mean reputation by label accuracy after five of the paper's tasks, in which the auction picks who trains. */
async function afterFive(trainer: Trainer, seed: number, samples = 1000): Promise<number[]> {
  const workers = paperPopulation(30, samples);
  const setting = { workers, rules: paperTaskRules, mechanism: online, trainer, stream: stream(seed) };
  let reputations: Readonly<Record<string, number>> = {};
  for await (const { record } of runTasks(setting, 5)) reputations = record.reputations;
  return classes.map((accuracy) => {
    const own = workers.filter((worker) => worker.accuracy === accuracy);
    return own.reduce((sum, { id }) => sum + reputations[id]!, 0) / own.length;
  });
}

/** 1.0 > 0.7 > 0.4 > 0.1. */
const isOrdered = (means: readonly (number | null)[]): boolean =>
  means.every((mean, k) => k === 0 || means[k - 1]! > mean!);

const expectOrdered = (means: readonly (number | null)[]): void =>
  expect(means).toSatisfy(isOrdered, "1.0 > 0.7 > 0.4 > 0.1");

describe("after five tasks of the paper's mix, reputation orders workers 1.0 > 0.7 > 0.4 > 0.1", () => {
  it.each(["mnist", "fashion"] as const)(
    "under the surrogate of %s, on average over seeds and in nine of ten of them",
    async (dataset) => {
      const seeds = Array.from({ length: 20 }, (_, k) => k + 1);
      const means = await Promise.all(seeds.map((seed) => afterFive(surrogate({ dataset }), seed)));
      expectOrdered(classes.map((_, k) => means.reduce((sum, one) => sum + one[k]! / seeds.length, 0)));
      expect(means.filter(isOrdered).length).toBeGreaterThanOrEqual(0.9 * seeds.length);
    },
  );

  it.runIf(isLong)(
    "under real training, with fewer pictures than the paper's",
    async () => {
      const trainer = tfjs({ dataset: readDataset("mnist"), model: "mlp", validation: 500, test: 100 });
      expectOrdered(await afterFive(trainer, 1, 400));
    },
    60_000,
  );

  it("in the recorded runs of real training that select by reputation", () => {
    const runs = recordedTables.mnist.runs.filter(({ mechanism }) => ["online", "rrafl"].includes(mechanism));
    expect(runs).toHaveLength(2);
    for (const { tasks } of runs) expectOrdered(tasks[4]!.reputations);
  });
});
