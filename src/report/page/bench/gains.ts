/** What each worker of a market could gain, where that can be told exactly and so at once. */

import { bestResponses, pieces } from "../../../best-response/index.js";
import type { Market } from "../../../market/market.js";
import type { AnyMechanism } from "../../../mechanisms/mechanism.js";

let known: { readonly of: string; readonly gains: ReadonlyMap<number, number> } | null = null;

/** By id; empty where a search would be needed. */
export function gainsOf(market: Market, mechanism: AnyMechanism): ReadonlyMap<number, number> {
  const of = JSON.stringify([market, mechanism.name]);
  if (known?.of === of) return known.gains;
  const [first] = market.workers;
  const exact = first !== undefined && pieces(market, first.id, mechanism) !== null;
  const workers = exact ? bestResponses(market, { mechanism }).workers : [];
  known = { of, gains: new Map(workers.map(({ id, gain }) => [id, gain])) };
  return known.gains;
}
