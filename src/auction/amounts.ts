/**
 * The arithmetic that a mechanism decides in. A mechanism adds amounts, multiplies and divides them by what is known, and
 * compares them; it cannot look inside one. The same program then runs on numbers, on exact fractions, and on lines: amounts
 * that depend linearly on an unknown price.
 */

declare const opaque: unique symbol;

/** A price, a budget, a payment or a known number, in whatever arithmetic the mechanism is run. */
export interface Amount {
  readonly [opaque]: "amount";
}

/** Something that is put in order; ties go to the smaller id ([M2]). */
export interface Identified {
  readonly id: number;
}

/** What a program calculates with. A plain number where an amount is asked for counts as known. */
export interface Arithmetic {
  /** A known number as an amount: a decimal is the decimal that it reads as ([M13]). */
  known(value: number): Amount;
  plus(a: Amount | number, b: Amount | number): Amount;
  minus(a: Amount | number, b: Amount | number): Amount;
  /** At least one of the two must not depend on an unknown. */
  times(a: Amount | number, b: Amount | number): Amount;
  /** The divisor must not depend on an unknown. */
  over(a: Amount | number, b: Amount | number): Amount;
  /** a ≤ b. */
  atMost(a: Amount | number, b: Amount | number): boolean;
  /** By increasing key. */
  sorted<Item extends Identified>(items: readonly Item[], key: (item: Item) => Amount | number): Item[];
}

/** What building blocks may do besides: look without narrowing the region in which the decisions stay as they are. */
export interface Peeking extends Arithmetic {
  /** Whether it rounds: no strong word rests on it. */
  readonly isFloating: boolean;
  /** Whether it does not depend on an unknown. */
  isKnown(a: Amount | number): boolean;
  peekAtMost(a: Amount | number, b: Amount | number): boolean;
  peekSorted<Item extends Identified>(items: readonly Item[], key: (item: Item) => Amount | number): Item[];
  /** As a number, for outcomes and traces; of a line, where it is looked at. */
  value(a: Amount | number): number;
}

/** Thrown where a mechanism does something that is not linear in the unknown price. */
export class NotLinear extends Error {
  constructor(step: "product" | "quotient") {
    super(
      step === "product"
        ? "multiplies two amounts that both depend on the worker's price"
        : "divides by an amount that depends on the worker's price",
    );
    this.name = "NotLinear";
  }
}

/** Whether one item stands before another; asked so that even ones go by id ([M2]). */
export function precedes<Item extends Identified>(
  math: Peeking,
  a: Item,
  b: Item,
  key: (item: Item) => Amount,
): boolean {
  return a.id < b.id ? math.atMost(key(a), key(b)) : !math.atMost(key(b), key(a));
}
