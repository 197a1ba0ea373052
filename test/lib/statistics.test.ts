import { mean } from "d3-array";
import { describe, expect, it } from "vitest";
import { normalPair, type Stream, stream } from "../../src/lib/random.js";
import {
  atLeast,
  type Estimate,
  estimate,
  fittedPower,
  kendall,
  meanRatio,
  medianOf,
  ruleOfThree,
  share,
  studentQuantile,
} from "../../src/lib/statistics.js";
import { estimateFrom, mergeMoments, momentsOf } from "../../src/lib/summaries.js";

describe("quantiles of Student's t", () => {
  /** Upper points 0.95, 0.975, 0.995 and 0.9995, from the table of the NIST/SEMATECH e-Handbook, 1.3.6.7.2, and Fisher and Yates. */
  it.each([
    [1, 6.314, 12.706, 63.657, 636.619],
    [2, 2.92, 4.303, 9.925, 31.599],
    [3, 2.353, 3.182, 5.841, 12.924],
    [4, 2.132, 2.776, 4.604, 8.61],
    [5, 2.015, 2.571, 4.032, 6.869],
    [7, 1.895, 2.365, 3.499, 5.408],
    [10, 1.812, 2.228, 3.169, 4.587],
    [16, 1.746, 2.12, 2.921, 4.015],
    [21, 1.721, 2.08, 2.831, 3.819],
    [25, 1.708, 2.06, 2.787, 3.725],
    [30, 1.697, 2.042, 2.75, 3.646],
    [40, 1.684, 2.021, 2.704, 3.551],
    [60, 1.671, 2.0, 2.66, 3.46],
    [120, 1.658, 1.98, 2.617, 3.373],
    [Number.POSITIVE_INFINITY, 1.645, 1.96, 2.576, 3.291],
  ])("with %d degrees of freedom are those of published tables", (freedom, ...published) => {
    const ours = [0.95, 0.975, 0.995, 0.9995].map((part) => studentQuantile(part, freedom));
    for (const [k, value] of published.entries()) expect(Math.abs(ours[k]! - value)).toBeLessThan(6e-4);
  });

  it("are known in closed form for one, two and four degrees of freedom, to the last digits", () => {
    for (const part of [0.6, 0.9, 0.975, 0.9999]) {
      const [one, two] = [
        Math.tan(Math.PI * (part - 0.5)),
        (2 * part - 1) / Math.sqrt(2 * part * (1 - part)),
      ];
      expect(studentQuantile(part, 1) / one).toBeCloseTo(1, 11);
      expect(studentQuantile(part, 2) / two).toBeCloseTo(1, 11);
      const root = Math.sqrt(4 * part * (1 - part));
      const four = 2 * Math.sqrt(Math.cos(Math.acos(root) / 3) / root - 1);
      expect(studentQuantile(part, 4) / four).toBeCloseTo(1, 10);
    }
  });

  it("fall toward those of the normal distribution, and mirror at one half", () => {
    const many = [1, 5, 30, 31, 119, 121, 1e3, 1e5, 1e6].map((freedom) => studentQuantile(0.975, freedom));
    expect(many).toEqual(many.toSorted((a, b) => b - a));
    expect(many.at(-1)).toBeCloseTo(1.959963984540054, 5);
    expect(studentQuantile(0.975, Number.POSITIVE_INFINITY)).toBeCloseTo(1.959963984540054, 12);
    expect(studentQuantile(0.025, 7)).toBeCloseTo(-studentQuantile(0.975, 7), 12);
    expect(studentQuantile(0.5, 7)).toBeCloseTo(0, 12);
  });
});

const normal = (draws: Stream): number => normalPair(draws)[0];

/** In what part of many samples the interval contains the truth. */
function coverage(sample: (draws: Stream) => Estimate, truth: number, times = 4000): number {
  const draws = stream("coverage");
  const hits = Array.from({ length: times }, (_, k) => sample(draws.fork(k))).map(({ low, high }) =>
    low <= truth && truth <= high ? 1 : 0,
  );
  return mean(hits as number[])!;
}

