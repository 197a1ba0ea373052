import { deviation, mean } from "d3-array";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateFrom, type Moments, mergeMoments, momentsOf } from "../../src/lib/summaries.js";

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
