/** Runs the analyses of a study one after another, each step by step: one that fails does not lose the others. */

import { availableParallelism } from "node:os";
import type { Player } from "../agents/play.js";
import type { AnyMechanism } from "../auction/mechanism.js";
import { InputError, oneLine, withPlace } from "../lib/errors.js";
import type { AnalysisResult, Section } from "../report/result.js";
import type { Analysis } from "./analysis.js";
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
import { type ChosenAnalysis, workContext } from "./context.js";
import type { AnyJob, Cells, SourcedMarket, WorkContext } from "./job.js";
import { JournalError } from "./journal.js";
import { barOn, StudyProgress, type Terminal } from "./progress.js";
import type { Address } from "./redis/connect.js";
import type { Chunk, RunIdentity, Study } from "./study.js";
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

export interface MeansOptions {
  readonly flags: ExecutorFlags & { readonly out: string; readonly resume?: boolean };
  /** The module that runs in threads. */
  readonly entry: URL;
  readonly heading: RunIdentity;
  /** How to go on with what is finished. */
  readonly advice: string;
}

/** An executor, and a journal in a folder, for as long as some work takes; `work` says whether all is finished. */
export async function withMeans(
  { flags, entry, heading, advice }: MeansOptions,
  terminal: Terminal,
  work: (means: Backend) => Promise<boolean>,
): Promise<void> {
  const executor = await chooseExecutor(flags, entry, terminal);
  const warn = (text: string) => terminal.warn(text);
  const archive = await openArchive({ folder: flags.out, heading, resumes: flags.resume === true, warn });
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

export async function runStudy(
  request: StudyRequest,
  means: Backend,
  terminal: Terminal,
): Promise<AnalysisRun[]> {
  const planned = await Promise.all(request.analyses.map((choice) => attempt(choice, request)));
  warnOfDurations(planned, means.executor, terminal);
  const works = planned.map(({ choice: { analysis }, plan }) => ({ ...analysis, cells: plan?.cells ?? [] }));
  const progress = new StudyProgress(works, barOn(terminal.line));
  const runs: AnalysisRun[] = [];
  for (const [k, plan] of planned.entries()) {
    progress.begin(k);
    const onChunk = (chunk: Chunk, found: boolean) => progress.add(chunk, found);
    runs.push(await runOne(plan, { names: request.names, means, terminal, onChunk }));
  }
  progress.clear();
  return runs;
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
async function attempt(choice: ChosenAnalysis, request: StudyRequest): Promise<Planned> {
  try {
    const context = await workContext({ ...request.names, ...request, ...choice });
    return { choice, plan: planOf(choice.analysis, context) };
  } catch (error) {
    return { choice, error };
  }
}

/** Whoever starts something that takes hours knows it beforehand. */
function warnOfDurations(planned: readonly Planned[], executor: Executor, terminal: Terminal): void {
  for (const { choice, plan } of planned) {
    const { name, duration } = choice.analysis;
    const said = plan ? (duration?.(plan.settings, Math.max(1, executor.threads())) ?? null) : null;
    if (said !== null) terminal.warn(`${name}: ${said}`);
  }
}

interface Turn {
  readonly names: RunIdentity;
  readonly means: Backend;
  readonly terminal: Terminal;
  readonly onChunk: (chunk: Chunk, found: boolean) => void;
}

async function runOne({ choice, plan, error: flaw }: Planned, turn: Turn): Promise<AnalysisRun> {
  const { analysis, named } = choice;
  const { name, question, part, timed } = analysis;
  const { signal } = turn.terminal;
  const known = { name, question, ...(part && { part }), ...(timed && { timed }) };
  const without = (state: "interrupted" | "failed", error: string | null): AnalysisRun => {
    return { analysis, section: { ...known, state, error, result: null }, computed: null };
  };
  if (!(await turn.terminal.goesOn())) return without("interrupted", null);
  try {
    if (plan === undefined) throw flaw;
    const compute = () => computeChunks(choice, plan, turn);
    const { computed, result: returned } = await runAnalysis(analysis, { plan, compute, signal });
    // Charts are compiled to be checked: what that needs is loaded only now.
    const { checkedResult, drawnResult } = await import("../report/validate.js");
    const result = await drawnResult(checkedResult(returned, named.spec));
    for (const { flaw } of result.charts)
      if (flaw !== undefined) turn.terminal.warn(`${named.spec}: ${flaw}`);
    if (turn.names.rows && result.tables.some((table) => table.name === "rows"))
      throw new Error(`tables: "rows" is the name of the row-level data`);
    return { analysis, section: { ...known, state: "done", error: null, result }, computed };
  } catch (error) {
    if (error instanceof JournalError) throw error;
    if (signal.aborted) return without("interrupted", null);
    if (process.env.CANDOR_DEBUG === "1") console.error(error);
    return without("failed", withPlace(oneLine(error), error));
  }
}

/** What measures time is computed in this thread, with nothing beside it, and never resumed. */
function computeChunks({ analysis, named }: ChosenAnalysis, plan: Plan, turn: Turn): Promise<Computed> {
  const { job, timed } = analysis;
  const { terminal, onChunk } = turn;
  const here = () => ({ executor: inProcess(() => terminal.goesOn()), archive: inMemory() });
  const { analyses: _, ...common } = turn.names;
  // Rows are kept only if they are wanted and there are any.
  const rows = common.rows && job.columns !== undefined;
  const study: Study = { ...common, rows, analysis: named, cells: plan.cells };
  const { signal } = terminal;
  return compute({ study, job, context: plan.context, ...(timed ? here() : turn.means), onChunk, signal });
}

interface Run<Settings, Cell> {
  readonly plan: Plan<Settings, Cell>;
  readonly compute: (job: AnyJob, plan: Plan<Settings, Cell>) => Promise<Computed>;
  readonly signal?: AbortSignal;
}

/** The steps of one analysis: from its plan to its tables, charts, findings and methods. */
export async function runAnalysis<Settings, Cell, Summary, Result>(
  analysis: Analysis<Settings, Cell, Summary, Result>,
  { plan, compute, signal }: Run<Settings, Cell>,
): Promise<{ readonly computed: Computed; readonly result: AnalysisResult }> {
  const { context, settings, cells } = plan;
  const computed = await compute(analysis.job, plan);
  const summaries = (await merge(analysis.job, cells, computed)) as (Summary | null)[];
  const gathered = cells.map((cell, k) => ({ ...cell, summary: summaries[k]! }));
  // The rest may be a user's own, and take for ever.
  signal?.throwIfAborted();
  const found = await analysis.conclude(gathered, settings, context);
  const firstScreenNote = analysis.firstScreenNote?.(found) ?? null;
  const result = {
    tables: analysis.tables(found),
    charts: analysis.charts(found),
    findings: analysis.findings(found),
    methods: analysis.methods(found),
    ...(analysis.exhibits && { exhibits: analysis.exhibits(found) }),
    ...(analysis.mechanismNotes && { mechanismNotes: analysis.mechanismNotes(found) }),
    ...(firstScreenNote !== null && { firstScreenNote }),
  };
  return { computed, result };
}
