/**
 * Comparisons of amounts ≥ 0 in floating point ([M13]): two sides closer than 1e-12 relative count as equal,
 * so that a decimal input behaves as it reads.
 */

/** Two sides whose ratio is at most this count as equal. */
export const EQUAL = 1 + 1e-12;
const KNIFE_EDGE = 1 + 1e-9;

/** a ≤ b. */
export const atMost = (a: number, b: number): boolean => a <= b * EQUAL;

/** a > b. */
export const exceeds = (a: number, b: number): boolean => a > b * EQUAL;

export const same = (a: number, b: number): boolean => a <= b * EQUAL && b <= a * EQUAL;

/** A comparison of these two hangs by a thread. */
export const knifeEdge = (a: number, b: number): boolean => a <= b * KNIFE_EDGE && b <= a * KNIFE_EDGE;
