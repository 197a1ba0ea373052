/** The markets the properties are checked on: a spread of the paper's, and random ones with ties and late starts. */

import type { Stream } from "../../src/lib/random.js";
import { atRelativeBudget, drawForSurvey } from "../../src/market/draw.js";
import { BATCH, batchFrom, marketArbitrary } from "../../src/market/generators.js";
import type { Market, Reading } from "../../src/market/market.js";
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

/** paper: the paper's distributions and rules. random: anything, with round numbers in half of them. Never pooled. */
export const families = ["paper", "random"] as const;

export type Family = (typeof families)[number];

/** As in "markets drawn at random". */
export const drawnAs: Record<Family, string> = { paper: "drawn as in the paper", random: "drawn at random" };

export interface Drawn {
  readonly family: Family;
  readonly name: string;
  /** Counts over all draws. */
  readonly index: number;
  readonly market: Market;
}

/** The paper's markets of one size and budget one by one, or random ones a batch at a time. */
export type DrawCell = { readonly first: number } & (
  | { readonly family: "paper"; readonly workers: number; readonly rounds: number; readonly budget: number }
  | { readonly family: "random"; readonly count: number }
);

export const readings: readonly Reading[] = ["prose", "pseudocode"];

export const randomLimits = { minWorkers: 1, maxWorkers: 12, maxRounds: 8, maxRatio: 0.5 } as const;

export function drawCells({ rounds, sizes, budgets, perCell, wide }: Draws): Cells<DrawCell>[] {
  const places = sizes.flatMap((workers) => budgets.map((budget) => ({ workers, rounds, budget })));
  const paper = places.map((place, k) => ({
    cell: { family: "paper" as const, first: k * perCell, ...place },
    markets: perCell,
  }));
  const random = { family: "random" as const, first: places.length * perCell, count: wide };
  return [...paper, { cell: random, markets: Math.ceil(wide / BATCH) }];
}

/** What is k-th in a cell: a market of the paper's, or a batch of random ones. */
export function drawnAt(cell: DrawCell, k: number, stream: Stream): Drawn[] {
  if (cell.family === "random") return randomDraws(cell, k, stream.fork("random"));
  const { workers, rounds, budget, first } = cell;
  const own = stream.fork("paper").fork(workers).fork(budget).fork(k);
  const market = atRelativeBudget(drawForSurvey({ workers, rounds }, own), budget);
  return [{ family: "paper", name: `paper ${workers} ${budget} ${k}`, index: first + k, market }];
}

function randomDraws(
  { first, count }: DrawCell & { family: "random" },
  batch: number,
  stream: Stream,
): Drawn[] {
  const from = batch * BATCH;
  const ground = marketArbitrary({ ...randomLimits, readings: ["prose"] });
  return batchFrom(ground, batch, stream)
    .slice(0, count - from)
    .map((market, k) => ({ family: "random", name: `random ${from + k}`, index: first + from + k, market }));
}

export const withRules = ({ rules, workers }: Market, other: Partial<Market["rules"]>): Market => ({
  rules: { ...rules, ...other },
  workers,
});
