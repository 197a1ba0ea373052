/**
 * The best lie of a worker who does not see the others' bids: it knows its own type, the rules and how such markets
 * usually look. The lie is the best on some draws of the others, among all prices and all arrivals. What it brings is
 * measured on other draws, by plain runs and beside the truth on the same draws: of the best of many lies, some of what it
 * seems to gain on the draws it was chosen on is luck. Plain runs cost little, so more draws judge than choose.
 */

import { mean as meanOf } from "d3-array";
import type { AnyMechanism } from "../auction/mechanism.js";
import type { BidResult } from "../auction/solver.js";
import { negligible } from "../lib/tolerance.js";
import {
  chosenWorkers,
  type Market,
  type Offer,
  possibleArrivals,
  type Rules,
  type Worker,
} from "../market/market.js";
import { online } from "../mechanisms/online/online.js";
import { type Belief, type Strategy, truthOf } from "./belief.js";
import { Draws, drawsOf, utilitiesOf } from "./draws.js";
import { resolveGame } from "./game.js";
import { bestResponses, isExact } from "./index.js";
import type { Landscape } from "./landscape.js";
import { ASSUMED, gainsIn, meanGain, type PaymentRange, paymentRange } from "./mean-gain.js";

export interface InterimOptions {
  readonly rules: Rules;
  readonly mechanism?: AnyMechanism;
  readonly belief: Belief;
  /** On how many draws a lie is chosen. */
  readonly draws: number;
  /** On how many others it is judged; `judgingDraws` of them if left out. */
  readonly judgedOn?: number;
}

/** Eight times as many draws judge as choose, up to ten thousand, and never fewer. */
export const judgingDraws = (draws: number): number => Math.max(draws, Math.min(8 * draws, 10_000));

/** What a bid says, compared with the truth. */
type StatedLie = "truth" | "delay" | PriceLie | `${PriceLie} and delay`;
type PriceLie = "lower price" | "higher price";

export interface InterimResponse {
  readonly id: number;
  /** The truth's utility, on average over the draws that judge. */
  readonly truthful: number;
  /** The lie's utility less the truth's on the same draws, with a 95 % interval (NaN where payments have no known bound); may be negative. */
  readonly gain: number;
  readonly low: number;
  readonly high: number;
  /** The truth, where no lie did better on the draws it could be chosen on. */
  readonly best: Offer & { readonly utility: number };
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
  /** On how many other draws it was judged. */
  readonly judgedOn: number;
  readonly belief: string;
  /** What the intervals rest on, where payments are not known to keep a range. */
  readonly assumes?: string;
  readonly workers: readonly InterimResponse[];
}

/** The best lies of a market's workers, or of the chosen ones, none of whom sees the others. */
export function interimResponses(
  market: Market,
  options: Omit<InterimOptions, "rules"> & { readonly workers?: readonly number[] },
): InterimResponses {
  const interim = new Interim({ ...options, rules: market.rules });
  return interim.responses(chosenWorkers(market, options.workers).map((worker) => interim.response(worker)));
}

/** A belief with its draws at hand, for one worker after another. */
export class Interim {
  readonly exact: boolean;
  private readonly mechanism: AnyMechanism;
  private readonly payments: PaymentRange;
  private readonly about: string;
  private readonly chosenOn: Draws;
  private readonly judgedOn: Draws;

  constructor({ rules, mechanism = online, belief, draws, judgedOn = judgingDraws(draws) }: InterimOptions) {
    this.exact = !mechanism.stochastic && isExact(mechanism);
    this.mechanism = mechanism;
    this.payments = paymentRange(resolveGame(mechanism, { rules, workers: [] }));
    this.about = belief.about;
    this.chosenOn = new Draws({ rules, mechanism, workers: drawsOf(belief, 0, draws) });
    this.judgedOn = new Draws({ rules, mechanism, workers: drawsOf(belief, draws, judgedOn) });
  }

  /** With how they were obtained. */
  responses(workers: readonly InterimResponse[]): InterimResponses {
    const { exact, chosenOn, judgedOn, about, payments } = this;
    return {
      mechanism: this.mechanism.name,
      method: "interim",
      exact,
      draws: chosenOn.count,
      judgedOn: judgedOn.count,
      belief: about,
      ...(payments.assumed && { assumes: ASSUMED }),
      workers,
    };
  }

  response(worker: Worker): InterimResponse {
    return this.judge(worker, this.choose(worker));
  }

  /** The best bid on the draws that choose, and what it gains there. */
  choose(worker: Worker): Chosen {
    return this.exact ? this.chosenOn.landscape(worker).best(worker) : searched(this.chosenOn, worker);
  }

