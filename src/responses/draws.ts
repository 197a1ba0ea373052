/** Drawn sets of the others, prepared once: what a worker gets against each, over all its prices or for one bid. */

import { type AnyMechanism, runAuction, unvaried } from "../auction/mechanism.js";
import type { Bid, Market, Rules, Worker } from "../market/market.js";
import { bidders } from "../market/market.js";
import { ColumnBuffer, OnlineEngine } from "../mechanisms/online/engine.js";
import { online } from "../mechanisms/online/online.js";
import type { Belief } from "./belief.js";
import { Landscape, type PaymentLine } from "./landscape.js";
import { Responder } from "./online-responses.js";
import { utilityPieces } from "./pieces.js";
import type { Piece } from "./response.js";
import type { Stretch, Stretches } from "./stretches.js";

interface DrawsOptions {
  readonly rules: Rules;
  readonly mechanism?: AnyMechanism;
  /** Of every draw. */
  readonly workers: readonly (readonly Worker[])[];
}

/** Draws from .. from + count − 1 of a belief. */
export const drawsOf = (belief: Belief, from: number, count: number): (readonly Worker[])[] =>
  Array.from({ length: count }, (_, k) => belief.draw(from + k));

/** How a bid went on one draw. */
export interface Fate {
  readonly payment: number;
  readonly rounds: number;
  /** Infinity if the task never starts. */
  readonly startDelay: number;
}

const responder = new Responder();
const engine = new OnlineEngine();

/** A mechanism that draws decides by another seed in every draw. */
export class Draws {
  readonly rules: Rules;
  readonly mechanism: AnyMechanism;
  private readonly workers: readonly (readonly Worker[])[];
  /** For the paper's auction; empty for others. */
  private readonly books: readonly ColumnBuffer[];

  constructor({ rules, mechanism = online, workers }: DrawsOptions) {
    const base = unvaried(mechanism, { rules, workers: [] });
    this.rules = base.market.rules;
    this.mechanism = base.mechanism;
    this.workers = workers;
    const fast = this.mechanism === online;
    this.books = fast ? this.workers.map((workers) => new ColumnBuffer().fill(bidders(workers))) : [];
  }

  get count(): number {
    return this.workers.length;
  }

  /** The first of them. */
  first(count: number): Draws {
    const { rules, mechanism, workers } = this;
    return new Draws({ rules, mechanism, workers: workers.slice(0, count) });
  }

  /** The highest price that anybody bids. */
  get highestPrice(): number {
    return this.workers.reduce((most, workers) => Math.max(most, ...workers.map(({ cost }) => cost)), 0);
  }

  /** Draw k with the worker in the place of its id. */
  market(k: number, self: Worker): Market {
    const workers = this.workers[k]!.map((worker) => (worker.id === self.id ? self : worker));
    return { rules: this.rules, workers };
  }

  /** Exact on these draws; the mechanism must have a program, all of whose steps are linear in a price. */
  landscape(self: Worker): Landscape {
    const landscape = new Landscape(this.rules.rounds, this.rules.budget);
    if (this.mechanism === online) this.exploreOnline(self, landscape);
    else
      for (let k = 0; k < this.count; k++) {
        const pieces = utilityPieces(this.market(k, self), self, this.mechanism);
        tellPieces(pieces, self.cost, (arrival) => landscape.begin(k, arrival));
      }
    return landscape.settle();
  }

  private exploreOnline(self: Worker, landscape: Landscape): void {
    const free = { ...self, cost: 0 };
    let draw = 0;
    const teller = new CurveTeller(self, this.rules.rounds, (arrival) => landscape.begin(draw, arrival));
    this.inPlace(self, (book, row, k) => {
      draw = k;
      responder.load(this.rules, book);
      responder.explore(row, free, teller);
      teller.end();
    });
  }

  /** How a bid of the worker goes on every draw. */
  fates(self: Worker, bid: Omit<Bid, "worker">): Fate[] {
    const said = { ...self, cost: bid.price, arrival: bid.arrival };
    if (this.mechanism !== online)
      return Array.from({ length: this.count }, (_, k) => this.fate(k, self, bid));
    const fates: Fate[] = [];
    this.inPlace(said, (book, row) => {
      engine.run(this.rules, book);
      const selectedAt = engine.selectedAt[row]!;
      const rounds = selectedAt === 0 ? 0 : this.rules.rounds - selectedAt + 1;
      const startDelay = engine.started ? engine.delay : Number.POSITIVE_INFINITY;
      fates.push({ payment: engine.payment[row]!, rounds, startDelay });
    });
    return fates;
  }