const several = (n: number, value: () => number): number[] => Array.from({ length: n }, value);

describe("the mean of values", () => {
  it("has the interval that a textbook gives", () => {
    // Mean 5, standard deviation √10/2, t(4) = 2.776: 5 ± 1.963.
    const { mean: middle, low, high, n } = estimate([3, 4, 5, 6, 7]);
    expect([middle, n]).toEqual([5, 5]);
    expect(low).toBeCloseTo(5 - (2.7764 * Math.sqrt(2.5)) / Math.sqrt(5), 3);
    expect(high).toBeCloseTo(5 + (2.7764 * Math.sqrt(2.5)) / Math.sqrt(5), 3);
  });

  it("has no interval of fewer than five values", () => {
    for (const few of [[], [1], [1, 2], [1, 2, 3, 4]]) {
      const { low, high, n } = estimate(few);
      expect([low, high, n]).toEqual([Number.NaN, Number.NaN, few.length]);
    }
  });

  it.each([5, 17, 40])("is within its interval in 95 of 100 samples of %d values", (n) => {
    const sample = (draws: Stream) => estimate(several(n, () => 3 + normal(draws)));
    expect(Math.abs(coverage(sample, 3) - 0.95)).toBeLessThan(0.012);
  });

  it("is within all of ten intervals in 95 of 100 cases, where they are to hold together", () => {
    const sample = (draws: Stream) => {
      const all = several(10, () => 0).map(() =>
        estimate(
          several(6, () => normal(draws)),
          10,
        ),
      );
      return {
        mean: 0,
        n: 6,
        low: Math.max(...all.map(({ low }) => low)),
        high: Math.min(...all.map(({ high }) => high)),
      };
    };
    expect(Math.abs(coverage(sample, 0, 2000) - 0.951)).toBeLessThan(0.015);
  });
});

it("the ratio of paired means is within its interval in about 95 of 100 samples", () => {
  const sample = (draws: Stream) =>
    meanRatio(
      several(30, () => 0).map(() => {
        const size = 1 + 9 * draws.next();
        return [2 * size + normal(draws), size] as const;
      }),
    );
  expect(Math.abs(coverage(sample, 2) - 0.95)).toBeLessThan(0.02);
});

describe("a share", () => {
  it("has Wilson's interval", () => {
    // Newcombe 1998, table I, method 3: 81 of 263, 15 of 148, 1 of 29.
    for (const [hits, n, low, high] of [
      [81, 263, 0.2553, 0.3662],
      [15, 148, 0.0624, 0.1605],
      [1, 29, 0.0061, 0.1718],
    ] as const) {
      const found = share(hits, n);
      expect(found.low).toBeCloseTo(low, 4);
      expect(found.high).toBeCloseTo(high, 4);
    }
  });

  it("of nothing is bounded by the rule of three: so many trials would show one with 95 %", () => {
    expect(share(0, 60)).toEqual({ mean: 0, low: 0, high: 0.05, n: 60 });
    expect(ruleOfThree(2)).toBe(1);
    for (const [n, together] of [
      [100, 1],
      [1000, 1],
      [1000, 72],
    ] as const)
      expect((1 - ruleOfThree(n, together)) ** n).toBeCloseTo(0.05 / together, 2);
  });

  it("of no trials at all has no interval", () => {
    expect(share(0, 0)).toEqual({ mean: Number.NaN, low: Number.NaN, high: Number.NaN, n: 0 });
  });

  it("that a search found has a lower end alone", () => {
    expect(atLeast(share(3, 10)).low).toBe(share(3, 10).low);
    expect(atLeast(share(0, 10)).high).toBeNaN();
  });
});

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

describe("the median, beside values that are infinite", () => {
  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 2, 3], 2.5],
    [[1, Number.POSITIVE_INFINITY, 2], 2],
    [[1, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY], Number.POSITIVE_INFINITY],
    [[1, Number.POSITIVE_INFINITY], Number.POSITIVE_INFINITY],
  ])("of %j is %d", (values, middle) => expect(medianOf(values)).toBe(middle));
});
