/**
 * How near is equal, in floating point. Every tolerance is relative to the amounts it is about, so that results scale
 * with prices and budget.
 */

const TIE = 1e-12;
const NEAR = 1e-9;

/** Two sides whose ratio is at most this count as equal ([M13]): a decimal input behaves as it reads. */
export const EQUAL = 1 + TIE;
const KNIFE_EDGE = 1 + NEAR;

/** a ≤ b, where `apart` times an amount still counts as equal to it; below 0 it is the smaller side that is larger in size. */
const atMostBy = (apart: number, a: number, b: number): boolean => (b < 0 ? a * apart <= b : a <= b * apart);

/** a ≤ b. */
export const atMost = (a: number, b: number): boolean => atMostBy(EQUAL, a, b);

/** a > b. */
export const exceeds = (a: number, b: number): boolean => (b < 0 ? a * EQUAL > b : a > b * EQUAL);

export const same = (a: number, b: number): boolean => atMostBy(EQUAL, a, b) && atMostBy(EQUAL, b, a);

/** Whether a comparison of these two amounts is too close to rely on ([M13]). */
export const knifeEdge = (a: number, b: number): boolean =>
  atMostBy(KNIFE_EDGE, a, b) && atMostBy(KNIFE_EDGE, b, a);

/** Equal up to 1e-9 of the larger, of amounts of any sign. */
export const near = (a: number, b: number): boolean =>
  Math.abs(a - b) <= NEAR * Math.max(Math.abs(a), Math.abs(b));

/** Below this a difference of two amounts, computed from amounts as large as `scale`, is rounding. */
export const rounding = (scale: number): number => TIE * scale;

/** Below this a difference of two amounts, found by search or summed up from many, is too small to mean anything. */
export const negligible = (scale: number): number => NEAR * scale;

/** a − b, or 0 where that is negligible beside amounts as large as `scale`. */
export const difference = (a: number, b: number, scale: number): number =>
  Math.abs(a - b) <= negligible(scale) ? 0 : a - b;
