/**
 * Floating point ([M13]): numbers, and amounts that are linear in an unknown price or in several. On lines a run is made at
 * a price, or just above it; there every comparison also says up to which price it comes out the same. All of them together
 * give the interval in which the mechanism takes the same decisions, and in it every amount is linear. On planes, over up
 * to three unknown prices, a comparison is handed on as the form that it is about.
 */

import { Argsort } from "../lib/argsort.js";
import type { Vector } from "../lib/integer-vector.js";
import { CANCELLED, ROOT_AT_PRICE } from "../lib/search-tolerances.js";
import { atMost, same } from "../lib/tolerance.js";
import { byId } from "../market/market.js";
import { type Amount, type Identified, NotLinear, type Peeking, precedes } from "./amounts.js";
import type { Decider, LinearAmount } from "./linear-forms.js";

/** What is known stays a plain number; the others are lines or planes. */
abstract class MixedArithmetic<Unknown extends object> implements Peeking {
  readonly isFloating = true;

  /** a + sign · b. */
  protected abstract sum(a: number | Unknown, b: number | Unknown, sign: 1 | -1): number | Unknown;
  /** a · by / over. */
  protected abstract scaled(a: Unknown, by: number, over: number): number | Unknown;
  /** a ≤ b, of which at least one depends on an unknown; where it narrows, for good. */
  protected abstract compare(a: number | Unknown, b: number | Unknown, narrows: boolean): boolean;
  /** As a number, at the prices that the run is made at. */
  protected abstract valueIn(a: Unknown): number;

  known(value: number): Amount {
    return amount(value);
  }

  isKnown(a: Amount): boolean {
    return typeof a === "number";
  }

  plus(a: Amount, b: Amount): Amount {
    const p = this.quantity(a);
    const q = this.quantity(b);
    return amount(typeof p === "number" && typeof q === "number" ? p + q : this.sum(p, q, 1));
  }

  minus(a: Amount, b: Amount): Amount {
    const p = this.quantity(a);
    const q = this.quantity(b);
    return amount(typeof p === "number" && typeof q === "number" ? p - q : this.sum(p, q, -1));
  }

  times(a: Amount, b: Amount): Amount {
    const p = this.quantity(a);
    const q = this.quantity(b);
    if (typeof p === "number") return amount(typeof q === "number" ? p * q : this.scaled(q, p, 1));
    if (typeof q === "number") return amount(this.scaled(p, q, 1));
    throw new NotLinear("product");
  }

  over(a: Amount, b: Amount): Amount {
    const p = this.quantity(a);
    const q = this.quantity(b);
    if (typeof q !== "number") throw new NotLinear("quotient");
    return amount(typeof p === "number" ? p / q : this.scaled(p, 1, q));
  }

  atMost(a: Amount, b: Amount): boolean {
    const p = this.quantity(a);
    const q = this.quantity(b);
    return typeof p === "number" && typeof q === "number" ? atMost(p, q) : this.compare(p, q, true);
  }

  peekAtMost(a: Amount, b: Amount): boolean {
    const p = this.quantity(a);
    const q = this.quantity(b);
    return typeof p === "number" && typeof q === "number" ? atMost(p, q) : this.compare(p, q, false);
  }

  /** Only neighbours in the order narrow the region: as long as each stands before the next, all do. */
  sorted<Item extends Identified>(items: readonly Item[], key: (item: Item) => Amount): Item[] {
    const order = this.peekSorted(items, key);
    for (let k = 1; k < order.length; k++) {
      const one = order[k - 1]!;
      const next = order[k]!;
      if (!this.isKnown(key(one)) || !this.isKnown(key(next))) precedes(this, one, next, key);
    }
    return order;
  }

  /** Plain keys are sorted fast, and the others put in where they stand at the prices of the run. */
  peekSorted<Item extends Identified>(items: readonly Item[], key: (item: Item) => Amount): Item[] {
    const unknown: Item[] = [];
    const plain: Item[] = [];
    for (const item of items) (this.isKnown(key(item)) ? plain : unknown).push(item);
    const order = sortedByNumber(plain, (item) => this.value(key(item)));
    for (const item of unknown) order.splice(this.placeOf(item, order, key), 0, item);
    return order;
  }

  value(a: Amount): number {
    const p = this.quantity(a);
    return typeof p === "number" ? p : this.valueIn(p);
  }

  protected quantity(a: Amount): number | Unknown {
    return a as unknown as number | Unknown;
  }

