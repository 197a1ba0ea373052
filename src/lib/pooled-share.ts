/**
 * The share of all workers, pooled over markets, of whom something is true. Workers of one market are not independent:
 * the interval is that of a ratio estimator with markets as clusters.
 */

import { type Estimate, FEWEST, reach, share } from "./statistics.js";

/** Sums over markets, of whole numbers: they add up to the same in any order. */
export interface PooledCounts {
  readonly markets: number;
  /** In how many of them it is true of anybody. */
  readonly positive: number;
  /** Workers of whom it is true, and all workers. */
  readonly hits: number;
  readonly size: number;
  /** Of hits², hits · size and size². */
  readonly hits2: number;
  readonly cross: number;
  readonly size2: number;
}

/** Of one market. */
export const countsOf = (hits: number, size: number): PooledCounts => ({
  markets: 1,
  positive: hits > 0 ? 1 : 0,
  hits,
  size,
  hits2: hits * hits,
  cross: hits * size,
  size2: size * size,
});

/** Of different markets. */
export const mergeCounts = (left: PooledCounts, right: PooledCounts): PooledCounts => ({
  markets: left.markets + right.markets,
  positive: left.positive + right.positive,
  hits: left.hits + right.hits,
  size: left.size + right.size,
  hits2: left.hits2 + right.hits2,
  cross: left.cross + right.cross,
  size2: left.size2 + right.size2,
});

/**
 * By linearization and Student's t. Where fewer than five markets show anything, or all show the same, that would claim
 * too much: then the interval is no narrower than Wilson's for the share of markets, or the rule of three where none shows
 * anything, with as many markets as there would be if all were of one size (Kish).
 */
export function pooledShare(counts: PooledCounts, together = 1): Estimate {
  const { markets: n, positive, hits, size, size2 } = counts;
  const mean = hits / size;
  const half = n < 2 ? Number.NaN : reach(n - 1, together) * deviation(counts, mean);
  if (positive >= FEWEST && half > 0)
    return { mean, low: Math.max(0, mean - half), high: Math.min(1, mean + half), n };
  const alike = (size * size) / size2;
  const bound = share((positive / n) * alike, alike, together);
  const low = positive < FEWEST ? 0 : Math.min(mean, bound.low);
  const high = Math.max(mean, bound.high, ...(half > 0 ? [mean + half] : []));
  return { mean, low, high: Math.min(1, high), n };
}

/** The standard deviation of the share; what is only rounding is 0. */
function deviation({ markets: n, hits2, cross, size, size2 }: PooledCounts, mean: number): number {
  const squares = hits2 - 2 * mean * cross + mean * mean * size2;
  return squares <= 1e-12 * size2 ? 0 : Math.sqrt((squares * n) / (n - 1)) / size;
}
