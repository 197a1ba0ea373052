/** Drawn sets of the others, prepared once: what a worker gets against each, over all its prices or for one bid. */

import { type AnyMechanism, runAuction } from "../auction/mechanism.js";
import { allotmentOf } from "../auction/outcome.js";
import type { Piece } from "../auction/piece.js";
import type { BidResult, DrawnMarkets, Game, PaymentLine, TellPayment } from "../auction/solver.js";
import type { Market, Offer, Rules, Worker } from "../market/market.js";
import { online } from "../mechanisms/online/online.js";
import type { Belief } from "./belief.js";
import { resolveGame } from "./game.js";
import { Landscape } from "./landscape.js";
import { utilityPieces } from "./pieces.js";

interface DrawsOptions {
  readonly rules: Rules;
  readonly mechanism?: AnyMechanism;
  /** Of every draw. */
  readonly workers: readonly (readonly Worker[])[];
}

/** Draws from .. from + count − 1 of a belief. */
export const drawsOf = (belief: Belief, from: number, count: number): (readonly Worker[])[] =>
  Array.from({ length: count }, (_, k) => belief.draw(from + k));

/** A mechanism that draws decides by another seed in every draw. */
export class Draws {
  /** With nobody in its market. */
  readonly game: Game;
  readonly rules: Rules;
  readonly mechanism: AnyMechanism;
  private readonly workers: readonly (readonly Worker[])[];
  /** Where the mechanism has a method of its own. */
  private readonly prepared: DrawnMarkets | null;

  constructor({ rules, mechanism = online, workers }: DrawsOptions) {
    const game = resolveGame(mechanism, { rules, workers: [] });
    this.game = game;
    this.rules = game.market.rules;
    this.mechanism = game.mechanism;
    this.workers = workers;
    this.prepared = game.solver.own?.drawn(this.rules, workers) ?? null;
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

  /** Over all prices and arrivals on these draws; the mechanism must have a program, all of whose steps are linear in a price. */
  landscape(self: Worker): Landscape {
    const landscape = new Landscape(this.rules.rounds, this.rules.budget);
    if (this.prepared !== null)
      this.prepared.explore(self, (draw, arrival) => landscape.begin(draw, arrival));
    else
      for (let k = 0; k < this.count; k++) {
        const pieces = utilityPieces(this.market(k, self), self, this.mechanism);
        tellPieces(pieces, self.cost, (arrival) => landscape.begin(k, arrival));
      }
    return landscape.settle();
  }

  /** How a bid of the worker goes on every draw. */
  results(self: Worker, bid: Offer): BidResult[] {
    if (this.prepared !== null) return this.prepared.results(self, bid);
    return this.workers.map((_, k): BidResult => {
      const mechanism = this.mechanism.stochastic ? this.mechanism.vary!({ seed: k + 1 }) : this.mechanism;
      const { price, arrival } = bid;
      const outcome = runAuction(mechanism, this.market(k, self), [{ worker: self.id, price, arrival }]);
      const { payment, rounds } = allotmentOf(outcome, self.id);
      return { payment, rounds, startDelay: outcome.startDelay ?? Number.POSITIVE_INFINITY };
    });
  }
}

/** What each bid is worth to the worker. */
export const utilitiesOf = (results: readonly BidResult[], cost: number): number[] =>
  results.map(({ payment, rounds }) => payment - cost * rounds);

/** Pieces by increasing arrival and price, with whichever of two neighbours holds their common end. */
function tellPieces(pieces: readonly Piece[], cost: number, begin: (arrival: number) => TellPayment): void {
  let tell: TellPayment | null = null;
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
