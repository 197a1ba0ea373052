/**
 * The best lie of a worker who does not see the others' bids: it knows its own type, the rules and how such markets
 * usually look. The lie is the best on some draws of the others, among all prices and all arrivals. What it brings is
 * measured on as many other draws, by plain runs and beside the truth on the same draws: of the best of many lies, some
 * of what it seems to gain on the draws it was chosen on is luck.
 */

import { type Estimate, estimate, reach, share } from "../lib/statistics.js";
import { negligible } from "../lib/tolerance.js";
import type { Market, Rules, Worker } from "../market/market.js";
import type { AnyMechanism } from "../mechanisms/mechanism.js";
import { online } from "../mechanisms/online.js";
import type { Belief, Strategy } from "./belief.js";
import { Draws, drawsOf, type Fate, utilitiesOf } from "./draws.js";
import { bestResponses, isExact } from "./index.js";
import type { Landscape } from "./landscape.js";

interface InterimOptions {
  readonly rules: Rules;
  readonly mechanism?: AnyMechanism;
  readonly belief: Belief;
  /** On how many draws a lie is chosen, and on how many others it is judged. */
  readonly draws: number;
}

/** What a bid says, compared with the truth. */
type StatedLie =
  | "truth"
  | "lower price"
  | "higher price"
  | "delay"
  | "lower price and delay"
  | "higher price and delay";

export interface InterimResponse {
  readonly id: number;
  /** The truth's utility, on average over the draws that judge. */
  readonly truthful: number;
  /** The lie's utility less the truth's on the same draws, with a 95 % interval; may be negative. */
  readonly gain: number;
  readonly low: number;
  readonly high: number;
  /** The truth, where no lie did better on the draws it could be chosen on. */
  readonly best: { readonly price: number; readonly arrival: number; readonly utility: number };
  readonly lie: StatedLie;
  /** What it gained on the draws it was chosen on. */
  readonly chosenGain: number;
  /** Shares of the draws that judge in which it gains and loses. */
  readonly gains: number;
  readonly loses: number;
  /** Shares in which it makes the task start earlier, or later (or never); and how much of the gain comes from the former. */
  readonly startsEarlier: number;
  readonly startsLater: number;
  readonly gainByEarlierStart: number;
}

export interface InterimResponses {
  readonly mechanism: string;
  readonly method: "interim";
  /** Whether no other lie does better on the draws it was chosen on. */
  readonly exact: boolean;
  readonly draws: number;
  readonly belief: string;
  readonly workers: readonly InterimResponse[];
}

/** The best lies of a market's workers, or of the chosen ones, none of whom sees the others. */
export function interimResponses(
  market: Market,
  options: Omit<InterimOptions, "rules"> & { readonly workers?: readonly number[] },
): InterimResponses {
  const { mechanism = online, belief, draws } = options;
  const wanted = options.workers && new Set(options.workers);
  const asked = [...market.workers].filter(({ id }) => wanted?.has(id) ?? true).sort((a, b) => a.id - b.id);
  const interim = new Interim({ ...options, rules: market.rules });
  return {
    mechanism: mechanism.name,
    method: "interim",
    exact: interim.exact,
    draws,
    belief: belief.about,
    workers: asked.map((worker) => interim.response(worker)),
  };
}

/** A belief with its draws at hand, for one worker after another. */
export class Interim {
  readonly exact: boolean;
  private readonly chosenOn: Draws;
  private readonly judgedOn: Draws;

  constructor({ rules, mechanism = online, belief, draws }: InterimOptions) {
    this.exact = !mechanism.stochastic && isExact(mechanism);
    this.chosenOn = new Draws({ rules, mechanism, workers: drawsOf(belief, 0, draws) });
    this.judgedOn = new Draws({ rules, mechanism, workers: drawsOf(belief, draws, draws) });
  }

  response(worker: Worker): InterimResponse {
    return this.judge(worker, this.choose(worker)).response;
  }

  /** The best bid on the draws that choose, and what it gains there. */
  choose(worker: Worker): Chosen {
    if (!this.exact) return searched(this.chosenOn, worker);
    const { price, arrival, gain } = this.chosenOn.landscape(worker).best(worker);
    return { price, arrival, gain };
  }

  /** What a bid brings on the draws that judge. */
  judge(worker: Worker, chosen: Chosen): Judged {
    const { price, arrival, gain: chosenGain } = chosen;
    const { honest, lying, truths, gains } = this.compared(worker, chosen);
    const { mean: gain, low, high } = estimate(gains);
    const truthful = estimate(truths).mean;
    const noise = negligible(this.judgedOn.rules.budget);
    const response = {
      id: worker.id,
      truthful,
      ...{ gain, low, high },
      best: { price, arrival, utility: truthful + gain },
      lie: statedLie(worker, { price, arrival }),
      chosenGain,
      gains: shareOf(gains, (one) => one > noise),
      loses: shareOf(gains, (one) => one < -noise),
      ...movedStarts(honest, lying, gains),
    };
    return { response, gains };
  }

