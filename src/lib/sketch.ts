/**
 * A sketch of many positive values: how many fall into each bin of a logarithmic scale. Sketches add up bin by bin, and
 * a quantile read from one is within 1 % of the value it stands for (Masson, Rim and Lee's DDSketch).
 */

/** Counts by bin; a bin without values is absent. */
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
