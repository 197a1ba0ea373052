/** Exact best responses of a market's workers to the online mechanism. */

import { bidders, groupOf, type Market, type Worker } from "../market.js";
import { columnsOf } from "../mechanisms/columns.js";
import type { Regime } from "../regime.js";
import { OnlineResponder } from "./online-exact.js";
import { priceOf } from "./price.js";
import type { Piece, Response, Responses } from "./types.js";
import { AllPieces, BestOf } from "./visitors.js";

const responder = new OnlineResponder();

/** Every worker's exact best lie (or that of the chosen ones), the others telling the truth. */
export function exactResponses(market: Market, chosen?: readonly number[]): Responses {
  const workers = load(market);
  const before = responder.plays;
  const wanted = chosen ? new Set(chosen) : null;
  const responses: Response[] = [];
  for (const [row, worker] of workers.entries())
    if (!wanted || wanted.has(worker.id)) responses.push(respond(market, worker, row));
  const evaluations = 1 + responder.plays - before;
  return { mechanism: "online", method: "exact", exact: true, evaluations, workers: responses };
}

/** The worker's utility as a function of its price, for every arrival from the true one on. */
export function exactPieces(market: Market, id: number): Piece[] {
  const workers = load(market);
  const row = workers.findIndex((worker) => worker.id === id);
  const worker = workers[row]!;
  const all = new AllPieces();
  responder.explore(row, worker, all);
  return all.pieces(worker.reputation, noiseOf(market, worker));
}

function load(market: Market): readonly Worker[] {
  const workers = [...market.workers].sort((a, b) => a.id - b.id);
  responder.load(market.rules, columnsOf(bidders(workers)));
  return workers;
}

/** Below this a difference of utilities is rounding. */
const noiseOf = ({ rules }: Market, { cost }: Worker): number =>
  1e-12 * Math.max(rules.budget, cost * rules.rounds);

function respond(market: Market, worker: Worker, row: number): Response {
  const { engine } = responder;
  const selectedAt = engine.selectedAt[row]!;
  const rounds = selectedAt === 0 ? 0 : market.rules.rounds - selectedAt + 1;
  const truthful = engine.payment[row]! - worker.cost * rounds;
  const noise = noiseOf(market, worker);
  const about = { id: worker.id, truthful, regime: regimeOf(worker.id) };
  const truth = { price: worker.cost, arrival: worker.arrival, utility: truthful, attained: true };
  const honest = { ...about, gain: 0, priceGain: 0, timeGain: 0, best: truth, pivotal: false };
  const { cost, arrival, reputation } = worker;
  if (responder.bound(row, worker) <= truthful + noise) return honest;
  const found = new BestOf(truthful + noise, { arrival, density: cost / reputation }, noise);
  responder.explore(row, worker, found);
  const over = (utility: number) => (utility > truthful + noise ? utility - truthful : 0);
  if (over(found.joint.utility) === 0) return honest;
  const delay = engine.started ? engine.delay : -1;
  return {
    ...about,
    gain: over(found.joint.utility),
    priceGain: over(found.price),
    timeGain: over(found.time),
    best: priceOf(found.joint, worker),
    pivotal: found.joint.delay !== delay,
  };
}

function regimeOf(id: number): Regime {
  const { engine } = responder;
  if (!engine.started || engine.delay > 0) return "late start";
  return engine.tight(groupOf(id)) ? "tight" : "sufficient";
}
