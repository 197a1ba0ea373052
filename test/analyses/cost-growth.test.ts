import { describe, expect, it } from "vitest";
import { costGrowth, type GrowthSettings, growthOf, growthSettings } from "../../analyses/cost-growth.js";
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
      const [first, last] = [rows[0]!, rows.at(-1)!];
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
    expect(result.leftOut.some((text) => text.includes("rrafl"))).toBe(true);
  });

  it("has settings for both profiles", () => {
    expect(costGrowth.name).toBe("cost-growth");
    expect(growthSettings.full.workers.length).toBeGreaterThan(growthSettings.quick.workers.length);
  });
});
