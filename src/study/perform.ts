/** Does one chunk of a job: a pure function of the job, its cells, the chunk and the context. */

import type { Chunk } from "./chunks.js";
import type { AnyJob, Cells, WorkContext } from "./job.js";
import { rowPack } from "./rows.js";

/** What a chunk gives back, as text that is the same wherever it was done. */
export interface ChunkResult {
  /** JSON: for each span, the summary of its markets. */
  readonly summaries: string;
  /** Row-level data, packed; null where nobody asked for them. */
  readonly rows: string | null;
}

export interface Assignment {
  readonly job: AnyJob;
  readonly cells: readonly Cells<unknown>[];
  readonly context: WorkContext;
  /** Whether row-level data are wanted. */
  readonly rows: boolean;
}

export async function perform({ job, cells, context, rows }: Assignment, chunk: Chunk): Promise<ChunkResult> {
  const pack = rows ? rowPack(job.columns ?? []) : null;
  const looking = pack === null ? context : { ...context, keep: pack.keep };
  const summaries: unknown[] = [];
  for (const { cell, from, to } of chunk) {
    let sum = await job.look(cells[cell]!.cell, from, looking);
    for (let k = from + 1; k < to; k++) sum = job.merge(sum, await job.look(cells[cell]!.cell, k, looking));
    summaries.push(sum);
  }
  return { summaries: JSON.stringify(summaries), rows: pack?.packed() ?? null };
}
