/**
 * A mean of independent values from a known range, with an interval that holds for every distribution on that range and
 * every number of values: also where most values are 0 and a few are large, and where the large ones have not been seen.
 *
 * By betting (Waudby-Smith and Ramdas 2023, theorem 3). Were the mean at most m, a bet that every value exceeds m, at
 * stakes fixed before the value is seen, could not multiply its capital by 1/α with a chance above α (Ville's inequality):
 * if it does, m is too low, and likewise from above. The stakes rest on the variance of the values before.
 */

import { mean as meanOf } from "d3-array";
import { type Estimate, meanAlone } from "./statistics.js";

/** What no value lies outside of. */
export interface Range {
  readonly least: number;
  readonly most: number;
}

/** Of its capital a bet risks at most this share on one value. */
const STAKE = 0.75;

/** The ends are worked out to this share of their distance from the mean, outwards. */
const FINE = 1 / 128;

/** A 95 % interval; of several that are to hold `together`, each is as wide as Bonferroni's correction makes it. */
export function boundedMean(values: readonly number[], { least, most }: Range, together = 1): Estimate {
  const n = values.length;
  const mean = meanOf(values) ?? Number.NaN;
  if (n === 0) return meanAlone(mean, n);
  const width = most - least;
  if (width === 0) return { mean, low: mean, high: mean, n };
  const wins = Math.log((2 * together) / 0.05);
  const rising = Float64Array.from(values, (value) => (value - least) / width);
  const falling = rising.map((part) => 1 - part);
  const stakes = stakesFor(rising, wins);
  const [below, above] = [rising, falling].map((parts) => lowest(parts, stakes, wins)) as [number, number];
  const [low, high] = [least + width * below, most - width * above];
  return { mean, low: Math.min(low, mean), high: Math.max(high, mean), n };
}

/** Before each value: what would be best if the variance were that of the values so far. */
function stakesFor(parts: Float64Array, wins: number): Float64Array {
  const n = parts.length;
  // As if something as rare as one in 2n had been seen: else nothing limits a stake before values differ.
  let [mean, squares] = [0, 1 / (2 * n)];
  return parts.map((part, k) => {
    const stake = Math.sqrt((2 * wins * (k + 1)) / (n * squares));
    const apart = part - mean;
    mean += apart / (k + 1);
    if (k > 0) squares += apart * (part - mean);
    return stake;
  });
}

/** The smallest mean that the bets do not refute, of values from 0 to 1, or a little less: capital falls with the mean. */
function lowest(parts: Float64Array, stakes: Float64Array, wins: number): number {
  const mean = meanOf(parts)!;
  let [near, far] = [0, wins / parts.length];
  while (far < mean && !isRefuted(mean - far, parts, stakes, wins)) [near, far] = [far, 2 * far];
  if (far >= mean) far = mean;
  while (far - near > FINE * far) {
    const middle = (near + far) / 2;
    if (isRefuted(mean - middle, parts, stakes, wins)) far = middle;
    else near = middle;
  }
  return mean - far;
}

/** Whether bets that the values exceed the mean multiply their capital by e^wins at any time. */
function isRefuted(mean: number, parts: Float64Array, stakes: Float64Array, wins: number): boolean {
  const [goal, most] = [Math.exp(wins), STAKE / mean];
  let capital = 1;
  for (let k = 0; k < parts.length; k++) {
    const stake = stakes[k]!;
    capital *= 1 + (stake < most ? stake : most) * (parts[k]! - mean);
    if (capital >= goal) return true;
  }
  return false;
}
