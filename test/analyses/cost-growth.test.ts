import { describe, expect, it } from "vitest";
import { type CostGrowthSettings, costGrowth } from "../../analyses/cost-growth.js";
import { rrafl } from "../../src/mechanisms/rrafl.js";
import { contextFor, expectWellFormed, resultWith, rowsOf } from "./context.js";

const tiny: CostGrowthSettings = {
  workers: [10, 100, 1_000],
  rounds: [2, 8, 32],
  fixed: { workers: 50, rounds: 4 },
  markets: 2,
  batches: 3,
  milliseconds: 1,
};

const times = (result: Awaited<ReturnType<typeof resultWith>>, grows: string) =>
  rowsOf(result, "times").filter((row) => row.grows === grows);

describe("cost-growth", async () => {
  const result = await resultWith(costGrowth, contextFor("growth"), tiny);

  it("times every size, with the middle half of the batches around the median", () => {
    expectWellFormed(result);
    expect([result.charts.length, result.findings.length]).toEqual([1, 2]);
    const sizes = (grows: string) => times(result, grows).map(({ workers, rounds }) => [workers, rounds]);
    expect(sizes("workers")).toEqual([
      [10, 4],
      [100, 4],
      [1_000, 4],
    ]);
    expect(sizes("rounds")).toEqual([
      [50, 2],
      [50, 8],
      [50, 32],
    ]);
    for (const { microseconds, low, high } of rowsOf(result, "times")) {
      expect(low as number).toBeGreaterThan(0);
      expect(low as number).toBeLessThanOrEqual(microseconds as number);
      expect(high as number).toBeGreaterThanOrEqual(microseconds as number);
    }
  });

  it("has the exponent from each size to the next, of the time and of the paper's bound T·n·log n [P3]", () => {
    for (const grows of ["workers", "rounds"])
      for (const [k, row] of times(result, grows).entries()) {
        const before = times(result, grows)[k - 1];
        if (!before) {
          expect([row.slope, row.boundSlope]).toEqual([null, null]);
          continue;
        }
        const log = (name: string) => Math.log(Number(row[name]) / Number(before[name]));
        expect(row.slope).toBeCloseTo(log("microseconds") / log("size"), 3);
        expect(row.boundSlope).toBeCloseTo(log("bound") / log("size"), 3);
      }
    expect(times(result, "rounds").map(({ boundSlope }) => boundSlope)).toEqual([null, 1, 1]);
    expect(times(result, "workers")[2]!.boundSlope).toBeCloseTo(1 + Math.log10(1.5), 5);
  });

  it("says how many times as long the larger sizes take, and how many times the bound allows", () => {
    const { text } = result.findings[0]!;
    const [, first, last] = times(result, "workers");
    const ratio = Number(last!.microseconds) / Number(first!.microseconds);
    const stated =
      /from 100 to 1,000 workers an auction takes ([\d.]+) times as long, .* T·n·log n grows 15 times/.exec(
        text,
      )!;
    expect(Number(stated[1]) / ratio).toBeCloseTo(1, 2);
  });

  it("times other mechanisms too", async () => {
    const other = await resultWith(costGrowth, contextFor("growth", rrafl), tiny);
    expectWellFormed(other);
    expect(other.methods.some((text) => text.includes("rrafl"))).toBe(true);
  });
});
