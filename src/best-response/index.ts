/** Best responses to any mechanism: exact where a method is proved for it, a search that says so elsewhere. */

import type { Market } from "../market/market.js";
import { mechanisms } from "../mechanisms/index.js";
import { type AnyMechanism, unvaried } from "../mechanisms/mechanism.js";
import { online } from "../mechanisms/online.js";
import { exactPieces, exactResponses } from "./exact.js";
import { responsesOverSeeds } from "./over-seeds.js";
import { type SearchOptions, searchResponses } from "./search.js";
import { truthResponses } from "./truth.js";
import type { Piece, Responses } from "./types.js";

/** An exact method: every worker's best lie, and its utility piece by piece. */
interface ExactMethod {
  responses(market: Market, workers?: readonly number[]): Responses;
  pieces(market: Market, worker: number): Piece[];
}

/** Mechanisms with an exact method of their own. */
const exactMethods = new Map<AnyMechanism, ExactMethod>([
  [online, { responses: exactResponses, pieces: exactPieces }],
]);

/** Every worker's best lie, or that of the chosen ones, the others telling the truth. */
export function bestResponses(market: Market, options: Partial<SearchOptions> = {}): Responses {
  const { mechanism = online, workers } = options;
  if (mechanism.stochastic) return responsesOverSeeds(market, { ...options, mechanism });
  const base = unvaried(mechanism, market);
  const exact = exactMethods.get(base.mechanism);
  if (exact) return { ...exact.responses(base.market, workers), mechanism: mechanism.name };
  return provedTruthful(base.mechanism)
    ? truthResponses(market, mechanism, workers)
    : searchResponses(market, { ...options, mechanism });
}

/** Whether best responses to a mechanism are exact: then they are also fast. */
export const isExact = (mechanism: AnyMechanism): boolean =>
  mechanism.variantOf
    ? isExact(mechanism.variantOf.mechanism)
    : exactMethods.has(mechanism) || provedTruthful(mechanism);

/** The argument counts as a proof for the mechanisms it was examined for: those of the registry. */
function provedTruthful({ name, truthful }: AnyMechanism): boolean {
  const registered: Readonly<Record<string, AnyMechanism>> = mechanisms;
  return truthful !== undefined && Object.hasOwn(registered, name) && registered[name]!.truthful === truthful;
}

/** A worker's utility as a function of its price, for every arrival; null where no exact method is known. */
export function pieces(market: Market, worker: number, mechanism: AnyMechanism = online): Piece[] | null {
  const base = unvaried(mechanism, market);
  return exactMethods.get(base.mechanism)?.pieces(base.market, worker) ?? null;
}

export { exactPieces, exactResponses } from "./exact.js";
export { searchResponses } from "./search.js";
export { sweepPieces, sweepResponses } from "./sweep.js";
export type { BestLie, Piece, Response, Responses } from "./types.js";
