/** Exact fractions: decimals enter as they read, and leave rounded once. */

/** s · n / d in lowest terms: s is 1 or −1, n ≥ 0, d > 0. Numbers beside it count as the decimals that they read as. */
export class Fraction {
  private constructor(
    readonly s: bigint,
    readonly n: bigint,
    readonly d: bigint,
  ) {}

  static of(numerator: bigint, denominator: bigint): Fraction {
    if (denominator === 0n) throw new RangeError("division by zero");
    const negative = numerator < 0n !== denominator < 0n && numerator !== 0n;
    const [n, d] = [absolute(numerator), absolute(denominator)];
    const common = divisor(n, d);
    return new Fraction(negative ? -1n : 1n, n / common, d / common);
  }

  add(other: number | Fraction): Fraction {
    const { s, n, d } = exactly(other);
    return Fraction.of(this.s * this.n * d + s * n * this.d, this.d * d);
  }

  sub(other: number | Fraction): Fraction {
    const { s, n, d } = exactly(other);
    return Fraction.of(this.s * this.n * d - s * n * this.d, this.d * d);
  }

  mul(other: number | Fraction): Fraction {
    const { s, n, d } = exactly(other);
    return Fraction.of(this.s * s * this.n * n, this.d * d);
  }

  div(other: number | Fraction): Fraction {
    const { s, n, d } = exactly(other);
    return Fraction.of(this.s * s * this.n * d, this.d * n);
  }

  abs(): Fraction {
    return new Fraction(1n, this.n, this.d);
  }

  neg(): Fraction {
    return Fraction.of(-this.s * this.n, this.d);
  }

  inverse(): Fraction {
    return Fraction.of(this.s * this.d, this.n);
  }

  /** The largest integer that is not above it. */
  floor(): Fraction {
    const whole = this.n / this.d;
    const below = this.d === 1n ? -whole : -whole - 1n;
    return Fraction.of(this.s > 0n ? whole : below, 1n);
  }

  /** The smallest integer that is not below it. */
  ceil(): Fraction {
    return this.neg().floor().neg();
  }

  /** −1, 0 or 1: below the other, equal to it, or above it. */
  compare(other: number | Fraction): number {
    const { s, n, d } = exactly(other);
    const difference = this.s * this.n * d - s * n * this.d;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }

  equals(other: number | Fraction): boolean {
    return this.compare(other) === 0;
  }

  lt(other: number | Fraction): boolean {
    return this.compare(other) < 0;
  }

  lte(other: number | Fraction): boolean {
    return this.compare(other) <= 0;
  }

  gt(other: number | Fraction): boolean {
    return this.compare(other) > 0;
  }

  gte(other: number | Fraction): boolean {
    return this.compare(other) >= 0;
  }

  /** "7/20", or "3". */
  toFraction(): string {
    const numerator = String(this.s * this.n);
    return this.d === 1n ? numerator : `${numerator}/${this.d}`;
  }

  toString(): string {
    return this.toFraction();
  }

  /** The nearest number. */
  valueOf(): number {
    return toNumber(this);
  }
}

const absolute = (value: bigint): bigint => (value < 0n ? -value : value);

const LARGEST = BigInt(Number.MAX_SAFE_INTEGER);

/** The greatest common divisor, of integers ≥ 0; in plain numbers as soon as they fit. */
function divisor(a: bigint, b: bigint): bigint {
  while (b > LARGEST) [a, b] = [b, a % b];
  if (b === 0n) return a;
  let [p, q] = [Number(b), Number(a % b)];
  while (q !== 0) [p, q] = [q, p % q];
  return BigInt(p);
}

/** Of two integers. */
export const fraction = (numerator: number | bigint, denominator: number | bigint = 1): Fraction =>
  Fraction.of(BigInt(numerator), BigInt(denominator));

export const zero: Fraction = Fraction.of(0n, 1n);

export const totalOf = (amounts: readonly Fraction[]): Fraction =>
  amounts.reduce((sum, amount) => sum.add(amount), zero);

/** The decimal that a number is written as, exactly: 0.1 is one tenth ([M13]). A fraction is taken as it is. */
export const exactly = (value: number | Fraction): Fraction =>
  typeof value === "number" ? decimal(String(value)) : value;

const DECIMAL = /^([+-]?\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/;

/** From "0.35", "-3" or "1.5e-7". */
function decimal(text: string): Fraction {
  const [, whole, decimals = "", exponent = "0"] = DECIMAL.exec(text) ?? [];
  if (whole === undefined) throw new RangeError(`not a number that a fraction can be: ${text}`);
  const power = Number(exponent) - decimals.length;
  const scale = 10n ** BigInt(Math.abs(power));
  const integer = BigInt(whole + decimals);
  return power < 0 ? Fraction.of(integer, scale) : Fraction.of(integer * scale, 1n);
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
export function parseFraction(text: string): Fraction {
  const [numerator, denominator, ...more] = text.split("/");
  if (more.length > 0) throw new RangeError(`not a fraction: ${text}`);
  return denominator === undefined ? decimal(numerator!) : decimal(numerator!).div(decimal(denominator));
}
