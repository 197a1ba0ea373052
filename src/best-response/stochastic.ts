/**
 * Best responses to a mechanism that draws: what a bid brings is an expectation over seeds. A lie is searched for on some
 * seeds, and what it gains is estimated on others, which it was not chosen on.
 */

import { mean } from "d3-array";
import { estimate } from "../lib/statistics.js";
import { type Market, workerOf } from "../market/market.js";
import type { AnyMechanism, Mechanism, Outcome } from "../mechanisms/mechanism.js";
import type { BestLie, Response, Responses } from "./response.js";
import { Deviation, type SearchOptions, searchResponses } from "./search.js";

/** On how many seeds a lie is searched for. */
const SEARCH_SEEDS = 32;
/** On how many others its gain is estimated. */
export const ESTIMATE_SEEDS = 400;
/** How many evaluations a worker gets, each over all seeds of the search. */
const EFFORT = 400;

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
  const delays = outcomes.flatMap(({ startDelay }) => (startDelay === null ? [] : [startDelay]));
  return {
    started: delays.length > 0,
    startDelay: delays.length > 0 ? Math.max(...delays) : null,
    workers: first.workers.map(({ id }, row) => {
      const selected = outcomes.flatMap(({ workers }) => workers[row]!.selectedAt ?? []);
      const selectedAt = selected.length > 0 ? Math.min(...selected) : null;
      return { id, selectedAt, rounds: meanOf(row, "rounds"), payment: meanOf(row, "payment") };
    }),
    thresholds: first.thresholds,
    budgetEvents: outcomes.flatMap(({ budgetEvents }) => budgetEvents),
  };
}

/** Never exact: every gain is an estimate, with a 95 % interval, for a lie that a search found. */
export function responsesOverSeeds(market: Market, options: SearchOptions): Responses {
  const { mechanism, effort = EFFORT } = options;
  const searched = meanOver(mechanism, seedsFrom(1, SEARCH_SEEDS));
  const found = searchResponses(market, { ...options, mechanism: searched, effort });
  const draws = seedsFrom(SEARCH_SEEDS + 1, ESTIMATE_SEEDS).map((seed) => mechanism.vary!({ seed }));
  const workers = found.workers.map((response) => estimatedResponse(response, market, draws));
  return { ...found, workers, seeds: ESTIMATE_SEEDS };
}

function estimatedResponse(response: Response, market: Market, draws: readonly AnyMechanism[]): Response {
  const worker = workerOf(market, response.id);
  const deviations = draws.map((mechanism) => new Deviation(mechanism, market, worker));
  const truths = deviations.map((deviation) => deviation.utility(worker.cost, worker.arrival));
  const truthful = estimate(truths).mean;
  const truth = { price: worker.cost, arrival: worker.arrival, utility: truthful, attained: true };
  const estimated = (lie: BestLie | null) => {
    const gains = deviations.map((one, k) => (lie ? one.utility(lie.price, lie.arrival) - truths[k]! : 0));
    const { mean, low, high } = estimate(gains);
    const gain = counts(mean, low, market.rules.budget) ? mean : 0;
    return { gain, low, high, lie: lie && gain > 0 ? { ...lie, utility: truthful + mean } : null };
  };
  const [best, price, time] = [
    estimated(response.best),
    estimated(response.bestPrice),
    estimated(response.bestTime),
  ];
  return {
    ...response,
    truthful,
    ...{ gain: best.gain, low: best.low, high: best.high },
    ...{ priceGain: price.gain, timeGain: time.gain },
    ...{ best: best.lie ?? truth, bestPrice: price.lie, bestTime: time.lie },
    pivotal: best.lie !== null && response.pivotal,
  };
}

/** Only where an interval twice as wide stays above zero, and above rounding: the best of many lies is often luck. */
const counts = (mean: number, low: number, budget: number): boolean =>
  2 * low - mean > 1e-9 * Math.max(1, budget);
