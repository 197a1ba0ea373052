/**
 * Exact fractions, and amounts that are linear in several unknown prices. A run is made at given prices; every comparison
 * that depends on an unknown is kept as an inequality. Wherever all of them hold, the mechanism takes the same decisions,
 * and every payment is the same linear form: a cell. Ties are inequalities too, so that every price vector is in a cell.
 */

import { exactly, type Fraction, zero } from "../lib/fraction.js";
import type { Rules } from "../market/market.js";
import { type Amount, type Identified, NotLinear, type Peeking, precedes } from "./amounts.js";
import { Auction } from "./auction.js";
import type { ExactBidder } from "./exact.js";
import type { AnyMechanism } from "./mechanism.js";

/** constant + Σ coefficient · unknown. */
export interface LinearForm {
  readonly constant: Fraction;
  readonly coefficients: readonly Fraction[];
}

/** form ≤ 0, or form > 0. */
export interface Inequality {
  readonly form: LinearForm;
  readonly positive: boolean;
}

export interface Cell {
  readonly inequalities: readonly Inequality[];
  readonly startDelay: number | null;
  readonly workers: readonly {
    readonly id: number;
    readonly selectedAt: number | null;
    readonly rounds: number;
    readonly payment: LinearForm;
  }[];
}

export interface CellQuestion {
  readonly rules: Rules;
  /** Everybody's; the unknown prices stand for themselves at the point that is looked at. */
  readonly bids: readonly ExactBidder[];
  /** Whose prices are unknown, in the order of the coefficients. */
  readonly unknown: readonly number[];
}

/** The value of a form at a point. */
export const valueAt = ({ constant, coefficients }: LinearForm, point: readonly Fraction[]): Fraction =>
  coefficients.reduce((sum, coefficient, k) => sum.add(coefficient.mul(point[k]!)), constant);

/** Whether a point is in a cell. */
export const isIn = ({ inequalities }: Cell, point: readonly Fraction[]): boolean =>
  inequalities.every(({ form, positive }) => valueAt(form, point).gt(0) === positive);

/** The cell of a mechanism that the given prices are in. */
export function cellAt({ name, text }: AnyMechanism, { rules, bids, unknown }: CellQuestion): Cell {
  if (text === undefined) throw new Error(`${name} is not written as a text`);
  const priceOf = new Map(bids.map(({ id, price }) => [id, exactly(price)]));
  const math = new Forms(unknown.map((id) => priceOf.get(id)!));
  const amountOf = (id: number): Amount =>
    unknown.includes(id) ? math.unknown(unknown.indexOf(id)) : amount(math.constant(priceOf.get(id)!));
  const plain = bids.map((bid) => ({ ...bid, price: 0 }));
  const auction = new Auction(rules, plain, { math, priceOf: ({ id }) => amountOf(id) });
  text(auction);
  return {
    inequalities: math.inequalities,
    startDelay: auction.startDelay,
    workers: auction.everybody(({ id, selectedAt, rounds, payment }) => ({
      id,
      selectedAt,
      rounds,
      payment: payment === null ? math.constant(zero) : formOf(payment),
    })),
  };
}

const formOf = (a: Amount): LinearForm => a as unknown as LinearForm;
const amount = (form: LinearForm): Amount => form as unknown as Amount;
const isConstant = ({ coefficients }: LinearForm): boolean => coefficients.every((one) => one.equals(0));

class Forms implements Peeking {
  readonly inequalities: Inequality[] = [];

  constructor(private readonly point: readonly Fraction[]) {}

  constant(value: Fraction): LinearForm {
    return { constant: value, coefficients: this.point.map(() => zero) };
  }

  unknown(place: number): Amount {
    return amount({ constant: zero, coefficients: this.point.map((_, k) => exactly(k === place ? 1 : 0)) });
  }

  known = (value: number): Amount => amount(this.constant(exactly(value)));
  isKnown = (a: Amount): boolean => isConstant(formOf(a));
  plus = (a: Amount, b: Amount): Amount => combined(formOf(a), formOf(b), (p, q) => p.add(q));
  minus = (a: Amount, b: Amount): Amount => combined(formOf(a), formOf(b), (p, q) => p.sub(q));

  times = (a: Amount, b: Amount): Amount => {
    const [p, q] = [formOf(a), formOf(b)];
    if (isConstant(q)) return scaled(p, (one) => one.mul(q.constant));
    if (isConstant(p)) return scaled(q, (one) => one.mul(p.constant));
    throw new NotLinear("product");
  };

  over = (a: Amount, b: Amount): Amount => {
    const divisor = formOf(b);
    if (!isConstant(divisor)) throw new NotLinear("quotient");
    return scaled(formOf(a), (one) => one.div(divisor.constant));
  };

  atMost = (a: Amount, b: Amount): boolean => {
    const form = formOf(this.minus(a, b));
    const positive = valueAt(form, this.point).gt(0);
    if (!isConstant(form)) this.inequalities.push({ form, positive });
    return !positive;
  };

  peekAtMost = (a: Amount, b: Amount): boolean => !valueAt(formOf(this.minus(a, b)), this.point).gt(0);
  value = (a: Amount): number => valueAt(formOf(a), this.point).valueOf();

  sorted<Item extends Identified>(items: readonly Item[], key: (item: Item) => Amount): Item[] {
    const order = this.peekSorted(items, key);
    for (let k = 1; k < order.length; k++) precedes(this, order[k - 1]!, order[k]!, key);
    return order;
  }

  peekSorted<Item extends Identified>(items: readonly Item[], key: (item: Item) => Amount): Item[] {
    const at = (item: Item) => valueAt(formOf(key(item)), this.point);
    return [...items].sort((a, b) => at(a).compare(at(b)) || a.id - b.id);
  }
}

function combined(a: LinearForm, b: LinearForm, join: (p: Fraction, q: Fraction) => Fraction): Amount {
  return amount({
    constant: join(a.constant, b.constant),
    coefficients: a.coefficients.map((one, k) => join(one, b.coefficients[k]!)),
  });
}

const scaled = ({ constant, coefficients }: LinearForm, by: (one: Fraction) => Fraction): Amount =>
  amount({ constant: by(constant), coefficients: coefficients.map(by) });
