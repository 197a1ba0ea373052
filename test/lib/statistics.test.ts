import { mean } from "d3-array";
import { describe, expect, it } from "vitest";
import { type Stream, stream } from "../../src/lib/random.js";
import {
  atLeast,
  type Estimate,
  estimate,
  meanRatio,
  ruleOfThree,
  share,
  studentQuantile,
} from "../../src/lib/statistics.js";

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

/** Box and Muller. */
const normal = (draws: Stream): number =>
  Math.sqrt(-2 * Math.log(1 - draws.next())) * Math.cos(2 * Math.PI * draws.next());

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
