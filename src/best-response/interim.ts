/**
 * The best lie of a worker who does not see the others' bids: it knows its own type, the rules and how such markets
 * usually look. The lie is the best on some draws of the others, among all prices and all arrivals. What it brings is
 * measured on as many other draws, by plain runs and beside the truth on the same draws: of the best of many lies, some
 * of what it seems to gain on the draws it was chosen on is luck.
 */

import { estimate } from "../lib/statistics.js";
import { negligible } from "../lib/tolerance.js";
import type { Market, Rules, Worker } from "../market/market.js";
import type { AnyMechanism } from "../mechanisms/mechanism.js";
import { online } from "../mechanisms/online.js";
import type { Belief } from "./belief.js";
import { Draws, drawsOf, type Fate, utilitiesOf } from "./draws.js";
import { isExact } from "./index.js";

export interface InterimOptions {
  readonly rules: Rules;
  readonly mechanism?: AnyMechanism;
  readonly belief: Belief;
  /** On how many draws a lie is chosen, and on how many others it is judged. */
  readonly draws: number;
}

/** What a bid says, compared with the truth. */
export type StatedLie =
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
