/** Exact fractions: the twin of every mechanism. A decimal is the decimal that it reads as ([M13]). */

import Fraction from "fraction.js";
import type { Amount, Identified, Peeking } from "./amounts.js";

const of = (a: Amount): Fraction => a as unknown as Fraction;
const amount = (value: Fraction): Amount => value as unknown as Amount;

export class Fractions implements Peeking {
  /** The smallest relative gap, exact ties aside, between two sides of a comparison: the nearest knife edge. */
  narrowestGap = Number.POSITIVE_INFINITY;

  known(value: number): Amount {
    return amount(exactly(value));
  }
  isKnown(): boolean {
    return true;
  }
  plus(a: Amount, b: Amount): Amount {
    return amount(of(a).add(of(b)));
  }
  minus(a: Amount, b: Amount): Amount {
    return amount(of(a).sub(of(b)));
  }
  times(a: Amount, b: Amount): Amount {
    return amount(of(a).mul(of(b)));
  }
  over(a: Amount, b: Amount): Amount {
    return amount(of(a).div(of(b)));
  }
  atMost(a: Amount, b: Amount): boolean {
    return this.peekAtMost(a, b);
  }
  peekAtMost(a: Amount, b: Amount): boolean {
    return this.compare(of(a), of(b)) <= 0;
  }
  sorted<Item extends Identified>(items: readonly Item[], key: (item: Item) => Amount): Item[] {
    return this.peekSorted(items, key);
  }
  peekSorted<Item extends Identified>(items: readonly Item[], key: (item: Item) => Amount): Item[] {
    return [...items].sort((a, b) => this.compare(of(key(a)), of(key(b))) || a.id - b.id);
  }
  value(a: Amount): number {
    return of(a).valueOf();
  }

  private compare(a: Fraction, b: Fraction): number {
    const order = a.compare(b);
    if (order !== 0) {
      const gap = a.sub(b).abs().valueOf() / Math.max(a.abs().valueOf(), b.abs().valueOf());
      this.narrowestGap = Math.min(this.narrowestGap, gap);
    }
    return order;
  }
}

/** The decimal that a number is written as: 0.1 is one tenth ([M13]). Fraction would take the nearest simple one. */
export function exactly(value: number): Fraction {
  const [digits, exponent = "0"] = String(value).split("e");
  const power = new Fraction(10n ** BigInt(Math.abs(Number(exponent))));
  return Number(exponent) < 0 ? new Fraction(digits!).div(power) : new Fraction(digits!).mul(power);
}
