/** Runs the analyses of a study one after another, each step by step: one that fails does not lose the others. */

import { availableParallelism } from "node:os";
import type { Player } from "../agents/play.js";
import type { AnyMechanism } from "../auction/mechanism.js";
import { InputError, oneLine, withPlace } from "../lib/errors.js";
import type { AnalysisResult, Section } from "../report/result.js";
import { type Analysis, render } from "./analysis.js";
import {
  type Archive,
  type Computed,
  compute,
  type Executor,
  inMemory,
  inProcess,
  merge,
  openArchive,
} from "./compute.js";
import { type ChosenAnalysis, jobOf, workContext } from "./context.js";
import type { AnyJob, Cells, SourcedMarket, WorkContext } from "./job.js";
import { JournalError } from "./journal.js";
import { barOn, StudyProgress, type Terminal } from "./progress.js";
import type { Address } from "./redis/connect.js";
import type { Chunk, RunIdentity, Study } from "./study.js";
import { type AnySurveyJob, isSurveyJob, ownSums, type SharedCell, sharedCells } from "./survey.js";
import { threads } from "./threads.js";

/** What to run: names, and what they mean here. */
export interface StudyRequest {
  readonly names: RunIdentity;
  readonly analyses: readonly ChosenAnalysis[];
  readonly mechanism: AnyMechanism;
  readonly agents: readonly Player[];
  readonly markets: readonly SourcedMarket[];
}

/** Who computes, and where what is finished is kept. */
export interface Backend {
  readonly executor: Executor;
  readonly archive: Archive;
}

export interface ExecutorFlags {
  /** As many as there are cores if left out. */
  readonly threads?: number;
  /** Where workers on other machines are. */
  readonly redis?: Address;
}

export interface BackendOptions {
  readonly flags: ExecutorFlags & { readonly out: string; readonly resume?: boolean };
  /** The module that runs in threads. */
  readonly entry: URL;
  /** What the journal is the journal of. */
  readonly identity: RunIdentity;
  /** How to go on with what is finished. */
  readonly advice: string;
}

/** An executor, and a journal in a folder, for as long as some work takes; `work` says whether all is finished. */
export async function withBackend(
  { flags, entry, identity, advice }: BackendOptions,
  terminal: Terminal,
  work: (backend: Backend) => Promise<boolean>,
): Promise<void> {
  const executor = await chooseExecutor(flags, entry, terminal);
  const warn = (text: string) => terminal.warn(text);
  const archive = await openArchive({
    folder: flags.out,
    heading: identity,
    resumes: flags.resume === true,
    warn,
  });
  const { journal } = archive;
  terminal.keeps(journal.path, advice);
  let finished = false;
  try {
    finished = await work({ executor, archive });
    if (!finished && journal.holds) warn(advice);
  } catch (error) {
    throw journal.holds ? advised(error, advice, warn) : error;
  } finally {
    await executor.close();
    await archive.close(finished);
  }
}

/** Workers anywhere where a server is named, else threads of this machine; `entry` is the module that runs in each. */
async function chooseExecutor(flags: ExecutorFlags, entry: URL, terminal: Terminal): Promise<Executor> {
  if (flags.redis === undefined) return threads(flags.threads ?? availableParallelism(), entry);
  const [{ reachServer }, { redisExecutor }] = await Promise.all([
    import("./redis/connect.js"),
    import("./redis/executor.js"),
  ]);
  return redisExecutor(await reachServer(flags.redis, terminal, { waits: false }));
}

/** What a user can mend, and what to do then. */
function advised(error: unknown, advice: string, warn: (text: string) => void): unknown {
  if (error instanceof InputError)
    return new InputError({ ...error.problem, expected: `${error.problem.expected}; ${advice}` });
  warn(advice);
  return error;
}

/** What became of an analysis. */
export interface AnalysisRun {
  readonly analysis: Analysis;
  readonly section: Section;
  /** Null where not all of it was computed. */
  readonly computed: Computed | null;
}

