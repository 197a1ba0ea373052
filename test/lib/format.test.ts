import { describe, expect, it } from "vitest";
import {
  capital,
  listed,
  many,
  percent,
  percents,
  rounded,
  shareWithInterval,
  signed,
  stated,
  threeDigits,
  twoPlaces,
  withInterval,
  writtenNumber,
} from "../../src/lib/format.js";

describe("numbers in sentences", () => {
  it("have two digits as per cent, whole ones in full", () => {
    const shares = [0, 0.00021, 0.004, 0.0263, 0.0312, 0.12345, 0.177, 0.999, 1, 1.344, -0.05];
    expect(shares.map(percent)).toEqual([
      ...["0 %", "0.021 %", "0.4 %", "2.6 %", "3.1 %", "12 %"],
      ...["18 %", "100 %", "100 %", "134 %", "−5 %"],
    ]);
  });

  it("have three digits as amounts, and thousands in full", () => {
    expect([2.6449, 0.00012345, 999.6, 12345.6, -0.5, Number.NaN].map(threeDigits)).toEqual([
      ...["2.64", "0.000123", "1000", "12,346", "−0.5", "nothing"],
    ]);
  });

  it("show their sign where it matters, and no rounding", () => {
    expect([0.02, -1.5, 1e-12, -1e-12].map((x) => signed(x))).toEqual(["+0.02", "−1.5", "0", "0"]);
    expect(signed(-0.1, percent)).toBe("−10 %");
  });

  it("are counted", () => {
    expect([0, 1, 1200].map((n) => many(n, "market"))).toEqual(["no market", "1 market", "1,200 markets"]);
  });

  it("have as many digits in an interval as tell it from its middle", () => {
    expect(percents({ mean: 0.03, low: 0.02, high: 0.04 })).toEqual(["3 %", "2 %", "4 %"]);
    expect(percents({ mean: 0.03015, low: 0.0301, high: 0.0302 })).toEqual(["3.015 %", "3.01 %", "3.02 %"]);
    expect(percents({ mean: 0.5, low: 0.5, high: 0.5 })).toEqual(["50 %", "50 %", "50 %"]);
  });

  it("stand beside their interval, its lower end, or a word that there is none", () => {
    expect(stated({ mean: 0.27, low: 0.22, high: 0.32 })).toEqual(["27 %", "95 %: 22 % to 32 %"]);
    expect(stated({ mean: -1.5, low: -2, high: 0.25 }, "change")).toEqual(["−1.5", "95 %: −2 to +0.25"]);
    const { NaN: none } = Number;
    expect(stated({ mean: 0.27, low: 0.22, high: none })).toEqual(["27 %", "95 %: at least 22 %"]);
    expect(stated({ mean: 0.27, low: none, high: none })).toEqual(["27 %", "too few for an interval"]);
  });
});

it("means stand before their intervals, alone where there is none", () => {
  expect(withInterval({ mean: 1, low: 0.978, high: 1.031 }, twoPlaces)).toBe("1.00 (0.98 to 1.03)");
  expect(shareWithInterval({ mean: 0.9812, low: 0.9791, high: 0.9834 })).toBe("98.1 % (97.9 % to 98.3 %)");
  expect(twoPlaces(-1 / 3)).toBe("−0.33");
  expect(withInterval({ mean: 0.5, low: Number.NaN, high: Number.NaN })).toBe("0.5");
});

it("lists, capitals and rounded cells", () => {
  expect([listed(["a"]), listed(["a", "b"]), listed([1, 2, 3])]).toEqual(["a", "a and b", "1, 2 and 3"]);
  expect(capital("late start")).toBe("Late start");
  expect([rounded(1.23456789), rounded(Number.NaN)]).toEqual([1.23457, null]);
});

describe("a number that somebody writes", () => {
  it.each([
    ["5", 5],
    [" -0.25 ", -0.25],
    [".5", 0.5],
    ["5.", 5],
    ["1e-3", 0.001],
  ])("reads %j", (text, number) => {
    expect(writtenNumber(text)).toBe(number);
  });

  it.each(["", "0x10", "Infinity", "1_000", "1,5", "NaN", "1 2"])("takes no number from %j", (text) => {
    expect(writtenNumber(text)).toBe(text);
  });
});
