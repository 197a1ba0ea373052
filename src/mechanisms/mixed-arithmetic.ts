/** Arithmetic on numbers and on amounts that depend on unknown prices: what is known stays a plain number ([M13]). */

import { Argsort } from "../lib/argsort.js";
import { atMost } from "../lib/tolerance.js";
import { type Amount, type Identified, NotLinear, type Peeking, precedes } from "./amounts.js";

export abstract class MixedArithmetic<Unknown extends object> implements Peeking {
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
    const [p, q] = [this.quantity(a), this.quantity(b)];
    return amount(typeof p === "number" && typeof q === "number" ? p + q : this.sum(p, q, 1));
  }

  minus(a: Amount, b: Amount): Amount {
    const [p, q] = [this.quantity(a), this.quantity(b)];
    return amount(typeof p === "number" && typeof q === "number" ? p - q : this.sum(p, q, -1));
  }

  times(a: Amount, b: Amount): Amount {
    const [p, q] = [this.quantity(a), this.quantity(b)];
    if (typeof p === "number") return amount(typeof q === "number" ? p * q : this.scaled(q, p, 1));
    if (typeof q === "number") return amount(this.scaled(p, q, 1));
    throw new NotLinear("product");
  }

  over(a: Amount, b: Amount): Amount {
    const [p, q] = [this.quantity(a), this.quantity(b)];
    if (typeof q !== "number") throw new NotLinear("quotient");
    return amount(typeof p === "number" ? p / q : this.scaled(p, 1, q));
  }

  atMost(a: Amount, b: Amount): boolean {
    const [p, q] = [this.quantity(a), this.quantity(b)];
    return typeof p === "number" && typeof q === "number" ? atMost(p, q) : this.compare(p, q, true);
  }

  peekAtMost(a: Amount, b: Amount): boolean {
    const [p, q] = [this.quantity(a), this.quantity(b)];
    return typeof p === "number" && typeof q === "number" ? atMost(p, q) : this.compare(p, q, false);
  }

  /** Only neighbours in the order narrow the region: as long as each stands before the next, all do. */
  sorted<Item extends Identified>(items: readonly Item[], key: (item: Item) => Amount): Item[] {
    const order = this.peekSorted(items, key);
    for (let k = 1; k < order.length; k++) {
      const [one, next] = [order[k - 1]!, order[k]!];
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
