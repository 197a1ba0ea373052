/**
 * Myerson's audit of one worker's prices: a rule is truthful in price, whatever the cost, exactly if the rounds sold
 * never increase with the price and the payment for a price b is b·x(b) + ∫ x from b on. Both are read off exact
 * pieces, so both answers are exact. They say why a price lie can pay.
 */

import { type Piece, piecesOnTime } from "../best-response/index.js";
import { simplest } from "../best-response/stretches.js";
import { negligible } from "../lib/tolerance.js";
import { type Market, workerOf } from "../market/market.js";
import type { AnyMechanism } from "../mechanisms/mechanism.js";
import { online } from "../mechanisms/online.js";

/** Two prices of which the higher sells more rounds. */
interface Rise {
  readonly lower: PricedRounds;
  readonly higher: PricedRounds;
}

interface PricedRounds {
  readonly price: number;
  readonly rounds: number;
}

/** Where the payment is furthest from Myerson's: at a price, or in the limit as prices just above or below come near it. */
export interface Mispayment {
  readonly price: number;
  readonly side: "at" | "above" | "below";
  readonly paid: number;
  readonly myerson: number;
}

export interface Audit {
  readonly monotone: boolean;
  readonly rises: readonly Rise[];
  readonly paidAsMyerson: boolean;
  readonly mispayment: Mispayment | null;
}

/** The audit at the true arrival; null where no exact pieces are known. */
export function audit(market: Market, id: number, mechanism: AnyMechanism = online): Audit | null {
  const worker = workerOf(market, id);
  const known = piecesOnTime(market, id, mechanism);
  if (!known) return null;
  const sales = known.map((piece) => saleOf(piece, worker.cost));
  const noise = negligible(market.rules.budget);
  const rises = risesOf(sales);
  const mispayment = worstPayment(sales, noise);
  return { monotone: rises.length === 0, rises, paidAsMyerson: mispayment === null, mispayment };
}

/** A piece as rounds sold and payments at both ends. */
interface Sale extends Pick<Piece, "from" | "to" | "fromIncluded" | "toIncluded"> {
  readonly rounds: number;
  readonly paidFrom: number;
  readonly paidTo: number;
}

function saleOf(piece: Piece, cost: number): Sale {
  const { from, to, fromIncluded, toIncluded, rounds, utilityFrom, utilityTo } = piece;
  const paid = { paidFrom: utilityFrom + cost * rounds, paidTo: utilityTo + cost * rounds };
  return { from, to, fromIncluded, toIncluded, rounds, ...paid };
}

function risesOf(sales: readonly Sale[]): Rise[] {
  return sales.slice(1).flatMap((sale, k) => {
    const below = sales[k]!;
    return sale.rounds <= below.rounds ? [] : [{ lower: exampleOf(below), higher: exampleOf(sale) }];
  });
}

/** A price in few digits that the piece holds for. */
const exampleOf = ({ from, to, rounds }: Sale): PricedRounds => ({
  price: from === to ? from : simplest(from, to),
  rounds,
});

/** Walks down from the highest price, adding up ∫ x; payments at both ends of each piece are compared. */
function worstPayment(sales: readonly Sale[], noise: number): Mispayment | null {
  let integral = 0;
  let worst: Mispayment | null = null;
  for (const sale of [...sales].reverse()) {
    const area = sale.rounds === 0 ? 0 : sale.rounds * (sale.to - sale.from);
    for (const end of endsOf(sale, integral, area))
      if (off(end) > Math.max(noise, worst ? off(worst) : 0)) worst = end;
    integral += area;
  }
  return worst;
}

/** The payments at both ends of a piece, with ∫ x above it and over it. */
function endsOf(sale: Sale, above: number, over: number): Mispayment[] {
  const { from, to, rounds, paidFrom, paidTo } = sale;
  const soldAt = (price: number) => (rounds === 0 ? 0 : price * rounds);
  return [
    { price: to, side: sale.toIncluded ? "at" : "below", paid: paidTo, myerson: soldAt(to) + above },
    {
      price: from,
      side: sale.fromIncluded ? "at" : "above",
      paid: paidFrom,
      myerson: soldAt(from) + above + over,
    },
  ];
}

/** How far from Myerson's; a price that sells nothing is to be paid nothing, which ∫ x above it does not excuse. */
const off = ({ paid, myerson }: Mispayment): number => Math.abs(paid - myerson);
