/** Runs one analysis: from its settings to its tables, charts, findings and methods. */

import type { AnalysisResult } from "../report/result.js";
import type { Analysis } from "./analysis.js";
import type { AnyJob, Cells, WorkContext } from "./job.js";

/** Computes a job's cells and merges what comes out: one summary per cell; null for a cell without markets. */
export type Compute = (job: AnyJob, cells: readonly Cells<unknown>[]) => Promise<unknown[]>;

interface Run<Settings> {
  readonly context: WorkContext;
  readonly compute: Compute;
  /** Those of the profile if left out. */
  readonly settings?: Settings;
}

export async function runAnalysis<Settings, Cell, Summary, Result>(
  analysis: Analysis<Settings, Cell, Summary, Result>,
  { context, compute, settings = analysis.settings(context) }: Run<Settings>,
): Promise<AnalysisResult> {
  const cells = analysis.plan(settings, context);
  const summaries = (await compute(analysis.job, cells)) as (Summary | null)[];
  const gathered = cells.map((cell, k) => ({ ...cell, summary: summaries[k] ?? null }));
  const result = await analysis.conclude(gathered, settings, context);
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
