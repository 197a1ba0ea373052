/** Best responses to any mechanism that has a program, computed: read off what it gives a worker at every price. */

import { NotLinear } from "../auction/amounts.js";
import { priceOf, simplest } from "../auction/best-price.js";
import { type AnyMechanism, type Outcome, runAuction } from "../auction/mechanism.js";
import { allotmentOf, regimeOf, workerUtility } from "../auction/outcome.js";
import { atCost, type Piece } from "../auction/piece.js";
import { type PriceFunction, priceFunction } from "../auction/price-pieces.js";
import {
  assemble,
  type Findings,
  type FoundLie,
  gainsFrom,
  pricesBeyond,
  type Response,
  type Responses,
  utilityNoise,
} from "../auction/response.js";
import type { PriceLandscape } from "../auction/solver.js";
import { bidders, chosenWorkers, type Market, possibleArrivals, type Worker } from "../market/market.js";
import { agreesWithPlainRuns, describeMarket, hasBuiltInProgram, isSampled } from "./guard.js";

/** Mechanisms in which a step that is not linear in the price was met, and which. */
const notLinear = new WeakMap<AnyMechanism, string>();

/** The step of a mechanism's program that is not linear in the price; undefined where none was met. */
export const whyNotLinear = (mechanism: AnyMechanism): string | undefined => notLinear.get(mechanism);

/** What is computed from a mechanism's program; null where it has none, or is not linear. */
export function whereLinear<Result>(mechanism: AnyMechanism, compute: () => Result): Result | null {
  if (mechanism.program === undefined || notLinear.has(mechanism)) return null;
  try {
    return compute();
  } catch (error) {
    if (!(error instanceof NotLinear)) throw error;
    notLinear.set(mechanism, error.message);
    return null;
  }
}

/** Every worker's best lie (or that of the chosen ones), the others telling the truth. */
export function pieceResponses(
  market: Market,
  mechanism: AnyMechanism,
  chosen?: readonly number[],
  guarding: Partial<Guarding> = {},
): Responses {
  const builtIn = hasBuiltInProgram(mechanism);
  const guarded = { mechanism, market, source: guarding.source ?? describeMarket(market) };
  const outcome = runAuction(mechanism, market);
  const bids = bidders(market.workers);
  let evaluations = 1;
  const responses = chosenWorkers(market, chosen).map((worker) => {
    const prices = pricesOf(market, worker, mechanism, bids);
    const asked = { market, worker, prices, arrivals: arrivalsOf(market, worker, prices) };
    const response = respond(asked, outcome);
    evaluations += prices.evaluations;
    if (builtIn) return response;
    const truth = atCost(prices.at(worker.cost, worker.arrival), worker, worker.arrival);
    const more = (guarding.allPieces ?? false) || isSampled(market, worker) ? piecesAt(asked) : [];
    const looked = [truth, ...more];
    return agreesWithPlainRuns(guarded, worker, response, looked)
      ? response
      : { ...response, knifeEdge: true };
  });
  return { mechanism: mechanism.name, method: "computed", exact: builtIn, evaluations, workers: responses };
}

/** How answers about a user's own program are held to plain runs. */
export interface Guarding {
  /** What the market is called in messages. */
  readonly source: string;
  /** Points of every piece of every answer, not only of a sample of answers. */
  readonly allPieces: boolean;
}

/** A worker's utility as a function of its price, for every arrival from the true one on, or for one of them. */
export function utilityPieces(
  market: Market,
  worker: Worker,
  mechanism: AnyMechanism,
  only?: number,
): Piece[] {
  const prices = pricesOf(market, worker, mechanism);
  const arrivals: [number, Piece[]][] =
    only === undefined ? arrivalsOf(market, worker, prices) : [[only, prices.pieces(only)]];
  return piecesAt({ worker, arrivals });
}

const pricesOf = (
  { rules, workers }: Market,
  worker: Worker,
  mechanism: AnyMechanism,
  bids = bidders(workers),
): PriceFunction => priceFunction(mechanism, { rules, bids, worker: worker.id })!;

/** The pieces of every arrival; worked out once where the mechanism does not look at when the worker arrives. */
function arrivalsOf({ rules }: Market, worker: Worker, prices: PriceFunction): [number, Piece[]][] {
  let same: Piece[] | null = null;
  return possibleArrivals(worker, rules).map((arrival) => {
    const pieces: Piece[] = same ?? prices.pieces(arrival);
    if (!prices.arrivalMatters) same = pieces;
    return [arrival, pieces];
  });
}

