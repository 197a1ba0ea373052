/** Row-level data of surveys: one row for each worker of each market, with its type, its regime and its best lie. */

import type { Responses } from "../../../src/best-response/index.js";
import { atRelativeBudget } from "../../../src/market/draw.js";
import type { Market } from "../../../src/market/market.js";
import { type AnyMechanism, hold, unvaried } from "../../../src/mechanisms/mechanism.js";
import type { DataColumn, DataValue, JobContext } from "../../../src/study/job.js";
import type { Place } from "./gain-counts.js";
import { ask, type Inquiry } from "./sampled-responses.js";

/** The columns, in their order. */
export const workerColumns = [
  {
    name: "market",
    type: "text",
    about: "the drawn market: its number of workers and its number, as in 20/17",
  },
  { name: "workers", type: "integer", about: "how many it has" },
  { name: "rounds", type: "integer", about: "how many rounds it has" },
  { name: "budget", type: "number", about: "the publisher's budget" },
  { name: "relativeBudget", type: "number", about: "the budget over the true cost of all rounds on offer" },
  { name: "firstRoundRatio", type: "number", about: "the first-round ratio of the rules" },
  { name: "reading", type: "text", about: "the reading of the rules" },
  { name: "mechanism", type: "text", about: "the auction" },
  { name: "worker", type: "integer", about: "the worker's id" },
  { name: "reputation", type: "number", about: "its reputation" },
  { name: "cost", type: "number", about: "its true cost of a round" },
  { name: "arrival", type: "integer", about: "its true arrival" },
  { name: "regime", type: "text", about: "its regime in the truthful run" },
  {
    name: "selectedAt",
    type: "integer",
    about: "the first round it works in the truthful run; null if it never does",
  },
  { name: "truthful", type: "number", about: "the utility of the truth" },
  { name: "gain", type: "number", about: "what the best lie over price and arrival brings on top" },
  { name: "priceGain", type: "number", about: "the same at the true arrival" },
  { name: "timeGain", type: "number", about: "the same at the true price" },
  {
    name: "bestPrice",
    type: "number",
    about: "the price of the best lie; the truth where nothing is gained",
  },
  { name: "bestArrival", type: "integer", about: "its arrival" },
  { name: "bestUtility", type: "number", about: "its utility" },
  {
    name: "attained",
    type: "boolean",
    about: "false where no price attains the best utility and bestPrice only comes close",
  },
  { name: "pivotal", type: "boolean", about: "whether the best lie moves the start" },
  { name: "exact", type: "boolean", about: "false where lies were searched: gains are lower bounds" },
] as const satisfies readonly DataColumn[];

type WorkerRow = Readonly<Record<(typeof workerColumns)[number]["name"], DataValue>>;

interface Asked {
  readonly market: Market;
  readonly responses: Responses;
}

/** Asks the workers of a drawn market at one budget, and keeps a row of each where rows are wanted. */
export function askAt(drawn: Market, place: Place, asking: Inquiry & Pick<JobContext, "keep">): Asked {
  const market = atRelativeBudget(drawn, place.ratio);
  const asked = { market, responses: ask(market, asking) };
  if (asking.keep) for (const row of workerRows(place, asked, asking.mechanism)) asking.keep(row);
  return asked;
}

function workerRows(place: Place, { market, responses }: Asked, mechanism: AnyMechanism): WorkerRow[] {
  const name = `${place.workers}/${place.k}`;
  const { rules } = unvaried(mechanism, market).market;
  const selectedAt = new Map(hold(mechanism, market).workers.map((one) => [one.id, one.selectedAt]));
  const workers = new Map(market.workers.map((worker) => [worker.id, worker]));
  // Written out: to spread common parts into every row takes longer than to find the best lie.
  return responses.workers.map((response) => {
    const { reputation, cost, arrival } = workers.get(response.id)!;
    return {
      market: name,
      workers: place.workers,
      rounds: rules.rounds,
      budget: rules.budget,
      relativeBudget: place.ratio,
      firstRoundRatio: rules.firstRoundRatio,
      reading: rules.reading,
      mechanism: mechanism.name,
      worker: response.id,
      reputation,
      cost,
      arrival,
      regime: response.regime,
      selectedAt: selectedAt.get(response.id) ?? null,
      truthful: response.truthful,
      gain: response.gain,
      priceGain: response.priceGain,
      timeGain: response.timeGain,
      bestPrice: response.best.price,
      bestArrival: response.best.arrival,
      bestUtility: response.best.utility,
      attained: response.best.attained,
      pivotal: response.pivotal,
      exact: responses.exact,
    };
  });
}
