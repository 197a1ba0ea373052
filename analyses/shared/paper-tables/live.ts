/** Real training within an analysis: the paper's tasks anew, or the first of a recorded run again. */

import { stream } from "../../../src/lib/random.js";
import { listing } from "../../../src/study/job.js";
import type { DatasetName } from "../../../src/training/datasets.js";
import type { RecordedRuns, TaskLine } from "../../../src/training/recordings.js";
import { missingFor, trainerNamed } from "../../../src/training/trainers.js";
import { datasetTitles } from "./paper-tables.js";
import { firstRounds, linesOf, settingOf, truthfulUnder } from "./series.js";

const TRAINER = "tfjs";

/** Rough: milliseconds to train and judge one worker's update, and workers in a round, on average over the paper's five mechanisms. */
const UPDATE: Readonly<Record<DatasetName, number>> = { mnist: 75, fashion: 600 };
const WORKERS = 12;

export interface LiveCell {
  readonly dataset: DatasetName;
  readonly auction: string;
  readonly tasks: number;
  /** How many of each task's are trained. */
  readonly rounds: number;
  /** Of a recorded run; null for one of this analysis's own. */
  readonly seed: string | null;
}

/** About how many milliseconds one thread takes. */
export const liveCost = ({
  dataset,
  tasks,
  rounds,
}: Pick<LiveCell, "dataset" | "tasks" | "rounds">): number => tasks * rounds * WORKERS * UPDATE[dataset];

/** Tasks one after another, on the paper's model and data. */
export const liveJob = listing(
  async ({ dataset, auction, tasks, rounds, seed }: LiveCell, k, context): Promise<TaskLine[]> => {
    const own = seed === null ? context.stream.fork("live").fork(k) : stream(seed);
    const trainer = firstRounds(await trainerNamed(TRAINER, { dataset }), rounds);
    return linesOf({ ...settingOf(truthfulUnder(auction), context, own), trainer }, tasks);
  },
  liveCost,
);

/** The first tasks of recorded runs in which all tell the truth: so many, those with the fewest workers first. */
export const againCells = ({ runs }: RecordedRuns, dataset: DatasetName, count: number): LiveCell[] =>
  runs
    .filter(({ agent, trainer, tasks }) => agent === null && trainer === TRAINER && tasks.length > 0)
    .sort((a, b) => a.tasks[0]!.selected - b.tasks[0]!.selected)
    .slice(0, count)
    .map(({ mechanism, seed, tasks }) => {
      const rounds = tasks[0]!.losses.length;
      return { dataset, auction: mechanism, seed, rounds, tasks: 1 };
    });

/** By how much losses that were trained again differ from the recorded ones, at most. */
export function strayOf(
  { runs }: RecordedRuns,
  cells: readonly LiveCell[],
  found: readonly TaskLine[],
): number {
  const gaps = cells.flatMap(({ auction, seed, rounds }, k) => {
    const run = runs.find((one) => one.mechanism === auction && one.seed === seed && one.agent === null);
    const recorded = run?.tasks[0]?.losses ?? [];
    return recorded.slice(0, rounds).map((loss, round) => Math.abs(loss - found[k]!.losses[round]!));
  });
  return Math.max(0, ...gaps);
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
