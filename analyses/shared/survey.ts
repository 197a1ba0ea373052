/** The survey of drawn markets: each is drawn once, its workers are asked once at every budget, and several analyses sum up what is seen. */

import { sum } from "d3-array";
import { type AnyMechanism, runAuction } from "../../src/auction/mechanism.js";
import { listed, many } from "../../src/lib/format.js";
import { atRelativeBudget, surveyed } from "../../src/market/draw.js";
import type { Market, Worker } from "../../src/market/market.js";
import { resolveGame } from "../../src/responses/game.js";
import { bestResponses, isFast, type Response, type Responses } from "../../src/responses/index.js";
import type { DataColumn, DataValue, JobContext, Profile, WorkContext } from "../../src/study/job.js";
import { type Survey, surveyJob } from "../../src/study/survey.js";

/** Sample sizes where an answer takes microseconds, and where each takes milliseconds or a search. */
export type BySpeed<Settings> = Readonly<
  Record<Profile, { readonly fast: Settings; readonly slow: Settings }>
>;

export const settingsFor = <Settings>(sizes: BySpeed<Settings>, context: WorkContext): Settings =>
  sizes[context.profile][isFast(context.mechanism) ? "fast" : "slow"];

/** Which markets are drawn, and under which budgets their workers are asked. */
export interface SurveySettings {
  readonly rounds: number;
  readonly sizes: readonly number[];
  /** Budgets over the true cost of all rounds on offer. */
  readonly ratios: readonly number[];
  /** Markets drawn of each size; each is looked at under every budget. */
  readonly markets: number;
  /** Workers asked in each; null: everybody. */
  readonly asked: number | null;
}

const grid = {
  rounds: 10,
  sizes: [5, 10, 20, 40, 80, 160],
  ratios: [0.03, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1, 1.4, 2, 3, 5],
};

const coarse = { rounds: 10, sizes: [5, 10, 20], ratios: [0.1, 0.35, 1, 3] };

const profiles: BySpeed<SurveySettings> = {
  quick: { fast: { ...grid, markets: 300, asked: null }, slow: { ...coarse, markets: 6, asked: 2 } },
  full: { fast: { ...grid, markets: 5000, asked: null }, slow: { ...coarse, markets: 100, asked: 4 } },
};

/** With what the user sets: another number of markets of each size, one size alone, or one relative budget alone. */
export function surveySettings(context: WorkContext): SurveySettings {
  const { markets, workers, ratio } = context.options;
  return {
    ...settingsFor(profiles, context),
    ...(markets !== undefined && { markets: Number(markets) }),
    ...(workers !== undefined && { sizes: [Number(workers)] }),
    ...(ratio !== undefined && { ratios: [Number(ratio)] }),
  };
}

/** The same markets, but for those with more workers than this. */
export const upTo = (workers: number, settings: SurveySettings): SurveySettings => ({
  ...settings,
  sizes: settings.sizes.filter((size) => size <= workers),
});

/** Markets of one size. */
export interface SurveyCell extends Pick<SurveySettings, "rounds" | "ratios" | "asked"> {
  readonly workers: number;
}

export const surveyPlan = ({ sizes, rounds, ratios, asked, markets }: SurveySettings) =>
  sizes.map((workers) => ({ cell: { workers, rounds, ratios, asked }, markets }));

/** Which drawn market, at which budget: it is drawn again when it is wanted. */
export interface Place {
  readonly workers: number;
  /** Which of the markets of this size. */
  readonly k: number;
  /** The relative budget. */
  readonly ratio: number;
}

export const marketAt = (
  { workers, k, ratio }: Place,
  { rounds, stream }: Pick<WorkContext, "stream"> & { readonly rounds: number },
): Market => atRelativeBudget(surveyed({ workers, rounds }, k, stream), ratio);

/** A worker of a drawn market at one budget, and its best lies. */
export interface Asked {
  readonly place: Place;
  readonly market: Market;
  readonly worker: Worker;
  readonly response: Response;
}

/** A drawn market at one budget, and everybody who was asked there. */
export interface AtBudget {
  readonly place: Place;
  readonly market: Market;
  readonly asked: readonly Asked[];
}

/** A drawn market, at all its budgets. */
export interface Seen {
  readonly drawn: Market;
  readonly budgets: readonly AtBudget[];
}

export const drawnMarkets: Survey<SurveyCell, Seen> = {
  name: "truthfulness-map",
  cellOf: ({ workers, rounds, ratios, asked }) => ({ workers, rounds, ratios, asked }),
  look(cell, k, context) {
    const drawn = surveyed(cell, k, context.stream);
    const { workers, asked } = cell;
    const budgets = cell.ratios.map((ratio) => askAt(drawn, { workers, k, ratio }, { ...context, asked }));
    return { drawn, budgets };
  },
  cost: ({ workers, ratios, asked }) => askingCost(workers, asked, ratios.length),
};

/** What an analysis makes of the survey of drawn markets. */
export const drawnJob = <Sum, Cell extends SurveyCell = SurveyCell>(
  part: Parameters<typeof surveyJob<SurveyCell, Cell, Seen, Sum>>[1],
) => surveyJob<SurveyCell, Cell, Seen, Sum>(drawnMarkets, part);

