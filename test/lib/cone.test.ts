/** Cones that are closed on some sides and open on others, and sums of their rows. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Cone,
  contains,
  divided,
  interiorPoint,
  isPositiveSomewhere,
  orthant,
  zeroFace,
} from "../../src/lib/cone.js";
import { conicCombination, nonnegativeSolution } from "../../src/lib/conic-combination.js";
import { fraction } from "../../src/lib/fraction.js";
import { big, combined, dot, isZero, reduced, type Vector } from "../../src/lib/integer-vector.js";

const SIZE = 4;
const small = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: SIZE, maxLength: SIZE });
/** So long that products of two do not fit a number. */
const long = fc.array(fc.integer({ min: -(2 ** 40), max: 2 ** 40 }), { minLength: SIZE, maxLength: SIZE });
const forms = fc.array(fc.oneof(small, small, long), { minLength: 1, maxLength: 6 });
/** So short that the parts they make are often thin. */
const tiny = fc.array(fc.array(fc.integer({ min: -1, max: 1 }), { minLength: SIZE, maxLength: SIZE }), {
  minLength: 2,
  maxLength: 6,
});
const points = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: SIZE, maxLength: SIZE });

const whole = orthant([true, true, false, false]);

/** All parts that the forms divide the orthant into. */
const parts = (all: readonly Vector[]): Cone[] =>
  all.reduce<Cone[]>(
    (cones, form) =>
      cones.flatMap((cone) => {
        const { atMost, above } = divided(cone, form);
        return [atMost, above].filter((part) => part !== null);
      }),
    [whole],
  );

describe("integer vectors", () => {
  it("are exact beyond what a number holds", () => {
    fc.assert(
      fc.property(long, long, fc.integer(), fc.integer(), (a, b, s, t) => {
        const [p, q] = [a.map(BigInt), b.map(BigInt)];
        expect(BigInt(dot(a, b))).toBe(p.reduce((sum, one, k) => sum + one * q[k]!, 0n));
        const { vector, common } = combined(a, s, b, t);
        const sum = p.map((one, k) => BigInt(s) * one + BigInt(t) * q[k]!);
        expect(big(vector).map((one) => one * BigInt(common))).toEqual(sum);
        expect(reduced(vector).common).toBe(1);
        expect(isZero(vector)).toBe(sum.every((one) => one === 0n));
      }),
    );
  });
});

describe("a cone", () => {
  it("is divided into parts without a point in common, none of them empty, that hold every point", () => {
    fc.assert(
      fc.property(forms, points, (all, point) => {
        const cones = parts(all);
        const inside = contains(whole, point);
        expect(cones.filter((cone) => contains(cone, point))).toHaveLength(inside ? 1 : 0);
        for (const cone of cones) expect(contains(cone, interiorPoint(cone))).toBe(true);
      }),
    );
  });

  it("knows thin parts: where a form is 0 it is divided there, unless that is outside", () => {
    const line = divided(whole, [0, 0, 1, 0]);
    expect(contains(line.atMost!, [1, 1, 0, 5])).toBe(true);
    expect(contains(line.above!, [1, 1, 0, 5])).toBe(false);
    expect(divided(whole, [1, 0, 1, 0]).atMost).toBeNull();
    expect(divided(line.atMost!, [0, 0, 1, 0])).toEqual({ atMost: line.atMost, above: null });
  });

  it("has generators on which every row is at least 0, so that forms are bounded by them", () => {
    fc.assert(
      fc.property(forms, small, points, (all, form, point) => {
        for (const cone of parts(all)) {
          for (const { at } of cone.generators)
            for (const row of cone.rows) expect(dot(row.form, at) >= 0).toBe(true);
          if (contains(cone, point) && dot(form, point) > 0)
            expect(isPositiveSomewhere(cone, form)).toBe(true);
          if (isPositiveSomewhere(cone, form)) continue;
          const face = zeroFace(cone, form);
          if (contains(cone, point) && dot(form, point) === 0) expect(face.length).toBeGreaterThan(0);
        }
      }),
    );
  });

  it("shows by a sum of its rows that a form is never negative in it, and by a strict one that it is never 0", () => {
    let thin = 0;
    fc.assert(
      fc.property(
        fc.oneof(forms, tiny),
        fc.oneof(
          small,
          tiny.map(([one]) => one!),
        ),
        (all, form) => {
          for (const cone of parts(all)) {
            const { atMost, above } = divided(cone, form);
            if (atMost !== null && above !== null) continue;
            const shown = above === null ? form.map((one) => 0 - one) : form;
            const { scale, factors } = conicCombination(cone, shown);
            expect(scale > 0).toBe(true);
            const sum = Array.from({ length: SIZE }, (_, k) =>
              factors.reduce((total, [row, factor]) => {
                expect(factor > 0).toBe(true);
                return total + BigInt(factor) * BigInt(cone.rows[row]!.form[k]!);
              }, 0n),
            );
            expect(sum).toEqual(shown.map((one) => BigInt(one) * BigInt(scale)));
            if (atMost === null) expect(factors.some(([row]) => cone.rows[row]!.strict)).toBe(true);
            if (cone.generators.length < SIZE) thin++;
          }
        },
      ),
      { numRuns: 150 },
    );
    expect(thin).toBeGreaterThan(20);
  });
});

describe("the exact linear program", () => {
  const columns = fc.array(fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 3, maxLength: 3 }), {
    minLength: 1,
    maxLength: 6,
  });
  const factors = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 6, maxLength: 6 });
  const asFractions = (column: readonly number[]) => column.map((one) => fraction(one));
  const sumOf = (all: readonly (readonly number[])[], by: readonly number[]) =>
    [0, 1, 2].map((k) => all.reduce((sum, column, j) => sum + column[k]! * by[j]!, 0));

  it("finds factors where there are some", () => {
    fc.assert(
      fc.property(columns, factors, (all, by) => {
        const target = sumOf(all, by);
        const found = nonnegativeSolution(all.map(asFractions), asFractions(target))!;
        expect(found.every((one) => one.gte(0))).toBe(true);
        for (const [k, wanted] of target.entries()) {
          const sum = found.reduce((total, one, j) => total.add(one.mul(all[j]![k]!)), fraction(0));
          expect(sum.equals(wanted)).toBe(true);
        }
      }),
    );
  });

  it("says that there are none where all columns lie on one side and the target on the other", () => {
    const all = [
      [1, 2, 0],
      [1, -1, 3],
    ].map(asFractions);
    expect(nonnegativeSolution(all, asFractions([-1, 0, 0]))).toBeNull();
  });
});
