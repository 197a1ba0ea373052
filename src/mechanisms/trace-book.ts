/** What the words of a trace look up: rules, reputations and densities. */

import { brief } from "../lib/format.js";
import type { Bidder, Rules } from "../market/market.js";

/** What the publisher knows; the trace itself leaves it out. */
export interface PublicMarket {
  readonly rules: Rules;
  readonly bidders: readonly Bidder[];
}

export interface Book {
  readonly rules: Rules;
  /** Re by id. */
  readonly reputation: ReadonlyMap<number, number>;
  /** ρ by id. */
  readonly density: ReadonlyMap<number, number>;
  /** Who may be selected at all ([M1]) by the clock tick of its arrival. */
  readonly arrivals: ReadonlyMap<number, readonly number[]>;
}

export const bookOf = ({ rules, bidders }: PublicMarket): Book => ({
  rules,
  reputation: new Map(bidders.map(({ id, reputation }) => [id, reputation])),
  density: new Map(bidders.map(({ id, reputation, price }) => [id, price / reputation])),
  arrivals: arrivalsOf(bidders),
});

function arrivalsOf(bidders: readonly Bidder[]): Map<number, number[]> {
  const arrivals = new Map<number, number[]>();
  for (const { id, arrival } of bidders.filter(({ reputation }) => reputation > 0)) {
    const ids = arrivals.get(arrival) ?? [];
    ids.push(id);
    arrivals.set(arrival, ids);
  }
  for (const ids of arrivals.values()) ids.sort((a, b) => a - b);
  return arrivals;
}

export type Show = (x: number) => string;

/** Where a decision hangs by a thread every digit counts. */
export const digitsFor = ({ knifeEdge }: { readonly knifeEdge: boolean }): Show =>
  knifeEdge ? String : brief;

/** The mark at the end of a line that tells of a knife edge. */
export const edgeMark = ({ knifeEdge }: { readonly knifeEdge: boolean }): string =>
  knifeEdge ? "  ◄ knife edge [M13]" : "";
