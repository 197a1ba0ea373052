/** Whether a chunk's result can be one: others may have made it, and what is merged into a study cannot be taken out again. */

import type { AnyJob } from "./job.js";
import { isPacked } from "./rows.js";
import type { Chunk, ChunkResult, Study } from "./study.js";

interface ResultOf {
  readonly study: Pick<Study, "cells" | "rows">;
  readonly job: AnyJob;
  readonly chunk: Chunk;
}

/** A summary for every span, each of which the job can merge; and rows of the job's columns where they are wanted. */
export function isResult({ summaries, rows }: ChunkResult, { study, job, chunk }: ResultOf): boolean {
  if (study.rows ? rows === null || !isPacked(rows, job.columns ?? []) : rows !== null) return false;
  try {
    // Twice: a job may change what it merges.
    const [ones, others] = [JSON.parse(summaries), JSON.parse(summaries)];
    if (!Array.isArray(ones) || ones.length !== chunk.length) return false;
    return chunk.every(({ cell, from, to }, k) => {
      if (ones[k] === null) return false;
      if (job.fits && !job.fits(ones[k], study.cells[cell]!.cell, to - from)) return false;
      return isPlain(job.merge(ones[k], others[k]));
    });
  } catch {
    return false;
  }
}

/** Sums with what is not there are not numbers. */
function isPlain(value: unknown): boolean {
  if (typeof value === "number") return !Number.isNaN(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.values(value).every(isPlain);
}
