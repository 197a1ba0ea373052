/** At which budgets lies begin and cease to pay, market by market, and what else changes there. */

import { groups, least, mean, median, quantile } from "d3-array";
import { type AnyMechanism, type Outcome, runAuction } from "../src/auction/mechanism.js";
import { listed, many, percent, threeDigits, whole } from "../src/lib/format.js";
import type { Stream } from "../src/lib/random.js";
import { FEWEST_FOR_PERCENTILES, meanAlone, share } from "../src/lib/statistics.js";
import { countsOf, mergeCounts, pooledShare } from "../src/lib/summaries.js";
import { atRelativeBudget } from "../src/market/draw.js";
import type { Market } from "../src/market/market.js";
import type { Chart, Exhibit, Finding, Table } from "../src/report/result.js";
import { axis, column, marks, rankedFindings, relativeBudget, tableOf } from "../src/report/vocabulary.js";
import { isExact } from "../src/responses/index.js";
import type { Analysis } from "../src/study/analysis.js";
import { append, type WorkContext } from "../src/study/job.js";
import { explain, type LieKind, lieKinds } from "../src/verdicts/explain.js";
import * as gains from "./shared/gains.js";
import * as survey from "./shared/survey.js";

export interface CriticalSettings extends survey.SurveySettings {
  /** So many of the drawn markets of each size are scanned. */
  readonly scanned: number;
  /** Relative budgets that are scanned besides those of the survey. */
  readonly more: readonly number[];
  /** Relative distance of the two budgets that a crossing is narrowed down to. */
  readonly width: number;
}

/** With those of the survey, about evenly in logarithms. */
const more = [0.01, 0.014, 0.02, 0.07, 0.14, 0.27, 7, 10, 14, 20];

const halfway = [
  0.005, 0.007, 0.025, 0.04, 0.06, 0.085, 0.12, 0.17, 0.23, 0.31, 0.42, 0.6, 0.85, 1.2, 1.7, 2.5, 4, 6,
];

/** Larger markets take long to scan. */
const LARGEST = 80;

type Scanning = Pick<CriticalSettings, "scanned" | "more" | "width">;

const profiles: survey.BySpeed<Scanning> = {
  quick: { fast: { scanned: 80, more, width: 0.001 }, slow: { scanned: 3, more: [0.05, 5], width: 0.05 } },
  full: {
    fast: { scanned: 1000, more: [...more, ...halfway, 28, 40, 50], width: 0.001 },
    slow: { scanned: 30, more: [0.05, 0.2, 0.6, 1.8, 5], width: 0.05 },
  },
};

interface CriticalCell extends survey.SurveyCell, Omit<Scanning, "scanned"> {}

/** What the truthful run shows at a budget. */
const states = {
  "late start": "where the start is late",
  "budget events": "where it is on time and the budget binds",
  neither: "where it is on time and the budget does not bind",
} as const;

type State = keyof typeof states;

/** A market under one budget. */
interface AtBudget {
  readonly ratio: number;
  /** The largest gain; null where no lie pays. */
  readonly most: gains.PayingLie | null;
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
  /** Where lies first begin, and last cease, to pay; null where that lies outside of the range, or they never do. */
  readonly begin: Crossing | null;
  readonly cease: Crossing | null;
  /** The kind of the lie that first begins to pay. */
  readonly beginsBy: LieKind | null;
  readonly byChance: readonly Change[];
}

const pays = ({ most }: AtBudget): boolean => most !== null;

const middleOf = ({ below, above }: Crossing): number => Math.sqrt(below.ratio * above.ratio);

const CHANCES = 20;

