/** What a best response is, however it was found. */

import type { Regime } from "../mechanisms/regime.js";

/** The best a worker can say. Where no price attains the supremum, `price` comes within 1e-9 of it. */
export interface BestLie {
  readonly price: number;
  readonly arrival: number;
  readonly utility: number;
  readonly attained: boolean;
}

export interface Response {
  readonly id: number;
  /** Utility of the truth. */
  readonly truthful: number;
  /** Over all prices and all arrivals from the true one on. */
  readonly gain: number;
  /** At the true arrival. */
  readonly priceGain: number;
  /** At the true price. */
  readonly timeGain: number;
  /** A 95 % interval of the gain of the lie that was found, where gains are estimated. */
  readonly low?: number;
  readonly high?: number;
  readonly best: BestLie;
  /** The lies behind priceGain and timeGain; null where nothing is gained. */
  readonly bestPrice: BestLie | null;
  readonly bestTime: BestLie | null;
  readonly regime: Regime;
  /** Whether the best lie changes the start. */
  readonly pivotal: boolean;
}

/** Responses remember how they were obtained. */
export interface Responses {
  readonly mechanism: string;
  /** By the structure of the paper's auction, from the pieces of any text, or by search. */
  readonly method: "exact" | "pieces" | "search";
  /** False: every gain is a lower bound, found with this many evaluations. */
  readonly exact: boolean;
  readonly evaluations: number;
  /** Of a mechanism that draws: over how many seeds utilities and gains are estimated. */
  readonly seeds?: number;
  readonly workers: readonly Response[];
}

/** A stretch of prices on which the utility of one arrival is linear; a single price where from = to. */
export interface Piece {
  readonly arrival: number;
  readonly from: number;
  /** Infinity for the last. */
  readonly to: number;
  readonly fromIncluded: boolean;
  readonly toIncluded: boolean;
  /** Utility at both ends: limits where an end is not included. */
  readonly utilityFrom: number;
  readonly utilityTo: number;
  readonly selectedAt: number | null;
  /** How many rounds are worked. */
  readonly rounds: number;
  readonly startDelay: number | null;
}
