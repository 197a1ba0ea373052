/**
 * Myerson's audit of one worker's prices: a rule is truthful in price, whatever the cost, exactly if the rounds sold
 * never increase with the price and the payment for a price b is b·x(b) + ∫ x from b on. Both are read off exact
 * pieces, so both answers are exact. They say why a price lie can pay.
 */

import { simplest } from "../auction/best-price.js";
import type { AnyMechanism } from "../auction/mechanism.js";
import { negligible } from "../lib/tolerance.js";
import { type Market, workerOf } from "../market/market.js";
import { online } from "../mechanisms/online/online.js";
import { type Piece, piecesOnTime } from "../responses/index.js";

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
  /** What is sold however high the price: more than 0 rounds of it have no payment that makes the truth best. */
  readonly roundsAtAnyPrice: number;
  readonly mispayment: Mispayment | null;
}

/** The audit at the true arrival; null where no exact pieces are known. */
export function audit(market: Market, id: number, mechanism: AnyMechanism = online): Audit | null {
  const known = piecesOnTime(market, id, mechanism);
  if (!known) return null;
  const rises = risesOf(known);
  const noise = negligible(market.rules.budget);
  const roundsAtAnyPrice = known.at(-1)!.rounds;
  const monotone = rises.length === 0;
  if (roundsAtAnyPrice > 0)
    return { monotone, rises, paidAsMyerson: false, roundsAtAnyPrice, mispayment: null };
  const mispayment = worstPayment(known, workerOf(market, id).cost, noise);
  return { monotone, rises, paidAsMyerson: mispayment === null, roundsAtAnyPrice, mispayment };
}

const risesOf = (known: readonly Piece[]): Rise[] =>
  known.slice(1).flatMap((piece, k) => {
    const below = known[k]!;
    return piece.rounds <= below.rounds ? [] : [{ lower: exampleOf(below), higher: exampleOf(piece) }];
  });

/** A price in few digits that the piece holds for. */
const exampleOf = ({ from, to, rounds }: Piece): PricedRounds => ({
  price: from === to ? from : simplest(from, to),
  rounds,
});

/** Walks down from the highest price, adding up ∫ x; payments at both ends of each piece are compared. */
function worstPayment(known: readonly Piece[], cost: number, noise: number): Mispayment | null {
  let integral = 0;
  let worst: Mispayment | null = null;
  const consider = (end: Mispayment) => {
    if (off(end) > Math.max(noise, worst ? off(worst) : 0)) worst = end;
  };
  for (const piece of known.toReversed()) {
    const { from, to, rounds, utilityFrom, utilityTo } = piece;
    // The last piece has no end: 0 rounds of it are no area, and cost nothing.
    const sold = (price: number) => (rounds === 0 ? 0 : price * rounds);
    const side = piece.toIncluded ? "at" : "below";
    consider({ price: to, side, paid: utilityTo + cost * rounds, myerson: sold(to) + integral });
    const area = sold(to - from);
    const myerson = sold(from) + integral + area;
    const other = piece.fromIncluded ? "at" : "above";
    consider({ price: from, side: other, paid: utilityFrom + cost * rounds, myerson });
    integral += area;
  }
  return worst;
}

/** How far from Myerson's; a price that sells nothing is to be paid nothing, which ∫ x above it does not excuse. */
const off = ({ paid, myerson }: Mispayment): number => Math.abs(paid - myerson);
