/**
 * Where the gain of a lie to the online mechanism comes from. Four steps lead from the truth to the lie, and each is a
 * difference of two utilities, so that they add up to the gain:
 *  1. the truth, as if money had no end: what the budget kept from it;
 *  2. the lie in its place, still as if money had no end: rounds won or given up, and a better or worse price;
 *  3. the same at the start the lie leads to;
 *  4. the lie as it went: what the budget kept from it.
 * By the paper's proofs step 2 never gains. Steps 1 and 4 together are the budget's part, step 3 the start's.
 */

import { Starts } from "../best-response/online-starts.js";
import { atMost } from "../lib/tolerance.js";
import { type Bid, bidders, byId, type Group, type Market, type Worker } from "../market/market.js";
import { columnsOf } from "../mechanisms/online-engine.js";

export interface Causes {
  /** Rounds worked only under the lie, less those worked only under the truth, at their price less the cost. */
  readonly rounds: number;
  /** A better or worse price for the rounds worked under both. */
  readonly price: number;
  /** What the budget kept from the truth, less what it kept from the lie: money taken from or left by others. */
  readonly budget: number;
  /** The start moved. */
  readonly start: number;
}

export interface Runs {
  readonly truth: { readonly startDelay: number | null; readonly utility: number };
  readonly lie: { readonly startDelay: number | null; readonly utility: number };
}

/** What each round pays with money without end; null where the worker does not work. */
type Rates = readonly (number | null)[];

export function causesOf(market: Market, worker: Worker, bid: Bid, runs: Runs): Causes {
  const promise = promises(market, worker);
  const truthful = { worker: worker.id, price: worker.cost, arrival: worker.arrival };
  const truth = promise(truthful, runs.truth.startDelay);
  const inPlace = promise(bid, runs.truth.startDelay);
  const moved = promise(bid, runs.lie.startDelay);
  const value = (rates: Rates) => sum(rates, (rate) => rate - worker.cost);
  const price = sum(truth, (rate, k) => (inPlace[k] ?? rate) - rate);
  return {
    rounds: value(inPlace) - value(truth) - price,
    price,
    budget: value(truth) - runs.truth.utility + runs.lie.utility - value(moved),
    start: value(moved) - value(inPlace),
  };
}

/** Adds up over the rounds that are worked. */
const sum = (rates: Rates, term: (rate: number, k: number) => number): number =>
  rates.reduce<number>((total, rate, k) => (rate === null ? total : total + term(rate, k)), 0);

/** A function from a bid and a start to what the thresholds promise it, round by round. */
function promises(market: Market, worker: Worker): (bid: Bid, delay: number | null) => Rates {
  const { rules } = market;
  const starts = new Starts();
  const workers = byId(market.workers);
  starts.load(rules, columnsOf(bidders(workers)));
  const row = workers.findIndex(({ id }) => id === worker.id);
  return ({ price, arrival }, delay) => {
    const rates = new Array<number | null>(rules.rounds).fill(null);
    if (delay === null || worker.reputation === 0) return rates;
    const { step, thresholds } = starts.at(delay + 1);
    const density = price / worker.reputation;
    const judging = thresholds[(1 - (worker.id % 2)) as Group];
    step.at(row, worker.reputation, density);
    let promised = arrival <= delay + 1 && step.won ? step.starDensity : 0;
    let selected = arrival <= delay + 1 && step.won;
    if (selected) rates[0] = promised * worker.reputation;
    for (let round = 2; round <= rules.rounds; round++) {
      const threshold = judging[round]!;
      if (arrival <= round + delay && atMost(density, threshold)) {
        selected = true;
        promised = Math.max(promised, threshold);
      }
      if (selected) rates[round - 1] = promised * worker.reputation;
    }
    return rates;
  };
}
