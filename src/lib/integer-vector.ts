/** Vectors of whole numbers, exact at any size: plain numbers while they fit, bigints beyond. */

export type Integer = number | bigint;

export type Vector = readonly number[] | readonly bigint[];

const MOST = Number.MAX_SAFE_INTEGER;

const isPlain = (a: Vector): a is readonly number[] => typeof a[0] === "number";

export const big = (a: Vector): readonly bigint[] => (isPlain(a) ? a.map(BigInt) : a);

/** The sum of products. Where the absolute products add up to a safe number, no step was rounded. */
export function dot(a: Vector, b: Vector): Integer {
  if (isPlain(a) && isPlain(b)) {
    let sum = 0;
    let size = 0;
    for (let k = 0; k < a.length; k++) {
      const product = a[k]! * b[k]!;
      sum += product;
      size += Math.abs(product);
    }
    if (size <= MOST) return sum;
  }
  const [p, q] = [big(a), big(b)];
  return fitting(p.reduce((sum, one, k) => sum + one * q[k]!, 0n));
}

/** s · a + t · b, divided by what its entries have in common; `common` is that divisor. */
export function combined(a: Vector, s: Integer, b: Vector, t: Integer): { vector: Vector; common: Integer } {
  if (isPlain(a) && isPlain(b) && typeof s === "number" && typeof t === "number") {
    const sum = new Array<number>(a.length);
    let size = 0;
    for (let k = 0; k < a.length; k++) {
      const [p, q] = [s * a[k]!, t * b[k]!];
      sum[k] = p + q;
      const most = Math.abs(p) + Math.abs(q);
      if (most > size) size = most;
    }
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
  return common <= 1 ? { vector, common: 1 } : { vector: vector.map((one) => one / common), common };
}

export const negated = (a: Vector): Vector => (isPlain(a) ? a.map((one) => 0 - one) : a.map((one) => -one));

export const isZero = (a: Vector): boolean => (isPlain(a) ? a.every((one) => one === 0) : false);

/** The sum of vectors, divided by what its entries have in common. */
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
