/** What the thresholds of the paper's auction promise a worker, money aside. */

import { atMost } from "../../lib/tolerance.js";
import type { Bid, Group, Market, Worker } from "../../market/market.js";
import { startsOf } from "./starts.js";

/** A function from a bid and a start to what the thresholds promise it, round by round; null in rounds that it does not work. */
export function promises(
  market: Market,
  worker: Worker,
): (bid: Bid, delay: number | null) => (number | null)[] {
  const { rules } = market;
  const { starts, rowOf } = startsOf(market);
  return ({ price, arrival }, delay) => {
    const rates = new Array<number | null>(rules.rounds).fill(null);
    if (delay === null || worker.reputation === 0) return rates;
    const { step, thresholds, start } = starts.at(delay + 1);
    const density = price / worker.reputation;
    const judging = thresholds[(1 - (worker.id % 2)) as Group];
    step.at(rowOf(worker.id), worker.reputation, density);
    let promised = arrival <= delay + 1 && step.won ? step.starDensity : 0;
    let selected = arrival <= delay + 1 && step.won;
    if (selected) rates[start.round - 1] = promised * worker.reputation;
    for (let round = start.round + 1; round <= rules.rounds; round++) {
      const threshold = judging[round]!;
      if (arrival <= round + start.offset && atMost(density, threshold)) {
        selected = true;
        promised = Math.max(promised, threshold);
      }
      if (selected) rates[round - 1] = promised * worker.reputation;
    }
    return rates;
  };
}