  /** The first of the draws that judge, with the worker in its place. */
  judgingMarkets(worker: Worker, count: number): Market[] {
    const most = Math.min(count, this.judgedOn.count);
    return Array.from({ length: most }, (_, k) => this.judgedOn.market(k, worker));
  }

  private compared(worker: Worker, { price, arrival }: Chosen) {
    const { cost } = worker;
    const isTruth = statedLie(worker, { price, arrival }) === "truth";
    const honest = this.judgedOn.fates(worker, { price: cost, arrival: worker.arrival });
    const lying = isTruth ? honest : this.judgedOn.fates(worker, { price, arrival });
    const truths = utilitiesOf(honest, cost);
    const gains = utilitiesOf(lying, cost).map((utility, k) => utility - truths[k]!);
    return { honest, lying, truths, gains };
  }
}

interface Judged {
  readonly response: InterimResponse;
  /** On each of the draws that judge. */
  readonly gains: readonly number[];
}

/** A bid, and what it gains on the draws it was chosen on: 0 for the truth. */
interface Chosen {
  readonly price: number;
  readonly arrival: number;
  readonly gain: number;
}

export function statedLie(worker: Worker, { price, arrival }: Pick<Chosen, "price" | "arrival">): StatedLie {
  const late = arrival > worker.arrival;
  if (price === worker.cost) return late ? "delay" : "truth";
  const side = price < worker.cost ? "lower price" : "higher price";
  return late ? `${side} and delay` : side;
}

const shareOf = <Item>(items: readonly Item[], holds: (item: Item) => boolean): number =>
  items.filter(holds).length / items.length;

function movedStarts(honest: readonly Fate[], lying: readonly Fate[], gains: readonly number[]) {
  const moved = honest.map(({ startDelay }, k) => Math.sign(lying[k]!.startDelay - startDelay) || 0);
  const byEarlier = gains.map((gain, k) => (moved[k]! < 0 ? gain : 0));
  return {
    startsEarlier: shareOf(moved, (by) => by < 0),
    startsLater: shareOf(moved, (by) => by > 0),
    gainByEarlierStart: estimate(byEarlier).mean,
  };
}

/** Prices tried at each arrival where no pieces are known. */
const GRID = 40;
/** The draws that all of them are tried on; the better half goes on to twice as many. */
const FIRST_DRAWS = 16;

/** For mechanisms without a text: a grid, of which the better half is tried on more draws, again and again. */
function searched(draws: Draws, worker: Worker): Chosen {
  const top = 2 * Math.max(worker.cost, draws.highestPrice);
  const prices = [worker.cost, ...Array.from({ length: GRID }, (_, k) => (k * top) / (GRID - 1))];
  const arrivals = Array.from(
    { length: draws.rules.rounds - worker.arrival + 1 },
    (_, k) => worker.arrival + k,
  );
  let bids = arrivals.flatMap((arrival) => prices.map((price) => ({ price, arrival })));
  let value: (bid: (typeof bids)[number]) => number = () => 0;
  for (let count = FIRST_DRAWS; ; count *= 2) {
    const some = draws.first(count);
    const values = new Map(
      bids.map((bid) => [bid, estimate(utilitiesOf(some.fates(worker, bid), worker.cost)).mean]),
    );
    value = (bid) => values.get(bid)!;
    bids = bids.sort((a, b) => value(b) - value(a)).slice(0, Math.max(1, Math.ceil(bids.length / 2)));
    if (count >= draws.count) break;
  }
  const [best] = bids;
  const truth = { price: worker.cost, arrival: worker.arrival };
  const gain = value(best!) - estimate(utilitiesOf(draws.fates(worker, truth), worker.cost)).mean;
  return gain > negligible(draws.rules.budget) ? { ...best!, gain } : { ...truth, gain: 0 };
}

interface PolicyOptions {
  readonly rules: Rules;
  readonly mechanism?: AnyMechanism;
  /** Draws of everybody, as a belief has them: the policy's type takes the place of the first in each. */
  readonly workers: readonly (readonly Worker[])[];
  /** How many reputations from 0 to 1 have a landscape. */
  readonly reputations: number;
}

/**
 * The interim best response of every type, fast enough to play by: expected landscapes at a few reputations, each worked
 * out when somebody near it first asks. A landscape is exact in cost and arrival; a type plays the best bid of the nearest
 * reputation in the table as its own.
 */
export class InterimPolicy {
  private readonly landscapes = new Map<number, Landscape>();
  private readonly draws: Draws;

  constructor(private readonly options: PolicyOptions) {
    this.draws = new Draws(options);
  }

  readonly bid: Strategy = ({ reputation, cost, arrival }) => {
    if (reputation === 0) return { price: cost, arrival };
    const { price, arrival: claimed } = this.landscape(reputation).best({ cost, arrival });
    return { price, arrival: claimed };
  };

