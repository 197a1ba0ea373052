/** Vectors of whole numbers: exact at any size, whichever way they are held. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  alike,
  big,
  bigDivisor,
  combined,
  divisor,
  dot,
  fitting,
  fittingVector,
  type Integer,
  isZero,
  negated,
  reduced,
  sumOf,
  type Vector,
} from "../../src/lib/integer-vector.js";

const MOST = Number.MAX_SAFE_INTEGER;

/** Small ones, ones at the edge of what a number holds, and ones beyond it. */
const integer = fc.oneof(
  fc.integer({ min: -9, max: 9 }).map(BigInt),
  fc.integer({ min: -3, max: 3 }).map((k) => BigInt(MOST) + BigInt(k)),
  fc.bigInt({ min: -(2n ** 90n), max: 2n ** 90n }),
);

const vectors = (count: number) =>
  fc
    .integer({ min: 1, max: 4 })
    .chain((length) =>
      fc.tuple(
        ...Array.from({ length: count }, () => fc.array(integer, { minLength: length, maxLength: length })),
      ),
    );

/** As vectors are held: in plain numbers where all entries fit. */
const held = (a: readonly bigint[]): Vector => fittingVector(a);
const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b));
const isExact = (one: Integer): boolean => typeof one === "bigint" || Number.isSafeInteger(one);

describe("whole numbers", () => {
  it("are plain exactly where a number holds them", () => {
    for (const one of [0n, BigInt(MOST), -BigInt(MOST)]) expect(fitting(one)).toBe(Number(one));
    for (const one of [BigInt(MOST) + 1n, -BigInt(MOST) - 1n]) expect(fitting(one)).toBe(one);
    expect(fittingVector([1n, BigInt(MOST)])).toEqual([1, MOST]);
    expect(fittingVector([1n, BigInt(MOST) + 1n])).toEqual([1n, BigInt(MOST) + 1n]);
    expect(big([1, -2])).toEqual([1n, -2n]);
    expect(big([1n, -2n])).toEqual([1n, -2n]);
  });

  it("have the greatest divisor in common, whatever their signs", () => {
    fc.assert(
      fc.property(fc.integer({ min: -99, max: 99 }), fc.integer({ min: -99, max: 99 }), (a, b) => {
        const wanted = gcd(BigInt(a), BigInt(b));
        expect(BigInt(divisor(a, b))).toBe(wanted);
        expect(bigDivisor(BigInt(a), BigInt(b))).toBe(wanted);
      }),
    );
    expect([divisor(-4, 6), divisor(0, -5), bigDivisor(-4n, -6n), bigDivisor(0n, -5n)]).toEqual([
      2,
      5,
      2n,
      5n,
    ]);
  });
});

