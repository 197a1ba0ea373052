/**
 * Best responses to any mechanism, by search: prices at which anything is likely to change (each with a hair on either
 * side) at every arrival, then golden sections around the best. What it finds is real, but it may miss something better:
 * every gain is a lower bound. Where the mechanism draws, what a bid brings is an expectation over seeds: a lie is searched
 * for on some, and what it gains is estimated on others, which it was not chosen on.
 */

import { max, mean, min } from "d3-array";
import {
  type AnyMechanism,
  type Mechanism,
  type Outcome,
  runAuction,
  type TraceSink,
} from "../auction/mechanism.js";
import { allotmentOf, regimeOf, workerUtility } from "../auction/outcome.js";
import { assemble, type BestLie, type FoundLie, type Response, type Responses } from "../auction/response.js";
import type { Game, SolverOptions } from "../auction/solver.js";
import type { Share, TraceEvent } from "../auction/trace.js";
import { BESIDE_BREAKPOINT } from "../lib/search-tolerances.js";
import { negligible, rounding } from "../lib/tolerance.js";
import { chosenWorkers, type Market, possibleArrivals, type Worker, workerOf } from "../market/market.js";
import { ASSUMED, meanGain, type PaymentRange, paymentRange } from "./mean-gain.js";

export interface SearchOptions {
  readonly mechanism: AnyMechanism;
  readonly workers?: readonly number[] | undefined;
  /** At most about this many evaluations for a worker; prices are thinned out evenly above it. */
  readonly effort?: number | undefined;
}

const GOLDEN = (Math.sqrt(5) - 1) / 2;
const SECTIONS = 40;

export function searchResponses(market: Market, options: SearchOptions): Responses {
  const { mechanism, workers, effort = 4000 } = options;
  let evaluations = 0;
  const responses = chosenWorkers(market, workers).map((worker) => {
    const deviation = new Deviation(mechanism, market, worker);
    const response = searchResponse(deviation, effort);
    evaluations += deviation.evaluations;
    return response;
  });
  return { mechanism: mechanism.name, method: "search", exact: false, evaluations, workers: responses };
}

function searchResponse(deviation: Deviation, effort: number): Response {
  const { market, worker, arrivals } = deviation;
  const outcome = deviation.outcome(worker.cost, worker.arrival);
  const perArrival = Math.max(3, Math.floor(effort / arrivals.length) - 2 * SECTIONS);
  const time = deviation.bestDelay();
  const priced = arrivals.map((arrival) => searchPrice(deviation, arrival, perArrival));
  return assemble({
    worker,
    truthful: deviation.utilityIn(outcome),
    startDelay: outcome.startDelay,
    regime: regimeOf(outcome, worker.id),
    noise: negligible(market.rules.budget),
    best: { joint: [...priced, time].reduce(better), price: priced[0]!, time },
  });
}

/** The best price found at one arrival. */
function searchPrice(deviation: Deviation, arrival: number, most: number): FoundLie {
  const prices = priceCandidates(deviation, arrival, most);
  const found = prices.map((price) => deviation.found(price, arrival));
  const at = found.reduce((top, { lie }, k) => (lie.utility > found[top]!.lie.utility ? k : top), 0);
  const best = found[at]!;
  const { price } = best.lie;
  const top = 2 * price + deviation.market.rules.budget;
  const below = refined(deviation, arrival, prices[at - 1] ?? 0, price);
  const above = refined(deviation, arrival, price, prices[at + 1] ?? top);
  return [below, above].reduce(better, best);
}

/** Golden sections toward the better side; ends at a jump where there is one. */
function refined(deviation: Deviation, arrival: number, low: number, high: number): FoundLie {
  let [from, to] = [low, high];
  let left = deviation.found(to - GOLDEN * (to - from), arrival);
  let right = deviation.found(from + GOLDEN * (to - from), arrival);
  let best = better(left, right);
  for (let k = 0; k < SECTIONS && to - from > rounding(to); k++) {
    if (left.lie.utility >= right.lie.utility) {
      to = right.lie.price;
      right = left;
      left = deviation.found(to - GOLDEN * (to - from), arrival);
    } else {
      from = left.lie.price;
      left = right;
      right = deviation.found(from + GOLDEN * (to - from), arrival);
    }
    best = better(better(best, left), right);
  }
  return best;
}

