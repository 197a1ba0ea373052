/** One worker, one lie: what it brings against the others' truthful bids. Counts what it costs to find out. */

import type { Market, Worker } from "../market/market.js";
import { type AnyMechanism, hold, type Outcome, type TraceSink } from "../mechanisms/mechanism.js";
import { workerUtility } from "../mechanisms/utility.js";
import type { FoundLie } from "./assemble.js";

export class Deviation {
  evaluations = 0;

  constructor(
    readonly mechanism: AnyMechanism,
    readonly market: Market,
    readonly worker: Worker,
  ) {}

  outcome(price: number, arrival: number, trace?: TraceSink): Outcome {
    this.evaluations++;
    return hold(this.mechanism, this.market, [{ worker: this.worker.id, price, arrival }], trace);
  }

  utility(price: number, arrival: number): number {
    return this.utilityIn(this.outcome(price, arrival));
  }

  /** The lie, what it brings, and the start it leads to. */
  found(price: number, arrival: number): FoundLie {
    const outcome = this.outcome(price, arrival);
    const lie = { price, arrival, utility: this.utilityIn(outcome), attained: true };
    return { lie, startDelay: outcome.startDelay };
  }

  /** Every arrival from the true one on. */
  get arrivals(): number[] {
    const { arrival } = this.worker;
    return Array.from({ length: this.market.rules.rounds - arrival + 1 }, (_, k) => arrival + k);
  }

  /** The best arrival at the true price: they are few, so all are tried. */
  bestDelay(): FoundLie {
    return this.arrivals.map((arrival) => this.found(this.worker.cost, arrival)).reduce(better);
  }

  utilityIn(outcome: Outcome): number {
    return workerUtility(this.worker, outcome.workers.find(({ id }) => id === this.worker.id)!);
  }
}

export const better = (a: FoundLie, b: FoundLie): FoundLie => (b.lie.utility > a.lie.utility ? b : a);

export function workerOf(market: Market, id: number): Worker {
  const worker = market.workers.find((candidate) => candidate.id === id);
  if (!worker) throw new RangeError(`no worker ${id} in the market`);
  return worker;
}
