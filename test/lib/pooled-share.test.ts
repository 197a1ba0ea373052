import { mean } from "d3-array";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Stream, stream } from "../../src/lib/random.js";
import { meanRatio, share } from "../../src/lib/statistics.js";
import { countsOf, mergeCounts, type PooledCounts, pooledShare } from "../../src/lib/summaries.js";

type Market = readonly [hits: number, size: number];

const markets = fc.array(
  fc
    .integer({ min: 1, max: 20 })
    .chain((size) => fc.tuple(fc.integer({ min: 0, max: size }), fc.constant(size))),
  { minLength: 1, maxLength: 30 },
);

const countsIn = (all: readonly Market[]): PooledCounts =>
  all.map(([hits, size]) => countsOf(hits, size)).reduce(mergeCounts);

describe("the share of workers, pooled over markets", () => {
  it("counts every worker alike, whatever its market", () => {
    expect(
      pooledShare(
        countsIn([
          [1, 2],
          [0, 8],
        ]),
      ).mean,
    ).toBe(0.1);
  });

  it("has an interval within [0, 1] that contains it", () => {
    fc.assert(
      fc.property(markets, (all) => {
        const { mean: middle, low, high, n } = pooledShare(countsIn(all));
        expect(n).toBe(all.length);
        expect(0 <= low && low <= middle && middle <= high && high <= 1).toBe(true);
      }),
    );
  });

  it("is the ratio of means, with markets as clusters, where enough of them show something", () => {
    fc.assert(
      fc.property(markets, (all) => {
        const [ours, ratio] = [pooledShare(countsIn(all)), meanRatio(all)];
        expect(ours.mean).toBeCloseTo(ratio.mean, 12);
        if (all.filter(([hits]) => hits > 0).length < 5 || ratio.high - ratio.low < 1e-6) return;
        expect(ours.low).toBeCloseTo(Math.max(0, ratio.low), 9);
        expect(ours.high).toBeCloseTo(Math.min(1, ratio.high), 9);
      }),
    );
  });

  it("does not depend on the order in which markets are added up", () => {
    fc.assert(
      fc.property(markets, (all) => {
        expect(countsIn(all.toReversed())).toEqual(countsIn(all));
      }),
    );
  });

  it("is bounded by the rule of three over markets where nobody was seen, and less tightly where somebody was", () => {
    const none = new Array<Market>(60).fill([0, 10]);
    expect(pooledShare(countsIn(none))).toEqual({ mean: 0, low: 0, high: 3 / 60, n: 60 });
    expect(pooledShare(countsIn([[1, 10], ...none.slice(1)])).high).toBeGreaterThanOrEqual(3 / 60);
    expect(pooledShare(countsIn([[0, 1000], ...none])).high).toBeGreaterThan(0.5);
  });

  it("is not certain where all markets are alike", () => {
    const { low, high } = pooledShare(countsIn(new Array<Market>(6).fill([4, 4])));
    expect(high).toBe(1);
    expect(low).toBeLessThan(0.7);
  });

  it("is within its interval in about 95 of 100 samples of markets whose workers are alike, where Wilson's is not", () => {
    const truth = 0.3;
    const sampled = (draws: Stream) => {
      const all = Array.from({ length: 40 }, (): Market => {
        const size = 5 + draws.below(16);
        const chance = draws.next() < 0.5 ? 0.1 : 0.5;
        return [Array.from({ length: size }, () => draws.next()).filter((x) => x < chance).length, size];
      });
      const counts = countsIn(all);
      return [pooledShare(counts), share(counts.hits, counts.size)] as const;
    };
    const draws = stream("clusters");
    const samples = Array.from({ length: 2000 }, (_, k) => sampled(draws.fork(k)));
    const covered = (which: 0 | 1) =>
      mean(samples, (both) => (both[which].low <= truth && truth <= both[which].high ? 1 : 0))!;
    expect(Math.abs(covered(0) - 0.95)).toBeLessThan(0.02);
    expect(covered(1)).toBeLessThan(0.8);
  });
});
