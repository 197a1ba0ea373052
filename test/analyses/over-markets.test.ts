import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listed, many, money, percent, percents } from "../../analyses/shared/gains/number-words.js";
import { grouped, quantile, shareFrom, shareOverMarkets } from "../../analyses/shared/gains/over-markets.js";
import { mergeMoments, momentsOf } from "../../src/lib/moments.js";

const shares = fc.array(fc.constantFrom(0, 0.05, 0.2, 0.5, 1), { minLength: 1, maxLength: 40 });

describe("shares over markets", () => {
  it("have an interval within [0, 1] that contains the mean", () => {
    fc.assert(
      fc.property(shares, (values) => {
        const { mean, low, high, n } = shareOverMarkets(values);
        expect(n).toBe(values.length);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(low).toBeLessThanOrEqual(mean);
        expect(high).toBeGreaterThanOrEqual(mean);
        expect(high).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("are bounded by the rule of three where none was found, and never more tightly where one was", () => {
    const none = new Array<number>(60).fill(0);
    expect(shareOverMarkets(none)).toEqual({ mean: 0, low: 0, high: 3 / 60, n: 60 });
    expect(shareOverMarkets([0.01, ...none.slice(1)]).high).toBeGreaterThanOrEqual(3 / 60);
  });

  it("can be told from their moments", () => {
    fc.assert(
      fc.property(shares, (values) => {
        const from = shareFrom(values.map(momentsOf).reduce(mergeMoments));
        const direct = shareOverMarkets(values);
        expect(from.n).toBe(direct.n);
        for (const end of ["mean", "low", "high"] as const) expect(from[end]).toBeCloseTo(direct[end], 9);
      }),
    );
  });

  it("are not certain where all markets are alike", () => {
    const { mean, low, high } = shareOverMarkets([1, 1, 1, 1, 1, 1]);
    expect([mean, high]).toEqual([1, 1]);
    expect(low).toBeLessThan(0.7);
  });
});

it("quantiles lie between neighbours", () => {
  expect([0, 0.5, 1].map((part) => quantile([4, 1, 2, 3], part))).toEqual([1, 2.5, 4]);
  expect(quantile([], 0.5)).toBeNaN();
});

it("groups keep the order of first appearance", () => {
  expect([...grouped([3, 1, 4, 6], (n) => String(n % 2))]).toEqual([
    ["1", [3, 1]],
    ["0", [4, 6]],
  ]);
});

it("numbers read as a person would say them", () => {
  expect([0, 0.0312, 0.12345, 0.00021, 1].map(percent)).toEqual(["0 %", "3.1 %", "12 %", "0.021 %", "100 %"]);
  expect([0, 1, 1200].map((n) => many(n, "market"))).toEqual(["no market", "1 market", "1,200 markets"]);
  expect([2.6449, 0.00012345, 12345.6].map(money)).toEqual(["2.64", "0.000123", "12,346"]);
  expect(listed(["a", "b", "c"])).toBe("a, b and c");
});

it("an interval has as many digits as tell it from its middle", () => {
  expect(percents({ mean: 0.03, low: 0.02, high: 0.04 })).toEqual(["3 %", "2 %", "4 %"]);
  expect(percents({ mean: 0.03015, low: 0.0301, high: 0.0302 })).toEqual(["3.015 %", "3.01 %", "3.02 %"]);
  expect(percents({ mean: 0.5, low: 0.5, high: 0.5 })).toEqual(["50 %", "50 %", "50 %"]);
});
