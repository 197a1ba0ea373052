/** Best responses to any mechanism, and what a worker gets at every price. */

import { askAgain } from "../auction/ask-again.js";
import type { AnyMechanism } from "../auction/mechanism.js";
import type { Piece } from "../auction/piece.js";
import type { Responses } from "../auction/response.js";
import type { PriceLandscape } from "../auction/solver.js";
import { type Market, workerOf } from "../market/market.js";
import { online } from "../mechanisms/online/online.js";
import { confirmedResponses } from "./exact-responses.js";
import { resolveGame } from "./game.js";
import { describeMarket } from "./guard.js";

export interface ResponseOptions {
  readonly mechanism?: AnyMechanism;
  readonly workers?: readonly number[] | undefined;
  /** At most about this many evaluations for a worker where lies are searched for. */
  readonly effort?: number | undefined;
  /** Answers to a small market are exact: what floating point computes is confirmed in fractions, which takes longer. */
  readonly inFractions?: boolean;
  /** What the market is called in messages; it is described if left out. */
  readonly source?: string;
}

/** Every worker's best lie, or that of the chosen ones, the others telling the truth. */
export function bestResponses(market: Market, options: ResponseOptions = {}): Responses {
  const { mechanism = online, inFractions = false, source = describeMarket(market) } = options;
  const game = resolveGame(mechanism, market);
  const { workers, effort } = options;
  const found = game.solver.responses(game, { workers, effort, source, allPieces: inFractions });
  const confirmed = inFractions ? confirmedResponses(found, { ...game, source }) : found;
  const gainers = confirmed.workers.filter(({ gain }) => gain > 0);
  const lies = gainers.map(({ id, best: { price, arrival } }) => [{ worker: id, price, arrival }]);
  askAgain(mechanism, market, ...lies);
  return { ...confirmed, mechanism: game.name };
}

/** A worker's utility as a function of its price, for every arrival; null where it is not known over all prices. */
export function pieces(market: Market, worker: number, mechanism: AnyMechanism = online): Piece[] | null {
  const game = resolveGame(mechanism, market);
  return game.solver.pieces(game, workerOf(market, worker));
}

/** Those of them at the true arrival, which cost one arrival instead of all. */
export function piecesOnTime(market: Market, id: number, mechanism: AnyMechanism = online): Piece[] | null {
  const game = resolveGame(mechanism, market);
  const worker = workerOf(market, id);
  return game.solver.pieces(game, worker, worker.arrival);
}

/** The same for every arrival, and what the worker can gain; null where it is not known over all prices. */
export function priceLandscape(
  market: Market,
  worker: number,
  mechanism: AnyMechanism,
): PriceLandscape | null {
  const game = resolveGame(mechanism, market);
  return game.solver.gains(game, workerOf(market, worker));
}

export type { Piece } from "../auction/piece.js";
export type { BestLie, Response, Responses } from "../auction/response.js";
export { isExact, isFast, whySearched } from "./game.js";
export { pieceResponses } from "./pieces.js";
export { searchResponses } from "./search.js";
