import * as fc from "fast-check";
import { expect, it } from "vitest";
import { exactly, fraction, simplestNear, toNumber, totalOf } from "../../src/lib/fraction.js";

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
