/**
 * Myerson's audit of one worker's prices: a rule is truthful in price, whatever the cost, exactly if the rounds sold
 * never increase with the price and the payment for a price b is b·x(b) + ∫ x from b on. Both are read off exact
 * pieces, so both answers are exact. They say why a price lie can pay.
 */

import { workerOf } from "../best-response/deviation.js";
import { type Piece, pieces } from "../best-response/index.js";
import { negligible } from "../lib/tolerance.js";
import type { Market } from "../market/market.js";
import type { AnyMechanism } from "../mechanisms/mechanism.js";
import { online } from "../mechanisms/online.js";

/** Where a higher price sells more rounds. */
export interface Rise {
  readonly price: number;
  readonly roundsBelow: number;
  readonly roundsAbove: number;
}

/** Where the payment is furthest from Myerson's. */
export interface Mispayment {
  readonly price: number;
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
  const known = pieces(market, id, mechanism);
  if (!known) return null;
  const { rounds } = market.rules;
  const sales = known
    .filter(({ arrival }) => arrival === worker.arrival)
    .map((piece) => saleOf(piece, worker.cost, rounds));
  const noise = negligible(market.rules.budget);
  const rises = risesOf(sales);
  const mispayment = worstPayment(sales, noise);
  return { monotone: rises.length === 0, rises, paidAsMyerson: mispayment === null, mispayment };
}

/** A piece as rounds sold and payments at both ends. */
interface Sale {
  readonly from: number;
  readonly to: number;
  readonly rounds: number;
  readonly paidFrom: number;
  readonly paidTo: number;
}

function saleOf({ from, to, utilityFrom, utilityTo, selectedAt }: Piece, cost: number, rounds: number): Sale {
  const sold = selectedAt === null ? 0 : rounds - selectedAt + 1;
  return { from, to, rounds: sold, paidFrom: utilityFrom + cost * sold, paidTo: utilityTo + cost * sold };
}

function risesOf(sales: readonly Sale[]): Rise[] {
  return sales.slice(1).flatMap((sale, k) => {
    const below = sales[k]!;
    if (sale.rounds <= below.rounds) return [];
    return [{ price: sale.from, roundsBelow: below.rounds, roundsAbove: sale.rounds }];
  });
}

/** Walks down from the highest price, adding up ∫ x; payments at both ends of each piece are compared. */
function worstPayment(sales: readonly Sale[], noise: number): Mispayment | null {
  let integral = 0;
  let worst: Mispayment | null = null;
  for (const { from, to, rounds, paidFrom, paidTo } of [...sales].reverse()) {
    const area = rounds === 0 ? 0 : rounds * (to - from);
    const ends = [
      { price: to, paid: paidTo, myerson: rounds === 0 ? integral : to * rounds + integral },
      { price: from, paid: paidFrom, myerson: from * rounds + integral + area },
    ];
    integral += area;
    for (const end of ends) if (off(end) > Math.max(noise, worst ? off(worst) : 0)) worst = end;
  }
  return worst;
}

/** How far from Myerson's; a price that sells nothing is to be paid nothing, which ∫ x above it does not excuse. */
const off = ({ paid, myerson }: Mispayment): number => Math.abs(paid - myerson);
