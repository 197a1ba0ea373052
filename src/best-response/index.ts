/** Best responses to any mechanism: exact for all that are written as a text, a search that says so for the others. */

import { type Market, workerOf } from "../market/market.js";
import { NotLinear } from "../mechanisms/amounts.js";
import { askAgain } from "../mechanisms/ask-again.js";
import { type AnyMechanism, unvaried } from "../mechanisms/mechanism.js";
import { online } from "../mechanisms/online.js";
import { exactResponses } from "./online-responses.js";
import { landscapeOfPieces, type PriceLandscape, pieceResponses, utilityPieces } from "./pieces.js";
import type { Piece, Responses } from "./response.js";
import { responsesOverSeeds, type SearchOptions, searchResponses } from "./search.js";

/** Every worker's best lie, or that of the chosen ones, the others telling the truth. */
export function bestResponses(market: Market, options: Partial<SearchOptions> = {}): Responses {
  const { mechanism = online, workers } = options;
  if (mechanism.stochastic) return responsesOverSeeds(market, { ...options, mechanism });
  const base = unvaried(mechanism, market);
  if (base.mechanism === online)
    return { ...exactResponses(base.market, workers), mechanism: mechanism.name };
  const exact = whereLinear(base.mechanism, () => pieceResponses(base.market, base.mechanism, workers));
  const found = exact
    ? { ...exact, mechanism: mechanism.name }
    : searchResponses(market, { ...options, mechanism });
  const gainers = found.workers.filter(({ gain }) => gain > 0);
  const lies = gainers.map(({ id, best: { price, arrival } }) => [{ worker: id, price, arrival }]);
  askAgain(mechanism, market, ...lies);
  return found;
}

/** A worker's utility as a function of its price, for every arrival; null where it is not known exactly. */
export function pieces(market: Market, worker: number, mechanism: AnyMechanism = online): Piece[] | null {
  const base = unvaried(mechanism, market);
  return whereLinear(base.mechanism, () =>
    utilityPieces(base.market, workerOf(market, worker), base.mechanism),
  );
}

/** The same, and what the worker can gain; null where it is not known exactly. */
export function priceLandscape(
  market: Market,
  worker: number,
  mechanism: AnyMechanism,
): PriceLandscape | null {
  const base = unvaried(mechanism, market);
  return whereLinear(base.mechanism, () =>
    landscapeOfPieces(base.market, workerOf(market, worker), base.mechanism),
  );
}

/** Those of them at the true arrival, which cost one arrival instead of all. */
export function piecesOnTime(market: Market, id: number, mechanism: AnyMechanism = online): Piece[] | null {
  const base = unvaried(mechanism, market);
  const worker = workerOf(market, id);
  return whereLinear(base.mechanism, () =>
    utilityPieces(base.market, worker, base.mechanism, worker.arrival),
  );
}

/** Whether best responses to a mechanism are exact: it is written as a text, and all its steps are linear in a price. */
export function isExact(mechanism: AnyMechanism): boolean {
  if (mechanism.variantOf) return isExact(mechanism.variantOf.mechanism);
  if (isFast(mechanism)) return true;
  const { repriced: _, ...decides } = mechanism;
  const market = probe();
  return whereLinear(mechanism, () => utilityPieces(market, market.workers[0]!, decides)) !== null;
}

/** Whether they are so fast that a study can ask everybody in thousands of markets: the paper's auction has a method of its own. */
export const isFast = (mechanism: AnyMechanism): boolean =>
  mechanism.variantOf ? isFast(mechanism.variantOf.mechanism) : mechanism === online;

/** Why best responses to a mechanism are searched for; null where they are exact. */
export function whySearched(mechanism: AnyMechanism): string | null {
  if (isExact(mechanism)) return null;
  return notLinear.get(mechanism) ?? "is not written as a text";
}

/** Small, with both groups, two rounds of judgement and a late arrival. */
const probe = (): Market => ({
  rules: { budget: 12, rounds: 3, firstRoundRatio: 0.35, minWorkers: 1, reading: "prose" },
  workers: [1, 2, 3, 4, 5, 6].map((k) => ({
    id: k - 1,
    reputation: k / 6,
    cost: 0.2 + k / 10,
    arrival: 1 + (k % 3),
  })),
});

/** Mechanisms in which a step that is not linear in the price was met, and which. */
const notLinear = new WeakMap<AnyMechanism, string>();

/** What is computed from a mechanism's text; null where it has none, or is not linear. */
export function whereLinear<Result>(mechanism: AnyMechanism, compute: () => Result): Result | null {
  if (mechanism.text === undefined || notLinear.has(mechanism)) return null;
  try {
    return compute();
  } catch (error) {
    if (!(error instanceof NotLinear)) throw error;
    notLinear.set(mechanism, error.message);
    return null;
  }
}

export { pieceResponses } from "./pieces.js";
export type { BestLie, Piece, Response, Responses } from "./response.js";
export { searchResponses } from "./search.js";
