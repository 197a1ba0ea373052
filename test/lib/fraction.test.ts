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

/** m · 2^k, exactly: not the decimal that it reads as. */
function inBinary(value: number): Fraction {
  let [whole, scale] = [value, 1n];
  while (!Number.isInteger(whole)) [whole, scale] = [2 * whole, 2n * scale];
  return fraction(BigInt(whole), scale);
}

/** The numbers beside one. */
function besides(value: number): [below: number, above: number] {
  const bits = new BigInt64Array(new Float64Array([value]).buffer);
  const shifted = (by: bigint) => new Float64Array(new BigInt64Array([bits[0]! + by]).buffer)[0]!;
  return [shifted(-1n), shifted(1n)];
}

it("a fraction leaves as the nearest number, whatever its length", () => {
  const large = fc.bigInt({ min: 1n, max: 2n ** 150n });
  const small = fc.bigInt({ min: 1n, max: 2n ** 12n });
  const some = fc.oneof(large, small);
  fc.assert(
    fc.property(some, some, (n, d) => {
      const exact = fraction(n, d);
      const number = toNumber(exact);
      const error = inBinary(number).sub(exact).abs();
      for (const other of besides(number)) expect(error.lte(inBinary(other).sub(exact).abs())).toBe(true);
      expect(toNumber(exact.neg())).toBe(-number);
    }),
    { numRuns: 300 },
  );
});

it("a fraction between two numbers leaves as the even one, and one that is hardly above the middle as the upper one", () => {
  const [one, next, last] = [2n ** 60n, 2n ** 60n + 2n ** 8n, 2n ** 60n + 2n ** 9n];
  const middle = (a: bigint, b: bigint) => fraction(a + b, 2n);
  expect(toNumber(middle(one, next))).toBe(2 ** 60);
  expect(toNumber(middle(next, last))).toBe(2 ** 60 + 2 ** 9);
  const hardly = fraction(1n, 7n ** 60n);
  expect(toNumber(middle(one, next).add(hardly))).toBe(2 ** 60 + 2 ** 8);
  expect(toNumber(middle(one, next).sub(hardly))).toBe(2 ** 60);
  expect(toNumber(middle(next, last).sub(hardly))).toBe(2 ** 60 + 2 ** 8);
});

it("a whole number that is large beside its denominator leaves as it is", () => {
  expect(toNumber(fraction(2n ** 300n))).toBe(2 ** 300);
  expect(toNumber(fraction(1n, 2n ** 300n))).toBe(2 ** -300);
  expect(toNumber(fraction(-(10n ** 30n)))).toBe(-1e30);
  expect(toNumber(fraction(Number.MAX_SAFE_INTEGER, 2))).toBe(Number.MAX_SAFE_INTEGER / 2);
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

  it("are compared with themselves, and 0 has neither sign", () => {
    for (const one of [fraction(0), fraction(1, 3), fraction(-7, 2)]) {
      const itself = fraction(one.s * one.n * 3n, one.d * 3n);
      expect([one.lt(itself), one.gt(itself)]).toEqual([false, false]);
      expect([one.lte(itself), one.gte(itself), one.equals(itself)]).toEqual([true, true, true]);
    }
    for (const nothing of [
      fraction(0, -5),
      fraction(0, 5),
      fraction(3, 7).sub(fraction(3, 7)),
      fraction(0).neg(),
    ])
      expect([nothing.s, nothing.n, nothing.d]).toEqual([1n, 0n, 1n]);
  });

  it("of integers have these integers as neighbours", () => {
    for (const whole of [-3, 0, 4]) {
      expect(fraction(whole).floor().equals(whole)).toBe(true);
      expect(fraction(whole).ceil().equals(whole)).toBe(true);
    }
    expect([fraction(-7, 2).floor().toFraction(), fraction(-7, 2).ceil().toFraction()]).toEqual(["-4", "-3"]);
    expect([fraction(-8, 2).floor().toFraction(), fraction(7, 2).floor().toFraction()]).toEqual(["-4", "3"]);
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
