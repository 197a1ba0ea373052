/** At which budgets lies begin and cease to pay, market by market, and what else changes there. */

import { median } from "d3-array";
import { isExact } from "../src/best-response/index.js";
import { threeDigits } from "../src/lib/format.js";
import type { Stream } from "../src/lib/random.js";
import { atRelativeBudget, surveyed } from "../src/market/draw.js";
import type { Market } from "../src/market/market.js";
import { hold, type Outcome } from "../src/mechanisms/mechanism.js";
import type { Exhibit } from "../src/report/result.js";
import type { Analysis } from "../src/study/analysis.js";
import { listing, type WorkContext } from "../src/study/job.js";
import { explain, type LieKind } from "../src/verdicts/explain.js";
import {
  type AtBudget,
  type Change,
  type Crossing,
  charts,
  extreme,
  findings,
  methods,
  middleOf,
  ofSize,
  pays,
  type Scan,
  type State,
  tables,
} from "./critical-budget/views.js";
import { ask, askingCost, type BySpeed, type Inquiry, settingsFor } from "./shared/gains.js";

export interface CriticalSettings {
  readonly rounds: number;
  readonly sizes: readonly number[];
  /** Markets drawn of each size. */
  readonly markets: number;
  /** The relative budgets scanned: evenly in logarithms. */
  readonly scanned: { readonly from: number; readonly to: number; readonly points: number };
  /** Relative distance of the two budgets that a crossing is narrowed down to. */
  readonly width: number;
  /** Workers asked in each market; null: everybody. */
  readonly asked: number | null;
}

const exactly = { rounds: 10, width: 0.001, asked: null };

const searching = { rounds: 10, sizes: [5, 10], width: 0.05, asked: 2 };

const profiles: BySpeed<CriticalSettings> = {
  quick: {
    fast: {
      ...exactly,
      sizes: [5, 10, 20, 40, 80],
      markets: 80,
      scanned: { from: 0.01, to: 20, points: 24 },
    },
    slow: { ...searching, markets: 3, scanned: { from: 0.05, to: 5, points: 6 } },
  },
  full: {
    fast: {
      ...exactly,
      sizes: [5, 10, 20, 40, 80, 160],
      markets: 1000,
      scanned: { from: 0.005, to: 50, points: 48 },
    },
    slow: { ...searching, markets: 30, scanned: { from: 0.05, to: 5, points: 12 } },
  },
};

/** Markets of one size. */
interface CriticalCell extends Pick<CriticalSettings, "rounds" | "width" | "asked"> {
  readonly workers: number;
  /** The relative budgets scanned, increasing. */
  readonly ratios: readonly number[];
}

/** One market's scan, and what changes by chance between budgets as near to each other as a crossing's. */
export interface Scanned extends Scan {
  readonly workers: number;
  /** Which of the markets of its size. */
  readonly k: number;
  /** The kind of the lie that first begins to pay. */
  readonly beginsBy: LieKind | null;
  readonly byChance: readonly Change[];
}

const CHANCES = 20;

const job = listing<CriticalCell, Scanned>((cell, k, { stream, mechanism }) => {
  const { workers, ratios, width, asked } = cell;
  const drawn = surveyed(cell, k, stream);
  const chances = anywhere(ratios, stream.fork(workers).fork(k).fork("chance"));
  const truth = (at: number) => hold(mechanism, atRelativeBudget(drawn, at));
  const byChance = chances.map((ratio) => changeBetween(truth(ratio), truth(ratio * (1 + width))));
  const found = scan(drawn, { ratios, width, mechanism, asked });
  const first = extreme(found, "lies begin to pay")?.above;
  const beginsBy = first?.most
    ? explain(atRelativeBudget(drawn, first.ratio), first.most.bid, { mechanism }).kind
    : null;
  return { workers, k, byChance, beginsBy, ...found };
}, cost);

/** Budgets anywhere in the range, evenly in logarithms. */
function anywhere(ratios: readonly number[], stream: Stream): number[] {
  const [from, to] = [ratios[0]!, ratios.at(-1)!];
  return Array.from({ length: CHANCES }, () => from * (to / from) ** stream.next());
}

/** Budgets near a crossing cost twice as much as others, and there are two or three crossings a market. */
function cost({ workers, ratios, width, asked }: CriticalCell): number {
  const steps = Math.log2(Math.log(ratios.at(-1)! / ratios[0]!) / ratios.length / width);
  return askingCost(workers, asked, ratios.length + 5 * Math.max(0, steps));
}

function ratiosOf({ from, to, points }: CriticalSettings["scanned"]): number[] {
  const step = (to / from) ** (1 / (points - 1));
  return Array.from({ length: points }, (_, k) => Number((from * step ** k).toPrecision(4)));
}

