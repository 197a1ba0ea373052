/** The paper's Tables 1 and 2, what comes out here from each source, and how far the two agree. */

import { stream } from "../../src/lib/random.js";
import { type Estimate, FEWEST } from "../../src/lib/statistics.js";
import { listing } from "../../src/study/job.js";
import type { DatasetName } from "../../src/training/datasets.js";
import { paperTaskRules } from "../../src/training/population.js";
import type { RecordedRuns, TaskLine } from "../../src/training/recordings.js";
import { missingFor, trainerNamed } from "../../src/training/trainers.js";
import {
  datasets,
  differenceOf,
  estimateOf,
  linesOf,
  type MeasureName,
  settingOf,
  truthfulUnder,
  type Units,
} from "../shared/training.js";

/** The mechanisms of the paper's tables, in its order. */
export const paperFive = ["online", "fixed-threshold", "rrafl", "vanilla", "bid-greedy"] as const;

type Printed = Readonly<Record<(typeof paperFive)[number], Readonly<Record<DatasetName, number>>>>;

/** One way to read what a table counts in a task. */
export interface Measure {
  readonly name: MeasureName;
  /** Begins a sentence. */
  readonly label: string;
}

export interface PaperTable {
  readonly number: 1 | 2;
  readonly printed: Printed;
  /** The first is the one that sentences are about; the paper does not say which it means. */
  readonly measures: readonly [Measure, Measure];
}

export const paperQualities: PaperTable = {
  number: 1,
  printed: {
    online: { mnist: 1, fashion: 0.9411 },
    "fixed-threshold": { mnist: 1, fashion: 0.9175 },
    rrafl: { mnist: 1, fashion: 0.8956 },
    vanilla: { mnist: 0.477, fashion: 0.477 },
    "bid-greedy": { mnist: 0.3296, fashion: 0.3296 },
  },
  measures: [
    { name: "goodShare", label: "Share of good workers among the selected" },
    { name: "goodRoundShare", label: "Share of good workers in the rounds worked" },
  ],
};

export const paperLosses: PaperTable = {
  number: 2,
  printed: {
    online: { mnist: 0.4393, fashion: 1.1162 },
    "fixed-threshold": { mnist: 0.4993, fashion: 1.4971 },
    rrafl: { mnist: 0.4389, fashion: 1.1376 },
    vanilla: { mnist: 0.5022, fashion: 1.4566 },
    "bid-greedy": { mnist: 0.5452, fashion: 1.6925 },
  },
  measures: [
    { name: "meanLoss", label: "Mean loss over all rounds" },
    { name: "loss", label: "Loss after the last round" },
  ],
};

/** What the paper printed of a mechanism; null where it did not. */
export const printedOf = ({ printed }: PaperTable, mechanism: string, dataset: DatasetName): number | null =>
  Object.hasOwn(printed, mechanism) ? printed[mechanism as keyof Printed][dataset] : null;

/** The surrogate's runs once more, with everybody trusted in full until the first task is over. */
export const TRUST = 1;

/** Where figures come from: tasks of a run that was recorded, seeds of the surrogate, tasks trained in this very run. */
export const sources = [
  "real training",
  "surrogate",
  "surrogate, first reputation 1",
  "trained now",
] as const;

export type Source = (typeof sources)[number];

export const unitOf = (source: Source): string => (source.startsWith("surrogate") ? "seed" : "task");

export interface Reading extends Units {
  readonly source: Source;
  readonly dataset: DatasetName;
  readonly mechanism: string;
  readonly measure: MeasureName;
}

export type Place = Pick<Reading, "source" | "dataset" | "measure">;

/** The readings of one measure from one source on one data set, by mechanism. */
export const readingsAt = (readings: readonly Reading[], at: Place): ReadonlyMap<string, Reading> =>
  new Map(
    readings
      .filter((one) => one.source === at.source && one.dataset === at.dataset && one.measure === at.measure)
      .map((one) => [one.mechanism, one]),
  );

export type OrderVerdict = "as in the paper" | "the other way round" | "undecided" | "too few to tell";

/** Two mechanisms of which the paper's table puts the first below the second. */
export interface Ordered {
  readonly below: string;
  readonly above: string;
  /** The second less the first, unit by unit; the intervals of all pairs hold together with 95 %. */
  readonly gap: Estimate;
  readonly verdict: OrderVerdict;
}

/** A source on one data set, held against the paper. */
export interface Comparison {
  readonly place: Place;
  /** Of at least five tasks or seeds. */
  readonly near: readonly { readonly mechanism: string; readonly printed: number; readonly ours: Estimate }[];
  readonly few: readonly { readonly mechanism: string; readonly n: number }[];
  readonly order: readonly Ordered[];
}

