/** Runs analyses one after another: one that fails does not lose the others. */

import { oneLine } from "../lib/errors.js";
import type { AnyMechanism } from "../mechanisms/mechanism.js";
import type { Section } from "../report/result.js";
import { checkedResult } from "../report/validate.js";
import type { AnyAnalysis, Pool } from "../study/analysis.js";
import { type Desk, gather, type Reached } from "../study/gather.js";
import type { AnyJob, Cells, Profile, WorkContext } from "../study/job.js";
import { JournalError } from "../study/journal.js";
import { type Compute, runAnalysis as runSteps } from "../study/run-analysis.js";
import { chunksOf, type Named, type Study, studyId } from "../study/study.js";
import type { ChosenAnalysis } from "./analyses.js";
import type { Crew } from "./crew.js";
import type { Position } from "./progress.js";
import type { RowSource } from "./row-files.js";
import type { Session } from "./session.js";
import { workContext } from "./work-context.js";

export interface Request {
  /** The version of this program. */
  readonly candor: string;
  /** With a digest of its code. */
  readonly program: string;
  readonly analyses: readonly ChosenAnalysis[];
  readonly seed: string;
  readonly profile: Profile;
  readonly mechanism: AnyMechanism;
  /** The mechanism as it was named. */
  readonly mechanismNamed: Named;
  /** Whether row-level data are wanted. */
  readonly rows: boolean;
  /** Told of each study that keeps them. */
  readonly onRows?: (source: RowSource) => void;
}

/** Thrown out of an analysis when Ctrl-C was pressed. */
class Interrupted extends Error {}

export async function runAnalyses(request: Request, crew: Crew, session: Session): Promise<Section[]> {
  tellDurations(request, crew, session);
  const gauge = session.gauge();
  const sections: Section[] = [];
  for (const [k, choice] of request.analyses.entries()) {
    const { name } = choice.analysis;
    const tell = ({ share, ...place }: Place) =>
      gauge.show({ ...place, what: name, done: (k + share) / request.analyses.length });
    tell({ share: 0, items: 0, unit: "items", begins: true });
    sections.push(await runAnalysis({ request, choice, crew, tell }, session));
  }
  gauge.clear();
  return sections;
}

/** Whoever starts something that takes hours knows it beforehand. */
function tellDurations(request: Request, { threads }: Crew, session: Session): void {
  for (const { analysis, settings } of request.analyses) {
    const said = durationOf({ analysis, settings }, request, Math.max(1, threads));
    if (said !== null) session.warn(`${analysis.name}: ${said}`);
  }
}

function durationOf(
  { analysis, settings }: Pick<ChosenAnalysis, "analysis" | "settings">,
  request: Request,
  threads: number,
): string | null {
  if ("run" in analysis)
    return analysis.duration?.({ profile: request.profile, options: settings, threads }) ?? null;
  if (!analysis.duration) return null;
  return analysis.duration(analysis.settings(workContext({ ...request, analysis, settings })), threads);
}

interface Turn {
  readonly request: Request;
  readonly choice: ChosenAnalysis;
  readonly crew: Crew;
  readonly tell: (place: Place) => void;
}

/** How far an analysis is. */
interface Place extends Omit<Position, "done" | "what"> {
  readonly share: number;
}

async function runAnalysis(turn: Turn, session: Session): Promise<Section> {
  const { analysis, settings } = turn.choice;
  const { name, question, part, timed } = analysis;
  const known = { name, question, ...(part && { part }), ...(timed && { timed }) };
  const lost = { ...known, error: null, result: null };
  if (!(await session.goesOn())) return { ...lost, state: "interrupted" };
  try {
    const context = workContext({ ...turn.request, analysis, settings });
    const pool = poolOf(turn, session);
    const returned =
      "run" in analysis
        ? await analysis.run({ ...context, pool })
        : await runSteps(analysis, { context, compute: computeOf(analysis, context, pool) });
    const result = checkedResult(returned, turn.choice.named.spec);
    if (turn.request.rows && result.tables.some((table) => table.name === "rows"))
      throw new Error(`tables: "rows" is the name of the row-level data`);
    return { ...known, state: "done", error: null, result };
  } catch (error) {
    if (error instanceof JournalError) throw error;
    if (error instanceof Interrupted || session.signal.aborted) return { ...lost, state: "interrupted" };
    if (process.env.CANDOR_DEBUG === "1") console.error(error);
    return { ...lost, state: "failed", error: oneLine(error) };
  }
}

