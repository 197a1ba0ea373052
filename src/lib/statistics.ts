/** Estimates with their uncertainty: means over markets, shares, bounds where nothing was found, fitted powers. */

import { mean as meanOf, sum } from "d3-array";

export interface Estimate {
  readonly mean: number;
  /** Ends of a 95 % interval; NaN where there is none. */
  readonly low: number;
  readonly high: number;
  readonly n: number;
}

/** A mean of which no more is known. */
export const meanAlone = (mean: number, n: number): Estimate => ({
  mean,
  low: Number.NaN,
  high: Number.NaN,
  n,
});

/** From fewer values than this no interval is stated, and nothing is decided. */
export const FEWEST = 5;

/** From fewer values than this no median, quartile or percentile is stated. */
export const FEWEST_FOR_PERCENTILES = 20;

/**
 * The point of Student's t that an interval reaches to. Of several intervals that are to hold `together` with 95 %, each
 * is as wide as Bonferroni's correction makes it.
 */
export const reach = (freedom: number, together = 1): number =>
  studentQuantile(1 - 0.025 / together, freedom);

/** The mean of independent values (one per market) with its interval by Student's t; none of fewer than five values. */
export function estimate(values: readonly number[], together = 1): Estimate {
  const mean = meanOf(values) ?? Number.NaN;
  const squares = sum(values, (value) => (value - mean) ** 2);
  return intervalAround({ mean, squares, n: values.length }, together);
}

/** The interval from the squared distances of n values from their mean, added up. */
export function intervalAround(
  { mean, squares, n }: { readonly mean: number; readonly squares: number; readonly n: number },
  together = 1,
): Estimate {
  if (n < FEWEST) return meanAlone(mean, n);
  const half = reach(n - 1, together) * Math.sqrt(squares / (n - 1) / n);
  return { mean, low: mean - half, high: mean + half, n };
}

/** The ratio of the means of paired values with its interval, by linearization (the delta method). */
export function meanRatio(
  pairs: readonly (readonly [above: number, below: number])[],
  together = 1,
): Estimate {
  const below = meanOf(pairs, (pair) => pair[1]) ?? Number.NaN;
  const mean = (meanOf(pairs, (pair) => pair[0]) ?? Number.NaN) / below;
  const distances = pairs.map(([above, under]) => (above - mean * under) / below);
  const { low, high, n } = estimate(distances, together);
  return { mean, low: mean + low, high: mean + high, n };
}

/** Of n independent trials that were decided exactly and none of which succeeded: at most this share does, with 95 %. */
export const ruleOfThree = (n: number, together = 1): number => Math.min(1, (3 + Math.log(together)) / n);

/** A share of successes with Wilson's interval; with none, the rule of three bounds it from above. */
export function share(successes: number, n: number, together = 1): Estimate {
  const mean = successes / n;
  if (n === 0) return meanAlone(mean, n);
  if (successes === 0) return { mean, low: 0, high: ruleOfThree(n, together), n };
  const z2 = reach(Number.POSITIVE_INFINITY, together) ** 2;
  const middle = (mean + z2 / (2 * n)) / (1 + z2 / n);
  const half = Math.sqrt(z2 * ((mean * (1 - mean)) / n + z2 / (4 * n * n))) / (1 + z2 / n);
  return { mean, low: Math.max(0, middle - half), high: Math.min(1, middle + half), n };
}

/** What a search found: there may be more in every market, so sampling bounds it from below alone. */
export const atLeast = (found: Estimate): Estimate => ({ ...found, high: Number.NaN });

/** Of values some of which may be infinite: d3's interpolates with them, and gives no number where the middle one is finite. */
export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

/** The exponent k of y ≈ a·x^k by least squares on logarithms, and R². */
export function fittedPower(points: readonly (readonly [x: number, y: number])[]): {
  exponent: number;
  r2: number;
} {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const);
  const [mx, my] = [meanOf(logs, ([x]) => x)!, meanOf(logs, ([, y]) => y)!];
  const total = (term: (x: number, y: number) => number) => sum(logs, ([x, y]) => term(x - mx, y - my));
  const exponent = total((x, y) => x * y) / total((x) => x * x);
  const unexplained = total((x, y) => (y - exponent * x) ** 2);
  return { exponent, r2: 1 - unexplained / total((_, y) => y * y) };
}

/** Kendall's tau of paired values: 1 where all pairs are in the same order, −1 where none is; ties count as neither. */
export function kendall(pairs: readonly (readonly [x: number, y: number])[]): number {
  let [total, n] = [0, 0];
  for (const [k, [x, y]] of pairs.entries())
    for (const [x2, y2] of pairs.slice(k + 1)) {
      total += Math.sign(x - x2) * Math.sign(y - y2);
      n++;
    }
  return total / n;
}

/** The quantile of Student's t below which this share lies, by bisection; `freedom` may be Infinity, where t is normal. */
export function studentQuantile(share: number, freedom: number): number {
  if (share < 0.5) return -studentQuantile(1 - share, freedom);
  const key = `${share} ${freedom}`;
  const known = quantiles.get(key) ?? bisect((t) => studentUpper(t, freedom) > 1 - share);
  quantiles.set(key, known);
  return known;
}

const quantiles = new Map<string, number>();

/** The largest t ≥ 0 for which the answer is yes. */
function bisect(isBelow: (t: number) => boolean): number {
  let [low, high] = [0, 1];
  while (isBelow(high)) high *= 2;
  for (let k = 0; k < 100; k++) {
    const middle = (low + high) / 2;
    if (isBelow(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The probability of a value above t ≥ 0. */
const studentUpper = (t: number, freedom: number): number =>
  freedom === Number.POSITIVE_INFINITY
    ? normalUpper(t)
    : incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;

/** By the series of Marsaglia (2004), which has no approximation in it. */
function normalUpper(x: number): number {
  let [sum, term] = [0, x];
  for (let k = 3; sum + term !== sum; k += 2) {
    sum += term;
    term *= (x * x) / k;
  }
  return 0.5 - (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
}

/** The regularized incomplete beta function by its continued fraction (DLMF 8.17.22), after Lentz. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  let [c, d] = [1, 1 / (1 - ((a + b) * x) / (a + 1))];
  let fraction = d;
  for (let m = 1; m < 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    const before = fraction;
    for (const step of [even, odd]) {
      d = 1 / (1 + step * d);
      c = 1 + step / c;
      fraction *= c * d;
    }
    if (Math.abs(fraction - before) <= 1e-15 * fraction) break;
  }
  return (front * fraction) / a;
}

/** By Stirling's series, moved up to where it is exact to the last digits. */
function logGamma(x: number): number {
  let [at, shift] = [x, 0];
  for (; at < 15; at++) shift += Math.log(at);
  const inverse = 1 / (at * at);
  const tail = (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse / 1680))) / at;
  return (at - 0.5) * Math.log(at) - at + Math.log(2 * Math.PI) / 2 + tail - shift;
}

/** Microseconds of one call, as the mean over a batch that takes at least `atLeast` milliseconds. */
export function microseconds(call: () => void, atLeast: number): number {
  for (let calls = 1; ; calls *= 4) {
    const begun = performance.now();
    for (let k = 0; k < calls; k++) call();
    const taken = performance.now() - begun;
    if (taken >= atLeast) return (1000 * taken) / calls;
  }
}
