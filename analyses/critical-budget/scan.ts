/** A drawn market scanned over budgets: where its lies begin and cease to pay, and what else changes there. */

import { atRelativeBudget } from "../../src/market/draw.js";
import type { Market } from "../../src/market/market.js";
import { hold, type Outcome } from "../../src/mechanisms/mechanism.js";
import { ask, type Inquiry, type PayingLie } from "../shared/gains.js";

/** A market under one budget. */
export interface AtBudget {
  readonly ratio: number;
  /** The largest gain; null where no lie pays. */
  readonly most: PayingLie | null;
  /** What the truthful run shows. */
  readonly state: State;
}

export const states = ["late start", "budget events", "neither"] as const;

export type State = (typeof states)[number];

/** What can change in a truthful run from one budget to the next. */
export interface Digest {
  readonly startDelay: number | null;
  /** Its budget events, and who is hired when. */
  readonly events: string;
  readonly hired: string;
}

export function digest({ startDelay, budgetEvents, workers }: Outcome): Digest {
  const events = budgetEvents.map(({ round, worker, kind }) => `${round} ${worker} ${kind}`).join();
  return { startDelay, events, hired: workers.map(({ selectedAt }) => selectedAt ?? "").join() };
}

function stateOf({ startDelay, events }: Digest): State {
  if (startDelay !== 0) return "late start";
  return events === "" ? "neither" : "budget events";
}

export const changes = [
  "the start moves",
  "budget events begin or end",
  "other budget events",
  "other workers are hired",
  "nothing in the truthful run",
] as const;

export type Change = (typeof changes)[number];

/** What differs between two truthful runs; the first of the list that does. */
export function changeBetween(a: Digest, b: Digest): Change {
  if (a.startDelay !== b.startDelay) return "the start moves";
  if ((a.events === "") !== (b.events === "")) return "budget events begin or end";
  if (a.events !== b.events) return "other budget events";
  return a.hired === b.hired ? "nothing in the truthful run" : "other workers are hired";
}

/** Two budgets close to each other, at one of which a lie pays. */
export interface Crossing {
  readonly below: AtBudget;
  readonly above: AtBudget;
  /** What else differs between the two. */
  readonly change: Change;
}

export interface Scan {
  readonly budgets: readonly AtBudget[];
  readonly crossings: readonly Crossing[];
}

export interface ScanOptions extends Inquiry {
  /** Relative budgets, increasing. */
  readonly ratios: readonly number[];
  /** How near, relatively, the two budgets of a crossing are. */
  readonly width: number;
}

/** A market under one budget, with all of the truthful run that may differ from another's. */
interface Probe extends AtBudget {
  readonly truth: Digest;
}

/** A coarse scan, then bisection at each change. */
export function scan(drawn: Market, options: ScanOptions): Scan {
  const probes = options.ratios.map((ratio) => probe(drawn, ratio, options));
  const crossings = probes.slice(1).flatMap((above, k): Crossing[] => {
    const below = probes[k]!;
    return pays(below) === pays(above) ? [] : [bisect(drawn, { below, above }, options)];
  });
  return { budgets: probes.map(withoutTruth), crossings };
}

export const pays = ({ most }: AtBudget): boolean => most !== null;

const withoutTruth = ({ ratio, most, state }: Probe): AtBudget => ({ ratio, most, state });

function probe(drawn: Market, ratio: number, inquiry: Inquiry): Probe {
  const market = atRelativeBudget(drawn, ratio);
  const { workers } = ask(market, inquiry);
  const best = workers.reduce((a, b) => (b.gain > a.gain ? b : a));
  const { gain, truthful, regime } = best;
  const bid = { worker: best.id, price: best.best.price, arrival: best.best.arrival };
  const truth = digest(hold(inquiry.mechanism, market));
  return { ratio, most: gain > 0 ? { bid, truthful, gain, regime } : null, state: stateOf(truth), truth };
}

/** Halves the distance in logarithms; of several crossings between the two it finds one. */
function bisect(drawn: Market, ends: { below: Probe; above: Probe }, options: ScanOptions): Crossing {
  let { below, above } = ends;
  while (above.ratio / below.ratio > 1 + options.width) {
    const middle = probe(drawn, Math.sqrt(below.ratio * above.ratio), options);
    if (pays(middle) === pays(below)) below = middle;
    else above = middle;
  }
  const change = changeBetween(below.truth, above.truth);
  return { below: withoutTruth(below), above: withoutTruth(above), change };
}

export const middleOf = ({ below, above }: Crossing): number => Math.sqrt(below.ratio * above.ratio);

export const moments = ["lies begin to pay", "lies cease to pay"] as const;

export type Moment = (typeof moments)[number];

export const momentOf = ({ above }: Crossing): Moment =>
  pays(above) ? "lies begin to pay" : "lies cease to pay";

/** The first beginning, or the last ending, of a market; null where it lies outside of the range, or there is none. */
export function extreme({ budgets, crossings }: Scan, moment: Moment): Crossing | null {
  const end = moment === "lies begin to pay" ? 0 : -1;
  if (pays(budgets.at(end)!)) return null;
  return crossings.filter((crossing) => momentOf(crossing) === moment).at(end) ?? null;
}
