/** Estimates with their uncertainty: means over markets, shares, bounds where nothing was found, fitted powers. */

export interface Estimate {
  readonly mean: number;
  /** Ends of a 95 % interval. */
  readonly low: number;
  readonly high: number;
  readonly n: number;
}

/** Two-sided 95 % points of Student's t by degrees of freedom; 1.96 beyond the table. */
const T95 = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
];
const T95_LATER: readonly [number, number][] = [
  [20, 2.086],
  [30, 2.042],
  [60, 2.0],
  [120, 1.98],
];

function t95(freedom: number): number {
  const early = T95[freedom - 1];
  if (early !== undefined) return early;
  return T95_LATER.find(([up]) => freedom <= up)?.[1] ?? 1.96;
}

/** The mean of independent values (one per market) with its 95 % interval by Student's t; NaN ends for fewer than two. */
export function estimate(values: readonly number[]): Estimate {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return intervalAround(mean, squares, n);
}

/** The interval from the squared distances of n values from their mean, added up. */
export function intervalAround(mean: number, squares: number, n: number): Estimate {
  if (n < 2) return { mean, low: Number.NaN, high: Number.NaN, n };
  const half = t95(n - 1) * Math.sqrt(squares / (n - 1) / n);
  return { mean, low: mean - half, high: mean + half, n };
}

/** The ratio of the means of paired values with its 95 % interval, by linearization (the delta method). */
export function meanRatio(pairs: readonly (readonly [above: number, below: number])[]): Estimate {
  const below = estimate(pairs.map((pair) => pair[1])).mean;
  const mean = estimate(pairs.map((pair) => pair[0])).mean / below;
  const { low, high, n } = estimate(pairs.map(([above, under]) => (above - mean * under) / below));
  return { mean, low: mean + low, high: mean + high, n };
}

/** A share of successes with Wilson's 95 % interval; with none, the rule of three bounds it from above. */
export function share(successes: number, n: number): Estimate {
  const mean = successes / n;
  if (successes === 0) return { mean: 0, low: 0, high: Math.min(1, 3 / n), n };
  const z2 = 1.96 ** 2;
  const middle = (mean + z2 / (2 * n)) / (1 + z2 / n);
  const half = (1.96 / (1 + z2 / n)) * Math.sqrt((mean * (1 - mean)) / n + z2 / (4 * n * n));
  return { mean, low: Math.max(0, middle - half), high: Math.min(1, middle + half), n };
}

/** The exponent k of y ≈ a·x^k by least squares on logarithms, and R². */
export function fittedPower(points: readonly (readonly [x: number, y: number])[]): {
  exponent: number;
  r2: number;
} {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const);
  const mean = (k: 0 | 1) => logs.reduce((sum, log) => sum + log[k], 0) / logs.length;
  const [mx, my] = [mean(0), mean(1)];
  const sum = (term: (x: number, y: number) => number) =>
    logs.reduce((total, [x, y]) => total + term(x - mx, y - my), 0);
  const exponent = sum((x, y) => x * y) / sum((x) => x * x);
  const unexplained = sum((x, y) => (y - exponent * x) ** 2);
  return { exponent, r2: 1 - unexplained / sum((_, y) => y * y) };
}

/** Kendall's tau of paired values: 1 where all pairs are in the same order, −1 where none is; ties count as neither. */
export function kendall(pairs: readonly (readonly [x: number, y: number])[]): number {
  let [sum, n] = [0, 0];
  for (const [k, [x, y]] of pairs.entries())
    for (const [x2, y2] of pairs.slice(k + 1)) {
      sum += Math.sign(x - x2) * Math.sign(y - y2);
      n++;
    }
  return sum / n;
}
