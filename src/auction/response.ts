/** What a best response is, and how it is put together from the best lies that a method found. */

import { rounding } from "../lib/tolerance.js";
import type { Market, Worker } from "../market/market.js";
import type { Regime } from "./outcome.js";
import type { Piece } from "./piece.js";

/** The best lie of a worker. Where no price attains the supremum, `price` comes within 1e-9 of it; where no bound exists, it gains already. */
export interface BestLie {
  readonly price: number;
  readonly arrival: number;
  readonly utility: number;
  readonly attained: boolean;
}

export interface Response {
  readonly id: number;
  /** Utility of the truth. */
  readonly truthful: number;
  /** Over all prices and all arrivals from the true one on; Infinity where no bound exists ("unbounded" in JSON). */
  readonly gain: number;
  /** At the true arrival; Infinity as above. */
  readonly priceGain: number;
  /** At the true price. */
  readonly timeGain: number;
  /** A 95 % interval of the gain of the lie that was found, where gains are estimated. */
  readonly low?: number;
  readonly high?: number;
  readonly best: BestLie;
  /** The lies behind priceGain and timeGain; null where nothing is gained. */
  readonly bestPrice: BestLie | null;
  readonly bestTime: BestLie | null;
  readonly regime: Regime;
  /** Whether the best lie changes the start. */
  readonly pivotal: boolean;
  /** Numbers tie or nearly do where fractions do not ([M13]): the answer is that of the fractions where they could be asked. */
  readonly knifeEdge?: boolean;
}

/** Responses remember how they were obtained. */
export interface Responses {
  readonly mechanism: string;
  /**
   * exact: the whole price line of every arrival was covered by whole runs in fractions. computed: over all prices and all
   * arrivals, in floating point. search: every gain is a lower bound, found with this many evaluations.
   */
  readonly method: "exact" | "computed" | "search";
  /** That no lie is better: so where exact, and where computed by a method or from a program that tests hold to fractions. */
  readonly exact: boolean;
  readonly evaluations: number;
  /** Of a mechanism that draws: over how many seeds utilities and gains are estimated. */
  readonly seeds?: number;
  /** Of such a mechanism: what the intervals rest on, where payments are not known to keep a range. */
  readonly assumes?: string;
  readonly workers: readonly Response[];
}

/** A lie and the start it leads to. */
export interface FoundLie {
  readonly lie: BestLie;
  readonly startDelay: number | null;
  /** The lie gains already, and higher prices gain without bound. */
  readonly unbounded?: boolean;
  /** What it gains, where that is known better than by the difference of two utilities. */
  readonly gain?: number;
}

export interface Findings {
  readonly worker: Worker;
  readonly truthful: number;
  readonly startDelay: number | null;
  readonly regime: Regime;
  /** Below this a difference of utilities is rounding. */
  readonly noise: number;
  /** The best of all lies, at the true arrival, and at the true price; null: none can gain. */
  readonly best: { readonly joint: FoundLie; readonly price: FoundLie; readonly time: FoundLie } | null;
}

/** Below this a difference of a worker's utilities is rounding. */
export const utilityNoise = ({ rules }: Market, { cost }: Worker): number =>
  rounding(Math.max(rules.budget, cost * rules.rounds));

/** What a worker can gain, and by which lies. */
export type Gains = Omit<Response, "id" | "regime">;

const truthOf = ({ cost, arrival }: Worker, utility: number): BestLie => ({
  price: cost,
  arrival,
  utility,
  attained: true,
});

/** Field by field: a spread here would double the time of all best responses. Most workers can gain nothing. */
export function assemble({ worker, truthful, startDelay, regime, noise, best: lies }: Findings): Response {
  const { id } = worker;
  if (lies === null)
    return {
      id,
      truthful,
      gain: 0,
      priceGain: 0,
      timeGain: 0,
      best: truthOf(worker, truthful),
      bestPrice: null,
      bestTime: null,
      regime,
      pivotal: false,
    };
  const gains = gainsFrom({ worker, truthful, startDelay, noise, best: lies });
  const { gain, priceGain, timeGain, best, bestPrice, bestTime, pivotal } = gains;
  return { id, truthful, gain, priceGain, timeGain, best, bestPrice, bestTime, regime, pivotal };
}

interface FoundLies extends Omit<Findings, "regime" | "best"> {
  readonly best: NonNullable<Findings["best"]>;
}

export function gainsFrom({ worker, truthful, startDelay, noise, best }: FoundLies): Gains {
  const gainOf = (found: FoundLie) => {
    const gain = found.gain ?? supremumOf(found) - truthful;
    return gain > noise ? gain : 0;
  };
  const gain = gainOf(best.joint);
  const priceGain = gainOf(best.price);
  const timeGain = gainOf(best.time);
  const found = gain > 0 ? plainest(best, noise) : { lie: truthOf(worker, truthful), startDelay };
  return {
    truthful,
    gain,
    priceGain,
    timeGain,
    best: found.lie,
    bestPrice: priceGain > 0 ? best.price.lie : null,
    bestTime: timeGain > 0 ? best.time.lie : null,
    pivotal: found.startDelay !== startDelay,
  };
}

/** The utility that a lie stands for. */
const supremumOf = ({ lie, unbounded }: FoundLie): number =>
  unbounded ? Number.POSITIVE_INFINITY : lie.utility;

/** The prices on a piece without an upper bound that bring one to two times `scale` more than the truth does. */
export function pricesBeyond(
  { from, utilityFrom, slope }: Pick<Piece, "from" | "utilityFrom" | "slope">,
  truthful: number,
  scale: number,
): [low: number, high: number] {
  const step = (scale || 1) / slope;
  const low = Math.max(from, from + (truthful - utilityFrom) / slope + step);
  return [low, low + step];
}

/** Of lies that gain the same, one that misstates only one thing. */
function plainest({ joint, price, time }: FoundLies["best"], noise: number): FoundLie {
  const enough = (found: FoundLie) => supremumOf(found) >= supremumOf(joint) - noise;
  return [price, time].find(enough) ?? joint;
}
