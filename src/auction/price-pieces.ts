/**
 * What a mechanism gives a worker over all prices, piece by piece. Its text is run on a line just above a price; all
 * comparisons together give the interval in which the decisions stay as they are, and the outcome in it; the next run
 * begins just above its end. Ties come out as single prices, open ends as limits.
 */

import { type Cone, Explorer, orthant } from "../lib/cone.js";
import { rounding } from "../lib/tolerance.js";
import type { Bidder, Rules } from "../market/market.js";
import type { Amount } from "./amounts.js";
import { type LinearAmount, LinearForms, linear } from "./linear-forms.js";
import { Lines, Planes } from "./lines.js";
import type { AnyMechanism } from "./mechanism.js";
import type { Piece } from "./piece.js";
import { demandSameAnswer, isUsers, type Programmed, type ProgramRun, runProgram } from "./program.js";
import { isAskedAgain, RepeatedRuns } from "./repeats.js";

/** More pieces than any auction has: beyond this, intervals have stopped growing. */
const MOST_PIECES = 1e6;

interface PriceQuestion {
  readonly rules: Rules;
  /** Everybody's, the worker's among them. */
  readonly bids: readonly Bidder[];
  /** Whose price is unknown. */
  readonly worker: number;
}

/** What a worker is paid as a function of its price, the bids of the others given: pieces of a worker without cost. */
export interface PriceFunction {
  /** How many auctions were run so far. */
  readonly evaluations: number;
  /** Whether any of them looked at when the worker arrives. */
  readonly arrivalMatters: boolean;
  /** All pieces at one arrival, by increasing price. */
  pieces(arrival: number): Piece[];
  /** The piece that is a single price. */
  at(price: number, arrival: number): Piece;
}

/** Exact for every mechanism that has a program; null for others. */
export function priceFunction(mechanism: AnyMechanism, question: PriceQuestion): PriceFunction | null {
  const { program, repriced } = mechanism;
  if (program === undefined) return null;
  const runs = new PriceRuns(mechanism, question);
  return repriced?.(runs, question.worker) ?? runs;
}

/** Runs of a program in which one worker's price is unknown. */
class PriceRuns implements PriceFunction {
  evaluations = 0;
  arrivalMatters = false;
  private readonly lines = new Lines();
  private bids: readonly Bidder[] = [];
  /** The arrival that they are for. */
  private bidsFor: number | null = null;

  constructor(
    private readonly mechanism: Programmed,
    private readonly question: PriceQuestion,
  ) {}

  pieces(arrival: number): Piece[] {
    const pieces: Piece[] = [];
    const noise = rounding(this.question.rules.budget);
    let price = 0;
    let included = false;
    let first: Piece | null = null;
    for (let count = 0; count < MOST_PIECES; count++) {
      const piece = this.run(price, arrival, true);
      first ??= piece;
      if (!included && !piece.fromIncluded) append(pieces, this.at(price, arrival), noise);
      append(pieces, included ? { ...piece, fromIncluded: false } : piece, noise);
      if (piece.to === Number.POSITIVE_INFINITY) {
        // What it answered first it must still answer after all others.
        if (isUsers(this.mechanism)) demandSameAnswer(this.mechanism, first, this.runOnce(0, arrival, true));
        return pieces;
      }
      price = piece.to;
      included = piece.toIncluded;
    }
    throw new Error("a worker's payment has too many pieces");
  }

  at(price: number, arrival: number): Piece {
    return this.run(price, arrival, false);
  }

  /** A single price, or the stretch just above it; one object for each, for there are many. */
  private run(price: number, arrival: number, above: boolean): Piece {
    const piece = this.runOnce(price, arrival, above);
    if (isUsers(this.mechanism) && isAskedAgain(this.evaluations))
      demandSameAnswer(this.mechanism, piece, this.runOnce(price, arrival, above));
    return piece;
  }

  private runOnce(price: number, arrival: number, above: boolean): Piece {
    this.evaluations++;
    const { lines } = this;
    const { rules, worker } = this.question;
    const unknown = lines.begin(price, above);
    const priceOf = ({ id }: Bidder) => (id === worker ? unknown : undefined);
    const asked = { math: lines, priceOf, watched: [worker], only: [worker] };
    const run = runProgram(this.mechanism, rules, this.bidsAt(arrival), asked);
    this.arrivalMatters ||= run.arrivalMatters;
    const given = run.candidate(worker);
    const payment = given?.payment ?? run.zero;
    const paid = lines.value(payment);
    const slope = lines.slope(payment);
    const to = above ? lines.until : price;
    return {
      arrival,
      from: price,
      to,
      fromIncluded: !above || lines.startIncluded,
      toIncluded: !above || (lines.untilIncluded && to < Number.POSITIVE_INFINITY),
      selectedAt: given?.selectedAt ?? null,
      rounds: given?.rounds ?? 0,
      startDelay: run.startDelay,
      utilityFrom: paid,
      utilityTo: slope === 0 ? paid : paid + slope * (to - price),
      slope,
    };
  }

