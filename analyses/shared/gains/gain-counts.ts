/** How many workers of drawn markets can gain, by which lie and how much: a summary of one market, which adds up over markets. */

import type { BestLie, Response } from "../../../src/best-response/index.js";
import { rounded } from "../../../src/lib/format.js";
import { atLeast, type Estimate, FEWEST_FOR_PERCENTILES } from "../../../src/lib/statistics.js";
import {
  countsOf,
  mergeCounts,
  mergeSketches,
  type PooledCounts,
  quantileFrom,
  type Sketch,
  sketchOf,
} from "../../../src/lib/summaries.js";
import type { Bid, Market } from "../../../src/market/market.js";
import { type AnyMechanism, hold } from "../../../src/mechanisms/mechanism.js";
import { type Regime, regimes } from "../../../src/mechanisms/outcome.js";
import type { Row } from "../../../src/report/result.js";
import { intervalCells, lies } from "../../../src/report/vocabulary.js";

/** price: at the true arrival; time: at the true price; joint: either or both may be misstated. */
export type LieName = (typeof lies)[number];

/** A lie that pays and what it brings. */
export interface PayingLie {
  readonly bid: Bid;
  readonly truthful: number;
  readonly gain: number;
  readonly regime: Regime;
}

/** Which drawn market, at which budget: it is drawn again when it is wanted. */
export interface Place {
  readonly workers: number;
  /** Which of the markets of this size. */
  readonly k: number;
  /** The relative budget. */
  readonly ratio: number;
}

export type Witness = PayingLie & Place;

/** The workers of one market at one budget who are in one regime, and what one lie brings them. */
export interface GainsAt {
  readonly place: Place;
  readonly regime: Regime;
  readonly lie: LieName;
  readonly asked: number;
  readonly paying: readonly PayingLie[];
  /** The budget for each worker: gains are told as shares of it. */
  readonly perWorker: number;
  /** Of those who gain, whose lie moves the start. */
  readonly moving: number;
  /** Of those who gain, who must misstate both to gain anything. */
  readonly onlyBoth: number;
}

export interface GainSummary {
  /** Of the workers asked, those who gain. */
  readonly share: PooledCounts;
  readonly moving: number;
  readonly onlyBoth: number;
  /** All gains added up; sketched; and sketched as shares of the budget per worker. */
  readonly total: number;
  readonly gains: Sketch;
  readonly parts: Sketch;
  readonly most: Witness | null;
  /** The largest share of the whole budget that a lie brings. */
  readonly mostOfBudget: number;
}

/** What those who were asked can gain at one budget, by regime and lie. */
export function gainsAt(
  market: Market,
  asked: readonly Response[],
  { place, mechanism }: { readonly place: Place; readonly mechanism: AnyMechanism },
): GainsAt[] {
  const moves = startMover(market, mechanism);
  const perWorker = market.rules.budget / market.workers.length;
  return regimes.flatMap((regime) => {
    const there = asked.filter((response) => response.regime === regime);
    if (there.length === 0) return [];
    return lies.map((lie) => ({ place, regime, lie, perWorker, ...countGains(there, lie, moves) }));
  });
}

function countGains(responses: readonly Response[], lie: LieName, moves: (bid: Bid) => boolean) {
  const paying: PayingLie[] = [];
  let [moving, onlyBoth] = [0, 0];
  for (const response of responses) {
    const { id, truthful, regime, bestPrice, bestTime } = response;
    const best = bestOf(response, lie);
    if (best === null) continue;
    const bid = { worker: id, price: best.price, arrival: best.arrival };
    paying.push({ bid, truthful, gain: best.utility - truthful, regime });
    if (best === response.best ? response.pivotal : moves(bid)) moving++;
    if (lie === "joint" && bestPrice === null && bestTime === null) onlyBoth++;
  }
  return { asked: responses.length, paying, moving, onlyBoth };
}

function bestOf({ best, bestPrice, bestTime, gain }: Response, lie: LieName): BestLie | null {
  if (lie === "price") return bestPrice;
  if (lie === "time") return bestTime;
  return gain > 0 ? best : null;
}

/** Whether a lie moves the start; the truth is run only when somebody asks. */
function startMover(market: Market, mechanism: AnyMechanism): (bid: Bid) => boolean {
  let truth: { readonly delay: number | null } | undefined;
  return (bid) => {
    truth ??= { delay: hold(mechanism, market).startDelay };
    return hold(mechanism, market, [bid]).startDelay !== truth.delay;
  };
}

/** One market, at one budget or at several. */
export function gainSummary(seen: readonly GainsAt[]): GainSummary {
  const count = (term: (one: GainsAt) => number) => seen.reduce((sum, one) => sum + term(one), 0);
  const paying = seen.flatMap(({ place, perWorker, paying }) =>
    paying.map((lie) => ({ lie, place, part: lie.gain / perWorker })),
  );
  const gains = paying.map(({ lie }) => lie.gain);
  const most = largest(paying.map(({ lie, place }) => ({ ...place, ...lie })));
  return {
    share: countsOf(
      gains.length,
      count(({ asked }) => asked),
    ),
    moving: count(({ moving }) => moving),
    onlyBoth: count(({ onlyBoth }) => onlyBoth),
    total: gains.reduce((sum, gain) => sum + gain, 0),
    gains: sketchOf(gains),
    parts: sketchOf(paying.map(({ part }) => part)),
    most,
    mostOfBudget: Math.max(0, ...paying.map(({ part, place }) => part / place.workers)),
  };
}

/** Of different markets; of equal gains the left one's is kept. It changes the left one's sketches. */
export const mergeGains = (left: GainSummary, right: GainSummary): GainSummary => ({
  share: mergeCounts(left.share, right.share),
  moving: left.moving + right.moving,
  onlyBoth: left.onlyBoth + right.onlyBoth,
  total: left.total + right.total,
  gains: mergeSketches(left.gains, right.gains),
  parts: mergeSketches(left.parts, right.parts),
  most: largest([left.most, right.most]),
  mostOfBudget: Math.max(left.mostOfBudget, right.mostOfBudget),
});

/** The one that gains most, of equals the first. */
export function largest<Lie extends { readonly gain: number }>(found: readonly (Lie | null)[]): Lie | null {
  return found.reduce<Lie | null>((top, next) => (next && next.gain > (top?.gain ?? 0) ? next : top), null);
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

/** A share as cells; what was found by a search is a lower bound and has no upper end. */
export function shareCells(found: Estimate, exact: boolean): Row {
  return { share: rounded(found.mean), ...intervalCells(exact ? found : atLeast(found)) };
}

/** To three digits, for a sketch knows no more; null of too few values. */
export const quantileOf = (sketch: Sketch, part: number, count: number): number | null =>
  count < FEWEST_FOR_PERCENTILES ? null : rounded(Number(quantileFrom(sketch, part).toPrecision(3)));
