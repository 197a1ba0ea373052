/** Real training within an analysis: the paper's tasks anew, or the beginning of a recorded run again. */

import { listing } from "../job.js";
import { stream } from "../random.js";
import { missingFor } from "../training/available.js";
import type { DatasetName } from "../training/files.js";
import type { RecordedRuns, TaskLine } from "../training/recorded-run.js";
import { trainerNamed } from "../training/trainers.js";
import { datasetTitles } from "./paper-tables.js";
import { firstRounds, linesOf, settingOf, truthfulUnder } from "./series.js";

export const TRAINER = "tfjs";

/** Measured on two cores: training and judging one worker's update, in milliseconds; workers in a round of the paper's five. */
const UPDATE: Readonly<Record<DatasetName, number>> = { mnist: 75, fashion: 600 };
const WORKERS = 12;

export interface LiveCell {
  readonly dataset: DatasetName;
  readonly auction: string;
  readonly tasks: number;
}

/** About how many milliseconds one thread takes. */
export const liveCost = ({ dataset, tasks }: Pick<LiveCell, "dataset" | "tasks">, rounds = 10): number =>
  tasks * rounds * WORKERS * UPDATE[dataset];

/** Tasks one after another, on the paper's model and data. */
export const liveJob = listing(
  async ({ dataset, auction, tasks }: LiveCell, k, context): Promise<TaskLine[]> => {
    const setting = settingOf(truthfulUnder(auction), context, context.stream.fork("live").fork(k));
    return linesOf({ ...setting, trainer: await trainerNamed(TRAINER, { dataset }) }, tasks);
  },
  liveCost,
);

export interface AgainCell {
  readonly dataset: DatasetName;
  readonly auction: string;
  readonly seed: string;
  /** How many of the first task's. */
  readonly rounds: number;
}

/** The losses of a recorded run's first rounds, trained again. */
export const againJob = listing(
  async ({ dataset, auction, seed, rounds }: AgainCell, _, context): Promise<number[]> => {
    const trainer = firstRounds(await trainerNamed(TRAINER, { dataset }), rounds);
    const [line] = await linesOf({ ...settingOf(truthfulUnder(auction), context, stream(seed)), trainer }, 1);
    return line!.losses.slice(0, rounds);
  },
  ({ dataset, rounds }) => liveCost({ dataset, tasks: 1 }, rounds),
);

/** The first rounds of every recorded run that the paper's tables know. */
export const againCells = ({ runs }: RecordedRuns, dataset: DatasetName, rounds: number): AgainCell[] =>
  runs
    .filter(({ agent, trainer, tasks }) => agent === null && trainer === TRAINER && tasks.length > 0)
    .map(({ mechanism, seed }) => ({ dataset, auction: mechanism, seed, rounds }));

/** By how much losses that were trained again differ from the recorded ones, at most; null where there are none. */
export function strayOf({ runs }: RecordedRuns, cells: readonly AgainCell[], found: readonly number[][]) {
  const gaps = cells.flatMap(({ auction, seed }, k) => {
    const run = runs.find((one) => one.mechanism === auction && one.seed === seed && one.agent === null);
    const recorded = run?.tasks[0]?.losses ?? [];
    return found[k]!.flatMap((loss, round) =>
      recorded[round] === undefined ? [] : [Math.abs(loss - recorded[round])],
    );
  });
  return gaps.length === 0 ? null : Math.max(...gaps);
}

/** Why a data set cannot be trained on here, as a sentence; null where it can. */
export async function lacking(dataset: DatasetName): Promise<string | null> {
  const missing = await missingFor(TRAINER, { dataset });
  return missing === null
    ? null
    : `Nothing was trained for real on ${datasetTitles[dataset]}, for something is missing: ${missing}.`;
}

/** "about 40 minutes", "about 3 hours". */
export function aboutHowLong(milliseconds: number): string {
  const minutes = milliseconds / 60_000;
  if (minutes < 1.5) return "about a minute";
  if (minutes < 100) return `about ${Math.round(minutes)} minutes`;
  return `about ${Math.round(minutes / 60)} hours`;
}