/** Prices at which a decision may change, with a hair on either side, in increasing order: at most this many. */
export function priceCandidates(deviation: Deviation, arrival: number, most: number): number[] {
  const { market, worker } = deviation;
  const breakpoints = new Set<number>([worker.cost]);
  for (const other of market.workers) addRival(breakpoints, other, worker);
  for (const price of [worker.cost, 0])
    deviation.outcome(price, arrival, (event) => addSeen(breakpoints, event, worker, market));
  const around = [...breakpoints]
    .filter(Number.isFinite)
    .flatMap((breakpoint) => [
      breakpoint * (1 - BESIDE_BREAKPOINT),
      breakpoint,
      breakpoint * (1 + BESIDE_BREAKPOINT),
    ]);
  const top = 2 * Math.max(...around) + market.rules.budget;
  const prices = [...new Set([0, ...around, top])].sort((a, b) => a - b);
  if (prices.length <= most) return prices;
  // Spread evenly over the list; the ends stay.
  return Array.from({ length: most }, (_, k) => prices[Math.round((k * (prices.length - 1)) / (most - 1))]!);
}

/** Where the worker would tie with another, by price or by density. */
function addRival(breakpoints: Set<number>, other: Worker, worker: Worker): void {
  if (other.id === worker.id) return;
  breakpoints.add(other.cost);
  if (other.reputation > 0) breakpoints.add((other.cost / other.reputation) * worker.reputation);
}

/** Densities seen in a run, and prices that would just use up what was left. */
function addSeen(breakpoints: Set<number>, event: TraceEvent, worker: Worker, market: Market): void {
  const { reputation } = worker;
  if (event.kind === "ruling") {
    const remaining = market.rules.rounds - event.round + 1;
    if (event.threshold !== null) breakpoints.add(event.threshold * reputation);
    if (event.left > 0) breakpoints.add(event.left / remaining);
    return;
  }
  const shares = event.kind === "round" ? event.shares : [event.share];
  for (const share of shares) {
    for (const seen of [share.density, share.byBudget]) if (seen !== null) breakpoints.add(seen * reputation);
    addOwnThreshold(breakpoints, share, worker, market);
  }
}

/** The prices from which on the worker is the first that a sample does not take, and so sets the threshold itself. */
function addOwnThreshold(
  breakpoints: Set<number>,
  share: Share,
  { id, reputation }: Worker,
  market: Market,
): void {
  const reputations = new Map(market.workers.map((worker) => [worker.id, worker.reputation]));
  let sum = reputation;
  for (const other of [null, ...share.pool.filter((one) => one !== id)]) {
    if (other !== null) sum += reputations.get(other) ?? 0;
    breakpoints.add((share.budget / (share.roundsBought * sum)) * reputation);
  }
}

/** One worker, one lie: what it brings against the others' truthful bids. Counts what it costs to find out. */
export class Deviation {
  evaluations = 0;

  constructor(
    readonly mechanism: AnyMechanism,
    readonly market: Market,
    readonly worker: Worker,
  ) {}

  outcome(price: number, arrival: number, trace?: TraceSink): Outcome {
    this.evaluations++;
    return runAuction(this.mechanism, this.market, [{ worker: this.worker.id, price, arrival }], trace);
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
    return possibleArrivals(this.worker, this.market.rules);
  }

  /** The best arrival at the true price: they are few, so all are tried. */
  bestDelay(): FoundLie {
    return this.arrivals.map((arrival) => this.found(this.worker.cost, arrival)).reduce(better);
  }

  utilityIn(outcome: Outcome): number {
    return workerUtility(this.worker, allotmentOf(outcome, this.worker.id));
  }
}

const better = (a: FoundLie, b: FoundLie): FoundLie => (b.lie.utility > a.lie.utility ? b : a);

/** On how many seeds a lie is searched for. */
const SEARCH_SEEDS = 32;
/** On how many others its gain is estimated. */
export const ESTIMATE_SEEDS = 400;
/** How many evaluations a worker gets, each over all seeds of the search. */
const EFFORT = 400;

/** Of so many lies together one that gains nothing is taken for one that gains with a chance of 5 %. */
const SURE = 1000;

/** Seeds as options have them; 0 is left to single runs. */
const seedsFrom = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, k) => first + k);