const job = survey.drawnJob<Scanned[], CriticalCell>({
  reduce(seen, cell, context) {
    const { mechanism, stream } = context;
    const { drawn, budgets } = seen;
    const { workers, k } = budgets[0]!.place;
    const ratios = [...cell.ratios, ...cell.more].sort((a, b) => a - b);
    const chances = anywhere(ratios, stream.fork(workers).fork(k).fork("chance"));
    const truth = (at: number) => runAuction(mechanism, atRelativeBudget(drawn, at));
    const byChance = chances.map((ratio) => changeBetween(truth(ratio), truth(ratio * (1 + cell.width))));
    const found = scan(seen, ratios, { ...cell, mechanism });
    const begin = pays(found.budgets[0]!) ? null : (found.crossings[0] ?? null);
    const cease = pays(found.budgets.at(-1)!) ? null : (found.crossings.at(-1) ?? null);
    const lie = begin?.above.most;
    const beginsBy = lie
      ? explain(atRelativeBudget(drawn, begin.above.ratio), lie.bid, { mechanism }).kind
      : null;
    return [{ workers, k, byChance, begin, cease, beginsBy, ...found }];
  },
  merge: append,
});

/** Budgets anywhere in the range, evenly in logarithms. */
function anywhere(ratios: readonly number[], stream: Stream): number[] {
  const [from, to] = [ratios[0]!, ratios.at(-1)!];
  return Array.from({ length: CHANCES }, () => from * (to / from) ** stream.next());
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

type ScanOptions = Pick<CriticalCell, "width" | "asked"> & { readonly mechanism: AnyMechanism };

/** A coarse scan, of which the survey has done a part, then bisection at each change. */
function scan(
  { drawn, budgets: known }: survey.Seen,
  ratios: readonly number[],
  options: ScanOptions,
): Pick<Scanned, "budgets" | "crossings"> {
  const at = new Map(known.map((one) => [one.place.ratio, one]));
  const budgets = ratios.map((ratio) =>
    at.has(ratio) ? mostAt(at.get(ratio)!, options) : probe(drawn, ratio, options),
  );
  const crossings = budgets.slice(1).flatMap((above, k): Crossing[] => {
    const below = budgets[k]!;
    return pays(below) === pays(above) ? [] : [bisect(drawn, { below, above }, options)];
  });
  return { budgets, crossings };
}

const probe = (drawn: Market, ratio: number, options: ScanOptions): AtBudget =>
  mostAt(survey.askAt(drawn, { workers: drawn.workers.length, k: 0, ratio }, options), options);

function mostAt({ market, asked, place }: survey.AtBudget, { mechanism }: ScanOptions): AtBudget {
  const best = asked.map(({ response }) => response).reduce((a, b) => (b.gain > a.gain ? b : a));
  return { ratio: place.ratio, most: gains.payingLie(best), state: stateOf(runAuction(mechanism, market)) };
}

/** Halves the distance in logarithms; of several crossings between the two it finds one. */
function bisect(drawn: Market, ends: { below: AtBudget; above: AtBudget }, options: ScanOptions): Crossing {
  let { below, above } = ends;
  while (above.ratio / below.ratio > 1 + options.width) {
    const middle = probe(drawn, Math.sqrt(below.ratio * above.ratio), options);
    if (pays(middle) === pays(below)) below = middle;
    else above = middle;
  }
  const truth = ({ ratio }: AtBudget) => runAuction(options.mechanism, atRelativeBudget(drawn, ratio));
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
    const found = markets.flatMap(({ k, begin }) => (begin ? [{ k, begin }] : []));
    if (found.length === 0) return [];
    const middle = median(found, ({ begin }) => middleOf(begin))!;
    const { k, begin } = least(found, ({ begin }) => Math.abs(Math.log(middleOf(begin) / middle)))!;
    const { ratio, most } = begin.above;
    const about = `${workers} workers, just where lies begin to pay (relative budget ${threeDigits(ratio)})`;
    return [gains.exhibitOf({ name: `begin-${workers}`, about }, { workers, k, ratio, ...most! }, at)];
  });
}

const tables = (result: CriticalResult): Table[] => [
  tableOf("curve", "Markets in which some lie pays, by relative budget", curveOf(result), curveColumns),
  momentsTable(result),
  changesTable(result),
  tableOf("states", "How often some lie pays, by what the truthful run shows", statesOf(result), [
    column.text("state", "Truthful run"),
    ...column.estimate(column.share("share", "A lie pays, of all budgets scanned")),
    column.count("paying", "Paying budgets", ({ hits }) => hits),
    column.count("points", "Budgets scanned", ({ size }) => size),
    column.count("markets", "Markets"),
  ]),
];

