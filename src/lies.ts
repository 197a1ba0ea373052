/** Lies worth trying on any mechanism: prices at which something may change, a hair to either side too, and every arrival. */

import type { Bid, Market, Worker } from "./market.js";
import { type AnyMechanism, hold } from "./mechanism.js";
import type { Share, TraceEvent } from "./trace.js";
import { workerUtility } from "./utility.js";

const HAIR = 1e-9;

/** What one worker gets when it alone says this and everybody else tells the truth. */
export function utilityOf(mechanism: AnyMechanism, market: Market, worker: Worker, bid?: Bid): number {
  const { workers } = hold(mechanism, market, bid === undefined ? [] : [bid]);
  return workerUtility(worker, workers.find(({ id }) => id === worker.id)!);
}

/** Every arrival from the true one on, with every price that the traced runs of that arrival give reason to try. */
export function candidateLies(mechanism: AnyMechanism, market: Market, worker: Worker): Bid[] {
  const { rounds } = market.rules;
  const arrivals = Array.from({ length: rounds - worker.arrival + 1 }, (_, k) => worker.arrival + k);
  return arrivals.flatMap((arrival) => {
    const prices = new Set(market.workers.map(({ cost }) => cost));
    for (const price of [worker.cost, 0, priceAboveAll(market, worker)]) {
      prices.add(price);
      const collect = (event: TraceEvent) => {
        for (const edge of edges(event, worker, rounds)) prices.add(edge);
      };
      hold(mechanism, market, [{ worker: worker.id, price, arrival }], collect);
    }
    return [...prices]
      .flatMap((price) => [price * (1 - HAIR), price, price * (1 + HAIR)])
      .map((price) => ({ worker: worker.id, price, arrival }));
  });
}

/** A price at which no density is higher. */
function priceAboveAll({ workers }: Market, { reputation }: Worker): number {
  const densities = workers.filter((w) => w.reputation > 0).map((w) => w.cost / w.reputation);
  return 2 * reputation * Math.max(1, ...densities);
}

/** The worker's prices at the densities that decide an event, and at the money left when it is its turn. */
function edges(event: TraceEvent, { id, reputation }: Worker, rounds: number): number[] {
  const densities = densitiesOf(event).filter((density) => density !== null && density !== undefined);
  const money = event.kind === "ruling" && event.worker === id ? Math.max(0, event.left) : 0;
  const perRound = Array.from({ length: money > 0 ? rounds : 0 }, (_, k) => money / (k + 1));
  return [...densities.map((density) => density * reputation), ...perRound];
}

function densitiesOf(event: TraceEvent): readonly (number | null | undefined)[] {
  const ofShare = ({ byBudget, density, next }: Share) => [byBudget, density, next?.density];
  if (event.kind === "ruling") return [event.density, event.threshold, event.promised];
  return event.kind === "round" ? event.shares.flatMap(ofShare) : ofShare(event.share);
}
