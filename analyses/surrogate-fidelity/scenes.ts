/** Recorded rounds beside the surrogate's, and by what they are told apart. */

import { mean } from "d3-array";
import type { DatasetName } from "../../src/training/datasets.js";
import type { Design, RecordedCurves, RecordedTask } from "../../src/training/recordings.js";
import type { Parameters } from "../../src/training/surrogate.js";
import { type Replayed, replay } from "../../src/training/surrogate-fit.js";

/** A recorded task and what the surrogate, without its noise, makes of it. */
export interface Scene {
  readonly dataset: DatasetName;
  readonly task: RecordedTask;
  readonly set: SetName;
  readonly rounds: readonly Replayed[];
}

export type SetName = "fitted" | "held out" | "even mix" | "paper's mix";

/** From those that the fit has seen to those least like them. */
export const setNames: readonly SetName[] = ["fitted", "held out", "even mix", "paper's mix"];

const setOf: Record<Design, (heldOut: boolean) => SetName> = {
  random: (heldOut) => (heldOut ? "held out" : "fitted"),
  even: () => "even mix",
  paper: () => "paper's mix",
};

export const scenesOf = (dataset: DatasetName, recording: RecordedCurves, parameters: Parameters): Scene[] =>
  recording.tasks.map((task) => ({
    dataset,
    task,
    set: setOf[task.design](task.heldOut),
    rounds: replay(task, recording.settings, parameters),
  }));

export const datasetsOf = (scenes: readonly Scene[]): DatasetName[] => [
  ...new Set(scenes.map(({ dataset }) => dataset)),
];

export const titles: Readonly<Record<DatasetName, string>> = { mnist: "MNIST", fashion: "Fashion-MNIST" };

/** The mean share of right labels in a round. */
export const meanAccuracy = ({ workers }: Replayed): number => mean(workers, ({ accuracy }) => accuracy)!;

/** Bands of the share of right labels, by their lower ends. */
const bands = [
  [0.85, "85 % or more"],
  [0.65, "65–85 %"],
  [0.45, "45–65 %"],
  [0.25, "25–45 %"],
  [0, "below 25 %"],
] as const;

export const bandNames: readonly string[] = bands.map(([, name]) => name);

const bandOf = (accuracy: number): string => bands.find(([from]) => accuracy >= from - 1e-9)![1];

/** The band of a whole task. */
export const bandOfTask = ({ rounds }: Scene): string => bandOf(mean(rounds, meanAccuracy)!);

/** Ways to tell rounds apart, and where each of them puts a round. */
export const regions: Readonly<
  Record<string, readonly (readonly [name: string, has: (round: Replayed) => boolean])[]>
> = {
  "right labels": bandNames.map(
    (name) => [`${name} right labels`, (round) => bandOf(meanAccuracy(round)) === name] as const,
  ),
  workers: [
    ["1 worker", ({ workers }) => workers.length === 1],
    ["2 to 4 workers", ({ workers }) => workers.length > 1 && workers.length < 5],
    ["5 to 11 workers", ({ workers }) => workers.length > 4 && workers.length < 12],
    ["12 workers or more", ({ workers }) => workers.length > 11],
  ],
  round: [
    ["round 1", ({ round }) => round === 1],
    ["rounds 2 to 4", ({ round }) => round > 1 && round < 5],
    ["round 5 and later", ({ round }) => round > 4],
  ],
};
