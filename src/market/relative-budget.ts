/** Drawn markets whose budget is told relative to what is on offer: markets of any size become comparable. */

import type { Stream } from "../lib/random.js";
import { type Distributions, drawMarket, paperDistributions } from "./draw.js";
import { type Market, paperRules } from "./market.js";

/** The true cost of all rounds on offer: Σ c_i · (T − a_i + 1). Rounds before a worker's arrival are not on offer. */
export const costOnOffer = ({ rules, workers }: Market): number =>
  workers.reduce((sum, { cost, arrival }) => sum + cost * (rules.rounds - arrival + 1), 0);

/** The market with a budget of so many times the true cost of all rounds on offer, to six digits. */
export function atRelativeBudget(market: Market, ratio: number): Market {
  const budget = Number((ratio * costOnOffer(market)).toPrecision(6));
  return { ...market, rules: { ...market.rules, budget } };
}

/** The paper's distributions to four decimals, so that a market can be read and written down. */
export function legibleDistributions(rounds: number): Distributions {
  const { reputation, cost, arrival } = paperDistributions(rounds);
  const legible = (x: number) => Number(x.toFixed(4));
  return {
    reputation: (scope) => legible(reputation(scope)),
    cost: (scope) => legible(cost(scope)),
    arrival,
  };
}

/** A market of the paper's distributions and rules, with a relative budget of 1. */
export function drawForSurvey(size: { workers: number; rounds: number }, stream: Stream): Market {
  const { workers, rounds } = size;
  const rules = { ...paperRules, budget: 1, rounds };
  const distributions = legibleDistributions(rounds);
  return atRelativeBudget(drawMarket({ rules, workers, distributions }, stream), 1);
}

/** Market k of a size: the same whatever else is drawn. */
export const surveyed = (size: { workers: number; rounds: number }, k: number, stream: Stream): Market =>
  drawForSurvey(size, stream.fork(size.workers).fork(k));
