/** Markets and outcomes written shortly, for tests that are solved by hand. */

import { type AnyMechanism, runAuction } from "../../src/auction/mechanism.js";
import type { RulingEvent } from "../../src/auction/trace.js";
import { type Bid, type Market, paperRules } from "../../src/market/market.js";

/** Reputation, cost and arrival; the id is the place in the list. */
export type Type = readonly [reputation: number, cost: number, arrival: number];

export const marketOf = (budget: number, rounds: number, types: readonly Type[]): Market => ({
  rules: { budget, rounds, ...paperRules },
  workers: types.map(([reputation, cost, arrival], id) => ({ id, reputation, cost, arrival })),
});

/** Per worker: the round of selection, the rounds worked, the payment to nine digits. */
export function allotments(mechanism: AnyMechanism, market: Market, bids: readonly Bid[] = []) {
  return runAuction(mechanism, market, bids).workers.map((w) => [
    w.selectedAt,
    w.rounds,
    Number(w.payment.toFixed(9)),
  ]);
}

export const unselected = [null, 0, 0];

export const nine = (value: number): number => Number(value.toFixed(9));

/** The rulings in the order they were made, as "round:worker ruling". */
export function rulings(mechanism: AnyMechanism, market: Market): string[] {
  const told: RulingEvent[] = [];
  runAuction(mechanism, market, [], (event) => event.kind === "ruling" && told.push(event));
  return told.map(({ round, worker, ruling }) => `${round}:${worker} ${ruling}`);
}
