/** Scanned markets, and the moments at which their lies begin and cease to pay. */

import { countsOf, mergeCounts, type PooledCounts } from "../../src/lib/summaries.js";
import type { LieKind } from "../../src/verdicts/explain.js";
import { type Change, type Crossing, pays, type Scan, type State } from "../shared/gains/crossings.js";

/** One market's scan, and what changes by chance between budgets as near to each other as a crossing's. */
export interface Scanned extends Scan {
  readonly workers: number;
  /** Which of the markets of its size. */
  readonly k: number;
  /** The kind of the lie that first begins to pay. */
  readonly beginsBy: LieKind | null;
  readonly byChance: readonly Change[];
}

export const ofSize = (scanned: readonly Scanned[]): [number, Scanned[]][] =>
  [...new Set(scanned.map(({ workers }) => workers))].map((size) => [
    size,
    scanned.filter(({ workers }) => workers === size),
  ]);

export const moments = ["lies begin to pay", "lies cease to pay"] as const;

export type Moment = (typeof moments)[number];

const momentOf = ({ above }: Crossing): Moment => (pays(above) ? "lies begin to pay" : "lies cease to pay");

/** The first beginning, or the last ending, of a market; null where it lies outside of the range, or there is none. */
export function extreme({ standings, crossings }: Scan, moment: Moment): Crossing | null {
  const begin = moment === "lies begin to pay";
  const outside = standings.at(begin ? 0 : -1)!;
  if (pays(outside)) return null;
  const fitting = crossings.filter((crossing) => momentOf(crossing) === moment);
  return fitting.at(begin ? 0 : -1) ?? null;
}

/** The gain on the paying side of a crossing. */
export const gainAt = ({ below, above }: Crossing): number => (above.most ?? below.most)!.gain;

/** How many separate stretches of budgets have a lie that pays, on average. */
export function windowsOf(markets: readonly Scanned[]): number {
  const counts = markets.map(({ standings, crossings }) => {
    const begun = crossings.filter((crossing) => momentOf(crossing) === "lies begin to pay").length;
    return begun + (pays(standings[0]!) ? 1 : 0);
  });
  return counts.reduce((sum, count) => sum + count, 0) / counts.length;
}

export const whens = ["first begin", "last cease", "any crossing"] as const;

export function crossingsAt(scanned: readonly Scanned[], when: (typeof whens)[number]): Crossing[] {
  if (when === "any crossing") return scanned.flatMap(({ crossings }) => crossings);
  const moment = when === "first begin" ? "lies begin to pay" : "lies cease to pay";
  return scanned.flatMap((market) => extreme(market, moment) ?? []);
}

/** Of the budgets at which the truthful run is in a state, those at which a lie pays; null where it never is. */
export function payingIn(scanned: readonly Scanned[], state: State): PooledCounts | null {
  const perMarket = scanned.flatMap(({ standings }) => {
    const there = standings.filter((standing) => standing.state === state);
    return there.length === 0 ? [] : [countsOf(there.filter(pays).length, there.length)];
  });
  return perMarket.length === 0 ? null : perMarket.reduce(mergeCounts);
}
