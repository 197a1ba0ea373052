/** Estimates from one value per market: workers of one market are no independent observations. */

import { estimateFrom, type Moments } from "../../../src/lib/moments.js";
import { type Estimate, estimate, share } from "../../../src/lib/statistics.js";

/** With fewer markets than this that differ from 0, Student's t would claim too much. */
const ENOUGH = 5;

/**
 * The mean of shares, one per market, with a 95 % interval within [0, 1]: by Student's t; where only a few markets show
 * anything, or all show the same, Wilson's for the share of markets takes its place where it is wider; where none does,
 * the rule of three.
 */
export const shareOverMarkets = (shares: readonly number[]): Estimate =>
  bounded(estimate(shares), shares.filter((value) => value > 0).length);

/** The same from the moments of the shares. */
export const shareFrom = (moments: Moments): Estimate => bounded(estimateFrom(moments), moments.positive);

function bounded({ mean, low, high, n }: Estimate, positive: number): Estimate {
  if (positive >= ENOUGH && high > low) return { mean, low: Math.max(0, low), high: Math.min(1, high), n };
  const bound = share(positive, n);
  const ends = [bound.low, bound.high, mean, ...[low, high].filter(Number.isFinite)];
  const least = positive < ENOUGH ? 0 : Math.min(...ends);
  return { mean, low: Math.max(0, least), high: Math.min(1, Math.max(...ends)), n };
}

/** The value below which this share of them lies, between neighbours where need be; NaN of none. */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) return Number.NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)]!;
  return below + (place - Math.floor(place)) * (sorted[Math.ceil(place)]! - below);
}

/** What has the same key, together, in the order of first appearance. */
export function grouped<Item>(items: readonly Item[], key: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}
