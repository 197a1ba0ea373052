/** What lying would bring the workers of drawn markets: who is asked, a row of each, and counts that add up over markets. */

import { sum } from "d3-array";
import { type AnyMechanism, runAuction, unvaried } from "../../src/auction/mechanism.js";
import { regimes } from "../../src/auction/outcome.js";
import { capital, listed, many, rounded, threeDigits } from "../../src/lib/format.js";
import { atLeast, type Estimate, FEWEST_FOR_PERCENTILES } from "../../src/lib/statistics.js";
import {
  countsOf,
  mergeCounts,
  mergeSketches,
  quantileFrom,
  type Sketch,
  sketchOf,
} from "../../src/lib/summaries.js";
import { atRelativeBudget, surveyed } from "../../src/market/draw.js";
import type { Bid, Market } from "../../src/market/market.js";
import type { Exhibit } from "../../src/report/result.js";
import { lies } from "../../src/report/vocabulary.js";
import { GUARDED_ONE_IN } from "../../src/responses/guard.js";
import { bestResponses, isFast, type Response, type Responses } from "../../src/responses/index.js";
import type { DataColumn, DataValue, Job, JobContext, Profile, WorkContext } from "../../src/study/job.js";

export interface Inquiry {
  readonly mechanism: AnyMechanism;
  /** At most so many workers of a market, spread evenly over their ids; null: everybody. */
  readonly asked: number | null;
}

export function ask(market: Market, { mechanism, asked }: Inquiry): Responses {
  if (asked === null || asked >= market.workers.length) return bestResponses(market, { mechanism });
  const ids = market.workers.map(({ id }) => id).sort((a, b) => a - b);
  const workers = Array.from({ length: asked }, (_, k) => ids[Math.floor(((k + 0.5) * ids.length) / asked)]!);
  return bestResponses(market, { mechanism, workers });
}

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

/** Markets of one size. */
export interface SurveyCell extends Pick<SurveySettings, "rounds" | "ratios" | "asked"> {
  readonly workers: number;
}

export const surveyPlan = ({ sizes, rounds, ratios, asked, markets }: SurveySettings) =>
  sizes.map((workers) => ({ cell: { workers, rounds, ratios, asked }, markets }));

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

/** How shares of workers are estimated, for the methods. */
export const pooledText =
  "Shares are of all workers asked, pooled over markets, with the 95 % interval of a ratio estimator that has markets as clusters; where fewer than five markets show a gain, it is no narrower than that of the share of such markets.";

export const surveyJob = <Summary>({
  look,
  merge,
}: Pick<Job<SurveyCell, Summary>, "look" | "merge">): Job<SurveyCell, Summary> => ({
  look,
  merge,
  cost: ({ workers, ratios, asked }) => askingCost(workers, asked, ratios.length),
  columns: workerColumns,
});

/** Sample sizes where an answer takes microseconds, and where each takes milliseconds or a search. */
export type BySpeed<Settings> = Readonly<
  Record<Profile, { readonly fast: Settings; readonly slow: Settings }>
>;

export const settingsFor = <Settings>(sizes: BySpeed<Settings>, context: WorkContext): Settings =>
  sizes[context.profile][isFast(context.mechanism) ? "fast" : "slow"];

/** With what the user sets: another number of markets of each size, one size alone, or one relative budget alone. */
export function surveySettings(sizes: BySpeed<SurveySettings>, context: WorkContext): SurveySettings {
  const { markets, workers, ratio } = context.options;
  return {
    ...settingsFor(sizes, context),
    ...(markets !== undefined && { markets: Number(markets) }),
    ...(workers !== undefined && { sizes: [Number(workers)] }),
    ...(ratio !== undefined && { ratios: [Number(ratio)] }),
  };
}

/** About how many milliseconds it takes to draw a market and to ask its workers at so many budgets, on one core. */
export const askingCost = (workers: number, asked: number | null, budgets: number): number =>
  0.03 + 0.001 * workers + budgets * (asked === null ? 0.1 + 0.001 * workers : Math.min(asked, workers) * 15);

/** The last sentences of the methods: what is computed, what is searched, and who was asked. */
export function exactnessText(exact: boolean, asked: number | null): string {
  const some = asked === null ? "" : `; ${asked} worker${asked === 1 ? "" : "s"} of each market were asked`;
  return exact
    ? `Every worker's best lie is computed over all prices and arrivals, in floating point: markets are a sample, answers are not${some}. Of a program of your own, the truth and the lies named are held to plain runs, and so are points on every piece of one answer in ${GUARDED_ONE_IN}.`
    : `No exact method is known for this mechanism: lies were searched for, a search can miss in every market, and every share and gain is a lower bound${some}.`;
}