/** What measures time runs in this thread, with nothing beside it. */
function computeOf({ timed }: AnyAnalysis, context: WorkContext, pool: Pool): Compute {
  if (!timed) return (job, cells) => pool.gather(job, cells);
  return async (job, cells) => {
    const looks = cells.flatMap(({ cell, markets }, index) =>
      Array.from({ length: markets }, (_, k) => ({ cell, index, k })),
    );
    const seen = await pool.map(looks, ({ cell, k }) => job.look(cell, k, context));
    const merged: unknown[] = cells.map(() => null);
    for (const [i, { index }] of looks.entries())
      merged[index] = merged[index] === null ? seen[i] : job.merge(merged[index], seen[i]);
    return merged;
  };
}

type Work<In, Out> = (input: In, index: number) => Out | Promise<Out>;

/** Tells the share of the inputs and markets known so far that are done. */
function poolOf(turn: Turn, session: Session): Pool {
  const progress = progressOf(turn.tell);
  return {
    async map<In, Out>(inputs: readonly In[], work: Work<In, Out>): Promise<Out[]> {
      const tell = progress(inputs.length, "items");
      tell({ items: 0, share: 0, begins: true });
      const results: Out[] = [];
      for (const [index, input] of inputs.entries()) {
        if (!(await session.goesOn())) throw new Interrupted();
        results.push(await work(input, index));
        tell({ items: index + 1, share: (index + 1) / inputs.length });
      }
      return results;
    },
    async gather(job, cells) {
      const markets = cells.reduce((sum, cell) => sum + cell.markets, 0);
      const tell = progress(markets, "markets");
      return gatherFor(turn, { job, cells, tell }, session) as Promise<never>;
    },
  };
}

/** What is gathered or mapped counts by its items; how much of it is done, by the work they take. */
function progressOf(tell: Turn["tell"]) {
  let [before, known] = [0, 0];
  return (of: number, unit: Position["unit"]) => {
    const start = before;
    [before, known] = [before + of, known + of];
    return ({ items, share, begins = false }: Reached) =>
      tell({ items, unit, begins, share: known === 0 ? 0 : (start + share * of) / known });
  };
}

interface Wanted {
  readonly job: AnyJob;
  readonly cells: readonly Cells<unknown>[];
  readonly tell: Desk["tell"];
}

function gatherFor(turn: Turn, { job, cells, tell }: Wanted, session: Session): Promise<unknown[]> {
  const { request, choice, crew } = turn;
  const { program, seed, profile } = request;
  const study: Study = {
    program,
    analysis: choice.named,
    mechanism: request.mechanismNamed,
    job: jobName(choice, job),
    seed,
    profile,
    cells,
    rows: request.rows && job.columns !== undefined,
  };
  if (study.rows) {
    const source = { study: studyId(study), chunks: chunksOf(cells, job).length };
    request.onRows?.({ ...source, analysis: choice.analysis.name });
  }
  return gather(study, job, { ...crew, tell, signal: session.signal });
}

function jobName({ analysis }: ChosenAnalysis, job: AnyJob): string {
  if ("job" in analysis) return "job";
  const [name] = Object.entries(analysis.jobs ?? {}).find(([, known]) => known === job) ?? [];
  if (name !== undefined) return name;
  throw new Error("gathers with a job that is not among its jobs");
}
