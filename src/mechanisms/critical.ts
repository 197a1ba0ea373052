/**
 * Payments by Myerson: a mechanism decides who works and when, and each worker is paid b · x(b) + ∫ x over all
 * higher prices, where x is the number of rounds it sells at a price, its arrival and the bids of the others given. If x
 * never rises with the price, no lie about the price gains; if it does, there are no such payments, and the market is
 * refused. What is paid may exceed the budget.
 */

import { type Mechanism, madeFrom, type Outcome } from "../auction/mechanism.js";
import type { Piece } from "../auction/piece.js";
import { type PriceFunction, priceFunction } from "../auction/price-pieces.js";
import { plainError } from "../lib/errors.js";

export function critical(mechanism: Mechanism): Mechanism {
  const { program, offline } = mechanism;
  const name = `critical(${mechanism.name})`;
  if (program === undefined)
    throw plainError(
      name,
      `needs to know who is selected at every price, and ${mechanism.name} has no program`,
    );
  const repaid: Mechanism = {
    name,
    about: `Selects workers as ${mechanism.name} does, and pays each its critical amount.`,
    ...(offline !== undefined && { offline }),
    keepsBudget: () => false,
    program,
    repriced: (byText, worker) => new CriticalPayments(`${name}: worker ${worker}`, byText),
    decide(rules, bids, trace): Outcome {
      const outcome = mechanism.decide(rules, bids, trace);
      const bidOf = new Map(bids.map((bid) => [bid.id, bid]));
      const workers = outcome.workers.map((allotment) => {
        const { price, arrival } = bidOf.get(allotment.id)!;
        const paid = priceFunction(repaid, { rules, bids, worker: allotment.id })!.at(price, arrival);
        return { ...allotment, payment: paid.utilityFrom };
      });
      return { ...outcome, workers };
    },
  };
  madeFrom(repaid.decide, { repriced: repaid.repriced! });
  return repaid;
}

/** What a worker gets where it is paid its critical amount. */
class CriticalPayments implements PriceFunction {
  constructor(
    /** Starts every message. */
    private readonly source: string,
    private readonly byText: PriceFunction,
  ) {}

  get evaluations(): number {
    return this.byText.evaluations;
  }

  get arrivalMatters(): boolean {
    return this.byText.arrivalMatters;
  }

  /** The payment is level on each piece: b · x and what is left of the area to the right add up to the same. */
  pieces(arrival: number): Piece[] {
    const pieces = this.byText.pieces(arrival);
    this.demandMonotone(pieces);
    let area = 0;
    const paid = pieces.reverse().map((piece) => {
      const { from, to, rounds } = piece;
      const payment = rounds === 0 ? 0 : to * rounds + area;
      area += rounds === 0 ? 0 : (to - from) * rounds;
      return { ...piece, utilityFrom: payment, utilityTo: payment, slope: 0 };
    });
    return paid.reverse();
  }

  at(price: number, arrival: number): Piece {
    const here = this.byText.at(price, arrival);
    const above = this.pieces(arrival).filter(({ to }) => to > price);
    const area = above.reduce(
      (sum, { from, to, rounds }) => (rounds === 0 ? sum : sum + rounds * (to - Math.max(from, price))),
      0,
    );
    const payment = here.rounds === 0 ? 0 : price * here.rounds + area;
    return { ...here, utilityFrom: payment, utilityTo: payment, slope: 0 };
  }

  private demandMonotone(pieces: readonly Piece[]): void {
    for (const [k, { from, rounds }] of pieces.entries()) {
      const below = pieces[k - 1]?.rounds ?? Number.POSITIVE_INFINITY;
      if (rounds > below)
        throw plainError(
          this.source,
          `has no critical payment, for a higher price sells more: ${below} rounds just below ${from}, ${rounds} from there on`,
        );
    }
    if (pieces.at(-1)!.rounds > 0)
      throw plainError(this.source, "has no critical payment, for it sells rounds at every price");
  }
}