/** Both from the same runs of the mechanism, and from none that decides about everybody: as fast as it can be for one worker. */
export function gainsByPieces(market: Market, worker: Worker, mechanism: AnyMechanism): PriceLandscape {
  const prices = pricesOf(market, worker, mechanism);
  const arrivals = arrivalsOf(market, worker, prices);
  const { cost, arrival } = worker;
  const truth = atCost(prices.at(cost, arrival), worker, arrival);
  const best = bestLies({ market, worker, prices, arrivals, truthful: truth.utilityFrom });
  const known = { worker, truthful: truth.utilityFrom, startDelay: truth.startDelay };
  return {
    ...gainsFrom({ ...known, noise: utilityNoise(market, worker), best }),
    pieces: piecesAt({ worker, arrivals }),
  };
}

const piecesAt = ({ worker, arrivals }: Pick<Asked, "worker" | "arrivals">): Piece[] =>
  arrivals.flatMap(([arrival, pieces]) => pieces.map((piece) => atCost(piece, worker, arrival)));

interface Asked {
  readonly market: Market;
  readonly worker: Worker;
  readonly prices: PriceFunction;
  /** The pieces of every arrival. */
  readonly arrivals: readonly [number, readonly Piece[]][];
}

function respond(asked: Asked, outcome: Outcome): Response {
  const { market, worker } = asked;
  const truthful = workerUtility(worker, allotmentOf(outcome, worker.id));
  return assemble({
    worker,
    truthful,
    startDelay: outcome.startDelay,
    regime: regimeOf(outcome, worker.id),
    noise: utilityNoise(market, worker),
    best: bestLies({ ...asked, truthful }),
  });
}

function bestLies(asked: Asked & { readonly truthful: number }): NonNullable<Findings["best"]> {
  const { market, worker, prices, arrivals, truthful } = asked;
  const noise = utilityNoise(market, worker);
  const found = arrivals.map(([arrival, pieces]) => {
    const best = pieces.map((piece) => peakOf(atCost(piece, worker, arrival)));
    return best.reduce((a, b) => higher(a, b, noise));
  });
  const delays = prices.arrivalMatters ? arrivals : arrivals.slice(0, 1);
  const times = delays.map(([arrival]) => truthAt(atCost(prices.at(worker.cost, arrival), worker, arrival)));
  const joint = found.reduce((a, b) => higher(a, b, noise));
  const lieAt = (peak: Peak) =>
    peak.utility === Number.POSITIVE_INFINITY
      ? withoutBound(peak, truthful, market.rules.budget)
      : toReportableLie(peak, worker);
  return {
    joint: lieAt(joint),
    price: lieAt(found[0]!),
    time: times.reduce((a, b) => (b.lie.utility > a.lie.utility + noise ? b : a)),
  };
}

const truthAt = ({ from, arrival, utilityFrom, startDelay }: Piece): FoundLie => ({
  lie: { price: from, arrival, utility: utilityFrom, attained: true },
  startDelay,
});

/** The best of a piece: one end, or all of it where it is level. */
interface Peak {
  readonly piece: Piece;
  readonly utility: number;
  readonly attained: boolean;
}

function peakOf(piece: Piece): Peak {
  const { utilityFrom, utilityTo, fromIncluded, toIncluded, from, to } = piece;
  if (utilityFrom === utilityTo) return { piece, utility: utilityFrom, attained: from < to || fromIncluded };
  return utilityTo > utilityFrom
    ? { piece, utility: utilityTo, attained: toIncluded }
    : { piece, utility: utilityFrom, attained: fromIncluded };
}

/** The higher of two; of even ones, one that is attained, and else the first. */
function higher(a: Peak, b: Peak, noise: number): Peak {
  if (b.utility > a.utility + noise) return b;
  return b.attained && !a.attained && b.utility >= a.utility - noise ? b : a;
}

/** A lie on a piece that rises without bound: one that gains more than the whole budget. */
function withoutBound({ piece }: Peak, truthful: number, budget: number): FoundLie {
  const { from, arrival, utilityFrom, slope, startDelay } = piece;
  const price = simplest(...pricesBeyond(piece, truthful, budget));
  const utility = utilityFrom + slope * (price - from);
  return { lie: { price, arrival, utility, attained: false }, startDelay, unbounded: true };
}

/** The lie that brings it, at a price that a person can say. */
function toReportableLie({ piece, utility, attained }: Peak, worker: Worker): FoundLie {
  const { arrival, from, to, utilityFrom, utilityTo, startDelay } = piece;
  const per = worker.reputation || 1;
  const rises = utilityTo - utilityFrom;
  const end = rises > 0 ? to : from;
  const level = rises === 0;
  const [low, high] = attained && !level ? [end, end] : [from, to];
  const best = {
    arrival,
    utility,
    attained,
    low: low / per,
    high: high / per,
    x: (high === Number.POSITIVE_INFINITY ? 2 * low || 1 : (low + high) / 2) / per,
    density: end / per,
    slope: level ? 0 : piece.slope * per,
  };
  return { lie: priceOf(best, worker), startDelay };
}
