/**
 * Amounts that are linear in several unknowns: exact fractions with one denominator, in plain numbers while they fit and
 * bigints beyond. The first unknown is the unit in which known amounts of money are written, the second the budget: what
 * a mechanism does at all budgets is then one run. A comparison is handed on as the form that it is about.
 */

import { exactly, type Fraction } from "../lib/fraction.js";
import {
  big,
  bigDivisor,
  divisor,
  fitting,
  fittingVector,
  type Integer,
  type Vector,
} from "../lib/integer-vector.js";
import { type Amount, type Identified, NotLinear, type Peeking, precedes } from "./amounts.js";

/** Σ top · unknown / below. */
export interface LinearAmount {
  readonly top: Vector;
  /** Above 0. */
  readonly below: Integer;
  /** Whether only the unit is in it: a number. */
  readonly isNumber: boolean;
}

/** Places of the unit and of the budget among the unknowns. */
export const [UNIT, BUDGET] = [0, 1] as const;

export const linear = (a: Amount): LinearAmount => a as unknown as LinearAmount;
const amount = (a: LinearAmount): Amount => a as unknown as Amount;

/** Numbers up to here can be multiplied and added without rounding. */
const SMALL = 2 ** 25;
const MOST = Number.MAX_SAFE_INTEGER;

type Plain = LinearAmount & { readonly top: readonly number[]; readonly below: number };

const isPlain = (a: LinearAmount): a is Plain => typeof a.below === "number" && typeof a.top[0] === "number";

/** Who decides the comparisons of a run; both are about form ≤ 0. */
export interface Decider {
  /** Narrows the region of the run to where the answer is the same. */
  decide(form: Vector): boolean;
  /** Only looks. */
  peek(form: Vector): boolean;
}

export class LinearForms implements Peeking {
  readonly isFloating = false;
  private readonly numbers = new Map<number, Amount>();

  private readonly places: readonly Amount[];

  constructor(
    private readonly unknowns: number,
    private readonly decider: Decider,
  ) {
    this.places = Array.from({ length: unknowns }, (_, place) => {
      const top = Array.from({ length: unknowns }, (_, k) => (k === place ? 1 : 0));
      return amount({ top, below: 1, isNumber: place === UNIT });
    });
  }

  unknown(place: number): Amount {
    return this.places[place]!;
  }

  fraction({ s, n, d }: Fraction): Amount {
    const top = Array.from({ length: this.unknowns }, (_, k) => (k === UNIT ? s * n : 0n));
    return made(top, d, true);
  }

  known(value: number): Amount {
    let known = this.numbers.get(value);
    if (known === undefined) {
      known = this.fraction(exactly(value));
      this.numbers.set(value, known);
    }
    return known;
  }

  isKnown(a: Amount): boolean {
    return linear(a).isNumber;
  }

  plus(a: Amount, b: Amount): Amount {
    return sum(linear(a), linear(b), 1);
  }

  minus(a: Amount, b: Amount): Amount {
    return sum(linear(a), linear(b), -1);
  }

  times(a: Amount, b: Amount): Amount {
    const [p, q] = [linear(a), linear(b)];
    if (q.isNumber) return scaled(p, q.top[UNIT]!, q.below);
    if (p.isNumber) return scaled(q, p.top[UNIT]!, p.below);
    throw new NotLinear("product");
  }

  over(a: Amount, b: Amount): Amount {
    const q = linear(b);
    if (!q.isNumber) throw new NotLinear("quotient");
    const top = q.top[UNIT]!;
    if (top === 0) throw new RangeError("division by zero");
    return top > 0 ? scaled(linear(a), q.below, top) : scaled(linear(a), -q.below, -top);
  }

  atMost(a: Amount, b: Amount): boolean {
    const { top, isNumber } = linear(this.minus(a, b));
    return isNumber ? top[UNIT]! <= 0 : this.decider.decide(top);
  }

