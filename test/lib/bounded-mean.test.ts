import { describe, expect, it } from "vitest";
import { boundedMean } from "../../src/lib/bounded-mean.js";
import { type Stream, stream } from "../../src/lib/random.js";
import { estimate } from "../../src/lib/statistics.js";

const range = { least: -10, most: 10 };

const several = (n: number, draw: () => number) => Array.from({ length: n }, draw);

describe("the mean of values from a known range", () => {
  const rare = (draws: Stream) => (draws.next() < 1 / 500 ? 10 : 0);
  const skewed = (draws: Stream) => (draws.next() < 0.1 ? -10 * draws.next() : 0.5);
  const even = (draws: Stream) => draws.next() - 0.5;

  it.each([
    ["rare and large", rare, 10 / 500],
    ["skewed", skewed, 0.9 * 0.5 - 0.1 * 5],
    ["even", even, 0],
  ])("%s values: at least 95 % of intervals contain it, and their mean", (_, draw, known) => {
    let missed = 0;
    for (let k = 0; k < 200; k++) {
      const draws = stream("bounded").fork(k);
      const { mean, low, high } = boundedMean(
        several(400, () => draw(draws)),
        range,
      );
      if (known < low || known > high) missed++;
      expect(low).toBeLessThanOrEqual(mean);
      expect(mean).toBeLessThanOrEqual(high);
    }
    expect(missed).toBeLessThanOrEqual(10);
  });

  it("misses none of what Student's interval of zeros denies: so many zeros leave room for a mean of about 7.4/n", () => {
    const { low, high } = boundedMean(
      several(1000, () => 0),
      { least: 0, most: 1 },
    );
    expect(low).toBe(0);
    // No interval can be narrower than the rule of three allows: of so many zeros it is 3.7/n on each side.
    expect(high).toBeGreaterThan(0.0037);
    expect(high).toBeLessThan(0.0075);
  });

  it("is little wider than Student's where values vary, and wider for several together", () => {
    const draws = stream("wide");
    const values = several(4000, () => 20 * draws.next() - 10);
    const [ours, student] = [boundedMean(values, range), estimate(values)];
    expect((ours.high - ours.low) / (student.high - student.low)).toBeLessThan(1.6);
    const together = boundedMean(values, range, 20);
    expect(together.low).toBeLessThan(ours.low);
    expect(together.high).toBeGreaterThan(ours.high);
  });

  it("of one known value is that value; of none there is no interval", () => {
    expect(boundedMean([2, 2], { least: 2, most: 2 })).toEqual({ mean: 2, low: 2, high: 2, n: 2 });
    expect(boundedMean([], range)).toMatchObject({ low: Number.NaN, high: Number.NaN, n: 0 });
  });
});
