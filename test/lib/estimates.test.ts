/** Estimates held against numbers from printed tables and from calculation by hand. */

import { describe, expect, it } from "vitest";
import { estimate, fittedPower, kendall, meanRatio, share } from "../../src/lib/statistics.js";
import { estimateFrom, mergeMoments, momentsOf } from "../../src/lib/summaries.js";

describe("the mean of values, one per market", () => {
  it("of 2, 4, 4, 4, 6 is 4 ± 2.776 · √(8/4 / 5)", () => {
    const { mean, low, high, n } = estimate([2, 4, 4, 4, 6]);
    expect([mean, n]).toEqual([4, 5]);
    expect(high).toBeCloseTo(4 + 2.776 * Math.sqrt(0.4), 3);
    expect(low).toBeCloseTo(4 - 2.776 * Math.sqrt(0.4), 3);
  });

  /** Two-sided 95 % points of Student's t by degrees of freedom, from a printed table. */
  it.each([
    [4, 2.776],
    [5, 2.571],
    [6, 2.447],
    [7, 2.365],
    [8, 2.306],
    [9, 2.262],
    [10, 2.228],
    [11, 2.201],
    [12, 2.179],
    [13, 2.16],
    [14, 2.145],
    [15, 2.131],
    [20, 2.086],
    [30, 2.042],
    [60, 2.0],
    [120, 1.98],
    [5000, 1.96],
  ])("with %i degrees of freedom the interval is ± %f standard errors", (freedom, t) => {
    const n = freedom + 1;
    // As many 1 as −1, and 0 in the middle where n is odd: Σ x² is the number of those that are not 0.
    const values = Array.from({ length: n }, (_, k) => Math.sign(2 * k - freedom));
    const squares = n - (n % 2);
    const { mean, high } = estimate(values);
    expect(mean).toBeCloseTo(0, 12);
    expect(Math.abs(high / Math.sqrt(squares / freedom / n) - t)).toBeLessThan(0.005);
  });

  it("is no more certain with fewer degrees of freedom", () => {
    const width = (n: number) => {
      const { high } = estimate(Array.from({ length: n }, (_, k) => (k % 2 === 0 ? 1 : -1)));
      return high * Math.sqrt(n - 1);
    };
    for (let n = 8; n < 300; n += 2) expect(width(n)).toBeLessThanOrEqual(width(n - 2) * (1 + 1e-12));
  });

  it("of one value or none has no interval", () => {
    expect(estimate([7])).toEqual({ mean: 7, low: Number.NaN, high: Number.NaN, n: 1 });
    expect(estimate([])).toMatchObject({ low: Number.NaN, high: Number.NaN, n: 0 });
    expect(estimate([7, 7, 7, 7, 7])).toEqual({ mean: 7, low: 7, high: 7, n: 5 });
  });

  it("comes out of moments too", () => {
    const moments = [3, 0, -2, 7, 2].map(momentsOf).reduce(mergeMoments);
    expect(moments).toMatchObject({ n: 5, mean: expect.closeTo(2, 12) });
    expect(moments.squares).toBeCloseTo(1 + 4 + 16 + 25, 12);
    expect(estimateFrom(moments).high).toBeCloseTo(estimate([3, 0, -2, 7, 2]).high, 12);
  });
});

describe("the ratio of two means", () => {
  it("of pairs in one ratio is that ratio without a doubt", () => {
    const { mean, low, high, n } = meanRatio([1, 3, 5, 7, 9].map((below) => [2 * below, below]));
    expect([mean, low, high, n]).toEqual([2, 2, 2, 5]);
  });

  it("is the ratio of the sums, not the mean of ratios, and as uncertain as what the pairs miss it by", () => {
    // Means 3 and 2: ratio 1.5. The pairs miss it by (2 − 1.5) / 2 = 0.25 and (4 − 4.5) / 2 = −0.25, three times each.
    const pairs = [0, 1, 2].flatMap(() => [[2, 1] as const, [4, 3] as const]);
    const { mean, low, high } = meanRatio(pairs);
    const half = 2.571 * Math.sqrt((6 * 0.25 ** 2) / 5 / 6);
    expect(mean).toBe(1.5);
    expect(high).toBeCloseTo(1.5 + half, 3);
    expect(low).toBeCloseTo(1.5 - half, 3);
  });
});

describe("a share", () => {
  it("has Wilson's interval: 8 of 10 is between 0.4902 and 0.9433", () => {
    const { mean, low, high, n } = share(8, 10);
    expect([mean, n]).toEqual([0.8, 10]);
    expect(low).toBeCloseTo(0.4902, 4);
    expect(high).toBeCloseTo(0.9433, 4);
  });

  it("of all is 1, and may well be less", () => {
    // Wilson: n / (n + z²) = 20 / 23.8416.
    const { mean, low, high } = share(20, 20);
    expect(mean).toBe(1);
    expect(high).toBeCloseTo(1, 12);
    expect(low).toBeCloseTo(20 / (20 + 1.96 ** 2), 4);
  });

  it("of none is 0, and may well be about three in n", () => {
    const { mean, low, high, n } = share(0, 30);
    expect([mean, low, n]).toEqual([0, 0, 30]);
    expect(high).toBeGreaterThan(0.08);
    expect(high).toBeLessThan(0.13);
  });

  it("is never beyond 0 and 1, however few were seen", () => {
    for (let n = 1; n <= 12; n++)
      for (let successes = 0; successes <= n; successes++) {
        const { mean, low, high } = share(successes, n);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(low).toBeLessThanOrEqual(mean + 1e-12);
        expect(high).toBeGreaterThanOrEqual(mean - 1e-12);
        expect(high).toBeLessThanOrEqual(1);
      }
  });
});

describe("a fitted power", () => {
  it("of y = 3 · x² is 2, and explains everything", () => {
    const { exponent, r2 } = fittedPower([1, 2, 5, 10].map((x) => [x, 3 * x * x]));
    expect(exponent).toBeCloseTo(2, 12);
    expect(r2).toBeCloseTo(1, 12);
  });

  it("of logarithms (0, 0), (1, 2), (2, 1) is 1/2, and explains a quarter", () => {
    // Around the means (1, 1): Σxy = 1, Σx² = 2, so 1/2; left over ¼ + 1 + ¼ of Σy² = 2.
    const { exponent, r2 } = fittedPower([
      [1, 1],
      [Math.E, Math.E ** 2],
      [Math.E ** 2, Math.E],
    ]);
    expect(exponent).toBeCloseTo(0.5, 12);
    expect(r2).toBeCloseTo(0.25, 12);
  });
});

describe("Kendall's tau", () => {
  it.each([
    ["all in the same order", [1, 2, 3], 1],
    ["all turned around", [3, 2, 1], -1],
    ["one pair of three turned around", [1, 3, 2], 1 / 3],
    ["one pair of three tied", [1, 1, 2], 2 / 3],
  ])("%s", (_, values, tau) => {
    expect(kendall(values.map((y, x) => [x, y]))).toBeCloseTo(tau, 12);
    expect(kendall(values.map((y, x) => [y, x]))).toBeCloseTo(tau, 12);
  });
});