/** Plans all, executes what they have to compute, one study after another, and concludes and renders each. */
export async function runStudy(
  request: StudyRequest,
  backend: Backend,
  terminal: Terminal,
): Promise<AnalysisRun[]> {
  const planned = await Promise.all(request.analyses.map((choice) => planFor(choice, request)));
  warnOfDurations(planned, backend.executor, terminal);
  const works = worksOf(planned);
  const progress = new StudyProgress(works, barOn(terminal.line));
  const runs = new Map<Planned, AnalysisRun>();
  for (const [k, work] of works.entries()) {
    progress.begin(k);
    const onChunk = (chunk: Chunk, found: boolean) => progress.add(chunk, found);
    const executed = await execute(work, { names: request.names, backend, terminal, onChunk });
    for (const one of work.planned) runs.set(one, await answer(one, executed, request.names, terminal));
  }
  progress.clear();
  return planned.map((one) => runs.get(one)!);
}

/** What an analysis is going to do. */
interface Plan<Settings = unknown, Cell = unknown> {
  readonly context: WorkContext;
  readonly settings: Settings;
  readonly cells: readonly Cells<Cell>[];
}

export function planOf<Settings, Cell>(
  analysis: Pick<Analysis<Settings, Cell>, "settings" | "plan">,
  context: WorkContext,
  settings: Settings = analysis.settings(context),
): Plan<Settings, Cell> {
  return { context, settings, cells: analysis.plan(settings, context) };
}

interface Planned {
  readonly choice: ChosenAnalysis;
  readonly plan?: Plan;
  /** Why there is no plan. */
  readonly error?: unknown;
}

/** One that cannot plan fails when its turn comes, as one that cannot compute. */
async function planFor(choice: ChosenAnalysis, request: StudyRequest): Promise<Planned> {
  try {
    const context = await workContext({ ...request.names, ...request, ...choice });
    return { choice, plan: planOf(choice.analysis, context) };
  } catch (error) {
    return { choice, error };
  }
}

/** Warns beforehand of what takes hours. */
function warnOfDurations(planned: readonly Planned[], executor: Executor, terminal: Terminal): void {
  for (const { choice, plan } of planned) {
    const { name, duration } = choice.analysis;
    const text = plan ? (duration?.(plan.settings, Math.max(1, executor.threads())) ?? null) : null;
    if (text !== null) terminal.warn(`${name}: ${text}`);
  }
}

/** What is computed in one go: for one analysis, or for all that take part in one survey. */
interface Work {
  readonly name: string;
  readonly planned: readonly Planned[];
  readonly job: AnyJob;
  readonly cells: readonly Cells<unknown>[];
}

/** In the order of the analyses that come first in each. */
function worksOf(planned: readonly Planned[]): Work[] {
  const works = new Map<unknown, Planned[]>();
  for (const one of planned) {
    const { job } = one.choice.analysis;
    const shared = one.plan !== undefined && isSurveyJob(job) && one.choice.builtIn;
    const key = shared ? job.survey : one;
    works.set(key, [...(works.get(key) ?? []), one]);
  }
  return [...works.values()].map((those) => {
    const name = those.map(({ choice }) => choice.analysis.name).join(", ");
    const [{ choice, plan }] = those as [Planned];
    if (those.length === 1)
      return { name, planned: those, job: choice.analysis.job, cells: plan?.cells ?? [] };
    const cells = sharedCells(those.map(takingPart));
    return { name, planned: those, job: jobOf(those.map((one) => one.choice.analysis)), cells };
  });
}

const takingPart = ({ choice: { analysis }, plan }: Planned) => ({
  name: analysis.name,
  job: analysis.job as AnySurveyJob,
  cells: plan!.cells,
});

interface Turn {
  readonly names: RunIdentity;
  readonly backend: Backend;
  readonly terminal: Terminal;
  readonly onChunk: (chunk: Chunk, found: boolean) => void;
}

