/** A worker's utility as a function of its price, piece by piece. */

import type { Worker } from "../market/market.js";

/**
 * A stretch of prices on which the mechanism decides the same and the utility of one arrival is linear; a single price where
 * from = to. Of a worker without cost the utility is what it is paid.
 */
export interface Piece {
  readonly arrival: number;
  readonly from: number;
  /** Infinity for the last. */
  readonly to: number;
  readonly fromIncluded: boolean;
  readonly toIncluded: boolean;
  /** Utility at both ends: limits where an end is not included. */
  readonly utilityFrom: number;
  /** Infinite where the last piece has a slope. */
  readonly utilityTo: number;
  /** How much the utility rises with the price. */
  readonly slope: number;
  readonly selectedAt: number | null;
  /** How many rounds are worked. */
  readonly rounds: number;
  readonly startDelay: number | null;
}

/** The piece of a worker without cost, as it is for one with a cost, at an arrival that decides alike. */
export function atCost(piece: Piece, { cost }: Pick<Worker, "cost">, arrival: number): Piece {
  const spent = cost * piece.rounds;
  // Field by field: a spread would take longer than all else that is done with a piece.
  return {
    arrival,
    from: piece.from,
    to: piece.to,
    fromIncluded: piece.fromIncluded,
    toIncluded: piece.toIncluded,
    selectedAt: piece.selectedAt,
    rounds: piece.rounds,
    startDelay: piece.startDelay,
    utilityFrom: piece.utilityFrom - spent,
    utilityTo: piece.utilityTo - spent,
    slope: piece.slope,
  };
}
