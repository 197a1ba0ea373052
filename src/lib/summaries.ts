/** Summaries of many values, each in a size that does not grow with their number, and mergeable in any order. */

import { type Estimate, FEWEST, intervalAround, reach, share } from "./statistics.js";

/** Enough to estimate the mean, of at least one value. */
export interface Moments {
  readonly n: number;
  readonly mean: number;
  /** Squared distances from the mean, added up. */
  readonly squares: number;
}

export const momentsOf = (value: number): Moments => ({ n: 1, mean: value, squares: 0 });

/** By distances from the means, after Chan, Golub and LeVeque: sums of squares would cancel where values are alike. */
export function mergeMoments(left: Moments, right: Moments): Moments {
  const n = left.n + right.n;
  const apart = right.mean - left.mean;
  return {
    n,
    mean: left.mean + (apart * right.n) / n,
    squares: left.squares + right.squares + (apart * apart * left.n * right.n) / n,
  };
}

/** As `estimate` of the values would be, but for rounding. */
export const estimateFrom = (moments: Moments, together = 1): Estimate => intervalAround(moments, together);

/** Enough to estimate the share of workers, pooled over markets, of whom something is true. All are whole numbers. */
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
 * The share, with markets as clusters, for workers of one market are not independent: by linearization and Student's t. Where fewer than five markets show anything, or all show the same, that would claim
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

/**
 * How many positive values fall into each bin of a logarithmic scale; a bin without values is absent. A quantile read from
 * it is within 1 % of the value it stands for (Masson, Rim and Lee's DDSketch).
 */
export type Sketch = Record<number, number>;

/** The largest relative error of a quantile, for values from 1e-17 to 1e17. */
export const RELATIVE_ERROR = 0.01;

const STEP = Math.log((1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR));

/** Bins are numbered from 0 on, with 1 in this one: numbers in order are how objects keep their keys. */
const MIDDLE = 2000;

const binOf = (value: number): number =>
  Math.max(0, Math.min(2 * MIDDLE, MIDDLE + Math.ceil(Math.log(value) / STEP)));

/** As far, relatively, from one end of the bin as from the other. */
const centreOf = (bin: number): number => Math.exp((bin - MIDDLE) * STEP) * (1 - RELATIVE_ERROR);

export function sketchOf(values: readonly number[]): Sketch {
  const sketch: Sketch = {};
  for (const value of values) add(sketch, binOf(value), 1);
  return sketch;
}

function add(sketch: Sketch, bin: number, count: number): void {
  sketch[bin] = (sketch[bin] ?? 0) + count;
}

/** Changes and returns the left one. */
export function mergeSketches(left: Sketch, right: Sketch): Sketch {
  for (const bin in right) add(left, Number(bin), right[bin]!);
  return left;
}

/** The value below which this share of them lies, of two neighbours the lower; NaN of none. */
export function quantileFrom(sketch: Sketch, share: number): number {
  const bins = Object.entries(sketch);
  const count = bins.reduce((sum, [, more]) => sum + more, 0);
  let left = Math.floor(share * (count - 1));
  for (const [bin, here] of bins) {
    if (left < here) return centreOf(Number(bin));
    left -= here;
  }
  return Number.NaN;
}
