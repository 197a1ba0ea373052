/** At which budgets lies begin and cease to pay, market by market, and what else changes there. */

import { groups, mean, median, quantile } from "d3-array";
import { isExact } from "../src/best-response/index.js";
import { listed, many, percent, threeDigits, whole } from "../src/lib/format.js";
import type { Stream } from "../src/lib/random.js";
import { type Estimate, FEWEST_FOR_PERCENTILES, share } from "../src/lib/statistics.js";
import { countsOf, mergeCounts, pooledShare } from "../src/lib/summaries.js";
import { atRelativeBudget, surveyed } from "../src/market/draw.js";
import type { Market } from "../src/market/market.js";
import { hold, type Outcome } from "../src/mechanisms/mechanism.js";
import type { Chart, Exhibit, Finding, Table } from "../src/report/result.js";
import {
  amountColumn,
  countColumn,
  estimateColumns,
  type Field,
  logAxis,
  percentAxis,
  relativeBudget,
  shareColumn,
  tableOf,
  textColumn,
  tooltipOf,
} from "../src/report/vocabulary.js";
import type { Analysis } from "../src/study/analysis.js";
import { listing, type WorkContext } from "../src/study/job.js";
import { explain, type LieKind, lieKinds } from "../src/verdicts/explain.js";
import {
  ask,
  askingCost,
  type BySpeed,
  bounded,
  exactnessText,
  exhibitOf,
  type Inquiry,
  type PayingLie,
  payingLie,
  settingsFor,
} from "./shared/gains.js";

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

const sizes = [5, 10, 20, 40, 80];

const exactly = { rounds: 10, width: 0.001, asked: null };

const searching = { rounds: 10, sizes: [5, 10], width: 0.05, asked: 2 };

