/** The rational twin of every mechanism that has a program: the same program, run in exact fractions. */

import { exactly, type Fraction } from "../lib/fraction.js";
import type { Bidder, Rules } from "../market/market.js";
import type { Amount, Identified, Peeking } from "./amounts.js";
import type { Allotment, Outcome } from "./outcome.js";
import { demandSameAnswer, isUsers, type Programmed, runProgram } from "./program.js";

export interface ExactOutcome extends Outcome<Fraction> {
  /** The smallest relative gap, exact ties aside, between two sides of a comparison: the nearest knife edge. */
  readonly narrowestGap: number;
}

/** A bid whose price may be a fraction that no decimal writes. */
interface ExactBidder extends Omit<Bidder, "price"> {
  readonly price: number | Fraction;
  /** For mechanisms that are shown the costs; the price if left out. */
  readonly cost?: number;
}

export const fractionOf = (a: Amount | number): Fraction =>
  typeof a === "number" ? exactly(a) : (a as unknown as Fraction);
const amount = (a: Fraction): Amount => a as unknown as Amount;

/** Compares exactly, and remembers how close a call it was. */
export class Fractions implements Peeking {
  readonly isFloating = false;
  narrowestGap = Number.POSITIVE_INFINITY;

  fraction = (value: Fraction): Amount => amount(value);
  known = (value: number): Amount => amount(exactly(value));
  isKnown = (): boolean => true;
  plus = (a: Amount | number, b: Amount | number): Amount => amount(fractionOf(a).add(fractionOf(b)));
  minus = (a: Amount | number, b: Amount | number): Amount => amount(fractionOf(a).sub(fractionOf(b)));
  times = (a: Amount | number, b: Amount | number): Amount => amount(fractionOf(a).mul(fractionOf(b)));
  over = (a: Amount | number, b: Amount | number): Amount => amount(fractionOf(a).div(fractionOf(b)));
  atMost = (a: Amount | number, b: Amount | number): boolean => this.compare(a, b) <= 0;
  peekAtMost = this.atMost;
  value = (a: Amount | number): number => fractionOf(a).valueOf();

  sorted<Item extends Identified>(items: readonly Item[], key: (item: Item) => Amount | number): Item[] {
    return [...items].sort((a, b) => this.compare(key(a), key(b)) || a.id - b.id);
  }

  peekSorted<Item extends Identified>(items: readonly Item[], key: (item: Item) => Amount | number): Item[] {
    return this.sorted(items, key);
  }

  private compare(a: Amount | number, b: Amount | number): number {
    const [p, q] = [fractionOf(a), fractionOf(b)];
    const order = p.compare(q);
    if (order !== 0) {
      const gap = Math.abs(p.sub(q).valueOf()) / Math.max(Math.abs(p.valueOf()), Math.abs(q.valueOf()));
      this.narrowestGap = Math.min(this.narrowestGap, gap);
    }
    return order;
  }
}

/** Whether a mechanism has a rational twin. */
export const hasTwin = ({ program, repriced }: Programmed & { readonly repriced?: unknown }): boolean =>
  program !== undefined && repriced === undefined;

/** A run in exact fractions. */
export function exactOutcome(
  mechanism: Programmed,
  rules: Rules,
  bids: readonly ExactBidder[],
): ExactOutcome {
  const math = new Fractions();
  const prices = new Map(bids.map(({ id, price }) => [id, amount(exactly(price))]));
  const costs = new Map(bids.map(({ id, price, cost = price }) => [id, amount(exactly(cost))]));
  const plain = bids.map((bid) => ({ ...bid, price: 0 }));
  const options = {
    math,
    priceOf: ({ id }: Bidder) => prices.get(id),
    costOf: ({ id }: Bidder) => costs.get(id),
  };
  const run = () => runProgram(mechanism, rules, plain, options).outcome(fractionOf);
  const outcome = run();
  if (isUsers(mechanism)) demandSameAnswer(mechanism, outcome, run());
  return { ...outcome, narrowestGap: math.narrowestGap };
}

/** p_i − c_i · r_i, exactly ([M12]). */
export const exactUtility = (cost: number, { payment, rounds }: Allotment<Fraction>): Fraction =>
  payment.sub(exactly(cost).mul(rounds));
