import { describe, expect, it } from "vitest";
import { type GrowthSettings, growthOf, largeOnes, slopesOf } from "../../analyses/cost-growth.js";
import { fittedPower } from "../../src/lib/statistics.js";
import { rrafl } from "../../src/mechanisms/rrafl.js";
import { contextFor, expectWellFormed, rowsOf } from "./context.js";

const tiny: GrowthSettings = {
  workers: [10, 100, 1_000],
  rounds: [2, 8, 32],
  fixed: { workers: 50, rounds: 4 },
  markets: 2,
  batches: 3,
  milliseconds: 1,
};

describe("cost-growth", () => {
  it("times every size of both axes, with the middle half of the batches around the median", async () => {
    const result = await growthOf(contextFor("growth"), tiny);
    expectWellFormed(result);
    expect(rowsOf(result, "by-workers").map(({ workers, rounds }) => [workers, rounds])).toEqual([
      [10, 4],
      [100, 4],
      [1_000, 4],
    ]);
    expect(rowsOf(result, "by-rounds").map(({ workers, rounds }) => [workers, rounds])).toEqual([
      [50, 2],
      [50, 8],
      [50, 32],
    ]);
    for (const { microseconds, low, high } of [
      ...rowsOf(result, "by-workers"),
      ...rowsOf(result, "by-rounds"),
    ]) {
      expect(microseconds as number).toBeGreaterThan(0);
      expect(low as number).toBeLessThanOrEqual(microseconds as number);
      expect(high as number).toBeGreaterThanOrEqual(microseconds as number);
    }
  });

  it("says in words which power was fitted: the slope of the fitted line", async () => {
    const result = await growthOf(contextFor("growth"), tiny);
    for (const axis of ["workers", "rounds"] as const) {
      const rows = rowsOf(result, `by-${axis}`);
      const [first, last] = [largeOnes(rows)[0]!, rows.at(-1)!];
      const log = (name: string) => Math.log((last[name] as number) / (first[name] as number));
      const symbol = axis === "workers" ? "n" : "T";
      const stated = new RegExp(`as ${symbol} to the power (-?[\\d.]+)`).exec(result.findings[0]!.text)!;
      expect(Number(stated[1])).toBeCloseTo(log("fitted") / log(axis), 2);
    }
  });

  it("names the paper's bound: near to n log n over workers, proportional to rounds", async () => {
    const [finding] = (await growthOf(contextFor("growth"), tiny)).findings;
    const bounds = [...finding!.text.matchAll(/T·n·log n has ([\d.]+)/g)].map(([, power]) => Number(power));
    expect(bounds[0]).toBeGreaterThan(1);
    expect(bounds[0]).toBeLessThan(1.4);
    expect(bounds[1]).toBe(1);
  });

  it("times other mechanisms too", async () => {
    const result = await growthOf(contextFor("growth", rrafl), tiny);
    expectWellFormed(result);
    expect(result.methods.some((text) => text.includes("rrafl"))).toBe(true);
  });

  it("takes the power from the larger half of the sizes, where what does not grow no longer bends the curve", () => {
    const rounds = [5, 10, 20, 50, 100, 200, 500];
    const points = rounds.map((t) => [t, 40 + 2 * t] as const);
    expect(largeOnes(points).map(([t]) => t)).toEqual([50, 100, 200, 500]);
    expect(fittedPower(points).exponent).toBeLessThan(0.75);
    expect(fittedPower(largeOnes(points)).exponent).toBeGreaterThan(0.85);
    expect(largeOnes([1, 2])).toEqual([1, 2]);
  });

  it("has the exponent from each size to the next", () => {
    const slopes = slopesOf([2, 4, 8, 16].map((x) => [x, 3 * x ** 1.5]));
    expect(slopes).toHaveLength(3);
    for (const slope of slopes) expect(slope).toBeCloseTo(1.5, 12);
    expect(
      slopesOf([
        [1, 5],
        [10, 5],
        [100, 500],
      ]).map((slope) => Math.round(slope)),
    ).toEqual([0, 2]);
  });
});
