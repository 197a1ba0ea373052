/**
 * What a mechanism gives a worker over all prices, piece by piece. Its text is run on a line just above a price; all
 * comparisons together give the interval in which the decisions stay as they are, and the outcome in it; the next run
 * begins just above its end. Ties come out as single prices, open ends as limits.
 */

import type { Bidder, Rules } from "../market/market.js";
import { Auction } from "./auction.js";
import { Lines } from "./lines.js";

/** A stretch of prices on which the mechanism decides the same and the payment is linear; a single price where from = to. */
export interface PricePiece {
  readonly from: number;
  /** Infinity for the last. */
  readonly to: number;
  readonly fromIncluded: boolean;
  readonly toIncluded: boolean;
  readonly selectedAt: number | null;
  readonly rounds: number;
  readonly startDelay: number | null;
  /** The payment at both ends: limits where an end is not included. */
  readonly paidFrom: number;
  readonly paidTo: number;
}

/** No auction has so many; one that goes on is one whose intervals do not grow. */
const MOST_PIECES = 1e6;

export interface PriceQuestion {
  readonly text: (auction: Auction) => void;
  readonly rules: Rules;
  /** Everybody's, the worker's among them. */
  readonly bids: readonly Bidder[];
  /** Whose price is unknown. */
  readonly worker: number;
  /** The mechanism is shown the cost in place of the price. */
  readonly informed?: boolean;
}

/** Runs of a text in which one worker's price is unknown. */
export class PriceRuns {
  /** How many auctions were run. */
  evaluations = 0;
  /** Whether any run so far looked at when the worker arrives. */
  arrivalMatters = false;
  private readonly lines = new Lines();

  constructor(private readonly question: PriceQuestion) {}

  /** All pieces at one arrival, by increasing price. */
  pieces(arrival: number): PricePiece[] {
    const pieces: PricePiece[] = [];
    let price = 0;
    let included = false;
    for (let count = 0; count < MOST_PIECES; count++) {
      const piece = this.above(price, arrival);
      if (!included && !piece.fromIncluded) append(pieces, this.at(price, arrival));
      append(pieces, included ? { ...piece, fromIncluded: false } : piece);
      if (piece.to === Number.POSITIVE_INFINITY) return pieces;
      price = piece.to;
      included = piece.toIncluded;
    }
    throw new Error("a worker's payment has too many pieces");
  }

  /** The piece that is a single price. */
  at(price: number, arrival: number): PricePiece {
    const { paid, ...decided } = this.run(price, arrival, false);
    const ends = { from: price, to: price, fromIncluded: true, toIncluded: true };
    return { ...ends, ...decided, paidFrom: paid, paidTo: paid };
  }

  private above(price: number, arrival: number): PricePiece {
    const { paid, slope, ...decided } = this.run(price, arrival, true);
    const { until, untilIncluded, startIncluded } = this.lines;
    return {
      from: price,
      to: until,
      fromIncluded: startIncluded,
      toIncluded: untilIncluded && until < Number.POSITIVE_INFINITY,
      ...decided,
      paidFrom: paid,
      paidTo: slope === 0 ? paid : paid + slope * (until - price),
    };
  }

  private run(price: number, arrival: number, above: boolean) {
    this.evaluations++;
    const { text, rules, bids, worker, informed = false } = this.question;
    const unknown = this.lines.begin(price, above);
    const auction = new Auction(
      rules,
      bids.map((bid) => (bid.id === worker ? { ...bid, arrival } : bid)),
      {
        math: this.lines,
        priceOf: (bid) => (bid.id === worker && !informed ? unknown : undefined),
        only: worker,
      },
    );
    text(auction);
    this.arrivalMatters ||= auction.arrivalMatters;
    const { asked, startDelay } = auction;
    if (asked === undefined) return { paid: 0, slope: 0, selectedAt: null, rounds: 0, startDelay };
    const { payment, rounds, selectedAt } = asked;
    return {
      paid: this.lines.value(payment),
      slope: this.lines.slope(payment),
      selectedAt,
      rounds,
      startDelay,
    };
  }
}

/** Adds a piece, joined to the one before it where the payment is level across both. */
function append(pieces: PricePiece[], piece: PricePiece): void {
  const last = pieces.at(-1);
  if (last && continues(last, piece)) {
    const { to, toIncluded, paidTo } = piece;
    pieces[pieces.length - 1] = { ...last, to, toIncluded, paidTo };
  } else pieces.push(piece);
}

const continues = (a: PricePiece, b: PricePiece): boolean =>
  a.selectedAt === b.selectedAt &&
  a.rounds === b.rounds &&
  a.startDelay === b.startDelay &&
  (a.toIncluded || b.fromIncluded) &&
  a.paidFrom === a.paidTo &&
  a.paidTo === b.paidFrom &&
  b.paidFrom === b.paidTo;
