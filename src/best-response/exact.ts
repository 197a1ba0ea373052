/** Exact best responses of a market's workers to the online mechanism. */

import { rounding } from "../lib/tolerance.js";
import { bidders, groupOf, type Market, type Worker } from "../market/market.js";
import { byId, ColumnBook } from "../mechanisms/columns.js";
import type { Regime } from "../mechanisms/regime.js";
import { assemble, type Findings } from "./assemble.js";
import { priceOf } from "./price.js";
import { Responder } from "./responder.js";
import type { Response, Responses } from "./types.js";
import { BestOf } from "./visitors.js";

const responder = new Responder();
const book = new ColumnBook();

/** Every worker's exact best lie (or that of the chosen ones), the others telling the truth. */
export function exactResponses(market: Market, chosen?: readonly number[]): Responses {
  const workers = load(market);
  const before = responder.plays;
  const wanted = chosen ? new Set(chosen) : null;
  const responses: Response[] = [];
  for (let row = 0; row < workers.length; row++)
    if (!wanted || wanted.has(workers[row]!.id)) responses.push(respond(market, workers[row]!, row));
  const evaluations = 1 + responder.plays - before;
  return { mechanism: "online", method: "exact", exact: true, evaluations, workers: responses };
}

function load(market: Market): readonly Worker[] {
  const workers = byId(market.workers);
  responder.load(market.rules, book.fill(bidders(workers)));
  return workers;
}

/** Below this a difference of utilities is rounding. */
const noiseOf = ({ rules }: Market, { cost }: Worker): number =>
  rounding(Math.max(rules.budget, cost * rules.rounds));

function respond(market: Market, worker: Worker, row: number): Response {
  const { engine } = responder.starts;
  const selectedAt = engine.selectedAt[row]!;
  const rounds = selectedAt === 0 ? 0 : market.rules.rounds - selectedAt + 1;
  const truthful = engine.payment[row]! - worker.cost * rounds;
  const noise = noiseOf(market, worker);
  const startDelay = engine.started ? engine.delay : null;
  const best =
    responder.bound(row, worker) > truthful + noise ? explored(worker, row, truthful, noise) : null;
  return assemble({ worker, truthful, startDelay, regime: regimeOf(worker.id), noise, best });
}

function explored(worker: Worker, row: number, truthful: number, noise: number): Findings["best"] {
  const density = worker.cost / worker.reputation;
  const found = new BestOf(truthful + noise, { arrival: worker.arrival, density }, noise);
  responder.explore(row, worker, found);
  const startDelay = ({ delay }: { delay: number }) => (delay < 0 ? null : delay);
  const { joint, price, time } = found;
  const { utility, arrival } = time;
  return {
    joint: { lie: priceOf(joint, worker), startDelay: startDelay(joint) },
    price: { lie: priceOf(price, worker), startDelay: startDelay(price) },
    time: { lie: { price: worker.cost, arrival, utility, attained: true }, startDelay: startDelay(time) },
  };
}

function regimeOf(id: number): Regime {
  const { engine } = responder.starts;
  if (!engine.started || engine.delay > 0) return "late start";
  return engine.tight(groupOf(id)) ? "tight" : "sufficient";
}