/** One for each data set, source and measure that there is something to compare of. */
export const comparisonsOf = (table: PaperTable, readings: readonly Reading[]): Comparison[] =>
  datasets.flatMap((dataset) =>
    sources.flatMap((source) =>
      table.measures
        .map(({ name }) => comparisonAt(table, readings, { source, dataset, measure: name }))
        .filter(({ near, few }) => near.length + few.length > 0),
    ),
  );

/** Of real training where at least two mechanisms have enough tasks, else of the surrogate. */
export function comparisonBest(
  table: PaperTable,
  readings: readonly Reading[],
  { dataset, measure }: { readonly dataset: DatasetName; readonly measure: 0 | 1 },
): Comparison | undefined {
  const { name } = table.measures[measure];
  const here = comparisonsOf(table, readings).filter(
    ({ place }) => place.dataset === dataset && place.measure === name,
  );
  const from = (source: string) => here.find((one) => one.place.source === source && one.near.length > 1);
  return from("real training") ?? from("surrogate");
}

function comparisonAt(table: PaperTable, readings: readonly Reading[], place: Place): Comparison {
  const found = readingsAt(readings, place);
  const present = paperFive.filter((name) => found.has(name));
  const printed = (name: string) => printedOf(table, name, place.dataset)!;
  const all = present.map((mechanism) => {
    const ours = estimateOf(found.get(mechanism)!);
    return { mechanism, printed: printed(mechanism), ours, n: ours.n };
  });
  const pairs = present.flatMap((below) =>
    present.filter((above) => printed(below) < printed(above)).map((above) => ({ below, above })),
  );
  const order = pairs.map(({ below, above }): Ordered => {
    const gap = differenceOf(found.get(above)!, found.get(below)!, pairs.length);
    return { below, above, gap, verdict: verdictOf(gap) };
  });
  return { place, near: all.filter(({ n }) => n >= FEWEST), few: all.filter(({ n }) => n < FEWEST), order };
}

/** Decided only where the whole interval lies on one side. */
export function verdictOf({ low, high, n }: Estimate): OrderVerdict {
  if (n < FEWEST) return "too few to tell";
  if (low > 0) return "as in the paper";
  return high < 0 ? "the other way round" : "undecided";
}

/** Real training within the analysis: the paper's tasks anew, or the first of a recorded run again. */
export interface LiveCell {
  readonly kind: "live";
  readonly dataset: DatasetName;
  readonly mechanism: string;
  readonly tasks: number;
  /** Of a recorded run; null for one of this analysis's own. */
  readonly seed: string | null;
}

/** What was trained, or what is missing for it. */
export type Live = { readonly lines: readonly TaskLine[] } | { readonly missing: string };

const TRAINER = "tfjs";

/** Rough: milliseconds to train and judge one worker's update, and workers in a round, on average over the paper's five. */
const UPDATE: Readonly<Record<DatasetName, number>> = { mnist: 75, fashion: 600 };
const WORKERS = 12;

/** About how many milliseconds one thread takes. */
export const liveCost = ({ dataset, tasks }: Pick<LiveCell, "dataset" | "tasks">): number =>
  tasks * paperTaskRules.rounds * WORKERS * UPDATE[dataset];

export const liveJob = listing(async (cell: LiveCell, k, context): Promise<Live> => {
  const { dataset, mechanism, tasks, seed } = cell;
  const missing = await missingFor(TRAINER, { dataset });
  if (missing !== null) return { missing };
  const own = seed === null ? context.stream.fork("live").fork(k) : stream(seed);
  const trainer = await trainerNamed(TRAINER, { dataset });
  return { lines: await linesOf({ ...settingOf(truthfulUnder(mechanism), context, own), trainer }, tasks) };
}, liveCost);

/** The first tasks of recorded runs in which all tell the truth: so many, those with the fewest workers first. */
export const againCells = ({ runs }: RecordedRuns, dataset: DatasetName, count: number): LiveCell[] =>
  runs
    .filter(({ agent, trainer, tasks }) => agent === null && trainer === TRAINER && tasks.length > 0)
    .sort((a, b) => a.tasks[0]!.selected - b.tasks[0]!.selected)
    .slice(0, count)
    .map(({ mechanism, seed }) => ({ kind: "live", dataset, mechanism, seed, tasks: 1 }));

/** By how much losses that were trained again differ from the recorded ones, at most. */
export function deviationOf({ runs }: RecordedRuns, { mechanism, seed }: LiveCell, found: TaskLine): number {
  const run = runs.find((one) => one.mechanism === mechanism && one.seed === seed && one.agent === null);
  const recorded = run?.tasks[0]?.losses ?? [];
  return Math.max(0, ...recorded.map((loss, round) => Math.abs(loss - found.losses[round]!)));
}
