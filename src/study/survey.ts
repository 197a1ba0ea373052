/** A survey: markets that are looked at once for several analyses, each of which reduces what is seen to sums of its own. */

import type { Cells, Job, JobContext } from "./job.js";

export interface Survey<Cell, Seen> {
  /** Its markets are drawn from the stream of this name, whichever analyses take part. */
  readonly name: string;
  /** As much of an analysis's cell as the survey looks at: analyses share what they have in common. */
  cellOf(cell: Cell): Cell;
  look(cell: Cell, k: number, context: JobContext): Seen;
  cost(cell: Cell): number;
  readonly columns?: Job<Cell, unknown>["columns"];
}

/** What an analysis makes of a survey: a job by itself, and part of one when others make something of the same survey. */
export interface SurveyJob<Cell, Seen, Sum> extends Job<Cell, Sum> {
  readonly survey: Survey<never, Seen>;
  reduce(seen: Seen, cell: Cell, context: JobContext): Sum;
}

// biome-ignore lint/suspicious/noExplicitAny: of whatever survey.
export type AnySurveyJob = SurveyJob<any, any, any>;

export const isSurveyJob = (job: object): job is AnySurveyJob => "survey" in job && "reduce" in job;

export const surveyJob = <Base, Cell extends Base, Seen, Sum>(
  survey: Survey<Base, Seen>,
  {
    reduce,
    ...rest
  }: Pick<SurveyJob<Cell, Seen, Sum>, "reduce" | "merge"> & Partial<Pick<Job<Cell, Sum>, "fits" | "columns">>,
): SurveyJob<Cell, Seen, Sum> => ({
  ...rest,
  survey: survey as Survey<never, Seen>,
  reduce,
  look: (cell, k, context) => reduce(survey.look(survey.cellOf(cell), k, context), cell, context),
  cost: (cell) => survey.cost(survey.cellOf(cell)),
});

/** What each analysis that takes part wants of a cell: its own cell, and of how many markets. */
export interface SharedCell {
  readonly seen: unknown;
  readonly parts: Readonly<Record<string, Cells<unknown>>>;
}

/** By analysis, its sum of a shared cell; null where it wanted none of its markets. */
type SharedSum = Readonly<Record<string, unknown>>;

interface Taking {
  readonly name: string;
  readonly job: AnySurveyJob;
  readonly cells: readonly Cells<unknown>[];
}

/** The cells of all that take part, each once, with as many markets as any of them wants. */
export function sharedCells(taking: readonly Taking[]): Cells<SharedCell>[] {
  const found = new Map<string, Cells<SharedCell>>();
  for (const { name, job, cells } of taking)
    for (const part of cells) {
      const seen = job.survey.cellOf(part.cell as never);
      const key = JSON.stringify(seen);
      const known = found.get(key);
      const parts = { ...known?.cell.parts, [name]: part };
      found.set(key, { cell: { seen, parts }, markets: Math.max(known?.markets ?? 0, part.markets) });
    }
  return [...found.values()];
}

/** One job for all that take part: each market is looked at once. */
export function sharedJob(jobs: Readonly<Record<string, AnySurveyJob>>): Job<SharedCell, SharedSum> {
  const [{ survey }] = Object.values(jobs) as [AnySurveyJob];
  const columns = Object.values(jobs).find((job) => job.columns)?.columns;
  return {
    look(cell, k, context) {
      const seen = survey.look(cell.seen as never, k, context);
      const sums = Object.entries(cell.parts).map(([name, part]) => [
        name,
        k < part.markets ? jobs[name]!.reduce(seen, part.cell, context) : null,
      ]);
      return Object.fromEntries(sums) as SharedSum;
    },
    merge: (left, right) =>
      Object.fromEntries(
        Object.entries(left).map(([name, sum]) => {
          const more = right[name] ?? null;
          return [name, sum === null || more === null ? (sum ?? more) : jobs[name]!.merge(sum, more)];
        }),
      ),
    cost: ({ seen }) => survey.cost(seen as never),
    fits: (sum, { parts }) =>
      Object.keys(parts).every((name) => Object.hasOwn(sum as object, name)) &&
      Object.keys(sum as object).length === Object.keys(parts).length,
    ...(columns && { columns }),
  };
}

/** The sums of one that takes part, by its own cells. */
export function ownSums(
  { name, job, cells }: Taking,
  shared: readonly Cells<SharedCell>[],
  sums: readonly (SharedSum | null)[],
): unknown[] {
  const places = new Map(shared.map(({ cell }, k) => [JSON.stringify(cell.seen), k]));
  return cells.map(({ cell }) => {
    const place = places.get(JSON.stringify(job.survey.cellOf(cell as never)))!;
    return sums[place]?.[name] ?? null;
  });
}
