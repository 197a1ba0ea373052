/** What lies bring by plain runs alone: on a grid of prices and at all arrivals, each of a module that has run nothing before. */

import type { Mechanism } from "../../src/auction/mechanism.js";
import * as candor from "../../src/index.js";
import { type Bid, bidders, type Market, type Worker } from "../../src/market/market.js";

const PRICES = [0, 0.1, 0.45, 0.7, 1, 1.1, 1.2, 1.5, 1.9, 2, 2.1, 2.5, 3, 3.1, 4, 6, 11];

/** The mechanism of a source, from a module of its own. */
function fresh(source: string): Mechanism {
  const body = `"use strict";\n${source}`
    .replaceAll(/^import \{ (.*) \} from "candor";$/gm, "const { $1 } = candor;")
    .replaceAll(/^import \{ (.*) \} from "node:.*";$/gm, "const { $1 } = {};")
    .replace(/^export default/m, "return");
  return new Function("candor", body)(candor) as Mechanism;
}

function utility(source: string, { rules, workers }: Market, worker: Worker, lie?: Bid): number {
  const mechanism = fresh(source);
  const { workers: got } = mechanism.decide(rules, bidders(workers, lie === undefined ? [] : [lie]));
  const { payment, rounds } = got.find(({ id }) => id === worker.id)!;
  return payment - worker.cost * rounds;
}

export interface Truth {
  readonly worker: number;
  readonly truthful: number;
  /** The most that a lie on the grid gains; 0 where none does. */
  readonly gain: number;
  /** What a lie brings. */
  readonly of: (lie: Omit<Bid, "worker">) => number;
}

/** What every worker gets, and gains by lies on the grid. */
export function bruteForce(source: string, market: Market): Truth[] {
  return market.workers.map((worker) => {
    const of = (lie: Omit<Bid, "worker">) => utility(source, market, worker, { worker: worker.id, ...lie });
    const truthful = utility(source, market, worker);
    let best = truthful;
    for (let arrival = worker.arrival; arrival <= market.rules.rounds; arrival++)
      for (const price of PRICES) best = Math.max(best, of({ price, arrival }));
    return { worker: worker.id, truthful, gain: best - truthful, of };
  });
}
