import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateFrom, type Moments, mergeMoments, momentsOf } from "../../src/lib/moments.js";
import { estimate } from "../../src/lib/statistics.js";

const values = fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: 1, maxLength: 40 });
const momentsOfAll = (all: readonly number[]): Moments => all.map(momentsOf).reduce(mergeMoments);

describe("moments", () => {
  it("estimate what the values themselves do", () => {
    fc.assert(
      fc.property(values, (given) => {
        const [from, direct] = [estimateFrom(momentsOfAll(given)), estimate(given)];
        expect(from.n).toBe(direct.n);
        for (const end of ["mean", "low", "high"] as const)
          if (given.length > 1) expect(from[end]).toBeCloseTo(direct[end], 9);
      }),
    );
  });

  it("do not depend, but for rounding, on how values are grouped or ordered", () => {
    fc.assert(
      fc.property(values, values, values, (a, b, c) => {
        const [x, y, z] = [a, b, c].map(momentsOfAll) as [Moments, Moments, Moments];
        const ways = [mergeMoments(mergeMoments(x, y), z), mergeMoments(x, mergeMoments(y, z))];
        for (const way of [...ways, mergeMoments(mergeMoments(z, y), x)]) {
          const whole = momentsOfAll([...a, ...b, ...c]);
          expect([way.n, way.positive]).toEqual([whole.n, whole.positive]);
          expect(way.mean).toBeCloseTo(whole.mean, 9);
          expect(way.squares).toBeCloseTo(whole.squares, 7);
        }
      }),
    );
  });

  it("of values that are all alike have no spread at all, however many", () => {
    const alike = Array.from({ length: 1000 }, () => 1 / 3);
    expect(momentsOfAll(alike)).toEqual({ n: 1000, mean: 1 / 3, squares: 0, positive: 1000 });
  });
});