/** About how many milliseconds it takes to draw a market and to ask its workers at so many budgets, on one core. */
export const askingCost = (workers: number, asked: number | null, budgets: number): number =>
  0.03 + 0.001 * workers + budgets * (asked === null ? 0.1 + 0.001 * workers : Math.min(asked, workers) * 15);

interface Inquiry extends Pick<JobContext, "keep"> {
  readonly mechanism: AnyMechanism;
  /** At most so many workers of a market, spread evenly over their ids; null: everybody. */
  readonly asked: number | null;
}

/** Asks the workers of a drawn market at one budget, and keeps a row of each where rows are wanted. */
export function askAt(drawn: Market, place: Place, { mechanism, asked, keep }: Inquiry): AtBudget {
  const market = atRelativeBudget(drawn, place.ratio);
  const responses = ask(market, mechanism, asked);
  if (keep) for (const row of workerRows(place, market, responses, mechanism)) keep(row);
  const workers = new Map(market.workers.map((worker) => [worker.id, worker]));
  return {
    place,
    market,
    asked: responses.workers.map((response) => {
      return { place, market, worker: workers.get(response.id)!, response };
    }),
  };
}

function ask(market: Market, mechanism: AnyMechanism, asked: number | null): Responses {
  if (asked === null || asked >= market.workers.length) return bestResponses(market, { mechanism });
  const ids = market.workers.map(({ id }) => id).sort((a, b) => a - b);
  const workers = Array.from({ length: asked }, (_, k) => ids[Math.floor(((k + 0.5) * ids.length) / asked)]!);
  return bestResponses(market, { mechanism, workers });
}

/** Of a worker drawn as in the paper, on average: arrivals are T / H_T, with H_T = 1 + 1/2 + … + 1/T. */
export function roundsOnOffer(rounds: number): number {
  const harmonic = sum(Array.from({ length: rounds }, (_, k) => 1 / (k + 1)));
  return rounds + 1 - rounds / harmonic;
}

/** What was drawn, for the methods. */
export function surveyText({ sizes, ratios, markets, rounds }: SurveySettings): string {
  const [size, ratio] = [sizes, ratios].map((all) => (all.length === 1 ? all[0] : null));
  const drawn = size ? `of ${many(size, "worker")}` : `of each size (${listed(sizes)} workers)`;
  const budgets = ratio
    ? `at a relative budget of ${ratio}`
    : `each under ${ratios.length} relative budgets from ${ratios[0]} to ${ratios.at(-1)}`;
  return `${many(markets, "market")} drawn ${drawn} as in the paper, to four decimals (${rounds} rounds, first-round ratio 0.35, one worker enough to start, prose), ${budgets}`;
}

const column = <const Name extends string>(name: Name, type: DataColumn["type"], about: string) => {
  return { name, type, about };
};

/** The columns, in their order. */
export const workerColumns = [
  column("market", "text", "the drawn market: its number of workers and its number, as in 20/17"),
  column("workers", "integer", "how many it has"),
  column("rounds", "integer", "how many rounds it has"),
  column("budget", "number", "the publisher's budget"),
  column("relativeBudget", "number", "the budget over the true cost of all rounds on offer"),
  column("firstRoundRatio", "number", "the first-round ratio of the rules"),
  column("reading", "text", "the reading of the rules"),
  column("mechanism", "text", "the auction"),
  column("worker", "integer", "the worker's id"),
  column("reputation", "number", "its reputation"),
  column("cost", "number", "its true cost of a round"),
  column("arrival", "integer", "its true arrival"),
  column("regime", "text", "its regime in the truthful run"),
  column("selectedAt", "integer", "the first round it works in the truthful run; null if it never does"),
  column("truthful", "number", "the utility of the truth"),
  column(
    "gain",
    "number",
    "what the best lie over price and arrival brings on top; Infinity without bound, null in jsonl",
  ),
  column("priceGain", "number", "the same at the true arrival"),
  column("timeGain", "number", "the same at the true price"),
  column("bestPrice", "number", "the price of the best lie; the truth where nothing is gained"),
  column("bestArrival", "integer", "its arrival"),
  column("bestUtility", "number", "its utility"),
  column(
    "attained",
    "boolean",
    "false where no price attains the best utility and bestPrice only comes close",
  ),
  column("pivotal", "boolean", "whether the best lie moves the start"),
  column(
    "exact",
    "boolean",
    "false where lies were searched, so that gains are lower bounds, and of a program of your own",
  ),
];

type WorkerRow = Readonly<Record<(typeof workerColumns)[number]["name"], DataValue>>;

function workerRows(
  place: Place,
  market: Market,
  responses: Responses,
  mechanism: AnyMechanism,
): WorkerRow[] {
  const name = `${place.workers}/${place.k}`;
  const { rules } = resolveGame(mechanism, market).market;
  const selectedAt = new Map(runAuction(mechanism, market).workers.map((one) => [one.id, one.selectedAt]));
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
