/**
 * What is true of the paper's auction for any number of workers, held to exact price lines of random markets: in fractions, at
 * every arrival, all cells of the price.
 */

import * as fc from "fast-check";
import { expect } from "vitest";
import { exactOutcome, exactUtility } from "../../src/auction/exact.js";
import { allotmentOf } from "../../src/auction/outcome.js";
import { marketArbitrary } from "../../src/market/generators.js";
import { bidders, delays, groupOf, type Market, type Worker } from "../../src/market/market.js";
import { online } from "../../src/mechanisms/online/online.js";
import { bestOfCells } from "../../src/responses/price-line.js";
import { tiedMarkets } from "../tied-markets.js";

/** Everybody with a reputation, any first-round ratio, any minimum, both orders, every delay. */
export const statementMarkets: fc.Arbitrary<{ readonly market: Market; readonly worker: Worker }> = fc
  .tuple(
    fc.oneof(
      tiedMarkets(),
      marketArbitrary({ numbers: "coarse", minWorkers: 1, maxWorkers: 8, maxRounds: 4, maxRatio: 1 }),
    ),
    fc.constantFrom(...delays),
    fc.nat(),
  )
  .map(([{ rules, workers }, delay, pick]) => {
    const reputed = workers.map((one) => ({ ...one, reputation: one.reputation || 0.5 }));
    const market = { rules: { ...rules, delay }, workers: reputed };
    return { market, worker: reputed[pick % reputed.length]! };
  });

/** How often each statement spoke of lies, so that none of them is held for want of cases. */
export interface Spoken {
  kept: number;
  delayed: number;
  apart: number;
  /** Cells in which money turned the worker down, or the start comes earlier, and a lie gains. */
  gaining: number;
}

/** Holds the three statements for one worker of a market. */
export function holdStatements(market: Market, worker: Worker, spoken: Spoken): void {
  const { rules, workers } = market;
  const truth = exactOutcome(online, rules, bidders(workers));
  const turnedDown = truth.budgetEvents.some((event) => event.worker === worker.id);
  const truthful = exactUtility(worker.cost, allotmentOf(truth, worker.id));
  const start = truth.startDelay ?? Number.POSITIVE_INFINITY;
  // The other group's sample is never empty from the second round on.
  const met = workers.some(({ id, arrival }) => groupOf(id) !== groupOf(worker.id) && arrival <= start + 2);
  for (const { utility, startDelay, arrival, price } of bestOfCells(market, worker, online)) {
    const gains = utility === null || utility.gt(truthful);
    const lying = startDelay ?? Number.POSITIVE_INFINITY;
    const about = () => JSON.stringify({ market, worker: worker.id, arrival, price: price.toFraction() });
    if (turnedDown || lying < start) {
      if (gains) spoken.gaining++;
      continue;
    }
    if (lying === start || startDelay === null) {
      spoken.kept++;
      if (gains) expect.unreachable(`start kept: ${about()}`);
    } else if (rules.delay === "shorten") {
      spoken.delayed++;
      if (gains) expect.unreachable(`start delayed, shorten: ${about()}`);
    } else if (rules.delay === "postpone" && (rules.rounds === 1 || met)) {
      spoken.apart++;
      if (gains) expect.unreachable(`start delayed, no empty sample: ${about()}`);
    }
  }
}
