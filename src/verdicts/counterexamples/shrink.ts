/** Makes a market smaller while something about it stays true: greedily, to a market no step can improve. */

import type { Market } from "../../market/market.js";
import { compareSize } from "./shrink-order.js";
import { type Case, steps } from "./shrink-steps.js";

/** Whether what matters still holds; `worker` is the one the case is about, by its present id. */
export type Keeps = (market: Market, worker: number | null) => boolean;

export interface ShrinkOptions {
  /** The worker that must stay; its id may change. */
  readonly worker?: number | null;
  /** At most this many markets are tried. */
  readonly evaluations?: number;
}

export interface Shrunk extends Case {
  readonly evaluations: number;
  /** Whether no step leads to a smaller market that keeps; false if the evaluations ran out first. */
  readonly minimal: boolean;
}

export const MOST_EVALUATIONS = 50_000;

/** The market no step of the shrinker makes smaller. Deterministic. */
export function shrinkMarket(market: Market, keeps: Keeps, options: ShrinkOptions = {}): Shrunk {
  const path = shrinking(market, keeps, options);
  for (;;) {
    const { done, value } = path.next();
    if (done) return value;
  }
}

/** The same, stopping for breath after every market tried: the value so far is the smallest yet. */
export function* shrinking(
  market: Market,
  keeps: Keeps,
  { worker = null, evaluations: most = MOST_EVALUATIONS }: ShrinkOptions = {},
): Generator<Shrunk, Shrunk> {
  let smallest: Case = { market: inOrder(market), worker };
  const tried = new Set<string>();
  let evaluations = 0;
  const shrunk = (minimal: boolean): Shrunk => ({ ...smallest, evaluations, minimal });
  search: for (;;) {
    for (const next of smallerCases(smallest)) {
      const key = JSON.stringify(next);
      if (tried.has(key)) continue;
      if (evaluations >= most) return shrunk(false);
      tried.add(key);
      evaluations++;
      const kept = keeps(next.market, next.worker);
      if (kept) smallest = next;
      yield shrunk(false);
      if (kept) continue search;
    }
    return shrunk(true);
  }
}

/** The cases one step away that are smaller. */
export function* smallerCases(from: Case): Generator<Case> {
  for (const { market, worker } of steps(from)) {
    const next = { market: inOrder(market), worker };
    if (compareSize(next.market, from.market) < 0) yield next;
  }
}

/** Workers by id, fields in their usual order: one market has one text. */
function inOrder({ rules, workers }: Market): Market {
  const { budget, rounds, firstRoundRatio, minWorkers, reading } = rules;
  return {
    rules: { budget, rounds, firstRoundRatio, minWorkers, reading },
    workers: [...workers]
      .sort((a, b) => a.id - b.id)
      .map(({ id, reputation, cost, arrival }) => ({ id, reputation, cost, arrival })),
  };
}
