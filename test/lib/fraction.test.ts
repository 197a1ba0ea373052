import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  exactly,
  type Fraction,
  fraction,
  parseFraction,
  simplestNear,
  toNumber,
  totalOf,
} from "../../src/lib/fraction.js";

it("[M13] a decimal is the fraction it reads as", () => {
  const texts = [0.1, 0.35, 12, 1.5e-7, 2e21, 0].map((value) => exactly(value).toFraction());
  expect(texts).toEqual(["1/10", "7/20", "12", "3/20000000", "2000000000000000000000", "0"]);
  expect(totalOf([exactly(0.1), exactly(0.2)]).equals(exactly(0.3))).toBe(true);
});

it("any number enters and leaves unchanged", () => {
  const scaled = fc
    .tuple(fc.double({ min: -10, max: 10, noNaN: true }), fc.integer({ min: -40, max: 40 }))
    .map(([value, power]) => (Math.abs(value) < 1e-200 ? 0 : value * 10 ** power));
  fc.assert(
    fc.property(scaled, (value) => {
      expect(toNumber(exactly(value)) === value).toBe(true);
      expect(exactly(exactly(value)).equals(exactly(value))).toBe(true);
    }),
  );
});

it("a fraction longer than any number is still rounded to one", () => {
  const long = 7n ** 500n;
  expect(toNumber(fraction(long, 3n * long + 1n))).toBeCloseTo(1 / 3, 15);
  expect(toNumber(fraction(-5n * long - 1n, long))).toBeCloseTo(-5, 14);
  expect(toNumber(fraction(3n, long))).toBe(0);
});

it("the simplest fraction near a number is the one that was rounded to it", () => {
  const small = fc.integer({ min: 1, max: 3000 });
  fc.assert(
    fc.property(small, small, (n, d) => {
      expect(simplestNear(n / d, 1e-13).equals(fraction(n, d))).toBe(true);
    }),
  );
  expect(simplestNear(10 / 7, 1e-13).toFraction()).toBe("10/7");
});

describe("fractions", () => {
  const integer = fc.oneof(
    fc.integer({ min: -60, max: 60 }),
    fc.bigInt({ min: -(2n ** 120n), max: 2n ** 120n }),
  );
  const some = fc
    .tuple(integer, integer)
    .filter(([, d]) => BigInt(d) !== 0n)
    .map(([n, d]) => ({ n: BigInt(n), d: BigInt(d), made: fraction(n, d) }));
  const isOf = (made: Fraction, n: bigint, d: bigint) => made.s * made.n * d === n * made.d;

  it("are in lowest terms, with the sign apart", () => {
    const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b));
    fc.assert(
      fc.property(some, ({ n, d, made }) => {
        expect(isOf(made, n, d)).toBe(true);
        expect([made.s === 1n || made.s === -1n, made.n >= 0n, made.d > 0n]).toEqual([true, true, true]);
        expect(gcd(made.n, made.d)).toBe(1n);
        if (made.n === 0n) expect([made.s, made.d]).toEqual([1n, 1n]);
        expect(parseFraction(made.toFraction()).equals(made)).toBe(true);
      }),
    );
  });

  it("add, subtract, multiply, divide and compare as integers over integers do", () => {
    fc.assert(
      fc.property(some, some, (a, b) => {
        expect(isOf(a.made.add(b.made), a.n * b.d + b.n * a.d, a.d * b.d)).toBe(true);
        expect(isOf(a.made.sub(b.made), a.n * b.d - b.n * a.d, a.d * b.d)).toBe(true);
        expect(isOf(a.made.mul(b.made), a.n * b.n, a.d * b.d)).toBe(true);
        if (b.n !== 0n) expect(isOf(a.made.div(b.made), a.n * b.d, a.d * b.n)).toBe(true);
        const sign = a.d * b.d > 0n ? 1n : -1n;
        const difference = sign * (a.n * b.d - b.n * a.d);
        const { made } = a;
        const order = difference > 0n ? 1 : difference < 0n ? -1 : 0;
        expect(made.compare(b.made)).toBe(order);
        expect([made.lt(b.made), made.lte(b.made), made.equals(b.made)]).toEqual([
          order < 0,
          order <= 0,
          order === 0,
        ]);
        expect([made.gt(b.made), made.gte(b.made)]).toEqual([order > 0, order >= 0]);
      }),
    );
  });

  it("have neighbours among the integers, a negative, a size and an inverse", () => {
    fc.assert(
      fc.property(some, ({ made }) => {
        const [low, high] = [made.floor(), made.ceil()];
        expect([low.d, high.d]).toEqual([1n, 1n]);
        expect([low.lte(made), low.add(1).gt(made), high.gte(made), high.sub(1).lt(made)]).toEqual(
          Array(4).fill(true),
        );
        expect(made.add(made.neg()).equals(0)).toBe(true);
        expect(made.abs().equals(made.lt(0) ? made.neg() : made)).toBe(true);
        if (made.n !== 0n) expect(made.mul(made.inverse()).equals(1)).toBe(true);
      }),
    );
  });

  it("count numbers beside them as the decimals they read as", () => {
    expect(fraction(1, 5).add(0.1).toFraction()).toBe("3/10");
    expect(fraction(1, 10).equals(0.1)).toBe(true);
    expect(`${fraction(-3, 6)}`).toBe("-1/2");
    expect(fraction(1, 3).valueOf()).toBe(1 / 3);
  });

  it.each(["", "1/0", "a", "1/2/3", "1/", "NaN", "1 2", "0x10"])('"%s" is none', (text) => {
    expect(() => parseFraction(text)).toThrow(RangeError);
  });

  it("no number that is not finite is one", () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => exactly(value)).toThrow(RangeError);
    expect(() => fraction(1, 0)).toThrow("division by zero");
  });
});
