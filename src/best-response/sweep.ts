/**
 * Best responses by bisecting on the decision path: needs nothing but a traced mechanism in which, as long as every
 * decision stays the same, all amounts are linear in the price. Two prices whose runs take the same decisions then
 * take them everywhere between, because each comparison is between two linear functions. Slow; it checks the
 * structural way, which shares nothing with it but the engine.
 */

import { negligible } from "../lib/tolerance.js";
import type { Market } from "../market/market.js";
import type { AnyMechanism } from "../mechanisms/mechanism.js";
import { online } from "../mechanisms/online.js";
import { regimeOf } from "../mechanisms/regime.js";
import type { Share, TraceEvent } from "../mechanisms/trace.js";
import { assemble, type FoundLie } from "./assemble.js";
import { Deviation, workerOf } from "./deviation.js";
import type { Piece, Response, Responses } from "./types.js";

/** Two prices closer than this, relatively, with different paths enclose a boundary. Nearer to one, rounding decides. */
const RESOLVED = 1e-9;
const HAIR = 1e-8;
/** Below this share of the budget a price is as good as 0. */
const TINY = 1e-6;

interface Probe {
  readonly price: number;
  readonly path: string;
  readonly utility: number;
  readonly selectedAt: number | null;
  readonly startDelay: number | null;
}

/** All pieces of one worker's utility, arrival by arrival. Boundaries are found to 1e-9 relative. */
export const sweepPieces = (market: Market, id: number, mechanism: AnyMechanism = online): Piece[] =>
  piecesBy(new Deviation(mechanism, market, workerOf(market, id)));

export function sweepResponses(
  market: Market,
  { mechanism = online, workers }: { mechanism?: AnyMechanism; workers?: readonly number[] } = {},
): Responses {
  const ids = [...(workers ?? market.workers.map(({ id }) => id))].sort((a, b) => a - b);
  const deviations = ids.map((id) => new Deviation(mechanism, market, workerOf(market, id)));
  const responses = deviations.map(responseBy);
  const evaluations = deviations.reduce((sum, deviation) => sum + deviation.evaluations, 0);
  return { mechanism: mechanism.name, method: "sweep", exact: true, evaluations, workers: responses };
}

const piecesBy = (deviation: Deviation): Piece[] =>
  deviation.arrivals.flatMap((arrival) => sweepArrival(deviation, arrival));

/** The worker's response, read off its pieces; lies are given at an end of the best piece. */
function responseBy(deviation: Deviation): Response {
  const { market, worker } = deviation;
  const outcome = deviation.outcome(worker.cost, worker.arrival);
  const noise = negligible(market.rules.budget);
  const pieces = piecesBy(deviation);
  const onTime = pieces.filter(({ arrival }) => arrival === worker.arrival);
  return assemble({
    worker,
    truthful: deviation.utilityIn(outcome),
    startDelay: outcome.startDelay,
    regime: regimeOf(outcome, worker.id),
    noise,
    best: { joint: highest(pieces, noise), price: highest(onTime, noise), time: deviation.bestDelay() },
  });
}

function highest(pieces: readonly Piece[], noise: number): FoundLie {
  const peak = ({ utilityFrom, utilityTo }: Piece) => Math.max(utilityFrom, utilityTo);
  const best = pieces.reduce((a, b) => (peak(b) > peak(a) + noise ? b : a));
  const price = best.utilityTo > best.utilityFrom ? best.to : best.from;
  return {
    lie: { price, arrival: best.arrival, utility: peak(best), attained: true },
    startDelay: best.startDelay,
  };
}

function sweepArrival(deviation: Deviation, arrival: number): Piece[] {
  const probes = new Map<number, Probe>();
  const probe = (price: number): Probe => {
    const known = probes.get(price) ?? look(deviation, price, arrival);
    probes.set(price, known);
    return known;
  };
  const prices = seeds(deviation, arrival);
  const least = TINY * deviation.market.rules.budget;
  for (let k = 1; k < prices.length; k++) bisect(probe, least, probe(prices[k - 1]!), probe(prices[k]!));
  return piecesOf(
    [...probes.values()].sort((a, b) => a.price - b.price),
    arrival,
  );
}

function look(deviation: Deviation, price: number, arrival: number): Probe {
  const path: string[] = [];
  const outcome = deviation.outcome(price, arrival, (event) => path.push(decision(event)));
  const { selectedAt } = outcome.workers.find(({ id }) => id === deviation.worker.id)!;
  const { startDelay } = outcome;
  return { price, path: path.join(";"), utility: deviation.utilityIn(outcome), selectedAt, startDelay };
}

/** Probes until neighbours take the same decisions or lie too close to tell apart. */
function bisect(probe: (price: number) => Probe, least: number, low: Probe, high: Probe): void {
  if (low.path === high.path || high.price - low.price <= RESOLVED * Math.max(high.price, least)) return;
  const middle = probe(low.price + (high.price - low.price) / 2);
  bisect(probe, least, low, middle);
  bisect(probe, least, middle, high);
}

/** What was decided, without the amounts. */
function decision(event: TraceEvent): string {
  if (event.kind === "ruling") return `${event.worker}${event.ruling}`;
  return event.kind === "round" ? event.shares.map(shape).join("|") : shape(event.share);
}

function shape({ pool, taken, next, byBudget, density }: Share): string {
  const setBy = density === null ? "none" : density === byBudget ? "budget" : "next";
  return `${pool.join(",")}:${taken.length}:${next?.worker ?? "-"}:${setBy}`;
}

/** Prices to begin with, so that ties are looked at on the spot: each likely edge and a hair on either side. */
function seeds(deviation: Deviation, arrival: number): number[] {
  const { market, worker } = deviation;
  const edges = new Set<number>([worker.cost]);
  for (const other of market.workers)
    if (other.id !== worker.id && other.reputation > 0)
      edges.add((other.cost / other.reputation) * worker.reputation);
  for (const price of [0, worker.cost])
    deviation.outcome(price, arrival, (event) => {
      if (event.kind === "round")
        for (const share of event.shares) edges.add((share.density ?? 0) * worker.reputation);
      if (event.kind === "start") edges.add((event.share.density ?? 0) * worker.reputation);
    });
  const top = 2 * Math.max(...edges) + market.rules.budget;
  const around = [...edges].flatMap((edge) => [edge * (1 - HAIR), edge, edge * (1 + HAIR)]);
  return [...new Set([0, ...around, top])].sort((a, b) => a - b);
}

function piecesOf(probes: readonly Probe[], arrival: number): Piece[] {
  const pieces: Piece[] = [];
  for (let k = 0; k < probes.length; k++) {
    const first = probes[k]!;
    while (k + 1 < probes.length && probes[k + 1]!.path === first.path) k++;
    const last = probes[k]!;
    const { selectedAt, startDelay } = first;
    pieces.push({
      arrival,
      from: first.price,
      to: last.price,
      fromIncluded: true,
      toIncluded: true,
      utilityFrom: first.utility,
      utilityTo: last.utility,
      selectedAt,
      startDelay,
    });
  }
  return pieces;
}
