/**
 * Numbers, and lines over one unknown price. A run is made at a price, or just above it; there every comparison of lines
 * also says up to which price it comes out the same. All of them together give the interval in which the mechanism takes
 * the same decisions, and in it every amount is linear. Without an unknown it is plain floating point ([M13]).
 */

import { Argsort } from "../lib/argsort.js";
import { atMost, same } from "../lib/tolerance.js";
import { type Amount, type Identified, NotLinear, type Peeking, precedes } from "./amounts.js";

/** A line, kept as its value at the price of the run; one that does not rise is a number. */
class Line {
  constructor(
    readonly value: number,
    readonly slope: number,
  ) {}
}

type Quantity = number | Line;

/** Roots nearer than this to the price of the run, relatively, count as there ([M13]). */
const HAIR = 4e-12;

const valueIn = (a: Quantity): number => (typeof a === "number" ? a : a.value);
const slopeIn = (a: Quantity): number => (typeof a === "number" ? 0 : a.slope);
const quantity = (a: Amount): Quantity => a as unknown as Quantity;
const amount = (a: Quantity): Amount => a as unknown as Amount;
const line = (value: number, slope: number): Amount => amount(slope === 0 ? value : new Line(value, slope));

export class Lines implements Peeking {
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
    return line(price, 1);
  }

  known(value: number): Amount {
    return amount(value);
  }

  isKnown(a: Amount): boolean {
    return typeof a === "number";
  }

  plus(a: Amount, b: Amount): Amount {
    const p = quantity(a);
    const q = quantity(b);
    if (typeof p === "number" && typeof q === "number") return amount(p + q);
    return line(valueIn(p) + valueIn(q), slopeIn(p) + slopeIn(q));
  }

  minus(a: Amount, b: Amount): Amount {
    const p = quantity(a);
    const q = quantity(b);
    if (typeof p === "number" && typeof q === "number") return amount(p - q);
    return line(valueIn(p) - valueIn(q), slopeIn(p) - slopeIn(q));
  }

  times(a: Amount, b: Amount): Amount {
    const p = quantity(a);
    const q = quantity(b);
    if (typeof p === "number") return typeof q === "number" ? amount(p * q) : line(p * q.value, p * q.slope);
    if (typeof q === "number") return line(p.value * q, p.slope * q);
    throw new NotLinear("product");
  }

  over(a: Amount, b: Amount): Amount {
    const p = quantity(a);
    const q = quantity(b);
    if (typeof q !== "number") throw new NotLinear("quotient");
    return typeof p === "number" ? amount(p / q) : line(p.value / q, p.slope / q);
  }

  atMost(a: Amount, b: Amount): boolean {
    const p = quantity(a);
    const q = quantity(b);
    return typeof p === "number" && typeof q === "number" ? atMost(p, q) : this.compare(p, q, true);
  }

  peekAtMost(a: Amount, b: Amount): boolean {
    const p = quantity(a);
    const q = quantity(b);
    return typeof p === "number" && typeof q === "number" ? atMost(p, q) : this.compare(p, q, false);
  }

  /** Only neighbours in the order narrow the interval: as long as each stands before the next, all do. */
  sorted<Item extends Identified>(items: readonly Item[], key: (item: Item) => Amount): Item[] {
    const order = this.peekSorted(items, key);
    if (this.above) for (let k = 1; k < order.length; k++) precedes(this, order[k - 1]!, order[k]!, key);
    return order;
  }

  /** Plain keys are sorted fast, and those that are lines put in where they stand at the price of the run. */
  peekSorted<Item extends Identified>(items: readonly Item[], key: (item: Item) => Amount): Item[] {
    const rising: Item[] = [];
    const plain: Item[] = [];
    for (const item of items) (this.isKnown(key(item)) ? plain : rising).push(item);
    const order = sortedByNumber(plain, (item) => valueIn(quantity(key(item))));
    for (const item of rising) order.splice(this.placeOf(item, order, key), 0, item);
    return order;
  }

  value(a: Amount): number {
    return valueIn(quantity(a));
  }

  /** How much an amount rises with the price, in the interval of the run. */
  slope(a: Amount): number {
    return slopeIn(quantity(a));
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

  private compare(a: Quantity, b: Quantity, narrows: boolean): boolean {
    const va = valueIn(a);
    const vb = valueIn(b);
    const rise = slopeIn(a) - slopeIn(b);
    if (!this.above || rise === 0) return atMost(va, vb);
    const root = this.at + (vb - va) / rise;
    if (same(va, vb) || Math.abs(root - this.at) <= HAIR * this.at) {
      if (narrows && rise > 0) this.startIncluded = false;
      return rise < 0;
    }
    const holds = va < vb;
    if (narrows && root > this.at) this.narrow(root, holds);
    return holds;
  }

  /** At the root the two sides are even, and even counts as at most. */
  private narrow(root: number, holds: boolean): void {
    if (root > this.until * (1 + HAIR)) return;
    if (root < this.until * (1 - HAIR)) {
      this.until = root;
      this.untilIncluded = true;
    }
    if (!holds) this.untilIncluded = false;
  }
}

const argsort = new Argsort();

/** By increasing key ≥ 0; even ones by id. */
function sortedByNumber<Item extends Identified>(items: Item[], key: (item: Item) => number): Item[] {
  for (let k = 1; k < items.length; k++)
    if (items[k]!.id < items[k - 1]!.id) {
      items.sort((a, b) => a.id - b.id);
      break;
    }
  const order = new Int32Array(items.length);
  argsort.sort(Float64Array.from(items, key), items.length, order);
  return Array.from(order, (position) => items[position]!);
}
