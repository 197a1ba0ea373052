/** Exact fractions: decimals enter as they read, and leave rounded once. */

import Fraction from "fraction.js";

export type { Fraction };

export const fraction = (numerator: number | bigint, denominator: number | bigint = 1): Fraction =>
  new Fraction(numerator, denominator);

export const zero: Fraction = new Fraction(0);

export const totalOf = (amounts: readonly Fraction[]): Fraction =>
  amounts.reduce((sum, amount) => sum.add(amount), zero);

/** The decimal that a number is written as, exactly: 0.1 is one tenth ([M13]). A fraction is taken as it is. */
export function exactly(value: number | Fraction): Fraction {
  if (typeof value !== "number") return value;
  const [digits, exponent = "0"] = String(value).split("e");
  const [whole, decimals = ""] = digits!.split(".");
  const power = Number(exponent) - decimals.length;
  const scale = 10n ** BigInt(Math.abs(power));
  const integer = BigInt(whole + decimals);
  return power < 0 ? new Fraction(integer, scale) : new Fraction(integer * scale, 1n);
}

/** The quotient is worked out to a few bits more than a number holds. */
const KEPT_BITS = 68;

/** The nearest number. Number(n) / Number(d) would round three times, and be Infinity / Infinity for long fractions. */
export function toNumber({ s, n, d }: Fraction): number {
  if (n <= Number.MAX_SAFE_INTEGER && d <= Number.MAX_SAFE_INTEGER) return Number(s * n) / Number(d);
  const shift = bits(d) - bits(n) + KEPT_BITS;
  const above = shift > 0 ? n << BigInt(shift) : n;
  const below = shift > 0 ? d : d << BigInt(-shift);
  // The last bit says that something was cut off, so that no tie is seen where there is none.
  const quotient = above % below === 0n ? above / below : (above / below) | 1n;
  return Number(s * quotient) * 2 ** -shift;
}

const bits = (value: bigint): number => 4 * value.toString(16).length;

/** The fraction with the smallest denominator at most `distance` away: the first such convergent or its neighbour. */
export function simplestNear(value: number, distance: number): Fraction {
  const exact = exactly(value);
  const margin = exactly(distance);
  return simplestBetween(exact.sub(margin), exact.add(margin));
}

/** The fraction with the smallest denominator in [low, high], by descending the Stern–Brocot tree. */
function simplestBetween(low: Fraction, high: Fraction): Fraction {
  const whole = low.ceil();
  if (whole.lte(high)) return whole;
  const below = low.floor();
  return below.add(simplestBetween(high.sub(below).inverse(), low.sub(below).inverse()).inverse());
}

/** From "7/20", "-3" or "0.35". */
export const parseFraction = (text: string): Fraction => new Fraction(text);
