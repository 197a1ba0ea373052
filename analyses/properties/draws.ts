/** The markets the properties are checked on: a spread of the paper's, and random ones with ties and late starts. */

import type { Stream } from "../../src/lib/random.js";
import { marketArbitrary } from "../../src/market/arbitraries.js";
import { BATCH, batchFrom } from "../../src/market/generators.js";
import type { Market, Reading } from "../../src/market/market.js";
import { atRelativeBudget, drawForSurvey } from "../../src/market/relative-budget.js";
import type { Cells } from "../../src/study/job.js";

export interface Draws {
  readonly rounds: number;
  readonly sizes: readonly number[];
  /** Over the true cost of all rounds on offer. */
  readonly budgets: readonly number[];
  /** How many of each size and budget. */
  readonly perCell: number;
  /** How many random ones. */
  readonly wide: number;
}

/** paper: the paper's distributions and rules. wide: anything, with round numbers in half of them. */
export type DrawName = "paper" | "wide";

export interface Drawn {
  readonly draw: DrawName;
  readonly name: string;
  /** Counts over all draws. */
  readonly index: number;
  readonly market: Market;
}

/** The paper's markets of one size and budget one by one, or random ones a batch at a time. */
export type DrawCell = { readonly first: number } & (
  | { readonly draw: "paper"; readonly workers: number; readonly rounds: number; readonly budget: number }
  | { readonly draw: "wide"; readonly count: number }
);

export const readings: readonly Reading[] = ["prose", "pseudocode"];

export const wideLimits = { minWorkers: 1, maxWorkers: 12, maxRounds: 8, maxRatio: 0.5 } as const;

export function drawCells({ rounds, sizes, budgets, perCell, wide }: Draws): Cells<DrawCell>[] {
  const places = sizes.flatMap((workers) => budgets.map((budget) => ({ workers, rounds, budget })));
  const paper = places.map((place, k) => ({
    cell: { draw: "paper" as const, first: k * perCell, ...place },
    markets: perCell,
  }));
  const random = { draw: "wide" as const, first: places.length * perCell, count: wide };
  return [...paper, { cell: random, markets: Math.ceil(wide / BATCH) }];
}

/** What is k-th in a cell: a market of the paper's, or a batch of random ones. */
export function drawnAt(cell: DrawCell, k: number, stream: Stream): Drawn[] {
  if (cell.draw === "wide") return wideDraws(cell, k, stream.fork("wide"));
  const { workers, rounds, budget, first } = cell;
  const own = stream.fork("paper").fork(workers).fork(budget).fork(k);
  const market = atRelativeBudget(drawForSurvey({ workers, rounds }, own), budget);
  return [{ draw: "paper", name: `paper ${workers} ${budget} ${k}`, index: first + k, market }];
}

function wideDraws({ first, count }: DrawCell & { draw: "wide" }, batch: number, stream: Stream): Drawn[] {
  const from = batch * BATCH;
  const ground = marketArbitrary({ ...wideLimits, readings: ["prose"] });
  return batchFrom(ground, batch, stream)
    .slice(0, count - from)
    .map((market, k) => ({ draw: "wide", name: `wide ${from + k}`, index: first + from + k, market }));
}

export const withRules = ({ rules, workers }: Market, other: Partial<Market["rules"]>): Market => ({
  rules: { ...rules, ...other },
  workers,
});