/** What was found by a search is a lower bound and has no upper end. */
export const bounded = (found: Estimate, exact: boolean): Estimate => (exact ? found : atLeast(found));

/** As in "workers who can gain". */
export const can = (exact: boolean): string => (exact ? "can" : "were found to");

/** price: at the true arrival; time: at the true price; joint: either or both may be misstated. */
export type LieName = (typeof lies)[number];

/** A worker's best lie of a kind and what it brings; null where none pays. Without bound, it is one of many and gains already. */
export function payingLie(response: Response, lie: LieName = "joint") {
  const { id, truthful, regime, best, bestPrice, bestTime } = response;
  const found = { price: bestPrice, time: bestTime, joint: response.gain > 0 ? best : null }[lie];
  if (found === null) return null;
  const bid: Bid = { worker: id, price: found.price, arrival: found.arrival };
  const most = { price: response.priceGain, time: response.timeGain, joint: response.gain }[lie];
  const unbounded = most === Number.POSITIVE_INFINITY && { unbounded: true };
  return { bid, truthful, gain: found.utility - truthful, regime, ...unbounded };
}

export type PayingLie = Omit<NonNullable<ReturnType<typeof payingLie>>, "unbounded"> & {
  readonly unbounded?: boolean;
};

/** What a paying lie stands for: Infinity where the gain has no bound. */
export const supremumOf = ({ gain, unbounded }: Pick<PayingLie, "gain" | "unbounded">): number =>
  unbounded ? Number.POSITIVE_INFINITY : gain;

/** For a table, which shows what has no bound as no number. */
export const finite = (amount: number | null | undefined): number | null =>
  amount != null && Number.isFinite(amount) ? amount : null;

/** Beside shares and means: how many of those who gain do so without bound; "" where nobody does. */
export const unboundedText = (count: number): string =>
  count === 0
    ? ""
    : `${capital(many(count, "worker"))} of those asked ${count === 1 ? "gains" : "gain"} without bound, by prices as high as they like: means, percentiles and largest gains that this leaves without a number are not shown.`;

/** Which drawn market, at which budget: it is drawn again when it is wanted. */
export interface Place {
  readonly workers: number;
  /** Which of the markets of this size. */
  readonly k: number;
  /** The relative budget. */
  readonly ratio: number;
}

export type Witness = PayingLie & Place;

export const marketAt = (
  { workers, k, ratio }: Place,
  { rounds, stream }: Pick<WorkContext, "stream"> & { readonly rounds: number },
): Market => atRelativeBudget(surveyed({ workers, rounds }, k, stream), ratio);

/** A lie to replay on the live bench. */
export function exhibitOf(
  { name, about }: { readonly name: string; readonly about: string },
  { bid, gain, unbounded, truthful, ...place }: Witness,
  context: WorkContext & { readonly rounds: number },
): Exhibit {
  const title = `${about}: worker ${bid.worker} gains ${threeDigits(gain)} on top of ${threeDigits(truthful)}${unbounded ? ", and without bound by higher prices" : ""}`;
  return { name, title, market: marketAt(place, context), mechanism: context.mechanism.name, lie: bid };
}

/** What those who were asked can gain at one budget, by regime and lie. */
export function gainsAt(
  market: Market,
  asked: readonly Response[],
  { place, mechanism }: { readonly place: Place; readonly mechanism: AnyMechanism },
) {
  const moves = startMover(market, mechanism);
  const perWorker = market.rules.budget / market.workers.length;
  const payingIn = (response: Response, lie: LieName) => {
    const found = payingLie(response, lie);
    if (found === null) return [];
    const { price, arrival } = response.best;
    const isBest = response.gain > 0 && found.bid.price === price && found.bid.arrival === arrival;
    const movesStart = isBest ? response.pivotal : moves(found.bid);
    return [{ ...place, ...found, part: found.gain / perWorker, movesStart }];
  };
  return regimes.flatMap((regime) => {
    const there = asked.filter((response) => response.regime === regime);
    if (there.length === 0) return [];
    return lies.map((lie) => {
      const paying = there.flatMap((response) => payingIn(response, lie));
      return { regime, lie, ratio: place.ratio, asked: there.length, paying };
    });
  });
}