  private placeOf<Item extends Identified>(
    item: Item,
    order: readonly Item[],
    key: (item: Item) => Amount,
  ): number {
    let [low, high] = [0, order.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = order[middle]!;
      const before =
        other.id < item.id ? this.peekAtMost(key(other), key(item)) : !this.peekAtMost(key(item), key(other));
      if (before) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const amount = (a: number | object): Amount => a as unknown as Amount;

const argsort = new Argsort();
let keys = new Float64Array(64);
let places = new Int32Array(64);

/** By increasing key ≥ 0; even ones by id. Plain loops: half of the time of a best response can go by here. */
function sortedByNumber<Item extends Identified>(items: Item[], key: (item: Item) => number): Item[] {
  const { length } = items;
  if (length > keys.length) {
    keys = new Float64Array(2 * length);
    places = new Int32Array(2 * length);
  }
  const ordered = byId(items);
  for (let k = 0; k < length; k++) keys[k] = key(ordered[k]!);
  argsort.sort(keys, length, places);
  const sorted: Item[] = [];
  for (let k = 0; k < length; k++) sorted.push(ordered[places[k]!]!);
  return sorted;
}

/** A line, kept as its value at the price of the run; one that does not rise is a number. */
class Line {
  constructor(
    readonly value: number,
    readonly slope: number,
  ) {}
}

const valueIn = (a: number | Line): number => (typeof a === "number" ? a : a.value);
const slopeIn = (a: number | Line): number => (typeof a === "number" ? 0 : a.slope);
const line = (value: number, slope: number): number | Line => (slope === 0 ? value : new Line(value, slope));

export class Lines extends MixedArithmetic<Line> {
  /** The decisions stay as they are up to this price. */
  until = Number.POSITIVE_INFINITY;
  /** Whether they are still the same at that price itself: all comparisons that change there hold below it. */
  untilIncluded = true;
  /** Whether they are already the same at the price of the run: all comparisons that are even there hold above it. */
  startIncluded = true;
  private at = 0;
  private above = false;

  /** Begins a run at a price, or just above it, and gives the unknown. */
  begin(price: number, above: boolean): Amount {
    this.at = price;
    this.above = above;
    this.until = Number.POSITIVE_INFINITY;
    this.untilIncluded = true;
    this.startIncluded = true;
    return amount(line(price, 1));
  }

  /** How much an amount rises with the price, in the interval of the run. */
  slope(a: Amount): number {
    return slopeIn(this.quantity(a));
  }

  protected valueIn({ value }: Line): number {
    return value;
  }

  protected sum(a: number | Line, b: number | Line, sign: 1 | -1): number | Line {
    return line(valueIn(a) + sign * valueIn(b), cancelled(slopeIn(a), sign * slopeIn(b)));
  }

  protected scaled({ value, slope }: Line, by: number, over: number): number | Line {
    return line((value * by) / over, (slope * by) / over);
  }

  protected compare(a: number | Line, b: number | Line, narrows: boolean): boolean {
    const va = valueIn(a);
    const vb = valueIn(b);
    const rise = slopeIn(a) - slopeIn(b);
    if (!this.above || rise === 0) return atMost(va, vb);
    const root = this.at + (vb - va) / rise;
    if (same(va, vb) || Math.abs(root - this.at) <= ROOT_AT_PRICE * this.at) {
      if (narrows && rise > 0) this.startIncluded = false;
      return rise < 0;
    }
    const holds = va < vb;
    if (narrows && root > this.at) this.narrow(root, holds);
    return holds;
  }

  /** At the root the two sides are even, and even counts as at most. */
  private narrow(root: number, holds: boolean): void {
    if (root > this.until * (1 + ROOT_AT_PRICE)) return;
    if (root < this.until * (1 - ROOT_AT_PRICE)) {
      this.until = root;
      this.untilIncluded = true;
    }
    if (!holds) this.untilIncluded = false;
  }
}

/** constant + x · first + y · second + z · third. */
class Plane {
  constructor(
    readonly constant: number,
    readonly x: number,
    readonly y: number,
    readonly z: number,
  ) {}
}

function plane(constant: number, x: number, y: number, z: number): number | Plane {
  return x === 0 && y === 0 && z === 0 ? constant : new Plane(constant, x, y, z);
}

const cancelled = (a: number, b: number): number => {
  const sum = a + b;
  return Math.abs(sum) <= CANCELLED * Math.abs(a) ? 0 : sum;
};

const parts = (a: number | Plane): Plane => (typeof a === "number" ? new Plane(a, 0, 0, 0) : a);

export class Planes extends MixedArithmetic<Plane> {
  constructor(
    private readonly unknowns: number,
    private readonly decider: Decider,
  ) {
    super();
  }

  /** The first has place 1: place 0 is the unit. */
  unknown(place: number): Amount {
    return amount(plane(0, place === 1 ? 1 : 0, place === 2 ? 1 : 0, place === 3 ? 1 : 0));
  }

  /** An amount as a form over the unit and the prices. */
  linear(a: Amount): LinearAmount {
    const quantity = this.quantity(a);
    return { top: this.vector(quantity), below: 1, isNumber: typeof quantity === "number" };
  }

  protected valueIn(): number {
    throw new Error("an amount over several unknowns has no value");
  }

  protected sum(a: number | Plane, b: number | Plane, sign: 1 | -1): number | Plane {
    const p = parts(a);
    const q = parts(b);
    return plane(
      cancelled(p.constant, sign * q.constant),
      cancelled(p.x, sign * q.x),
      cancelled(p.y, sign * q.y),
      cancelled(p.z, sign * q.z),
    );
  }

  protected scaled({ constant, x, y, z }: Plane, by: number, over: number): number | Plane {
    return plane((constant * by) / over, (x * by) / over, (y * by) / over, (z * by) / over);
  }

  protected compare(a: number | Plane, b: number | Plane, narrows: boolean): boolean {
    const difference = this.sum(a, b, -1);
    if (typeof difference === "number") return difference <= 0;
    const form = this.vector(difference);
    return narrows ? this.decider.decide(form) : this.decider.peek(form);
  }

  private vector(a: number | Plane): Vector {
    const { constant, x, y, z } = parts(a);
    const vector = new Float64Array(this.unknowns + 1);
    vector[0] = constant;
    vector[1] = x;
    if (this.unknowns > 1) vector[2] = y;
    if (this.unknowns > 2) vector[3] = z;
    return vector;
  }
}
