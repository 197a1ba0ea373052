/** Best responses to any mechanism: computed, or exact where that is asked for, from its program, and a search that says so for those without one. */

import { NotLinear } from "../auction/amounts.js";
import { askAgain } from "../auction/ask-again.js";
import { type AnyMechanism, unvaried } from "../auction/mechanism.js";
import { type Market, paperRules, workerOf } from "../market/market.js";
import { online } from "../mechanisms/online/online.js";
import { confirmedResponses } from "./exact-responses.js";
import { describeMarket } from "./guard.js";
import { exactResponses } from "./online-responses.js";
import { landscapeOfPieces, type PriceLandscape, pieceResponses, utilityPieces } from "./pieces.js";
import type { Piece, Responses } from "./response.js";
import { responsesOverSeeds, type SearchOptions, searchResponses } from "./search.js";

export interface ResponseOptions extends SearchOptions {
  /** Answers to a small market are exact: what floating point computes is confirmed in fractions, which takes longer. */
  readonly inFractions?: boolean;
  /** What the market is called in messages; it is described if left out. */
  readonly source?: string;
}

/** Every worker's best lie, or that of the chosen ones, the others telling the truth. */
export function bestResponses(market: Market, options: Partial<ResponseOptions> = {}): Responses {
  const { mechanism = online, workers, inFractions = false, source = describeMarket(market) } = options;
  if (mechanism.stochastic) return responsesOverSeeds(market, { ...options, mechanism });
  const base = unvaried(mechanism, market);
  const guarding = { source, allPieces: inFractions };
  const computed =
    base.mechanism === online
      ? exactResponses(base.market, workers)
      : whereLinear(base.mechanism, () => pieceResponses(base.market, base.mechanism, workers, guarding));
  const found =
    computed === null
      ? searchResponses(market, { ...options, mechanism })
      : {
          ...(inFractions ? confirmedResponses(computed, { ...base, source }) : computed),
          mechanism: mechanism.name,
        };
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

/** Whether best responses to a mechanism are exact: it has a program, and all its steps are linear in a price. */
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
  return notLinear.get(mechanism) ?? "has no program";
}

/** Small, with both groups, two rounds of judgement and a late arrival. */
const probe = (): Market => ({
  rules: { ...paperRules, budget: 12, rounds: 3 },
  workers: [1, 2, 3, 4, 5, 6].map((k) => ({
    id: k - 1,
    reputation: k / 6,
    cost: 0.2 + k / 10,
    arrival: 1 + (k % 3),
  })),
});

/** Mechanisms in which a step that is not linear in the price was met, and which. */
const notLinear = new WeakMap<AnyMechanism, string>();

/** What is computed from a mechanism's program; null where it has none, or is not linear. */
export function whereLinear<Result>(mechanism: AnyMechanism, compute: () => Result): Result | null {
  if (mechanism.program === undefined || notLinear.has(mechanism)) return null;
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