export type GainsAt = ReturnType<typeof gainsAt>[number];

/** Whether a lie moves the start; the truth is run only when somebody asks. */
function startMover(market: Market, mechanism: AnyMechanism): (bid: Bid) => boolean {
  let truth: { readonly delay: number | null } | undefined;
  return (bid) => {
    truth ??= { delay: runAuction(mechanism, market).startDelay };
    return runAuction(mechanism, market, [bid]).startDelay !== truth.delay;
  };
}

/** One market, at one budget or at several: of the workers asked those who gain, of these whose lie moves the start. */
export function gainSummary(seen: readonly GainsAt[]) {
  const paying = seen.flatMap((one) => one.paying);
  const limited = paying.filter(({ unbounded }) => !unbounded);
  const gains = limited.map(({ gain }) => gain);
  const size = sum(seen, ({ asked }) => asked);
  return {
    share: countsOf(paying.length, size),
    // Those who gain without bound are in no sum and no sketch.
    unbounded: paying.length - limited.length,
    moving: paying.filter(({ movesStart }) => movesStart).length,
    total: sum(gains),
    gains: sketchOf(gains),
    // As shares of the budget per worker.
    parts: sketchOf(limited.map(({ part }) => part)),
    most: largest(paying),
    mostOfBudget: Math.max(0, ...limited.map(({ part, workers }) => part / workers)),
  };
}

export type GainSummary = ReturnType<typeof gainSummary>;

/** Of different markets; of equal gains the left one's is kept. It changes the left one's sketches. */
export const mergeGains = (left: GainSummary, right: GainSummary): GainSummary => ({
  share: mergeCounts(left.share, right.share),
  unbounded: left.unbounded + right.unbounded,
  moving: left.moving + right.moving,
  total: left.total + right.total,
  gains: mergeSketches(left.gains, right.gains),
  parts: mergeSketches(left.parts, right.parts),
  most: largest([left.most, right.most]),
  mostOfBudget: Math.max(left.mostOfBudget, right.mostOfBudget),
});

/** The one that gains most, of equals the first. */
const largest = (found: readonly (Witness | null)[]): Witness | null =>
  found.reduce<Witness | null>(
    (top, next) => (next && supremumOf(next) > (top ? supremumOf(top) : 0) ? next : top),
    null,
  );

/** The mean gain of those who gain; null where one of them gains without bound. */
export const meanGain = ({ total, unbounded, share }: GainSummary): number | null =>
  unbounded > 0 ? null : total / share.hits;

/** A quantile of the gains of those who gain, to three digits; null of too few, or where it has no bound. */
export function gainQuantile({ unbounded, share }: GainSummary, sketch: Sketch, part: number): number | null {
  const limited = share.hits - unbounded;
  const among = (part * share.hits) / limited;
  return limited === 0 || among > 1 ? null : quantileOf(sketch, among, share.hits);
}

/** Parts by their keys, each merged where both have it. It changes and returns the left ones. */
export function mergeParts<Part>(
  left: Record<string, Part>,
  right: Readonly<Record<string, Part>>,
  merge: (left: Part, right: Part) => Part,
): Record<string, Part> {
  for (const key in right) {
    const known = left[key];
    left[key] = known === undefined ? right[key]! : merge(known, right[key]!);
  }
  return left;
}

/** To three digits, for a sketch knows no more; null of too few values. */
export const quantileOf = (sketch: Sketch, part: number, count: number): number | null =>
  count < FEWEST_FOR_PERCENTILES ? null : rounded(Number(quantileFrom(sketch, part).toPrecision(3)));

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

/** Asks the workers of a drawn market at one budget, and keeps a row of each where rows are wanted. */
export function askAt(drawn: Market, place: Place, asking: Inquiry & Pick<JobContext, "keep">) {
  const market = atRelativeBudget(drawn, place.ratio);
  const asked = { market, responses: ask(market, asking) };
  if (asking.keep) for (const row of workerRows(place, asked, asking.mechanism)) asking.keep(row);
  return asked;
}

type Asked = ReturnType<typeof askAt>;

function workerRows(place: Place, { market, responses }: Asked, mechanism: AnyMechanism): WorkerRow[] {
  const name = `${place.workers}/${place.k}`;
  const { rules } = unvaried(mechanism, market).market;
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