  /** Everybody's bids, the worker's with this arrival. */
  private bidsAt(arrival: number): readonly Bidder[] {
    if (arrival !== this.bidsFor) {
      const { bids, worker } = this.question;
      this.bids = bids.map((bid) => (bid.id === worker ? { ...bid, arrival } : bid));
      this.bidsFor = arrival;
    }
    return this.bids;
  }
}

/** Adds a piece, joined to the one before it where the two decide alike and lie on one line. */
function append(pieces: Piece[], piece: Piece, noise: number): void {
  const last = pieces.at(-1);
  if (last && continues(last, piece, noise)) {
    const { to, toIncluded, utilityTo } = piece;
    const slope = last.from === last.to ? piece.slope : last.slope;
    pieces[pieces.length - 1] = { ...last, to, toIncluded, utilityTo, slope };
  } else pieces.push(piece);
}

const continues = (a: Piece, b: Piece, noise: number): boolean =>
  a.selectedAt === b.selectedAt &&
  a.rounds === b.rounds &&
  a.startDelay === b.startDelay &&
  (a.toIncluded || b.fromIncluded) &&
  Math.abs(a.utilityTo - b.utilityFrom) <= noise &&
  onOneLine(a, b, noise);

/** Whether the first, prolonged, meets the end of the second; a single price lies on any line through it. */
function onOneLine(a: Piece, b: Piece, noise: number): boolean {
  if (a.from === a.to || b.from === b.to) return true;
  if (b.to === Number.POSITIVE_INFINITY)
    return a.utilityFrom === a.utilityTo && b.utilityFrom === b.utilityTo;
  const slope = (a.utilityTo - a.utilityFrom) / (a.to - a.from);
  return Math.abs(b.utilityFrom + slope * (b.to - b.from) - b.utilityTo) <= noise;
}

export interface PriceCell {
  /** Over the unit and the unknown prices, in the order of those who ask them. */
  readonly cone: Cone;
  /** What was decided; its amounts are read by `form`. */
  readonly auction: ProgramRun;
  readonly form: (amount: Amount) => LinearAmount;
}

/** In exact fractions, decimals as they read; or in floating point, as the mechanism is run ([M13]). */
export type CellArithmetic = "fractions" | "numbers";

interface CellQuestion {
  readonly rules: Rules;
  /** Everybody's; the prices of those whose price is unknown do not count. */
  readonly bids: readonly Bidder[];
  /** Whose prices are unknown. */
  readonly unknown: readonly number[];
  /** Runs are whole; if left out, only what those whose prices are unknown get is worked out. */
  readonly whole?: boolean;
  readonly arithmetic: CellArithmetic;
  /** Regions whose cells are not asked for. */
  readonly skips?: (region: Cone) => boolean;
}

/** The place of a price among the unknowns: the first is the unit. */
export const memberPlace = (member: number): number => 1 + member;

/**
 * What a mechanism does over all prices of several workers at once: the cells of their unknown prices, in each of which
 * it takes the same decisions and every payment is one linear form. Ties are cells of their own, so that every price
 * vector is in exactly one.
 */
export function* priceCells(mechanism: AnyMechanism, question: CellQuestion): Generator<PriceCell> {
  const { rules, bids, unknown, arithmetic, skips, whole = false } = question;
  const explorer = new Explorer(orthant([true, ...unknown.map(() => false)], arithmetic === "numbers"));
  const planes = new Planes(unknown.length, explorer);
  const forms = new LinearForms(unknown.length + 1, explorer);
  const [math, form] =
    arithmetic === "numbers" ? [planes, (a: Amount) => planes.linear(a)] : [forms, (a: Amount) => linear(a)];
  const places = new Map(unknown.map((id, member) => [id, math.unknown(memberPlace(member))]));
  const priceOf = ({ id }: Bidder) => places.get(id);
  const asked = { math, priceOf, watched: unknown, ...(!whole && { only: unknown }) };
  const run = () => runProgram(mechanism, rules, bids, asked);
  const answerOf = (auction: ProgramRun) =>
    unknown.map((id) => {
      const { payment, ...decided } = auction.candidate(id) ?? { payment: auction.zero };
      return [decided, form(payment), auction.startDelay];
    });
  const repeats = new RepeatedRuns(mechanism, explorer, () => answerOf(run()));
  while (explorer.begin(skips)) {
    const auction = run();
    repeats.check(() => answerOf(auction));
    yield { cone: explorer.region, auction, form };
  }
  repeats.end();
}
