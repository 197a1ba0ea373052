/** What a survey sees in a drawn market: how many of its workers could gain at one budget, by regime and lie. */

import type { BestLie, Response } from "../../../src/best-response/index.js";
import type { Bid, Market } from "../../../src/market/market.js";
import { type AnyMechanism, hold } from "../../../src/mechanisms/mechanism.js";
import { type Regime, regimes } from "../../../src/mechanisms/outcome.js";

/** price: at the true arrival; time: at the true price; joint: both may be misstated. */
export const lies = ["price", "time", "joint"] as const;

export type LieName = (typeof lies)[number];

export interface Place {
  /** Which of the drawn markets. */
  readonly market: string;
  readonly workers: number;
  readonly ratio: number;
}

/** A lie and what it brings. */
export interface Told {
  readonly bid: Bid;
  readonly truthful: number;
  readonly gain: number;
  readonly regime: Regime;
}

export interface Violation extends Told {
  readonly market: Market;
}

/** The workers of one market at one budget who are in one regime, and what one lie brings them. */
export interface Sight {
  readonly regime: Regime;
  readonly lie: LieName;
  readonly seen: number;
  /** Those who gain, each with its lie. */
  readonly told: readonly Told[];
  /** Of those who gain, whose lie moves the start. */
  readonly moving: number;
  /** Of those who gain, who must misstate both to gain anything. */
  readonly onlyBoth: number;
}

/** Sights of those who were asked in a market. */
export function sightsOf(market: Market, asked: readonly Response[], mechanism: AnyMechanism): Sight[] {
  const moves = startMover(market, mechanism);
  return regimes.flatMap((regime) => {
    const there = asked.filter((response) => response.regime === regime);
    return there.length === 0 ? [] : lies.map((lie) => ({ regime, lie, ...tally(there, lie, moves) }));
  });
}

function tally(responses: readonly Response[], lie: LieName, moves: (bid: Bid) => boolean) {
  const told: Told[] = [];
  let [moving, onlyBoth] = [0, 0];
  for (const response of responses) {
    const { id, truthful, regime, bestPrice, bestTime } = response;
    const best = bestOf(response, lie);
    if (best === null) continue;
    const bid = { worker: id, price: best.price, arrival: best.arrival };
    told.push({ bid, truthful, gain: best.utility - truthful, regime });
    if (best === response.best ? response.pivotal : moves(bid)) moving++;
    if (lie === "joint" && bestPrice === null && bestTime === null) onlyBoth++;
  }
  return { seen: responses.length, told, moving, onlyBoth };
}

function bestOf({ best, bestPrice, bestTime, gain }: Response, lie: LieName): BestLie | null {
  if (lie === "price") return bestPrice;
  if (lie === "time") return bestTime;
  return gain > 0 ? best : null;
}

/** Whether a lie moves the start; the truth is run only when somebody asks. */
function startMover(market: Market, mechanism: AnyMechanism): (bid: Bid) => boolean {
  let truth: { readonly delay: number | null } | undefined;
  return (bid) => {
    truth ??= { delay: hold(mechanism, market).startDelay };
    return hold(mechanism, market, [bid]).startDelay !== truth.delay;
  };
}

/** The one that gains most, of equals the first. */
export function largest<Lie extends { readonly gain: number }>(lies: readonly (Lie | null)[]): Lie | null {
  return lies.reduce<Lie | null>((top, next) => (next && next.gain > (top?.gain ?? 0) ? next : top), null);
}