export interface CriticalResult {
  readonly scanned: readonly Scanned[];
  readonly settings: CriticalSettings;
  readonly exact: boolean;
  readonly exhibits: readonly Exhibit[];
}

/** Of each size, the market whose lies begin to pay nearest to the median, at that budget. */
function exhibitsOf(
  scanned: readonly Scanned[],
  { stream, mechanism }: WorkContext,
  rounds: number,
): Exhibit[] {
  return ofSize(scanned).flatMap(([workers, markets]): Exhibit[] => {
    const found = markets.flatMap((one) => {
      const crossing = extreme(one, "lies begin to pay");
      return crossing ? [{ k: one.k, crossing }] : [];
    });
    if (found.length === 0) return [];
    const middle = median(found, ({ crossing }) => middleOf(crossing))!;
    const off = (crossing: Crossing) => Math.abs(Math.log(middleOf(crossing) / middle));
    const { k, crossing } = found.reduce((a, b) => (off(b.crossing) < off(a.crossing) ? b : a));
    const { ratio, most } = crossing.above;
    const { bid, gain, truthful } = most!;
    const market = atRelativeBudget(surveyed({ workers, rounds }, k, stream), ratio);
    const title = `${workers} workers, just where lies begin to pay (relative budget ${threeDigits(ratio)}): worker ${bid.worker} gains ${threeDigits(gain)} on top of ${threeDigits(truthful)}`;
    return [{ name: `begin-${workers}`, title, market, mechanism: mechanism.name, lie: bid }];
  });
}

/** The budget events of a truthful run, and who is hired when. */
const eventsIn = ({ budgetEvents }: Outcome): string =>
  budgetEvents.map(({ round, worker, kind }) => `${round} ${worker} ${kind}`).join();

const hiresIn = ({ workers }: Outcome): string => workers.map(({ selectedAt }) => selectedAt ?? "").join();

function stateOf({ startDelay, budgetEvents }: Outcome): State {
  if (startDelay !== 0) return "late start";
  return budgetEvents.length === 0 ? "neither" : "budget events";
}

/** What differs between two truthful runs; the first of the list that does. */
export function changeBetween(a: Outcome, b: Outcome): Change {
  if (a.startDelay !== b.startDelay) return "the start moves";
  if ((a.budgetEvents.length === 0) !== (b.budgetEvents.length === 0)) return "budget events begin or end";
  if (eventsIn(a) !== eventsIn(b)) return "other budget events";
  return hiresIn(a) === hiresIn(b) ? "nothing in the truthful run" : "other workers are hired";
}

interface ScanOptions extends Inquiry {
  /** Relative budgets, increasing. */
  readonly ratios: readonly number[];
  /** How near, relatively, the two budgets of a crossing are. */
  readonly width: number;
}

/** A market under one budget, with its truthful run. */
interface Probe extends AtBudget {
  readonly truth: Outcome;
}

/** A coarse scan, then bisection at each change. */
function scan(drawn: Market, options: ScanOptions): Scan {
  const probes = options.ratios.map((ratio) => probe(drawn, ratio, options));
  const crossings = probes.slice(1).flatMap((above, k): Crossing[] => {
    const below = probes[k]!;
    return pays(below) === pays(above) ? [] : [bisect(drawn, { below, above }, options)];
  });
  return { budgets: probes.map(withoutTruth), crossings };
}

const withoutTruth = ({ ratio, most, state }: Probe): AtBudget => ({ ratio, most, state });

function probe(drawn: Market, ratio: number, inquiry: Inquiry): Probe {
  const market = atRelativeBudget(drawn, ratio);
  const { workers } = ask(market, inquiry);
  const best = workers.reduce((a, b) => (b.gain > a.gain ? b : a));
  const { gain, truthful, regime } = best;
  const bid = { worker: best.id, price: best.best.price, arrival: best.best.arrival };
  const truth = hold(inquiry.mechanism, market);
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

export const criticalBudget: Analysis<CriticalSettings, CriticalCell, Scanned[], CriticalResult> = {
  name: "critical-budget",
  question: "At which budgets do lies begin and cease to pay, and what else happens there?",
  part: "gains",
  settings: (context) => settingsFor(profiles, context),
  plan: ({ sizes, markets, rounds, width, asked, scanned }) =>
    sizes.map((workers) => ({ cell: { workers, rounds, ratios: ratiosOf(scanned), width, asked }, markets })),
  job,
  conclude: (gathered, settings, context) => {
    const scanned = gathered.flatMap(({ summary }) => summary ?? []);
    const exhibits = exhibitsOf(scanned, context, settings.rounds);
    return { scanned, settings, exact: isExact(context.mechanism), exhibits };
  },
  tables,
  charts,
  findings,
  methods,
  exhibits: ({ exhibits }) => exhibits,
};
