/**
 * The interface of an analysis: one question, answered with tables, charts and sentences. It writes no HTML.
 * A run goes one way: plan, execute the job, conclude, render; then the report is written.
 */

import type { Settable } from "../lib/options.js";
import type {
  AnalysisResult,
  Chart,
  Exhibit,
  Finding,
  MechanismNote,
  PartName,
  Table,
} from "../report/result.js";
import type { Cells, Job, WorkContext } from "./job.js";

export type { Profile } from "../report/result.js";

/** A cell, how many markets of it were asked for, and what was computed of them; null for a cell without markets. */
export interface Gathered<Cell, Summary> extends Cells<Cell> {
  readonly summary: Summary | null;
}

// biome-ignore lint/suspicious/noExplicitAny: what one analysis hands from step to step is its own affair.
export interface Analysis<Settings = any, Cell = any, Summary = any, Result = any> {
  readonly name: string;
  /** The question it answers, as a sentence. */
  readonly question: string;
  /** Where it stands in the report; at its end if left out. */
  readonly part?: PartName;
  /** Measures time: it runs in one thread, and its data, which no seed fixes, are kept in a file of their own. */
  readonly timed?: boolean;
  /** Looks at the markets that --markets gives, if any. */
  readonly takesMarkets?: boolean;
  /** Has nothing to look at without them. */
  readonly needsMarkets?: boolean;
  /** Looks at agents: one that is built in is given none otherwise. */
  readonly takesAgents?: boolean;
  /** What may be set behind its name; where nothing is, the profile decides. */
  readonly options?: Settable;
  /** Says beforehand, for those that take hours, about how long it will take; without a full stop. */
  readonly duration?: (settings: Settings, threads: number) => string | null;
  /** Sample sizes and the like, from the profile, the options and the mechanism. Tests pass settings of their own. */
  settings(context: WorkContext): Settings;
  /** What to compute: cells, and how many markets of each. */
  plan(settings: Settings, context: WorkContext): readonly Cells<Cell>[];
  /** Computes and merges: on all threads or machines there are. */
  readonly job: Job<Cell, Summary>;
  /** What the functions below read: everything worked out, nothing worded yet. */
  conclude(
    gathered: readonly Gathered<Cell, Summary>[],
    settings: Settings,
    context: WorkContext,
  ): Result | Promise<Result>;
  tables(result: Result): readonly Table[];
  charts(result: Result): readonly Chart[];
  findings(result: Result): readonly Finding[];
  methods(result: Result): readonly string[];
  /** Markets to replay on the live bench. */
  exhibits?(result: Result): readonly Exhibit[];
  /** What it establishes about mechanisms, for their cards. */
  mechanismNotes?(result: Result): readonly MechanismNote[];
  /** One line below the table of the first screen; null for none. */
  firstScreenNote?(result: Result): string | null;
}

/** All that an analysis shows of its conclusion. */
export function render<Result>(
  // biome-ignore lint/suspicious/noExplicitAny: whatever it planned and computed.
  analysis: Analysis<any, any, any, Result>,
  result: Result,
): AnalysisResult {
  const firstScreenNote = analysis.firstScreenNote?.(result) ?? null;
  return {
    tables: analysis.tables(result),
    charts: analysis.charts(result),
    findings: analysis.findings(result),
    methods: analysis.methods(result),
    ...(analysis.exhibits && { exhibits: analysis.exhibits(result) }),
    ...(analysis.mechanismNotes && { mechanismNotes: analysis.mechanismNotes(result) }),
    ...(firstScreenNote !== null && { firstScreenNote }),
  };
}
