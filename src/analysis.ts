/** The interface of an analysis: one question, answered with tables, charts and sentences. It writes no HTML. */

import type { AnyJob, Cells, Job, Profile, WorkContext } from "./job.js";
import type { Bid, Market } from "./market.js";
import type { Settable, SomeSettings } from "./options.js";

export type { Profile } from "./job.js";

export type Cell = string | number | boolean | null;

export type Row = Readonly<Record<string, Cell>>;

export interface Column {
  /** The field in each row. */
  readonly name: string;
  readonly label: string;
  /** count: whole numbers; share: 0..1, shown in per cent; amount: a real number; text. */
  readonly kind: "count" | "share" | "amount" | "text";
}

/**
 * Rows of plain values. Columns named regime, reading, mechanism, lie or kind are facets: a reader's choice keeps the
 * rows with the chosen value, where there are any. In a column named auction, which compares mechanisms, it keeps the
 * chosen one and the paper's. A table with such a column has rows for the choice "all" too, where
 * adding up the others would be wrong.
 */
export interface Table {
  readonly name: string;
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

export interface Chart {
  readonly name: string;
  readonly title: string;
  /** A Vega-Lite specification without data: it draws the table named here. */
  readonly table: string;
  readonly spec: object;
  /** What it shows, for those who cannot see it; computed from the data. */
  readonly summary: string;
  readonly howToRead: string;
}

/** A sentence computed from the data; the heaviest ones, on a scale from 0 to 100, open the report. */
export interface Finding {
  readonly text: string;
  readonly weight: number;
}

/** A market in which something happened that a reader may want to replay. */
export interface Exhibit {
  readonly name: string;
  readonly title: string;
  readonly market: Market;
  readonly mechanism: string;
  /** The lie; null where the truthful run itself is to be looked at. */
  readonly lie: Bid | null;
}

export interface AnalysisResult {
  readonly tables: readonly Table[];
  readonly charts: readonly Chart[];
  readonly findings: readonly Finding[];
  /** What was not looked at, or only sampled, and how much. */
  readonly leftOut: readonly string[];
  readonly exhibits?: readonly Exhibit[];
}

/** Does the work of an analysis piece by piece: tells how far it is, and stops when asked to. */
export interface Pool {
  /** In this thread, one after another: results come in the order of inputs. */
  map<In, Out>(inputs: readonly In[], work: (input: In, index: number) => Out | Promise<Out>): Promise<Out[]>;
  /** On all threads or machines there are: a summary per cell; null for a cell without markets. The job must be among the analysis's. */
  gather<Cell, Summary>(job: Job<Cell, Summary>, cells: readonly Cells<Cell>[]): Promise<(Summary | null)[]>;
}

export interface AnalysisContext extends WorkContext {
  readonly pool: Pool;
}

/** What is known before an analysis starts. */
export interface Plan {
  readonly profile: Profile;
  readonly settings: SomeSettings;
  readonly threads: number;
}

export interface Analysis {
  readonly name: string;
  /** The question it answers, as a sentence. */
  readonly question: string;
  /** Measures time: no seed fixes its data, so they are kept in a file of their own. */
  readonly timed?: boolean;
  /** What may be set behind its name; where nothing is, the profile decides. */
  readonly options?: Settable;
  /** Work that can be done on other threads and machines, by name. */
  readonly jobs?: Readonly<Record<string, AnyJob>>;
  /** Says beforehand, for those that take hours, about how long it will take; without a full stop. */
  readonly duration?: (plan: Plan) => string | null;
  run(context: AnalysisContext): Promise<AnalysisResult>;
}