describe("vectors", () => {
  it("multiply to the exact sum of products", () => {
    fc.assert(
      fc.property(vectors(2), ([a, b]) => {
        const sum = a!.reduce((total, one, k) => total + one * b![k]!, 0n);
        const found = dot(held(a!), held(b!));
        expect(isExact(found)).toBe(true);
        expect(BigInt(found)).toBe(sum);
        expect(BigInt(dot(a!, held(b!)))).toBe(sum);
      }),
      { numRuns: 300 },
    );
    // Each product is safe, their sum is not.
    expect(dot([MOST, 1, MOST], [1, 1, -1])).toBe(1);
    expect(dot([MOST, 2], [1, 1])).toBe(BigInt(MOST) + 2n);
  });

  it("are combined exactly, and divided by what their entries have in common", () => {
    fc.assert(
      fc.property(vectors(2), integer, integer, ([a, b], s, t) => {
        const sum = a!.map((one, k) => s * one + t * b![k]!);
        const common = sum.reduce(gcd, 0n) || 1n;
        const found = combined(held(a!), fitting(s), held(b!), fitting(t));
        expect(BigInt(found.common)).toBe(common);
        expect(big(found.vector)).toEqual(sum.map((one) => one / common));
        expect(Array.from<Integer, boolean>(found.vector, isExact)).toEqual(sum.map(() => true));
      }),
      { numRuns: 300 },
    );
    expect(combined([MOST, 0], 1, [1, 0], 1).vector).toEqual([1, 0]);
    expect(combined([MOST, 1], 1, [2, 1], 1)).toEqual({ vector: [BigInt(MOST) + 2n, 2n], common: 1 });
  });

  it("are reduced, negated and added up", () => {
    expect(reduced([4, -6, 0])).toEqual({ vector: [2, -3, 0], common: 2 });
    expect(reduced([4n, -6n])).toEqual({ vector: [2, -3], common: 2 });
    expect(reduced([0, 0])).toEqual({ vector: [0, 0], common: 1 });
    expect(reduced([0n, 0n])).toEqual({ vector: [0, 0], common: 1 });
    expect(reduced([3, 5])).toEqual({ vector: [3, 5], common: 1 });
    const long = 2n ** 70n;
    expect(reduced([3n * long, 5n * long])).toEqual({ vector: [3, 5], common: long });
    expect(negated([1, -2, 0])).toEqual([-1, 2, 0]);
    expect(negated([long, -1n])).toEqual([-long, 1n]);
    expect(negated(Float64Array.of(1.5, 0))).toEqual(Float64Array.of(-1.5, 0));
    // (1, 2) and (3, 4) are twice (2, 3), to which (2, 0) is added: in between, not the sum.
    expect(
      sumOf([
        [1, 2],
        [3, 4],
        [2, 0],
      ]),
    ).toEqual([4, 3]);
  });

  it("are zero only where all entries are", () => {
    expect([isZero([0, 0]), isZero([0, 1]), isZero([1, 0]), isZero(Float64Array.of(0))]).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });

  it("are alike exactly where one is the other times something above 0", () => {
    fc.assert(
      fc.property(vectors(2), integer, ([a, b], s) => {
        const scaled = a!.map((one) => one * s);
        const nothing = a!.every((one) => one === 0n);
        expect(alike(held(a!), held(scaled))).toBe(s > 0n && !nothing);
        expect(alike(held(scaled), held(a!))).toBe(s > 0n && !nothing);
        const cross = a!.every((one, k) => a!.every((two, l) => one * b![l]! === two * b![k]!));
        const along = a!.reduce((sum, one, k) => sum + one * b![k]!, 0n) > 0n;
        expect(alike(held(a!), held(b!))).toBe(cross && along);
      }),
      { numRuns: 300 },
    );
    expect(alike([0, 1], [1, 1])).toBe(false);
    expect(alike([1, 0], [1, 1])).toBe(false);
    expect(alike([0, 0], [0, 0])).toBe(false);
    expect(alike([0, 2], [0, 3])).toBe(true);
    expect(alike([MOST, 1], [MOST, 1])).toBe(true);
    expect(alike([MOST, 2], [MOST - 1, 2])).toBe(false);
    // The products across differ by 1, and in plain numbers not at all.
    expect(alike([MOST, MOST - 1], [MOST - 1, MOST - 2])).toBe(false);
  });

  it("in floating point, what cancels out up to rounding is 0", () => {
    expect(dot(Float64Array.of(0.1, 0.2, -0.3), Float64Array.of(1, 1, 1))).toBe(0);
    expect(dot(Float64Array.of(1, 1e-9), Float64Array.of(0, 1))).toBe(1e-9);
    expect(dot([1, 2], Float64Array.of(0.5, 0.25))).toBe(1);
    expect(combined(Float64Array.of(0.1 + 0.2, 2), 1, Float64Array.of(0.3, 1), -1)).toEqual({
      vector: Float64Array.of(0, 1 / 3),
      common: 1,
    });
    expect(dot([1, 1, -1], Float64Array.of(0.1, 0.2, 0.3))).toBe(0);
    expect(combined([1, 3], 1, Float64Array.of(0.5, 0), 2).vector).toEqual(Float64Array.of(2 / 3, 1));
    const [first] = combined(Float64Array.of(1e-3, 1), 1, Float64Array.of(1e-10 - 1e-3, 0), 1).vector;
    expect(first).toBeCloseTo(1e-10, 15);
    expect(combined(Float64Array.of(0), 1, Float64Array.of(0), 1).vector).toEqual(Float64Array.of(0));
  });
});
