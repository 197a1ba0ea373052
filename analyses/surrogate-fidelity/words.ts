/** What the surrogate's fidelity comes to in words, and where it is not to be trusted. */

import { listed, many, percent, threeDigits } from "../../src/lib/format.js";
import type { Finding, Row, Table } from "../../src/report/result.js";
import type { DatasetName } from "../../src/training/datasets.js";
import type { RecordedCurves } from "../../src/training/recordings.js";
import { meanAccuracy, type Scene, titles } from "./scenes.js";

const ofDataset = ({ rows }: Table, dataset: DatasetName): Row[] =>
  rows.filter((row) => row.dataset === titles[dataset]);

/** Judged by tasks the fit has not seen, where there are any. */
export function closenessFinding(dataset: DatasetName, residuals: Table): Finding {
  const rows = ofDataset(residuals, dataset);
  const seen = rows.find(({ set }) => set === "fitted");
  const judged = rows.filter(({ set }) => set !== "fitted");
  const told = (judged.length === 0 ? rows : judged).map(
    (row) =>
      `${row.set} (${many(Number(row.tasks), "task")}): loss off by ${threeDigits(Number(row.loss))}, at most ${threeDigits(Number(row.worst))}, and ${percent(Number(row.same))} of ${many(Number(row.tests), "quality test")} end the same`,
  );
  const fitted =
    seen === undefined ? "" : `; in the tasks it was fitted to, by ${threeDigits(Number(seen.loss))}`;
  const agreed = Math.min(...(judged.length === 0 ? rows : judged).map((row) => Number(row.same)));
  const text = `${titles[dataset]}, surrogate against real training: ${told.join("; ")}${fitted}.`;
  return { text, weight: agreed < 0.9 ? 45 : 22 };
}

/** How much further off than overall a region must be to be named. */
const NOTABLE = 1.5;

/** Regions where losses are off by much more than overall, or tests end differently more often. */
export function doubtFinding(dataset: DatasetName, regions: Table): Finding {
  const rows = ofDataset(regions, dataset);
  const overall = (of: (row: Row) => number, weight: "rounds" | "tests") => {
    const first = rows.filter(({ by }) => by === rows[0]!.by);
    const total = first.reduce((sum, row) => sum + Number(row[weight]), 0);
    return first.reduce((sum, row) => sum + of(row) * Number(row[weight]), 0) / total;
  };
  const loss = Math.sqrt(overall((row) => Number(row.loss) ** 2, "rounds"));
  const differ = overall((row) => 1 - Number(row.same ?? 1), "tests");
  const far = rows.filter((row) => Number(row.loss) > NOTABLE * loss);
  const wrong = rows.filter((row) => row.same !== null && 1 - Number(row.same) > NOTABLE * differ);
  const losses = far.map((row) => `${row.region} (${threeDigits(Number(row.loss))})`);
  const tests = wrong.map((row) => `${row.region} (${percent(1 - Number(row.same))})`);
  const parts = [
    losses.length === 0
      ? `its loss is nowhere off by much more than overall (${threeDigits(loss)})`
      : `its loss is furthest off with ${listed(losses)}, against ${threeDigits(loss)} overall`,
    tests.length === 0
      ? `its quality tests are wrong nowhere much more often than overall (${percent(differ)})`
      : `its quality tests are wrong most often with ${listed(tests)}, against ${percent(differ)} overall`,
  ];
  return { text: `${titles[dataset]}, where to trust the surrogate least: ${parts.join("; ")}.`, weight: 18 };
}

/** Where workers are nearly as good as the average, a test hangs by a hair, in real training too. */
export function hairFinding(dataset: DatasetName, scenes: readonly Scene[]): Finding | undefined {
  const own = scenes.filter((scene) => scene.dataset === dataset).flatMap(({ rounds }) => rounds);
  const tests = own
    .filter(({ workers }) => workers.length > 1)
    .flatMap((round) =>
      round.workers.map(({ accuracy }, k) => ({
        near: Math.abs(accuracy - meanAccuracy(round)) < 0.1,
        real: round.recorded.gains[k]! >= 0,
        model: round.surrogate.gains[k]! >= 0,
      })),
    );
  const near = tests.filter((test) => test.near);
  if (near.length === 0) return undefined;
  const far = tests.filter((test) => !test.near);
  const same = (some: typeof tests) => some.filter(({ real, model }) => real === model).length / some.length;
  const passed = near.filter(({ real }) => real).length / near.length;
  const text = `${titles[dataset]}: workers whose accuracy is within 0.1 of the round's mean pass ${percent(passed)} of their quality tests in real training; the surrogate agrees in ${percent(same(near))} of those, and in ${percent(same(far))} of the others.`;
  return { text, weight: 16 };
}

/** What the recordings do not cover. */
export function methodsOf(
  dataset: DatasetName,
  { tasks, settings, provenance }: RecordedCurves,
  scenes: readonly Scene[],
): string[] {
  const rounds = scenes.filter((scene) => scene.dataset === dataset).flatMap((scene) => scene.rounds);
  const means = rounds.map(meanAccuracy);
  const sizes = rounds.map(({ workers }) => workers.length);
  const accuracies = [...new Set(tasks.flatMap((task) => task.accuracies))].sort((a, b) => b - a);
  const title = titles[dataset];
  return [
    `${title} was recorded on ${provenance.date} with candor ${provenance.candor} and TensorFlow.js ${provenance.tfjs} by "${provenance.command}": ${many(tasks.length, "task")} of ${many(settings.rounds, "round")}, ${many(Math.round(provenance.seconds / 60), "minute")}.`,
    `${title}: rounds of ${Math.min(...sizes)} to ${Math.max(...sizes)} workers whose labels are right to ${percent(Math.min(...means))} to ${percent(Math.max(...means))} on average, workers of accuracy ${listed(accuracies.map(String))}, ${settings.samples} samples each, rate ${settings.rate}, batches of ${settings.batch}, ${many(settings.epochs, "epoch")}, ${settings.model}. Beyond that, as with other models, rates, numbers of samples or wrong labels of one kind, the surrogate guesses.`,
  ];
}

export const leftOutHere = [
  "The surrogate is compared without its noise. Its noise is drawn anew for each round and worker, while real workers keep their data, lucky or not.",
  "Gains, cosines and tests are compared where two or more worked in a round.",
];