/** What became of the work: the summaries of each analysis by its cells, or why there are none. */
type Executed =
  | { readonly computed: Computed; readonly summariesOf: (one: Planned) => readonly unknown[] }
  | { readonly stopped: unknown };

/** What measures time is computed in this thread, with nothing beside it, and never resumed. */
async function execute(work: Work, { names, backend, terminal, onChunk }: Turn): Promise<Executed> {
  const { job, cells, planned } = work;
  const [{ choice, plan, error }, ...others] = planned as [Planned, ...Planned[]];
  const { signal } = terminal;
  if (!(await terminal.goesOn())) return { stopped: null };
  try {
    if (plan === undefined) throw error;
    const { analyses: _, ...common } = names;
    const study: Study = {
      ...common,
      // Rows are kept only if they are wanted and there are any.
      rows: common.rows && job.columns !== undefined,
      analysis: choice.named,
      ...(others.length > 0 && { sharing: others.map((other) => other.choice.named) }),
      cells,
    };
    const timed = choice.analysis.timed === true;
    const used = timed ? { executor: inProcess(() => terminal.goesOn()), archive: inMemory() } : backend;
    const computed = await compute({ study, job, context: plan.context, ...used, onChunk, signal });
    const summaries = await merge(job, cells, computed);
    const shared = cells as readonly Cells<SharedCell>[];
    const summariesOf = (one: Planned) =>
      others.length === 0 ? summaries : ownSums(takingPart(one), shared, summaries as never);
    return { computed, summariesOf };
  } catch (error) {
    return { stopped: error };
  }
}

/** Concludes and renders one analysis; one that was stopped, or fails here, says so in its section. */
async function answer(
  { choice, plan }: Planned,
  executed: Executed,
  names: RunIdentity,
  terminal: Terminal,
): Promise<AnalysisRun> {
  const { analysis, named } = choice;
  const { signal } = terminal;
  const { name, question, part, timed } = analysis;
  const known = { name, question, ...(part && { part }), ...(timed && { timed }) };
  const without = (state: "interrupted" | "failed", error: string | null): AnalysisRun => {
    return { analysis, section: { ...known, state, error, result: null }, computed: null };
  };
  try {
    if ("stopped" in executed) {
      if (executed.stopped === null) return without("interrupted", null);
      throw executed.stopped;
    }
    const returned = await resultOf(analysis, plan!, executed.summariesOf({ choice, plan: plan! }), signal);
    // Charts are compiled to be checked: what that needs is loaded only now.
    const { checkedResult, drawnResult } = await import("../report/validate.js");
    const result = await drawnResult(checkedResult(returned, named.spec));
    for (const { flaw } of result.charts) if (flaw !== undefined) terminal.warn(`${named.spec}: ${flaw}`);
    if (names.rows && result.tables.some((table) => table.name === "rows"))
      throw new Error(`tables: "rows" is the name of the row-level data`);
    return {
      analysis,
      section: { ...known, state: "done", error: null, result },
      computed: executed.computed,
    };
  } catch (error) {
    if (error instanceof JournalError) throw error;
    if (signal.aborted) return without("interrupted", null);
    if (process.env.CANDOR_DEBUG === "1") console.error(error);
    return without("failed", withPlace(oneLine(error), error));
  }
}

/** What an analysis makes of the summaries of its cells: its conclusion, rendered. */
export async function resultOf<Settings, Cell, Summary, Result>(
  analysis: Analysis<Settings, Cell, Summary, Result>,
  { context, settings, cells }: Plan<Settings, Cell>,
  summaries: readonly unknown[],
  signal?: AbortSignal,
): Promise<AnalysisResult> {
  const gathered = cells.map((cell, k) => ({ ...cell, summary: summaries[k] as Summary | null }));
  // The rest may be a user's own, and take for ever.
  signal?.throwIfAborted();
  const found = await analysis.conclude(gathered, settings, context);
  return render<Result>(analysis, found);
}
