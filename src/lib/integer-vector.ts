/**
 * Vectors of whole numbers, exact at any size: plain numbers while they fit, bigints beyond. Beside them, vectors in floating
 * point, in which what is 0 up to rounding is 0; one of them makes the result of an operation such.
 */

export type Integer = number | bigint;

export type Vector = readonly number[] | readonly bigint[] | Float64Array;

const MOST = Number.MAX_SAFE_INTEGER;

/** A sum of floating-point products that is smaller than this beside them is 0. */
const HAIR = 4e-12;

const isFloating = (a: Vector): a is Float64Array => a instanceof Float64Array;

const isPlain = (a: Vector): a is readonly number[] | Float64Array => typeof a[0] === "number";

export const big = (a: Vector): readonly bigint[] => (isPlain(a) ? Array.from(a, BigInt) : a);

/** The sum of products. Where the absolute products add up to a safe number, no step was rounded. */
export function dot(a: Vector, b: Vector): Integer {
  const floating = isFloating(a) || isFloating(b);
  if (floating || (isPlain(a) && isPlain(b))) {
    let sum = 0;
    let size = 0;
    for (let k = 0; k < a.length; k++) {
      const product = Number(a[k]) * Number(b[k]);
      sum += product;
      size += Math.abs(product);
    }
    if (floating) return Math.abs(sum) <= HAIR * size ? 0 : sum;
    if (size <= MOST) return sum;
  }
  const [p, q] = [big(a), big(b)];
  return fitting(p.reduce((sum, one, k) => sum + one * q[k]!, 0n));
}

/** s · a + t · b, divided by what its entries have in common; `common` is that divisor. */
export function combined(a: Vector, s: Integer, b: Vector, t: Integer): { vector: Vector; common: Integer } {
  const floating = isFloating(a) || isFloating(b);
  if (floating || (isPlain(a) && isPlain(b) && typeof s === "number" && typeof t === "number")) {
    const sum = new Array<number>(a.length);
    let size = 0;
    for (let k = 0; k < a.length; k++) {
      const [p, q] = [Number(s) * Number(a[k]), Number(t) * Number(b[k])];
      // What cancels out up to rounding is 0.
      sum[k] = floating && Math.abs(p + q) <= HAIR * Math.abs(p) ? 0 : p + q;
      const most = Math.abs(p) + Math.abs(q);
      if (most > size) size = most;
    }
    if (floating) return { vector: Float64Array.from(sum, (one) => one / (size || 1)), common: 1 };
    if (size <= MOST) return reduced(sum);
  }
  const [p, q, u, v] = [big(a), big(b), BigInt(s), BigInt(t)];
  return reduced(p.map((one, k) => u * one + v * q[k]!));
}

/** A vector divided by what its entries have in common. */
export function reduced(vector: Vector): { vector: Vector; common: Integer } {
  if (!isPlain(vector)) {
    const common = vector.reduce(bigDivisor, 0n) || 1n;
    return { vector: fittingVector(vector.map((one) => one / common)), common: fitting(common) };
  }
  let common = 0;
  for (let k = 0; k < vector.length && common !== 1; k++) common = divisor(common, vector[k]!);
  return common <= 1 ? { vector, common: 1 } : { vector: Array.from(vector, (one) => one / common), common };
}

export function negated(a: Vector): Vector {
  if (isFloating(a)) return a.map((one) => 0 - one);
  return isPlain(a) ? a.map((one) => 0 - one) : a.map((one) => -one);
}

export const isZero = (a: Vector): boolean => isPlain(a) && a.every((one: number) => one === 0);

/** A sum of vectors, each times some number above 0, in small numbers: a direction between all of them. */
export const sumOf = (vectors: readonly Vector[]): Vector =>
  vectors.reduce((sum, one) => combined(sum, 1, one, 1).vector);

export function divisor(a: number, b: number): number {
  let [p, q] = [Math.abs(a), Math.abs(b)];
  while (q !== 0) [p, q] = [q, p % q];
  return p;
}

export function bigDivisor(a: bigint, b: bigint): bigint {
  let [p, q] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (q !== 0n) [p, q] = [q, p % q];
  return p;
}

const fits = (a: bigint): boolean => a <= MOST && a >= -MOST;

export const fitting = (a: bigint): Integer => (fits(a) ? Number(a) : a);

export const fittingVector = (a: readonly bigint[]): Vector => (a.every(fits) ? a.map(Number) : a);

/** The same but for a factor above 0: all products across the two are equal, and a product of two entries that are not 0 is above it. */
export function alike(a: Vector, b: Vector): boolean {
  let place = 0;
  while (place < a.length && isNothing(a[place]!)) place++;
  if (place === a.length || isNothing(b[place]!) || a[place]! > 0 !== b[place]! > 0) return false;
  for (let k = 0; k < a.length; k++)
    if (product(a[k]!, b[place]!) !== product(b[k]!, a[place]!)) return false;
  return true;
}

const isNothing = (one: Integer): boolean => Number(one) === 0;

function product(a: Integer, b: Integer): Integer {
  if (typeof a === "number" && typeof b === "number") {
    const plain = a * b;
    if (Math.abs(plain) <= MOST) return plain;
  }
  return fitting(BigInt(a) * BigInt(b));
}
