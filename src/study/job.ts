/** The interface of a job: work on many markets that any thread or machine can do, and whose results add up. */

import type { AnyAgent } from "../agents/agent.js";
import type { Player } from "../agents/play.js";
import type { AnyMechanism } from "../auction/mechanism.js";
import type { SomeSettings } from "../lib/options.js";
import type { Stream } from "../lib/random.js";
import type { Market } from "../market/market.js";
import type { Profile } from "../report/result.js";

export type { Profile } from "../report/result.js";

export type DataValue = string | number | boolean | null;

/** One line of row-level data: plain values under the names of columns; what is left out is null. */
export type DataRow = Readonly<Record<string, DataValue>>;

/** A column of row-level data; each of its values may be null. */
export interface DataColumn {
  readonly name: string;
  /** integer: of 32 bits; number: a finite one, in full precision; −0 is written as 0. */
  readonly type: "integer" | "number" | "boolean" | "text";
  /** What it says, for readers of the file. */
  readonly about: string;
}

/** A market that somebody has written down. */
export interface SourcedMarket {
  readonly market: Market;
  /** Where it was found, as in "m.jsonl:17". */
  readonly source: string;
  /** What it calls itself, where it does. */
  readonly id?: string | number | undefined;
}

/** What an analysis and its job know. */
export interface WorkContext {
  /** A stream of the analysis's own; fork it by cell and market index. */
  readonly stream: Stream;
  readonly profile: Profile;
  /** What was set behind the analysis's name, as in `truthfulness-map:markets=1000`; nothing else is in it. */
  readonly options: SomeSettings;
  readonly mechanism: AnyMechanism;
  /** What every comparison shows, the one above among them. */
  readonly mechanisms: readonly AnyMechanism[];
  /** These and those that stand in comparisons of truthful mechanisms only. */
  readonly allMechanisms: readonly AnyMechanism[];
  /** Those that are built in, then the user's own. */
  readonly agents: readonly AnyAgent[];
  /** Who plays whom in a population of the user's own choosing; empty where none was chosen. */
  readonly population: readonly Player[];
  /** The user's own; none unless the analysis takes them. */
  readonly markets: readonly SourcedMarket[];
}

export interface JobContext extends WorkContext {
  /** Takes a row with the job's columns; absent where they are not wanted. */
  readonly keep?: (row: DataRow) => void;
}

/**
 * Cells and summaries are plain JSON: no NaN, no infinities, no undefined. Everything a look needs is in its cell, the
 * market's index and the context, so that it gives the same wherever it is done.
 */
export interface Job<Cell, Summary> {
  /** Looks at market k of a cell. */
  look(cell: Cell, k: number, context: JobContext): Summary | Promise<Summary>;
  /** Two summaries as one; the left one is of earlier markets. It may change and return the left one. */
  merge(left: Summary, right: Summary): Summary;
  /** About how many milliseconds a market of this cell takes: decides how many are done in one go. */
  cost(cell: Cell): number;
  /** Whether something can be the summary of so many markets of a cell: it may come from another machine. */
  fits?(summary: unknown, cell: Cell, markets: number): boolean;
  /** Those of the rows it keeps, one or several a market; a job without them keeps none. */
  readonly columns?: readonly DataColumn[];
}

// biome-ignore lint/suspicious/noExplicitAny: a registry holds jobs of all kinds of cells and summaries.
export type AnyJob = Job<any, any>;

/** A cell and how many markets of it to look at. */
export interface Cells<Cell> {
  readonly cell: Cell;
  readonly markets: number;
}

/** Values of different markets, in their order; it changes and returns the left ones. */
export function append<Value>(left: Value[], right: readonly Value[]): Value[] {
  for (const value of right) left.push(value);
  return left;
}

/** A job that keeps a value for every market, in their order: for results that are few. */
export function collectJob<Cell, Value>(
  look: (cell: Cell, k: number, context: JobContext) => Value | Promise<Value>,
  cost: (cell: Cell) => number,
): Job<Cell, Value[]> {
  return {
    look: async (cell, k, context) => [await look(cell, k, context)],
    merge: append,
    cost,
    fits: (summary, _, markets) => Array.isArray(summary) && summary.length === markets,
  };
}

/** What a job of several kinds gives: a summary of the kind of its cell. */
export interface OfKind<Kind extends string = string, Summary = unknown> {
  readonly kind: Kind;
  readonly summary: Summary;
}

/** One job out of several: a cell says by its kind whose it is. */
export function jobByKind<Cell extends { readonly kind: string }, Summary extends OfKind>(
  jobs: Readonly<Record<Cell["kind"], AnyJob>>,
): Job<Cell, Summary> {
  const of = (kind: string): AnyJob => jobs[kind as Cell["kind"]];
  const columns = Object.values<AnyJob>(jobs).find((job) => job.columns)?.columns;
  return {
    look: async (cell, k, context) =>
      ({ kind: cell.kind, summary: await of(cell.kind).look(cell, k, context) }) as OfKind as Summary,
    merge: (left, right) => ({ ...left, summary: of(left.kind).merge(left.summary, right.summary) }),
    cost: (cell) => of(cell.kind).cost(cell),
    fits(found, cell, markets) {
      const { kind, summary } = found as Partial<OfKind>;
      return kind === cell.kind && summary !== null && (of(kind).fits?.(summary, cell, markets) ?? true);
    },
    ...(columns && { columns }),
  };
}