  /** That of the nearest reputation in the table: the middles of equal parts of [0, 1]. */
  private landscape(reputation: number): Landscape {
    const parts = this.options.reputations;
    const part = Math.max(0, Math.min(parts - 1, Math.floor(reputation * parts)));
    const known = this.landscapes.get(part);
    if (known) return known;
    const self = {
      id: this.options.workers[0]![0]!.id,
      reputation: (part + 0.5) / parts,
      cost: 0,
      arrival: 1,
    };
    const landscape = this.draws.landscape(self);
    this.landscapes.set(part, landscape);
    return landscape;
  }
}

/** What a lie says; of prices below the cost, those that gain mostly because the task starts earlier stand apart. */
export type InterimKind = StatedLie | "lower price that forces the start";

export interface TypeGain {
  readonly type: Worker;
  readonly response: InterimResponse;
  readonly kind: InterimKind;
  /** Whether the interval of the gain lies above 0. */
  readonly pays: boolean;
  /** What its best lie gains on average if it sees all bids; on the first of the draws that judge. */
  readonly omniscient: number;
}

interface KindOfGain {
  readonly kind: InterimKind;
  /** Of all types: those who choose it and for whom it pays. */
  readonly pays: Estimate;
  /** Its part of the mean gain over all types. */
  readonly gain: Estimate;
}

interface InterimGains {
  readonly types: readonly TypeGain[];
  readonly pays: Estimate;
  /** The mean over types of the gain of the lie that each chooses, paying or not. */
  readonly gain: Estimate;
  readonly omniscient: Estimate;
  /** By kind of lie, the one that gains most first. */
  readonly kinds: readonly KindOfGain[];
}

interface InterimGainsOptions extends InterimOptions {
  /** Drawn independently of each other and of the belief's draws; their ids are in the believed market. */
  readonly types: readonly Worker[];
  /** On how many draws the omniscient gain is worked out. */
  readonly omniscientDraws: number;
}

/** What lying brings over a distribution of types: to somebody who knows only the rules, and to somebody who sees all bids. */
export function interimGains(options: InterimGainsOptions): InterimGains {
  const interim = new Interim(options);
  const rows = options.types.map((type) => typeGain(interim, type, options));
  const types = rows.map(({ gains: _, omniscients: __, ...row }) => row);
  const n = types.length;
  const kinds = [...new Set(types.map(({ kind }) => kind))].filter((kind) => kind !== "truth");
  const nothing = Array.from({ length: options.draws }, () => 0);
  return {
    types,
    pays: share(types.filter(({ pays }) => pays).length, n),
    gain: crossed(rows.map(({ gains }) => gains)),
    omniscient: crossed(rows.map(({ omniscients }) => omniscients)),
    kinds: kinds
      .map((kind) => ({
        kind,
        pays: share(types.filter((one) => one.kind === kind && one.pays).length, n),
        gain: crossed(rows.map((row) => (row.kind === kind ? row.gains : nothing))),
      }))
      .sort((a, b) => b.gain.mean - a.gain.mean),
  };
}

function typeGain(interim: Interim, type: Worker, options: InterimGainsOptions) {
  const { response, gains } = interim.judge(type, interim.choose(type));
  const omniscients = omniscientGains(interim, type, options);
  return {
    type,
    response,
    kind: interimKindOf(response),
    pays: response.low > 0,
    omniscient: estimate(omniscients).mean,
    omniscients,
    gains,
  };
}

function interimKindOf({ lie, gain, gainByEarlierStart }: InterimResponse): InterimKind {
  const forces = lie === "lower price" && gainByEarlierStart > gain / 2 && gainByEarlierStart > 0;
  return forces ? "lower price that forces the start" : lie;
}

/** What the best lie of each draw gains there. */
function omniscientGains(
  interim: Interim,
  type: Worker,
  { mechanism, omniscientDraws }: InterimGainsOptions,
): number[] {
  const asked = { workers: [type.id], ...(mechanism && { mechanism }) };
  return interim
    .judgingMarkets(type, omniscientDraws)
    .map((market) => bestResponses(market, asked).workers[0]!.gain);
}

/**
 * The mean of a table with a row for each type and a column for each draw, the same draws for all types: its error comes
 * from the types and from the draws. The two variances are added, which counts what is of neither alone twice: the
 * interval is a little too wide, never too narrow.
 */
export function crossed(table: readonly (readonly number[])[]): Estimate {
  const rows = table.map((row) => estimate(row).mean);
  const columns = table[0]!.map((_, k) => estimate(table.map((row) => row[k]!)).mean);
  const [byRow, byColumn] = [estimate(rows), estimate(columns)];
  const freedom = Math.min(rows.length, columns.length) - 1;
  const error = ({ high, mean, n }: Estimate) => (high - mean) / reach(n - 1);
  const half = reach(freedom) * Math.hypot(error(byRow), error(byColumn));
  return { mean: byRow.mean, low: byRow.mean - half, high: byRow.mean + half, n: rows.length };
}