/** A mechanism whose outcomes are means over the seeds for estimates; one that does not draw stays as it is. */
export const expected = (mechanism: AnyMechanism): AnyMechanism =>
  mechanism.stochastic ? meanOver(mechanism, seedsFrom(SEARCH_SEEDS + 1, ESTIMATE_SEEDS)) : mechanism;

/** Utilities are linear in payments and rounds, so the outcome that has their means has the mean utilities. */
function meanOver(mechanism: AnyMechanism, seeds: readonly number[]): AnyMechanism {
  const draws = seeds.map((seed) => mechanism.vary!({ seed }) as Mechanism);
  const decide: Mechanism["decide"] = (rules, bids, trace) =>
    meanOutcome(draws.map((one, k) => one.decide(rules, bids, k === 0 ? trace : undefined)));
  return { ...mechanism, decide } as AnyMechanism;
}

/** Selected is who is selected under any seed; money decided if it did under any. */
function meanOutcome(outcomes: readonly Outcome[]): Outcome {
  const meanOf = (row: number, field: "rounds" | "payment") =>
    mean(outcomes, ({ workers }) => workers[row]![field])!;
  const first = outcomes[0]!;
  const startDelay = max(outcomes, (one) => one.startDelay) ?? null;
  return {
    started: startDelay !== null,
    startDelay,
    workers: first.workers.map(({ id }, row) => {
      const selectedAt = min(outcomes, ({ workers }) => workers[row]!.selectedAt) ?? null;
      return { id, selectedAt, rounds: meanOf(row, "rounds"), payment: meanOf(row, "payment") };
    }),
    thresholds: first.thresholds,
    budgetEvents: outcomes.flatMap(({ budgetEvents }) => budgetEvents),
  };
}

/** Never exact: every gain is an estimate, with a 95 % interval, for a lie that a search found. */
export function responsesOverSeeds(game: Game, { workers, effort = EFFORT }: SolverOptions): Responses {
  const { mechanism, market } = game;
  const searched = meanOver(mechanism, seedsFrom(1, SEARCH_SEEDS));
  const found = searchResponses(market, { workers, mechanism: searched, effort });
  const draws = seedsFrom(SEARCH_SEEDS + 1, ESTIMATE_SEEDS).map((seed) => mechanism.vary!({ seed }));
  const payments = paymentRange(game);
  const estimated = found.workers.map((response) => estimatedResponse(response, market, draws, payments));
  return {
    ...found,
    workers: estimated,
    seeds: ESTIMATE_SEEDS,
    ...(payments.assumed && { assumes: ASSUMED }),
  };
}

function estimatedResponse(
  response: Response,
  market: Market,
  draws: readonly AnyMechanism[],
  payments: PaymentRange,
): Response {
  const worker = workerOf(market, response.id);
  const { rules } = market;
  const outcomes = (bid: { readonly price: number; readonly arrival: number }) =>
    draws.map((mechanism) =>
      allotmentOf(runAuction(mechanism, market, [{ worker: worker.id, ...bid }]), worker.id),
    );
  const honest = outcomes({ price: worker.cost, arrival: worker.arrival });
  const truthful = mean(honest, (allotment) => workerUtility(worker, allotment))!;
  const truth = { price: worker.cost, arrival: worker.arrival, utility: truthful, attained: true };
  const estimated = (lie: BestLie | null) => {
    const lying = lie ? outcomes({ price: lie.price, arrival: lie.arrival }) : honest;
    const compared = { honest, lying, cost: worker.cost, rounds: rules.rounds, payments };
    // Of many workers and lies some seem to gain by luck: a gain is one where an interval for all of them stays above zero.
    const isSure = meanGain(compared, SURE).low > 1e-9 * Math.max(1, rules.budget);
    const { mean, low, high } = meanGain(compared);
    if (lie && isSure) return { gain: mean, low, high, lie: { ...lie, utility: truthful + mean } };
    // The truth is played then; by how much this lie might gain all the same.
    return { gain: 0, low: Number.isNaN(low) ? low : 0, high: Math.max(0, high), lie: null };
  };
  const { lie, ...best } = estimated(response.best);
  const price = estimated(response.bestPrice);
  const time = estimated(response.bestTime);
  return {
    ...response,
    truthful,
    ...best,
    priceGain: price.gain,
    timeGain: time.gain,
    best: lie ?? truth,
    bestPrice: price.lie,
    bestTime: time.lie,
    pivotal: lie !== null && response.pivotal,
  };
}
