/** What the repairs rest on: the offers a worker meets, as its rulings tell them. */

import * as fc from "fast-check";
import { type AnyMechanism, runAuction } from "../../src/auction/mechanism.js";
import type { RulingEvent } from "../../src/auction/trace.js";
import { type MarketLimits, marketArbitrary } from "../../src/market/generators.js";
import type { Bid, Market, Worker } from "../../src/market/market.js";

export interface Offer {
  readonly round: number;
  readonly threshold: number | null;
  readonly left: number;
}

/** By round, up to and including the one that admits it for good. */
export function offersMet(mechanism: AnyMechanism, market: Market, bid: Bid): Offer[] {
  const rulings: RulingEvent[] = [];
  runAuction(mechanism, market, [bid], (event) => event.kind === "ruling" && rulings.push(event));
  return rulings
    .filter(({ worker }) => worker === bid.worker)
    .map(({ round, threshold, left }) => ({ round, threshold, left }));
}

/** A market, one of its workers, and any bid of that worker. */
export function lieArbitrary(limits: MarketLimits = {}): fc.Arbitrary<[Market, Worker, Bid]> {
  return fc
    .tuple(
      marketArbitrary({ minWorkers: 1, ...limits }),
      fc.nat(),
      fc.nat(),
      fc.double({ min: 0, max: 3, noNaN: true }),
    )
    .map(([market, pick, delay, factor]) => {
      const worker = market.workers[pick % market.workers.length]!;
      const arrival = worker.arrival + (delay % (market.rules.rounds - worker.arrival + 1));
      return [market, worker, { worker: worker.id, price: factor * (worker.cost || 0.1), arrival }];
    });
}

export const truthOf = ({ id, cost, arrival }: Worker): Bid => ({ worker: id, price: cost, arrival });
