/** Row-level data of surveys: one row for each worker of each market, with its type, its regime and its best lie. */

import { workerOf } from "../best-response/deviation.js";
import type { Response, Responses } from "../best-response/index.js";
import type { DataRow } from "../job.js";
import type { Market } from "../market.js";
import { type AnyMechanism, hold, unvaried } from "../mechanism.js";
import type { Place } from "./sights.js";

/** The columns, in their order, and what each holds. */
export const workerColumns = {
  market: "the drawn market: its number of workers and its number, as in 20/17",
  workers: "how many it has",
  rounds: "how many rounds it has",
  budget: "the publisher's budget",
  relativeBudget: "the budget over the true cost of all rounds on offer",
  firstRoundRatio: "the first-round ratio of the rules",
  reading: "the reading of the rules",
  mechanism: "the auction",
  worker: "the worker's id",
  reputation: "its reputation",
  cost: "its true cost of a round",
  arrival: "its true arrival",
  regime: "its regime in the truthful run",
  selectedAt: "the first round it works in the truthful run; null if it never does",
  truthful: "the utility of the truth",
  gain: "what the best lie over price and arrival brings on top",
  priceGain: "the same at the true arrival",
  timeGain: "the same at the true price",
  bestPrice: "the price of the best lie; the truth where nothing is gained",
  bestArrival: "its arrival",
  bestUtility: "its utility",
  attained: "false where no price attains the best utility and bestPrice only comes close",
  pivotal: "whether the best lie moves the start",
  exact: "false where lies were searched: gains are lower bounds",
} as const;

export type WorkerRow = DataRow & Readonly<Record<keyof typeof workerColumns, DataRow[string]>>;

export interface Looked {
  readonly place: Place;
  readonly market: Market;
  readonly mechanism: AnyMechanism;
  readonly responses: Responses;
}

export function workerRows({ place, market, mechanism, responses }: Looked): WorkerRow[] {
  const { rules } = unvaried(mechanism, market).market;
  const selectedAt = new Map(hold(mechanism, market).workers.map((one) => [one.id, one.selectedAt]));
  const shared = {
    market: place.market,
    workers: place.workers,
    rounds: rules.rounds,
    budget: rules.budget,
    relativeBudget: place.ratio,
    firstRoundRatio: rules.firstRoundRatio,
    reading: rules.reading,
    mechanism: mechanism.name,
  };
  return responses.workers.map((response) => ({
    ...shared,
    ...typeOf(market, response.id),
    regime: response.regime,
    selectedAt: selectedAt.get(response.id) ?? null,
    ...answerOf(response),
    exact: responses.exact,
  }));
}

function typeOf(market: Market, id: number) {
  const { reputation, cost, arrival } = workerOf(market, id);
  return { worker: id, reputation, cost, arrival };
}

function answerOf({ truthful, gain, priceGain, timeGain, best, pivotal }: Response) {
  return {
    truthful,
    gain,
    priceGain,
    timeGain,
    bestPrice: best.price,
    bestArrival: best.arrival,
    bestUtility: best.utility,
    attained: best.attained,
    pivotal,
  };
}
