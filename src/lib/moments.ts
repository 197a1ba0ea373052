/** Enough of many values to estimate their mean, in a size that does not grow with their number. */

import { type Estimate, intervalAround } from "./statistics.js";

/** Of at least one value. */
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
