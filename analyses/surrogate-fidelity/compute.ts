/** Recorded rounds beside the surrogate's, by what they are told apart, and mechanisms by their mean loss under both. */

import { mean } from "d3-array";
import { FEWEST, kendall } from "../../src/lib/statistics.js";
import type { DatasetName } from "../../src/training/datasets.js";
import type { Design, RecordedCurves, RecordedTask, TaskLine } from "../../src/training/recordings.js";
import type { Parameters } from "../../src/training/surrogate.js";
import { type Replayed, replay, testsOf } from "../../src/training/surrogate-fit.js";
import { estimateOf, taskUnits } from "../shared/training.js";

/** A recorded task and what the surrogate, without its noise, makes of it. */
export interface ComparedTask {
  readonly dataset: DatasetName;
  readonly task: RecordedTask;
  readonly set: SetName;
  readonly rounds: readonly Replayed[];
}

type SetName = "fitted" | "held out" | "even mix" | "paper's mix";

/** From those that the fit has seen to those least like them. */
export const setNames: readonly SetName[] = ["fitted", "held out", "even mix", "paper's mix"];

const setOf: Record<Design, (heldOut: boolean) => SetName> = {
  random: (heldOut) => (heldOut ? "held out" : "fitted"),
  even: () => "even mix",
  paper: () => "paper's mix",
};

export const comparedTasks = (
  dataset: DatasetName,
  recording: RecordedCurves,
  parameters: Parameters,
): ComparedTask[] =>
  recording.tasks.map((task) => ({
    dataset,
    task,
    set: setOf[task.design](task.heldOut),
    rounds: replay(task, recording.settings, parameters),
  }));

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
export const bandOfTask = ({ rounds }: ComparedTask): string => bandOf(mean(rounds, meanAccuracy)!);

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

/** What an update was worth, times the number of workers, under both trainers. */
export interface Update {
  readonly accuracy: number;
  readonly recorded: number;
  readonly surrogate: number;
  /** Whether its quality test ends the same. */
  readonly same: boolean;
}

/** Gains and tests exist where two or more work. */
export const updatesIn = (rounds: readonly Replayed[]): Update[] =>
  rounds
    .filter(({ workers }) => workers.length > 1)
    .flatMap((round) => {
      const same = testsOf(round);
      const n = round.workers.length;
      return round.workers.map(({ accuracy }, k) => ({
        accuracy,
        recorded: n * round.recorded.gains[k]!,
        surrogate: n * round.surrogate.gains[k]!,
        same: same[k]!,
      }));
    });

/** A run of tasks that one mechanism selected workers for. */
export interface Run {
  readonly dataset: DatasetName;
  readonly mechanism: string;
  readonly seed: string;
  readonly tasks: number;
}

export interface RunPair extends Pick<Run, "dataset" | "mechanism"> {
  readonly recorded: readonly TaskLine[];
  readonly surrogate: readonly TaskLine[];
}

/** Mean losses after the last round over the tasks that count. */
export interface MechanismLoss extends Pick<Run, "dataset" | "mechanism"> {
  readonly tasks: number;
  readonly recorded: number;
  readonly surrogate: number;
}

export const mechanismLosses = (runs: readonly RunPair[]): MechanismLoss[] =>
  runs
    .map(({ dataset, mechanism, recorded, surrogate }) => {
      const [real, model] = [recorded, surrogate].map((lines) => estimateOf(taskUnits(lines, "loss")));
      return { dataset, mechanism, tasks: real!.n, recorded: real!.mean, surrogate: model!.mean };
    })
    .filter(({ recorded, surrogate }) => Number.isFinite(recorded) && Number.isFinite(surrogate));

export const byLoss = (losses: readonly MechanismLoss[], who: "recorded" | "surrogate"): string[] =>
  losses.toSorted((a, b) => a[who] - b[who]).map(({ mechanism }) => mechanism);

export interface Order {
  readonly recorded: readonly string[];
  readonly surrogate: readonly string[];
  readonly tau: number;
  readonly tasks: readonly number[];
}

/** Of mechanisms with enough tasks; null where fewer than two have. */
export function orderOf(losses: readonly MechanismLoss[], dataset: DatasetName): Order | null {
  const own = losses.filter((one) => one.dataset === dataset && one.tasks >= FEWEST);
  if (own.length < 2) return null;
  return {
    recorded: byLoss(own, "recorded"),
    surrogate: byLoss(own, "surrogate"),
    tau: kendall(own.map(({ recorded, surrogate }) => [recorded, surrogate])),
    tasks: own.map(({ tasks }) => tasks),
  };
}