  private fate(k: number, self: Worker, { price, arrival }: Omit<Bid, "worker">): Fate {
    const mechanism = this.mechanism.stochastic ? this.mechanism.vary!({ seed: k + 1 }) : this.mechanism;
    const { workers, startDelay } = runAuction(mechanism, this.market(k, self), [
      { worker: self.id, price, arrival },
    ]);
    const { payment, rounds } = workers.find(({ id }) => id === self.id)!;
    return { payment, rounds, startDelay: startDelay ?? Number.POSITIVE_INFINITY };
  }

  /** Each draw's columns with the worker in its place, which is given back to whoever was drawn for it. */
  private inPlace(self: Worker, visit: (book: ColumnBuffer, row: number, k: number) => void): void {
    const row = this.books[0]!.id.subarray(0, this.books[0]!.size).indexOf(self.id);
    if (row < 0) throw new RangeError(`no worker ${self.id} in the drawn markets`);
    for (const [k, book] of this.books.entries()) {
      const drawn = [book.reputation[row]!, book.price[row]!, book.arrival[row]!] as const;
      [book.reputation[row], book.price[row], book.arrival[row]] = [self.reputation, self.cost, self.arrival];
      visit(book, row, k);
      [book.reputation[row], book.price[row], book.arrival[row]] = drawn;
    }
  }
}

/** What each bid is worth to the worker. */
export const utilitiesOf = (fates: readonly Fate[], cost: number): number[] =>
  fates.map(({ payment, rounds }) => payment - cost * rounds);

type Tell = ReturnType<Landscape["begin"]>;

/** Turns the stretches of one draw, as the responder visits them, into breakpoints by increasing price. */
class CurveTeller implements Stretches {
  readonly floor = Number.NEGATIVE_INFINITY;
  private size = 0;
  /** Used again and again: most of the time would go into making new ones. */
  private readonly stretches: Stretch[] = [];

  constructor(
    private readonly self: Worker,
    private readonly rounds: number,
    private readonly begin: (arrival: number) => Tell,
  ) {}

  add(stretch: Readonly<Stretch>): void {
    if (this.size > 0 && stretch.arrival !== this.stretches[0]!.arrival) this.end();
    const kept = this.stretches[this.size];
    if (kept === undefined) this.stretches.push({ ...stretch });
    else copy(stretch, kept);
    this.size++;
  }

  /** An edge is told as a single density, then the open stretch above it. */
  end(): void {
    if (this.size === 0) return;
    const told = this.inOrder();
    const tell = this.begin(told[0]!.arrival);
    for (let k = 0; k < this.size; k += 2) {
      const at = told[k]!;
      tell(at.low * (this.self.reputation || 1), this.line(at), this.line(told[k + 1]!));
    }
    this.size = 0;
  }

  /** Flips of a first loser come out of order. */
  private inOrder(): readonly Stretch[] {
    const { stretches, size } = this;
    for (let k = 1; k < size; k++)
      if (stretches[k]!.low < stretches[k - 1]!.low || stretches[k]!.high < stretches[k - 1]!.high)
        return stretches.slice(0, size).sort((a, b) => a.low - b.low || a.high - b.high);
    return stretches;
  }

  private line({ low, x, utility, slope, selectedAt }: Stretch): PaymentLine {
    return {
      payment: slope === 0 ? utility : utility + slope * (low - x),
      slope: slope === 0 ? 0 : slope / this.self.reputation,
      rounds: selectedAt === 0 ? 0 : this.rounds - selectedAt + 1,
    };
  }
}

function copy(from: Readonly<Stretch>, to: Stretch): void {
  to.arrival = from.arrival;
  to.low = from.low;
  to.high = from.high;
  to.x = from.x;
  to.utility = from.utility;
  to.slope = from.slope;
  to.selectedAt = from.selectedAt;
  to.delay = from.delay;
}

/** Pieces by increasing arrival and price, with whichever of two neighbours holds their common end. */
function tellPieces(pieces: readonly Piece[], cost: number, begin: (arrival: number) => Tell): void {
  let tell: Tell | null = null;
  let at: PaymentLine | null = null;
  let arrival = 0;
  for (const piece of pieces) {
    if (piece.arrival !== arrival) {
      tell = begin(piece.arrival);
      arrival = piece.arrival;
      at = null;
    }
    const line = lineOf(piece, cost);
    if (piece.from === piece.to) {
      at = line;
      continue;
    }
    tell!(piece.from, piece.fromIncluded ? line : at!, line);
    at = { ...line, payment: piece.utilityTo + cost * piece.rounds };
  }
}

function lineOf({ utilityFrom, slope, rounds }: Piece, cost: number): PaymentLine {
  return { payment: utilityFrom + cost * rounds, slope, rounds };
}
