/** What each source says of a table: the same units under every mechanism, so that they can be compared unit by unit. */

import { type Estimate, estimate } from "../../../src/lib/statistics.js";
import type { DatasetName } from "../../../src/training/datasets.js";
import type { RecordedRuns, TaskLine } from "../../../src/training/recordings.js";
import { datasets, type Measure, type PaperTable } from "./paper-tables.js";
import { countedOf, measuresOf } from "./series.js";

/** recorded: trained for real once. surrogate: many seeds. live: trained for real in this run. */
export const sources = ["recorded", "surrogate", "live"] as const;

export type Source = (typeof sources)[number];

export interface Reading {
  readonly source: Source;
  readonly dataset: DatasetName;
  readonly auction: string;
  readonly measure: string;
  /** One per task that counts, or one per seed; null where nobody was selected. */
  readonly values: readonly (number | null)[];
  /** Which task or seed each value is of. */
  readonly at: readonly number[];
  readonly unit: "task" | "seed";
}

export const known = (values: readonly (number | null)[]): number[] =>
  values.filter((value) => value !== null);

export const estimateOf = ({ values }: Pick<Reading, "values">): Estimate => estimate(known(values));

/** The first less the second in the same tasks or seeds, where both have a value. */
export function differenceOf(one: Units, other: Units, together = 1): Estimate {
  const there = new Map(other.at.map((at, k) => [at, other.values[k] ?? null]));
  const pairs = one.values.map((value, k) => [value, there.get(one.at[k]!) ?? null] as const);
  return estimate(
    pairs.flatMap(([a, b]) => (a === null || b === null ? [] : [a - b])),
    together,
  );
}

export type Units = Pick<Reading, "values" | "at">;

/** Tasks that were trained for real, one after another. */
export interface Lines {
  readonly auction: string;
  readonly dataset: DatasetName;
  readonly lines: readonly TaskLine[];
}

export const readTasks = (
  { measures }: PaperTable,
  source: Source,
  { auction, dataset, lines }: Lines,
): Reading[] =>
  measures.map(({ name }) => ({
    source,
    dataset,
    auction,
    measure: name,
    values: countedOf(lines).map((line) => measuresOf(line)[name]),
    at: countedOf(lines).map(({ task }) => task),
    unit: "task",
  }));

export const readRecorded = (table: PaperTable, dataset: DatasetName, { runs }: RecordedRuns): Reading[] =>
  runs
    .filter(({ agent }) => agent === null)
    .flatMap(({ mechanism, tasks }) =>
      readTasks(table, "recorded", { auction: mechanism, dataset, lines: tasks }),
    );

export interface Place extends Pick<Reading, "source" | "dataset"> {
  readonly measure: Measure;
}

/** The readings of one source on one data set, by mechanism. */
export const readingsAt = (
  readings: readonly Reading[],
  { source, dataset, measure }: Place,
): ReadonlyMap<string, Reading> =>
  new Map(
    readings
      .filter((one) => one.source === source && one.dataset === dataset && one.measure === measure.name)
      .map((one) => [one.auction, one]),
  );

/** Where there is something to compare: at least one mechanism of the paper's. */
export const placesOf = ({ measures }: PaperTable, readings: readonly Reading[]): Place[] =>
  datasets.flatMap((dataset) =>
    sources.flatMap((source) =>
      measures
        .map((measure) => ({ source, dataset, measure }))
        .filter((place) => readingsAt(readings, place).size > 0),
    ),
  );
