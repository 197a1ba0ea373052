/** Cuts the markets of a study into chunks of about half a second. */

import type { Cells, Job } from "./job.js";

/** Markets from..to-1 of one cell. */
export interface Span {
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
