/** The interface of an analysis: one question, answered with tables, charts and sentences. It writes no HTML. */

import type { Settable, SomeSettings } from "../lib/options.js";
import type { AnalysisResult, Profile } from "../report/result.js";
import type { AnyJob, Cells, Job, WorkContext } from "./job.js";

export type { Profile } from "../report/result.js";

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
