import { deviation, mean } from "d3-array";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Stream, stream } from "../../src/lib/random.js";
import { meanRatio, share } from "../../src/lib/statistics.js";
import {
  countsOf,
  estimateFrom,
  type Moments,
  mergeCounts,
  mergeMoments,
  mergeSketches,
  momentsOf,
  type PooledCounts,
  pooledShare,
  quantileFrom,
  RELATIVE_ERROR,
  type Sketch,
  sketchOf,
} from "../../src/lib/summaries.js";

const values = fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: 1, maxLength: 40 });
const momentsOfAll = (all: readonly number[]): Moments => all.map(momentsOf).reduce(mergeMoments);

describe("moments", () => {
  it("have the mean of the values, and their squared distances from it", () => {
    fc.assert(
      fc.property(values, (given) => {
        const { n, mean: middle, squares } = momentsOfAll(given);
        expect(n).toBe(given.length);
        expect(middle).toBeCloseTo(mean(given)!, 9);
        expect(squares).toBeCloseTo((deviation(given) ?? 0) ** 2 * (given.length - 1), 7);
      }),
    );
  });

  it("give the interval of the values by Student's t", () => {
    // t(9) = 2.262 in published tables; the standard deviation of 1 to 10 is 3.02765.
    const { mean: middle, low, high, n } = estimateFrom(momentsOfAll([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]));
    expect([middle, n]).toEqual([5.5, 10]);
    expect(high - middle).toBeCloseTo((2.2622 * 3.02765) / Math.sqrt(10), 3);
    expect(middle - low).toBeCloseTo(high - middle, 12);
  });

  it("do not depend, but for rounding, on how values are grouped or ordered", () => {
    fc.assert(
      fc.property(values, values, values, (a, b, c) => {
        const [x, y, z] = [a, b, c].map(momentsOfAll) as [Moments, Moments, Moments];
        const ways = [mergeMoments(mergeMoments(x, y), z), mergeMoments(x, mergeMoments(y, z))];
        for (const way of [...ways, mergeMoments(mergeMoments(z, y), x)]) {
          const whole = momentsOfAll([...a, ...b, ...c]);
          expect(way.n).toBe(whole.n);
          expect(way.mean).toBeCloseTo(whole.mean, 9);
          expect(way.squares).toBeCloseTo(whole.squares, 7);
        }
      }),
    );
  });

  it("of values that are all alike have no spread at all, however many", () => {
    const alike = Array.from({ length: 1000 }, () => 1 / 3);
    expect(momentsOfAll(alike)).toEqual({ n: 1000, mean: 1 / 3, squares: 0 });
  });
});

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

const positive = fc.array(fc.double({ min: 1e-17, max: 1e17, noNaN: true }), { maxLength: 60 });
const level = fc.double({ min: 0, max: 1, noNaN: true });

/** Merging changes the left one. */
const merged = (left: Sketch, right: Sketch): Sketch => mergeSketches(structuredClone(left), right);

describe("a sketch", () => {
  it("gives quantiles within the error it states", () => {
    fc.assert(
      fc.property(
        positive.filter(({ length }) => length > 0),
        level,
        (given, part) => {
          const sorted = [...given].sort((a, b) => a - b);
          const exact = sorted[Math.floor(part * (sorted.length - 1))]!;
          const error = Math.abs(quantileFrom(sketchOf(given), part) - exact);
          expect(error).toBeLessThanOrEqual(RELATIVE_ERROR * exact * (1 + 1e-9));
        },
      ),
    );
  });

  it("of two lists is that of both together, in whatever order they come, to the byte", () => {
    fc.assert(
      fc.property(positive, positive, positive, (a, b, c) => {
        const [x, y, z] = [a, b, c].map(sketchOf) as [Sketch, Sketch, Sketch];
        const whole = JSON.stringify(sketchOf([...a, ...b, ...c]));
        expect(JSON.stringify(merged(merged(x, y), z))).toBe(whole);
        expect(JSON.stringify(merged(x, merged(y, z)))).toBe(whole);
        expect(JSON.stringify(merged(z, merged(y, x)))).toBe(whole);
      }),
    );
  });

  it("is no larger for many values than for the width of their range", () => {
    const many = Array.from({ length: 20_000 }, (_, k) => 1 + (k % 5000) / 100);
    expect(Object.keys(sketchOf(many)).length).toBeLessThanOrEqual(Math.ceil(Math.log(51) / 0.02) + 1);
  });

  it("has no quantile of nothing, and clamps what is beyond its range", () => {
    expect(quantileFrom({}, 0.5)).toBeNaN();
    expect(quantileFrom(sketchOf([1e-300]), 0.5)).toBeLessThan(1e-16);
    expect(quantileFrom(sketchOf([1e300]), 0.5)).toBeGreaterThan(1e16);
  });
});