  /** What a bid brings on the draws that judge. */
  judge(worker: Worker, { price, arrival, gain: chosenGain }: Chosen): InterimResponse {
    const { cost } = worker;
    const lie = statedLie(worker, { price, arrival });
    const honest = this.judgedOn.results(worker, truthOf(worker));
    const lying = lie === "truth" ? honest : this.judgedOn.results(worker, { price, arrival });
    const { rounds, budget } = this.judgedOn.rules;
    const compared = { honest, lying, cost, rounds, payments: this.payments };
    const { mean: gain, low, high } = meanGain(compared);
    const gains = gainsIn(compared);
    const truthful = meanOf(utilitiesOf(honest, cost))!;
    const noise = negligible(budget);
    return {
      id: worker.id,
      truthful,
      gain,
      low,
      high,
      best: { price, arrival, utility: truthful + gain },
      lie,
      chosenGain,
      gains: shareOf(gains, (one) => one > noise),
      loses: shareOf(gains, (one) => one < -noise),
      ...movedStarts(honest, lying, gains),
    };
  }

  /** The first of the draws that judge, with the worker in its place. */
  judgingMarkets(worker: Worker, count: number): Market[] {
    const most = Math.min(count, this.judgedOn.count);
    return Array.from({ length: most }, (_, k) => this.judgedOn.market(k, worker));
  }

  /** What its best lie gains on average if it sees all bids (without bound: what the lie named gains); on the first of the draws that judge. */
  omniscientGain(worker: Worker, draws: number): number {
    const asked = { workers: [worker.id], mechanism: this.mechanism };
    const markets = this.judgingMarkets(worker, draws);
    return meanOf(markets, (market) => {
      const { gain, best, truthful } = bestResponses(market, asked).workers[0]!;
      return gain < Number.POSITIVE_INFINITY ? gain : best.utility - truthful;
    })!;
  }
}

/** A bid, and what it gains on the draws it was chosen on: 0 for the truth. */
interface Chosen extends Offer {
  readonly gain: number;
}

export function statedLie(worker: Worker, { price, arrival }: Offer): StatedLie {
  const late = arrival > worker.arrival;
  if (price === worker.cost) return late ? "delay" : "truth";
  const side = price < worker.cost ? "lower price" : "higher price";
  return late ? `${side} and delay` : side;
}

const shareOf = <Item>(items: readonly Item[], holds: (item: Item) => boolean): number =>
  items.filter(holds).length / items.length;

function movedStarts(honest: readonly BidResult[], lying: readonly BidResult[], gains: readonly number[]) {
  const moved = honest.map(({ startDelay }, k) => Math.sign(lying[k]!.startDelay - startDelay) || 0);
  const byEarlier = gains.map((gain, k) => (moved[k]! < 0 ? gain : 0));
  return {
    startsEarlier: shareOf(moved, (by) => by < 0),
    startsLater: shareOf(moved, (by) => by > 0),
    gainByEarlierStart: meanOf(byEarlier)!,
  };
}

/** Prices tried at each arrival where no pieces are known. */
const GRID = 40;
/** The draws that all of them are tried on; the better half goes on to twice as many. */
const FIRST_DRAWS = 16;

/** For mechanisms without a program: a grid, of which the better half is tried on more draws, again and again. */
function searched(draws: Draws, worker: Worker): Chosen {
  const top = 2 * Math.max(worker.cost, draws.highestPrice);
  const prices = [worker.cost, ...Array.from({ length: GRID }, (_, k) => (k * top) / (GRID - 1))];
  const valueOn = (some: Draws, bid: Offer) => meanOf(utilitiesOf(some.results(worker, bid), worker.cost))!;
  let bids = possibleArrivals(worker, draws.rules)
    .flatMap((arrival) => prices.map((price) => ({ price, arrival })))
    .map((bid) => ({ bid, value: 0 }));
  for (let count = FIRST_DRAWS; ; count *= 2) {
    const some = draws.first(count);
    bids = bids
      .map(({ bid }) => ({ bid, value: valueOn(some, bid) }))
      .sort((a, b) => b.value - a.value)
      .slice(0, Math.max(1, Math.ceil(bids.length / 2)));
    if (count >= draws.count) break;
  }
  const truth = truthOf(worker);
  const { bid, value } = bids[0]!;
  const gain = value - valueOn(draws, truth);
  return gain > negligible(draws.rules.budget) ? { ...bid, gain } : { ...truth, gain: 0 };
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
    const best = this.landscape(reputation).best({ cost, arrival });
    return { price: best.price, arrival: best.arrival };
  };

  /** That of the nearest reputation in the table: the middles of equal parts of [0, 1]. */
  private landscape(reputation: number): Landscape {
    const parts = this.options.reputations;
    const part = Math.max(0, Math.min(parts - 1, Math.floor(reputation * parts)));
    const { id } = this.options.workers[0]![0]!;
    const middle = { id, reputation: (part + 0.5) / parts, cost: 0, arrival: 1 };
    const landscape = this.landscapes.get(part) ?? this.draws.landscape(middle);
    this.landscapes.set(part, landscape);
    return landscape;
  }
}

/** What a lie says; of prices below the cost, those that gain mostly because the task starts earlier stand apart. */
export type InterimKind = StatedLie | "lower price that forces the start";

export function interimKindOf({ lie, gain, gainByEarlierStart }: InterimResponse): InterimKind {
  const forces = lie === "lower price" && gainByEarlierStart > gain / 2 && gainByEarlierStart > 0;
  return forces ? "lower price that forces the start" : lie;
}