/** Markets of one size under one of the budgets scanned. */
const curveOf = ({ scanned, exact }: CriticalResult) =>
  bySize(scanned).flatMap(([workers, markets]) =>
    markets[0]!.budgets.map(({ ratio }, k) => {
      const there = markets.map(({ budgets }) => budgets[k]!);
      return {
        workers,
        ratio,
        there,
        share: gains.bounded(share(there.filter(pays).length, there.length), exact),
      };
    }),
  );

type CurvePoint = ReturnType<typeof curveOf>[number];

const inState = ({ there }: CurvePoint, state: State): number =>
  there.filter((one) => one.state === state).length / there.length;

const curveColumns = [
  column.count("workers", "Workers"),
  column.amount("ratio", "Relative budget"),
  ...column.estimate(column.share("share", "Markets in which a lie pays"), ({ share }: CurvePoint) => share),
  column.share("late", "Start late", (point: CurvePoint) => inState(point, "late start")),
  column.share("events", "On time, with budget events", (point: CurvePoint) =>
    inState(point, "budget events"),
  ),
  column.count("markets", "Markets", ({ there }: CurvePoint) => there.length),
];

/** Where lies of markets of one size first begin, or last cease, to pay, and in how many they pay at that end of the range. */
const momentsOf = (scanned: readonly Scanned[]) =>
  bySize(scanned).flatMap(([workers, markets]) => {
    const paying = (end: number) => markets.filter(({ budgets }) => pays(budgets.at(end)!)).length;
    const begin = { moment: "lies begin to pay", found: markets.flatMap((one) => one.begin ?? []) };
    const cease = { moment: "lies cease to pay", found: markets.flatMap((one) => one.cease ?? []) };
    return [
      { workers, markets, ...begin, outside: paying(0) },
      { workers, markets, ...cease, outside: paying(-1) },
    ];
  });

type Met = ReturnType<typeof momentsOf>[number];

/** None of too few values. */
const quantileOf = ({ found }: Met, part: number, of = middleOf): number | null =>
  found.length < FEWEST_FOR_PERCENTILES ? null : gains.finite(quantile(found.map(of), part));

function momentsTable({ scanned }: CriticalResult): Table {
  const title = "Relative budgets at which lies first begin and last cease to pay";
  return tableOf("moments", title, momentsOf(scanned), [
    column.count("workers", "Workers"),
    column.text("moment", "Moment"),
    column.amount("median", "Median relative budget", (met) => quantileOf(met, 0.5)),
    column.amount("low", "First quartile", (met) => quantileOf(met, 0.25)),
    column.amount("high", "Third quartile", (met) => quantileOf(met, 0.75)),
    column.amount("gain", "Median gain there", (met) =>
      quantileOf(met, 0.5, ({ below, above }) => gains.supremumOf((above.most ?? below.most)!)),
    ),
    column.count("found", "Markets with it", ({ found }) => found.length),
    column.count("outside", "Pays at the end of the range"),
    column.count("never", "Never pays", ({ markets }) => markets.filter(neverPays).length),
    column.amount("windows", "Paying stretches per market", ({ markets }) => mean(markets, windowsOf)),
    column.count("markets", "Markets", ({ markets }) => markets.length),
  ]);
}

const neverPays = ({ budgets }: Scanned): boolean => !budgets.some(pays);

/** How many separate stretches of budgets have a lie that pays. */
const windowsOf = ({ budgets, crossings }: Scanned): number =>
  crossings.filter(({ above }) => pays(above)).length + (pays(budgets[0]!) ? 1 : 0);

/** What changes in the truthful run at crossings, beside how often it does by chance. */
function changesOf({ scanned, exact }: CriticalResult) {
  const crossingsAt = {
    "any crossing": scanned.flatMap(({ crossings }) => crossings),
    "first begin": scanned.flatMap(({ begin }) => begin ?? []),
    "last cease": scanned.flatMap(({ cease }) => cease ?? []),
  };
  const chances = scanned.flatMap(({ byChance }) => byChance);
  const count = (all: readonly Change[], change: Change) => all.filter((other) => other === change).length;
  return Object.entries(crossingsAt).flatMap(([when, crossings]) => {
    const found = crossings.map(({ change }) => change);
    if (found.length === 0) return [];
    return changes.map((change) => {
      const there = share(count(found, change), found.length);
      // Of the lies that a search missed nobody knows more: what is said of those found has no interval at all.
      const known = exact ? there : meanAlone(there.mean, there.n);
      const chance = count(chances, change) / chances.length;
      return { when, change, count: count(found, change), crossings: found.length, share: known, chance };
    });
  });
}

