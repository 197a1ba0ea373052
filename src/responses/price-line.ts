/**
 * The whole price line of one worker in exact fractions: at every arrival it may claim, all cells of its price, ties and
 * thin ones included, each from a whole run of the mechanism. In a cell the utility is linear, so its supremum is at an end.
 */

import { type LinearAmount, UNIT } from "../auction/linear-forms.js";
import type { AnyMechanism } from "../auction/mechanism.js";
import { memberPlace, type PriceCell, priceCells } from "../auction/price-pieces.js";
import { type Cone, contains } from "../lib/cone.js";
import { type Fraction, fraction } from "../lib/fraction.js";
import { dot } from "../lib/integer-vector.js";
import { bidders, type Market, possibleArrivals, type Worker } from "../market/market.js";

/** The best of a cell, and so of all that were looked at. */
export interface LineBest {
  readonly arrival: number;
  /** The least upper bound of the utility; null where there is none. */
  readonly utility: Fraction | null;
  /** The utility at `price`. */
  readonly inside: Fraction;
  readonly attained: boolean;
  /** A price of the cell: where the bound is attained, one that attains it. */
  readonly price: Fraction;
  /** The ends of the cell; null: it has no upper end. */
  readonly from: Fraction;
  readonly to: Fraction | null;
  /** How much the utility rises with the price. */
  readonly slope: Fraction;
  readonly startDelay: number | null;
}

export interface PriceLine {
  /** At the true arrival. */
  readonly price: LineBest;
  /** At all arrivals. */
  readonly joint: LineBest;
  readonly cells: number;
}

const PRICE = memberPlace(0);

/** The suprema of a worker's utility over its prices, the others telling the truth. */
export function priceLine(market: Market, worker: Worker, mechanism: AnyMechanism): PriceLine {
  let [price, joint, cells]: [LineBest | null, LineBest | null, number] = [null, null, 0];
  for (const best of bestOfCells(market, worker, mechanism)) {
    cells++;
    if (joint === null || isHigher(best, joint)) joint = best;
    if (best.arrival === worker.arrival && (price === null || isHigher(best, price))) price = best;
  }
  return { price: price!, joint: joint!, cells };
}

/** The best of every cell of a worker's price, at every arrival that it may claim. */
export function* bestOfCells(market: Market, worker: Worker, mechanism: AnyMechanism): Generator<LineBest> {
  const { rules, workers } = market;
  for (const arrival of possibleArrivals(worker, rules)) {
    const bids = bidders(workers, [{ worker: worker.id, price: worker.cost, arrival }]);
    const question = { rules, bids, unknown: [worker.id], arithmetic: "fractions", whole: true } as const;
    for (const cell of priceCells(mechanism, question)) yield bestIn(cell, worker, arrival);
  }
}

/** Of even ones, one that is attained. */
function isHigher(a: LineBest, b: LineBest): boolean {
  if (b.utility === null) return false;
  if (a.utility === null) return true;
  const order = a.utility.compare(b.utility);
  return order > 0 || (order === 0 && a.attained && !b.attained);
}

function bestIn({ cone, auction, form }: PriceCell, worker: Worker, arrival: number): LineBest {
  const { math, zero, startDelay } = auction;
  const { payment, rounds } = auction.candidate(worker.id) ?? { payment: zero, rounds: 0 };
  const utility = form(math.minus(payment, math.times(math.known(rounds), math.known(worker.cost))));
  const [from, to] = endsOf(cone);
  const slope = fraction(BigInt(utility.top[PRICE]!), BigInt(utility.below));
  const where = { arrival, from, to, slope, startDelay };
  const inside = to === null ? from.add(1) : from.add(to).div(2);
  if (to === null && slope.gt(0))
    return { ...where, utility: null, inside: valueAt(utility, inside), attained: false, price: inside };
  const end = slope.gt(0) ? to! : slope.lt(0) ? from : inside;
  const attained = slope.equals(0) || contains(cone, [end.d, end.s * end.n]);
  const price = attained ? end : inside;
  return { ...where, utility: valueAt(utility, end), inside: valueAt(utility, price), attained, price };
}

function valueAt({ top, below }: LinearAmount, { s, n, d }: Fraction): Fraction {
  return fraction(BigInt(dot(top, [d, s * n])), BigInt(below) * d);
}

/** The lowest and the highest price of the closure of a cell. */
function endsOf({ generators }: Cone): [from: Fraction, to: Fraction | null] {
  const finite = generators.flatMap(({ at }) =>
    at[UNIT] ? [fraction(BigInt(at[PRICE]!), BigInt(at[UNIT]!))] : [],
  );
  const from = finite.reduce((a, b) => (b.lt(a) ? b : a));
  const open = generators.some(({ at }) => !at[UNIT]);
  return [from, open ? null : finite.reduce((a, b) => (b.gt(a) ? b : a))];
}