const profiles: BySpeed<CriticalSettings> = {
  quick: {
    fast: { ...exactly, sizes, markets: 80, scanned: { from: 0.01, to: 20, points: 24 } },
    slow: { ...searching, markets: 3, scanned: { from: 0.05, to: 5, points: 6 } },
  },
  full: {
    fast: {
      ...exactly,
      sizes: [...sizes, 160],
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

const states = ["late start", "budget events", "neither"] as const;

type State = (typeof states)[number];

/** A market under one budget. */
interface AtBudget {
  readonly ratio: number;
  /** The largest gain; null where no lie pays. */
  readonly most: PayingLie | null;
  /** What the truthful run shows. */
  readonly state: State;
}

const changes = [
  "the start moves",
  "budget events begin or end",
  "other budget events",
  "other workers are hired",
  "nothing in the truthful run",
] as const;

type Change = (typeof changes)[number];

/** Two budgets close to each other, at one of which a lie pays. */
interface Crossing {
  readonly below: AtBudget;
  readonly above: AtBudget;
  /** What else differs between the two. */
  readonly change: Change;
}

/** One market's scan, and what changes by chance between budgets as near to each other as a crossing's. */
interface Scanned {
  readonly workers: number;
  /** Which of the markets of its size. */
  readonly k: number;
  readonly budgets: readonly AtBudget[];
  readonly crossings: readonly Crossing[];
  /** The kind of the lie that first begins to pay. */
  readonly beginsBy: LieKind | null;
  readonly byChance: readonly Change[];
}

const pays = ({ most }: AtBudget): boolean => most !== null;

const middleOf = ({ below, above }: Crossing): number => Math.sqrt(below.ratio * above.ratio);

const moments = ["lies begin to pay", "lies cease to pay"] as const;

type Moment = (typeof moments)[number];

const momentOf = ({ above }: Crossing): Moment => moments[pays(above) ? 0 : 1];

/** Where a market's first beginning, or last ending, stands in a list. */
const endOf = (moment: Moment): number => (moment === "lies begin to pay" ? 0 : -1);

/** The first beginning, or the last ending, of a market; null where it lies outside of the range, or there is none. */
function extreme({ budgets, crossings }: Pick<Scanned, "budgets" | "crossings">, moment: Moment) {
  const end = endOf(moment);
  if (pays(budgets.at(end)!)) return null;
  return crossings.filter((crossing) => momentOf(crossing) === moment).at(end) ?? null;
}

/** Those of several markets. */
const extremes = (scanned: readonly Scanned[], moment: Moment): Crossing[] =>
  scanned.flatMap((market) => extreme(market, moment) ?? []);

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

/** A coarse scan, then bisection at each change. */
function scan(drawn: Market, options: ScanOptions): Pick<Scanned, "budgets" | "crossings"> {
  const budgets = options.ratios.map((ratio) => probe(drawn, ratio, options));
  const crossings = budgets.slice(1).flatMap((above, k): Crossing[] => {
    const below = budgets[k]!;
    return pays(below) === pays(above) ? [] : [bisect(drawn, { below, above }, options)];
  });
  return { budgets, crossings };
}

function probe(drawn: Market, ratio: number, inquiry: Inquiry): AtBudget {
  const market = atRelativeBudget(drawn, ratio);
  const best = ask(market, inquiry).workers.reduce((a, b) => (b.gain > a.gain ? b : a));
  return { ratio, most: payingLie(best), state: stateOf(hold(inquiry.mechanism, market)) };
}

/** Halves the distance in logarithms; of several crossings between the two it finds one. */
function bisect(drawn: Market, ends: { below: AtBudget; above: AtBudget }, options: ScanOptions): Crossing {
  let { below, above } = ends;
  while (above.ratio / below.ratio > 1 + options.width) {
    const middle = probe(drawn, Math.sqrt(below.ratio * above.ratio), options);
    if (pays(middle) === pays(below)) below = middle;
    else above = middle;
  }
  const truth = ({ ratio }: AtBudget) => hold(options.mechanism, atRelativeBudget(drawn, ratio));
  return { below, above, change: changeBetween(truth(below), truth(above)) };
}

interface CriticalResult {
  readonly scanned: readonly Scanned[];
  readonly settings: CriticalSettings;
  readonly exact: boolean;
  readonly exhibits: readonly Exhibit[];
}

const bySize = (scanned: readonly Scanned[]): [number, Scanned[]][] =>
  groups(scanned, ({ workers }) => workers);

/** Of each size, the market whose lies begin to pay nearest to the median, at that budget. */
function exhibitsOf(scanned: readonly Scanned[], at: WorkContext & { readonly rounds: number }): Exhibit[] {
  return bySize(scanned).flatMap(([workers, markets]): Exhibit[] => {
    const found = markets.flatMap((one) => {
      const crossing = extreme(one, "lies begin to pay");
      return crossing ? [{ k: one.k, crossing }] : [];
    });
    if (found.length === 0) return [];
    const middle = median(found, ({ crossing }) => middleOf(crossing))!;
    const off = (crossing: Crossing) => Math.abs(Math.log(middleOf(crossing) / middle));
    const { k, crossing } = found.reduce((a, b) => (off(b.crossing) < off(a.crossing) ? b : a));
    const { ratio, most } = crossing.above;
    const about = `${workers} workers, just where lies begin to pay (relative budget ${threeDigits(ratio)})`;
    return [exhibitOf({ name: `begin-${workers}`, about }, { workers, k, ratio, ...most! }, at)];
  });
}

const tables = (result: CriticalResult): Table[] => [
  tableOf("curve", "Markets in which some lie pays, by relative budget", curveOf(result), curveColumns),
  tableOf(
    "moments",
    "Relative budgets at which lies first begin and last cease to pay",
    momentsOf(result.scanned),
    momentColumns,
  ),
  tableOf(
    "changes",
    "What changes in the truthful run where lies begin or cease to pay",
    changesOf(result),
    changeColumns,
  ),
  tableOf("states", "How often some lie pays, by what the truthful run shows", statesOf(result), [
    textColumn("state", "Truthful run"),
    ...estimateColumns(
      shareColumn("share", "A lie pays, of all budgets scanned"),
      ({ share }: { readonly share: Estimate }) => share,
    ),
    countColumn("paying", "Paying budgets", ({ hits }) => hits),
    countColumn("points", "Budgets scanned", ({ size }) => size),
    countColumn("markets", "Markets"),
  ]),
];

/** Markets of one size under one of the budgets scanned. */
const curveOf = ({ scanned, exact }: CriticalResult) =>
  bySize(scanned).flatMap(([workers, markets]) =>
    markets[0]!.budgets.map(({ ratio }, k) => {
      const there = markets.map(({ budgets }) => budgets[k]!);
      return { workers, ratio, there, share: bounded(share(there.filter(pays).length, there.length), exact) };
    }),
  );

type CurvePoint = ReturnType<typeof curveOf>[number];

const inState = ({ there }: CurvePoint, state: State): number =>
  there.filter((one) => one.state === state).length / there.length;

const curveColumns: readonly Field<CurvePoint>[] = [
  countColumn("workers", "Workers"),
  amountColumn("ratio", "Relative budget"),
  ...estimateColumns(shareColumn("share", "Markets in which a lie pays"), ({ share }: CurvePoint) => share),
  shareColumn("late", "Start late", (point) => inState(point, "late start")),
  shareColumn("events", "On time, with budget events", (point) => inState(point, "budget events")),
  countColumn("markets", "Markets", ({ there }) => there.length),
];

/** Where lies of markets of one size first begin, or last cease, to pay. */
const momentsOf = (scanned: readonly Scanned[]) =>
  bySize(scanned).flatMap(([workers, markets]) =>
    moments.map((moment) => ({ workers, moment, markets, found: extremes(markets, moment) })),
  );

type Met = ReturnType<typeof momentsOf>[number];

/** None of too few values. */
const quantileOf = ({ found }: Met, part: number, of = middleOf): number | null =>
  found.length < FEWEST_FOR_PERCENTILES ? null : quantile(found.map(of), part)!;

const momentColumns: readonly Field<Met>[] = [
  countColumn("workers", "Workers"),
  textColumn("moment", "Moment"),
  amountColumn("median", "Median relative budget", (met) => quantileOf(met, 0.5)),
  amountColumn("low", "First quartile", (met) => quantileOf(met, 0.25)),
  amountColumn("high", "Third quartile", (met) => quantileOf(met, 0.75)),
  amountColumn("gain", "Median gain there", (met) =>
    quantileOf(met, 0.5, ({ below, above }) => (above.most ?? below.most)!.gain),
  ),
  countColumn("found", "Markets with it", ({ found }) => found.length),
  countColumn(
    "outside",
    "Pays at the end of the range",
    ({ markets, moment }) => markets.filter(({ budgets }) => pays(budgets.at(endOf(moment))!)).length,
  ),
  countColumn(
    "never",
    "Never pays",
    ({ markets }) => markets.filter(({ budgets }) => !budgets.some(pays)).length,
  ),
  amountColumn("windows", "Paying stretches per market", ({ markets }) => mean(markets, windowsOf)),
  countColumn("markets", "Markets", ({ markets }) => markets.length),
];

/** How many separate stretches of budgets have a lie that pays. */
const windowsOf = ({ budgets, crossings }: Scanned): number =>
  crossings.filter(({ above }) => pays(above)).length + (pays(budgets[0]!) ? 1 : 0);

const crossingsAt = {
  "any crossing": (scanned: readonly Scanned[]) => scanned.flatMap(({ crossings }) => crossings),
  "first begin": (scanned: readonly Scanned[]) => extremes(scanned, "lies begin to pay"),
  "last cease": (scanned: readonly Scanned[]) => extremes(scanned, "lies cease to pay"),
} as const;

/** What changes in the truthful run at crossings, beside how often it does by chance. */
function changesOf({ scanned, exact }: CriticalResult) {
  const chances = scanned.flatMap(({ byChance }) => byChance);
  const count = (all: readonly Change[], change: Change) => all.filter((other) => other === change).length;
  return Object.entries(crossingsAt).flatMap(([when, crossingsOf]) => {
    const found = crossingsOf(scanned).map(({ change }) => change);
    if (found.length === 0) return [];
    return changes.map((change) => {
      const there = share(count(found, change), found.length);
      // Of the lies that a search missed nobody knows more: what is said of those found has no interval at all.
      const known = exact ? there : { ...there, low: Number.NaN, high: Number.NaN };
      const chance = count(chances, change) / chances.length;
      return { when, change, count: count(found, change), crossings: found.length, share: known, chance };
    });
  });
}

type Changing = ReturnType<typeof changesOf>[number];

const changeColumns: readonly Field<Changing>[] = [
  textColumn("when", "Where lies"),
  textColumn("change", "What changes in the truthful run"),
  countColumn("count", "Crossings"),
  ...estimateColumns(shareColumn("share", "Share"), ({ share }: Changing) => share),
  shareColumn("chance", "Share by chance"),
  countColumn("crossings", "of crossings"),
];

/** Of the budgets at which the truthful run is in a state, those at which a lie pays; without states it never is in. */
const statesOf = ({ scanned, exact }: CriticalResult) =>
  states.flatMap((state) => {
    const perMarket = scanned.flatMap(({ budgets }) => {
      const there = budgets.filter((one) => one.state === state);
      return there.length === 0 ? [] : [countsOf(there.filter(pays).length, there.length)];
    });
    if (perMarket.length === 0) return [];
    const counts = perMarket.reduce(mergeCounts);
    return [{ state, ...counts, share: bounded(pooledShare(counts), exact) }];
  });

function charts(result: CriticalResult): Chart[] {
  const { exact } = result;
  const peaks = groups(curveOf(result), ({ workers }) => workers).map(([size, mine]) => {
    const top = mine.reduce((a, b) => (b.share.mean > a.share.mean ? b : a));
    return `${percent(top.share.mean)} at ${threeDigits(top.ratio)} with ${size} workers`;
  });
  return [
    {
      name: "curve",
      title: `Markets in which some lie ${exact ? "pays" : "was found to pay"}, by relative budget`,
      table: "curve",
      spec: {
        encoding: {
          x: logAxis("ratio", relativeBudget, [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30]),
          y: percentAxis("share", "share of markets", { domain: [0, 1] }),
          color: { field: "workers", type: "ordinal", title: "workers" },
          tooltip: tooltipOf(curveColumns.filter(({ name }) => exact || name !== "high")),
        },
        layer: [{ mark: "line" }, { mark: { type: "point", size: 20 } }],
      },
      summary: `Highest share of markets: ${listed(peaks)}.`,
      howToRead: exact
        ? "The 95 % interval of each point is in its tooltip and in the table."
        : "Lies were searched for: points are lower bounds.",
    },
  ];
}

function findings(result: CriticalResult): Finding[] {
  const { scanned, exact } = result;
  const paying = scanned.filter(({ budgets }) => budgets.some(pays)).length;
  const all = many(scanned.length, "market");
  if (paying === 0) {
    const none = exact ? "does a lie pay" : "was a lie that pays found";
    return [{ text: `In none of ${all} ${none} at any budget scanned.`, weight: 48 }];
  }
  const where = statesOf(result).map(
    ({ state, hits, size }) => `at ${whole(hits)} of ${whole(size)} budgets ${stateWords[state]}`,
  );
  const texts = [
    `In ${paying} of ${all} a lie ${exact ? "pays" : "was found to pay"} at some budget: ${where.join("; ")}.`,
    momentText(scanned, exact),
    beginText(scanned, exact),
    changeText(result),
  ];
  return texts.flatMap((text, k) => (text === "" ? [] : [{ text, weight: 55 - 8 * k }]));
}

const stateWords: Readonly<Record<State, string>> = {
  "late start": "where the start is late",
  "budget events": "where it is on time and the budget binds",
  neither: "where it is on time and the budget does not bind",
};

/** Of the smallest markets and the largest. */
function momentText(scanned: readonly Scanned[], exact: boolean): string {
  const parts = groups(momentsOf(scanned), ({ workers }) => workers).flatMap(([size, met]) => {
    const [begin, cease] = met.map((one) => quantileOf(one, 0.5)) as [number | null, number | null];
    if (begin === null || cease === null) return [];
    return [`${threeDigits(begin)} and ${threeDigits(cease)} with ${size} workers`];
  });
  if (parts.length === 0) return "";
  const ends = new Set([parts[0]!, parts.at(-1)!]);
  return `The median relative budgets at which lies ${exact ? "" : "were found to "}first begin and last cease to pay are ${listed([...ends])}.`;
}

/** By which lie lies first begin to pay. */
function beginText(scanned: readonly Scanned[], exact: boolean): string {
  const known = scanned.flatMap(({ beginsBy }) => beginsBy ?? []);
  const [top] = groups(known, (kind) => kind).sort((a, b) => b[1].length - a[1].length);
  if (!top) return "";
  const [kind, { length }] = top;
  return `As the budget grows, the first lie ${exact ? "" : "found "}to pay is to ${lieKinds[kind].split(":")[0]} in ${length} of ${many(known.length, "market")}.`;
}

/** How often the truthful run changes where lies begin or cease to pay, and by chance. */
function changeText(result: CriticalResult): string {
  const unchanged = changesOf(result).find(
    ({ when, change }) => when === "any crossing" && change === "nothing in the truthful run",
  );
  if (!unchanged) return "";
  const { share, chance, crossings } = unchanged;
  return `At ${percent(1 - share.mean)} of the ${many(crossings, "budget")} where lies begin or cease to pay, the outcome of truthful bids changes too. Between two budgets equally close to each other elsewhere, it changes in ${percent(1 - chance)} of cases.`;
}

function methods({ settings, exact }: CriticalResult): string[] {
  const { markets, sizes, scanned, width, rounds, asked } = settings;
  const { from, to, points } = scanned;
  return [
    `${many(markets, "market")} drawn of each of ${sizes.length} sizes (${listed(sizes)} workers; the paper's distributions to four decimals, ${rounds} rounds, ratio 0.35, prose).`,
    `Whether lies pay need not be monotone in the budget: ${points} relative budgets from ${from} to ${to} are scanned, and every change is narrowed down to ${percent(width)}. Paying stretches between two scanned budgets are missed, and of several changes between them one is found.`,
    `Medians and quartiles are left out where fewer than ${FEWEST_FOR_PERCENTILES} markets have the value. Shares of markets have Wilson's 95 % interval; shares of budgets are pooled over markets, with markets as clusters.`,
    exactnessText(exact, asked),
  ];
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
    const exhibits = exhibitsOf(scanned, { ...context, rounds: settings.rounds });
    return { scanned, settings, exact: isExact(context.mechanism), exhibits };
  },
  tables,
  charts,
  findings,
  methods,
  exhibits: ({ exhibits }) => exhibits,
};
