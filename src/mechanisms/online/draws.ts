/** Drawn markets of the paper's auction: what a worker gets against each, by the engine and by the solver's stretches. */

import type { BidResult, DrawnMarkets, PaymentLine, TellPayment } from "../../auction/solver.js";
import { bidders, type Offer, type Rules, type Worker } from "../../market/market.js";
import { ColumnBuffer, OnlineEngine } from "./engine.js";
import { Responder } from "./solver.js";
import type { Stretch, Stretches } from "./stretches.js";

const responder = new Responder();
const engine = new OnlineEngine();

export class OnlineDraws implements DrawnMarkets {
  /** The columns of each draw. */
  private readonly draws: readonly ColumnBuffer[];

  constructor(
    private readonly rules: Rules,
    draws: readonly (readonly Worker[])[],
  ) {
    this.draws = draws.map((workers) => new ColumnBuffer().fill(bidders(workers)));
  }

  explore(worker: Worker, begin: (draw: number, arrival: number) => TellPayment): void {
    const free = { ...worker, cost: 0 };
    let draw = 0;
    const teller = new CurveTeller(worker, this.rules.rounds, (arrival) => begin(draw, arrival));
    this.inPlace(worker, (columns, row, k) => {
      draw = k;
      responder.load(this.rules, columns);
      responder.explore(row, free, teller);
      teller.end();
    });
  }

  results(worker: Worker, { price, arrival }: Offer): BidResult[] {
    const results: BidResult[] = [];
    this.inPlace({ ...worker, cost: price, arrival }, (columns, row) => {
      engine.run(this.rules, columns);
      const selectedAt = engine.selectedAt[row]!;
      const rounds = selectedAt === 0 ? 0 : this.rules.rounds - selectedAt + 1;
      const startDelay = engine.started ? engine.delay : Number.POSITIVE_INFINITY;
      results.push({ payment: engine.payment[row]!, rounds, startDelay });
    });
    return results;
  }

  /** Each draw's columns with the worker in its place, which is given back to whoever was drawn for it. */
  private inPlace(self: Worker, visit: (columns: ColumnBuffer, row: number, k: number) => void): void {
    const [first] = this.draws;
    const row = first!.id.subarray(0, first!.size).indexOf(self.id);
    if (row < 0) throw new RangeError(`no worker ${self.id} in the drawn markets`);
    for (const [k, columns] of this.draws.entries()) {
      const { reputation, price, arrival } = columns;
      const drawn = { reputation: reputation[row]!, price: price[row]!, arrival: arrival[row]! };
      reputation[row] = self.reputation;
      price[row] = self.cost;
      arrival[row] = self.arrival;
      visit(columns, row, k);
      reputation[row] = drawn.reputation;
      price[row] = drawn.price;
      arrival[row] = drawn.arrival;
    }
  }
}

/** Turns the stretches of one draw, as the responder visits them, into breakpoints by increasing price. */
class CurveTeller implements Stretches {
  readonly floor = Number.NEGATIVE_INFINITY;
  private size = 0;
  /** Used again and again: most of the time would go into making new ones. */
  private readonly stretches: Stretch[] = [];

  constructor(
    private readonly self: Worker,
    private readonly rounds: number,
    private readonly begin: (arrival: number) => TellPayment,
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
