/** One worker, one lie: what it brings against the others' truthful bids. Counts what it costs to find out. */

import type { Market, Worker } from "../market.js";
import { type AnyMechanism, hold, type Outcome, type TraceSink } from "../mechanism.js";
import { workerUtility } from "../utility.js";

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

  utilityIn(outcome: Outcome): number {
    return workerUtility(this.worker, outcome.workers.find(({ id }) => id === this.worker.id)!);
  }
}

export function workerOf(market: Market, id: number): Worker {
  const worker = market.workers.find((candidate) => candidate.id === id);
  if (!worker) throw new RangeError(`no worker ${id} in the market`);
  return worker;
}
