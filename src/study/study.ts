/** A study: names and parameters that say what to compute, never code. Whoever knows them all computes the same. */

import { createHash } from "node:crypto";
import type { AnyJob, Cells, Job, Profile, WorkContext } from "./job.js";
import { rowPack } from "./rows.js";

/** Something named on a command line; a user's file is the same only if its content is. */
export interface Named {
  /** As typed: "online:reading=pseudocode", "./mine.ts". */
  readonly spec: string;
  /** Of the user's file and what it imports beside it; null for what is built in. */
  readonly checksum: string | null;
}

export interface Study {
  /** This program's version and a digest of its code. */
  readonly program: string;
  readonly analysis: Named;
  readonly mechanism: Named;
  /** Which of the analysis's jobs. */
  readonly job: string;
  readonly seed: string;
  readonly profile: Profile;
  readonly cells: readonly Cells<unknown>[];
  /** Whether row-level data are wanted. */
  readonly rows: boolean;
}

/** The same for the same study, on every machine. */
export const studyId = (study: Study): string => checksumOf(JSON.stringify(study)).slice(0, 16);

export const checksumOf = (text: string | Uint8Array): string =>
  createHash("sha256").update(text).digest("hex");

/** Markets from..to-1 of one cell. */
interface Span {
  /** Which of the cells. */
  readonly cell: number;
  readonly from: number;
  readonly to: number;
}

/** What is done in one go: markets of one cell, or of several small ones. */
export type Chunk = readonly Span[];

const MILLISECONDS = 500;

/** Depends on the cells alone, never on how fast anything runs: sums are grouped the same way everywhere. */
export function chunksOf<Cell>(
  cells: readonly Cells<Cell>[],
  { cost }: Pick<Job<Cell, never>, "cost">,
): Chunk[] {
  const chunks: Span[][] = [];
  let left = 0;
  for (const [index, { cell, markets }] of cells.entries()) {
    const each = Math.max(cost(cell), 1e-6);
    for (let from = 0; from < markets; ) {
      if (left < each || chunks.length === 0) {
        chunks.push([]);
        left = MILLISECONDS;
      }
      const to = Math.min(markets, from + Math.max(1, Math.floor(left / each)));
      chunks.at(-1)!.push({ cell: index, from, to });
      left -= (to - from) * each;
      from = to;
    }
  }
  return chunks;
}

export const marketsIn = (chunk: Chunk): number => chunk.reduce((sum, { from, to }) => sum + to - from, 0);

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