  peekAtMost(a: Amount, b: Amount): boolean {
    const { top, isNumber } = linear(this.minus(a, b));
    return isNumber ? top[UNIT]! <= 0 : this.decider.peek(top);
  }

  /** Only neighbours in the order are compared for good: as long as each stands before the next, all do. */
  sorted<Item extends Identified>(items: readonly Item[], key: (item: Item) => Amount): Item[] {
    const order = this.peekSorted(items, key);
    for (let k = 1; k < order.length; k++) precedes(this, order[k - 1]!, order[k]!, key);
    return order;
  }

  peekSorted<Item extends Identified>(items: readonly Item[], key: (item: Item) => Amount): Item[] {
    const before = (a: Item, b: Item) =>
      a.id < b.id ? this.peekAtMost(key(a), key(b)) : !this.peekAtMost(key(b), key(a));
    return [...items].sort((a, b) => (before(a, b) ? -1 : 1));
  }

  /** Of what is known: an amount over several unknowns has no value. */
  value(a: Amount): number {
    const { top, below, isNumber } = linear(a);
    if (!isNumber) throw new Error("an amount over several unknowns has no value");
    return Number(top[UNIT]) / Number(below);
  }
}

function sum(a: LinearAmount, b: LinearAmount, sign: 1 | -1): Amount {
  if (isPlain(a) && isPlain(b)) {
    const [s, t] = a.below === b.below ? [1, sign] : [b.below, sign * a.below];
    const below = a.below === b.below ? a.below : a.below * b.below;
    const top = new Array<number>(a.top.length);
    let size = below;
    for (let k = 0; k < top.length; k++) {
      const [p, q] = [s * a.top[k]!, t * b.top[k]!];
      top[k] = p + q;
      const most = Math.abs(p) + Math.abs(q);
      if (most > size) size = most;
    }
    if (size <= MOST) return madePlain(top, below, size);
  }
  const [p, q, s, t] = [big(a.top), big(b.top), BigInt(b.below), BigInt(sign) * BigInt(a.below)];
  return made(
    p.map((one, k) => s * one + t * q[k]!),
    s * BigInt(a.below),
    a.isNumber && b.isNumber,
  );
}

/** By a fraction s / t, t > 0. */
function scaled(a: LinearAmount, s: Integer, t: Integer): Amount {
  if (s === 1 && t === 1) return amount(a);
  if (isPlain(a) && typeof s === "number" && typeof t === "number") {
    const below = a.below * t;
    const top = new Array<number>(a.top.length);
    let size = below;
    for (let k = 0; k < top.length; k++) {
      // Never −0, which is not 0 everywhere.
      top[k] = s * a.top[k]! + 0;
      const most = Math.abs(top[k]!);
      if (most > size) size = most;
    }
    if (size <= MOST) return madePlain(top, below, size);
  }
  const by = BigInt(s);
  return made(
    big(a.top).map((one) => by * one),
    BigInt(a.below) * BigInt(t),
    a.isNumber,
  );
}

function madePlain(top: number[], below: number, size: number): Amount {
  let isNumber = true;
  for (let k = 1; k < top.length && isNumber; k++) isNumber = top[k] === 0;
  if (size <= SMALL) return amount({ top, below, isNumber });
  let common = below;
  for (let k = 0; k < top.length && common !== 1; k++) common = divisor(common, top[k]!);
  if (common === 1) return amount({ top, below, isNumber });
  return amount({ top: top.map((one) => one / common), below: below / common, isNumber });
}

function made(top: readonly bigint[], below: bigint, isNumber: boolean): Amount {
  const common = top.reduce(bigDivisor, below);
  const [reduced, divided] = [fittingVector(top.map((one) => one / common)), fitting(below / common)];
  return amount({
    top: reduced,
    below: divided,
    isNumber: isNumber || Array.from<Integer>(reduced).every((one, k) => k === UNIT || !one),
  });
}