function changesTable(result: CriticalResult): Table {
  const title = "What changes in the truthful run where lies begin or cease to pay";
  return tableOf("changes", title, changesOf(result), [
    column.text("when", "Where lies"),
    column.text("change", "What changes in the truthful run"),
    column.count("count", "Crossings"),
    ...column.estimate(column.share("share", "Share")),
    column.share("chance", "Share by chance"),
    column.count("crossings", "of crossings"),
  ]);
}

/** Of the budgets at which the truthful run is in a state, those at which a lie pays; without states it never is in. */
const statesOf = ({ scanned, exact }: CriticalResult) =>
  (Object.keys(states) as State[]).flatMap((state) => {
    const perMarket = scanned.flatMap(({ budgets }) => {
      const there = budgets.filter((one) => one.state === state);
      return there.length === 0 ? [] : [countsOf(there.filter(pays).length, there.length)];
    });
    if (perMarket.length === 0) return [];
    const counts = perMarket.reduce(mergeCounts);
    return [{ state, ...counts, share: gains.bounded(pooledShare(counts), exact) }];
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
          x: axis.log("ratio", relativeBudget, [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30]),
          y: axis.percent("share", "share of markets", { domain: [0, 1] }),
          color: { field: "workers", type: "ordinal", title: "workers" },
          tooltip: marks.tooltip(curveColumns.filter(({ name }) => exact || name !== "high")),
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
  const paying = scanned.length - scanned.filter(neverPays).length;
  const all = many(scanned.length, "market");
  const none = exact ? "does a lie pay" : "was a lie that pays found";
  if (paying === 0) return rankedFindings([48, `In none of ${all} ${none} at any budget scanned.`]);
  const where = statesOf(result).map(
    ({ state, hits, size }) => `at ${whole(hits)} of ${whole(size)} budgets ${states[state]}`,
  );
  const found = exact ? "pays" : "was found to pay";
  return rankedFindings(
    [55, `In ${paying} of ${all} a lie ${found} at some budget: ${where.join("; ")}.`],
    [47, momentText(scanned, exact)],
    [39, beginText(scanned, exact)],
    [31, changeText(result)],
  );
}

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
  const { sizes, ratios, scanned, more, width, rounds, asked } = settings;
  const all = [...ratios, ...more];
  return [
    `${many(scanned, "market")} drawn of each of ${sizes.length} sizes (${listed(sizes)} workers; the paper's distributions to four decimals, ${rounds} rounds, ratio 0.35, prose).`,
    `Whether lies pay need not be monotone in the budget: ${all.length} relative budgets from ${Math.min(...all)} to ${Math.max(...all)} are scanned, and every change is narrowed down to ${percent(width)}. Paying stretches between two scanned budgets are missed, and of several changes between them one is found.`,
    `Medians and quartiles are left out where fewer than ${FEWEST_FOR_PERCENTILES} markets have the value. Shares of markets have Wilson's 95 % interval; shares of budgets are pooled over markets, with markets as clusters.`,
    gains.exactnessText(exact, asked),
  ];
}

export const criticalBudget: Analysis<CriticalSettings, CriticalCell, Scanned[], CriticalResult> = {
  name: "critical-budget",
  question: "At which budgets do lies begin and cease to pay, and what else happens there?",
  part: "gains",
  settings: (context) => ({
    ...survey.upTo(LARGEST, survey.surveySettings(context)),
    ...survey.settingsFor(profiles, context),
  }),
  plan: (settings) => {
    const { scanned, more, width } = settings;
    return survey.surveyPlan(settings).map(({ cell, markets }) => {
      return { cell: { ...cell, more, width }, markets: Math.min(markets, scanned) };
    });
  },
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
