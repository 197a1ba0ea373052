/**
 * What is asked about, and who answers. A question about lies is put to a mechanism that is no variant, in a market under its
 * rules, and to one of three solvers: a method of the mechanism's own, its program, or a search.
 */

import type { Range } from "../lib/bounded-mean.js";
import type { Bid, Market, Offer, Rules, Worker } from "../market/market.js";
import type { AnyMechanism, Outcome } from "./mechanism.js";
import type { Piece } from "./piece.js";
import type { Gains, Responses } from "./response.js";
import type { TraceSink } from "./trace-events.js";

/** What is asked about, resolved once. */
export interface Game {
  /** The mechanism's name, with what was set behind it. */
  readonly name: string;
  /** No variant any more. */
  readonly mechanism: AnyMechanism;
  /** Under the rules that the variant sets. */
  readonly market: Market;
  readonly solver: Solver;
}

export interface SolverOptions {
  /** Only these; everybody if left out. */
  readonly workers?: readonly number[] | undefined;
  /** About how many lies a search tries for each worker. */
  readonly effort?: number | undefined;
  /** What the market is called in messages. */
  readonly source: string;
  /** Whether all pieces of a user's program are held to plain runs, and not only those of a sample of answers. */
  readonly allPieces: boolean;
}

/** Answers questions about the lies of single workers, all others telling the truth. */
export interface Solver {
  readonly kind: "own method" | "program" | "search";
  responses(game: Game, options: SolverOptions): Responses;
  /** A worker's utility as a function of its price, at one arrival or at all it may claim; null where only runs can tell. */
  pieces(game: Game, worker: Worker, arrival?: number): Piece[] | null;
  /** The same, and what the worker can gain. */
  gains(game: Game, worker: Worker): PriceLandscape | null;
  /** What the mechanism knows of itself; null for all but those of the house that say so. */
  readonly own: OwnMethods | null;
}

/** A worker's utility at every price, and what it can gain. */
export interface PriceLandscape extends Gains {
  readonly pieces: readonly Piece[];
}

/** What a mechanism of the house knows of itself besides its program, which tests hold all of it to. */
export interface OwnMethods {
  /** Everybody's best lies, or those of the chosen ones. */
  responses(market: Market, workers?: readonly number[]): Responses;
  /** The truthful run of a market whose bids were read beforehand: what an auction alone takes. */
  prepared(market: Market): () => void;
  /** Drawn sets of workers, prepared for many questions. */
  drawn(rules: Rules, draws: readonly (readonly Worker[])[]): DrawnMarkets;
  /** What some workers who bid these arrivals can get together at most, as a function of the prices between which they ask. */
  jointBound(
    market: Market,
    members: readonly Worker[],
    arrivals: readonly number[],
  ): (prices: readonly PriceRange[]) => number;
  /** What a single payment lies in. */
  payments(rules: Rules): Range;
  /** What a bid at a start is promised, round by round, as if money had no end; null in rounds that are not worked. */
  promises(
    market: Market,
    worker: Worker,
  ): (bid: Bid, startDelay: number | null) => readonly (number | null)[];
  /** Whether some bid gets a worker selected and paid; null where that takes more than a run. */
  canWin(market: Market, run: (trace: TraceSink) => Outcome): (worker: Worker) => boolean | null;
}

const own = new WeakMap<AnyMechanism, OwnMethods>();

/** Says what a mechanism of the house knows of itself. A copy of it knows nothing. */
export function giveOwnMethods(mechanism: AnyMechanism, methods: OwnMethods): void {
  own.set(mechanism, methods);
}

export const ownMethodsOf = (mechanism: AnyMechanism): OwnMethods | null => own.get(mechanism) ?? null;

/** The prices between which a worker asks. */
export interface PriceRange {
  readonly low: number;
  /** Infinity where it has no end. */
  readonly high: number;
}

export interface DrawnMarkets {
  /** Every draw's payments over all prices of a worker, at every arrival from its own on: told by draw and arrival. */
  explore(worker: Worker, begin: (draw: number, arrival: number) => TellPayment): void;
  /** How a bid of a worker goes on every draw. */
  results(worker: Worker, bid: Offer): BidResult[];
}

/** Payment and rounds, of one draw or on average. */
export interface Expected {
  readonly payment: number;
  readonly rounds: number;
}

/** From a price on, up to the next breakpoint: the payment just above the price, and its slope. */
export interface PaymentLine extends Expected {
  readonly slope: number;
}

/** Takes the breakpoints of a payment by increasing price, the first at 0: what is paid at that very price, and from it on. */
export type TellPayment = (price: number, at: Expected, on: PaymentLine) => void;

/** How a bid went on one draw. */
export interface BidResult extends Expected {
  /** Infinity if the task never starts. */
  readonly startDelay: number;
}
