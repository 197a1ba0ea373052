/** Critical budgets in tables, charts and sentences. */

import { groups, mean, quantile, rollup } from "d3-array";
import { listed, many, percent, threeDigits, whole } from "../../src/lib/format.js";
import { type Estimate, FEWEST_FOR_PERCENTILES, share } from "../../src/lib/statistics.js";
import { countsOf, mergeCounts, type PooledCounts, pooledShare } from "../../src/lib/summaries.js";
import type { Chart, Choice, Finding, Table } from "../../src/report/result.js";
import {
  amountColumn,
  captions,
  countColumn,
  estimateColumns,
  type Field,
  greyAndDark,
  logAxis,
  nameAxis,
  percentAxis,
  relativeBudget,
  shareColumn,
  tableOf,
  textColumn,
  tooltipOf,
} from "../../src/report/vocabulary.js";
import { lieKinds } from "../../src/verdicts/explain.js";
import type { CriticalResult, Scanned } from "../critical-budget.js";
import { bounded, exactnessText, type PayingLie } from "../shared/gains.js";

/** A market under one budget. */
export interface AtBudget {
  readonly ratio: number;
  /** The largest gain; null where no lie pays. */
  readonly most: PayingLie | null;
  /** What the truthful run shows. */
  readonly state: State;
}

const states = ["late start", "budget events", "neither"] as const;

export type State = (typeof states)[number];

const changes = [
  "the start moves",
  "budget events begin or end",
  "other budget events",
  "other workers are hired",
  "nothing in the truthful run",
] as const;

export type Change = (typeof changes)[number];

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

export const pays = ({ most }: AtBudget): boolean => most !== null;

export const middleOf = ({ below, above }: Crossing): number => Math.sqrt(below.ratio * above.ratio);

const moments = ["lies begin to pay", "lies cease to pay"] as const;

type Moment = (typeof moments)[number];

const momentOf = ({ above }: Crossing): Moment => (pays(above) ? "lies begin to pay" : "lies cease to pay");

/** The first beginning, or the last ending, of a market; null where it lies outside of the range, or there is none. */
export function extreme({ budgets, crossings }: Scan, moment: Moment): Crossing | null {
  const end = moment === "lies begin to pay" ? 0 : -1;
  if (pays(budgets.at(end)!)) return null;
  return crossings.filter((crossing) => momentOf(crossing) === moment).at(end) ?? null;
}

export const ofSize = (scanned: readonly Scanned[]): [number, Scanned[]][] =>
  groups(scanned, ({ workers }) => workers);

/** How often some lie pays where the truthful run is in a state; without states it never is in. */
const statesOf = (scanned: readonly Scanned[]) =>
  states.flatMap((state) => {
    const counts = payingIn(scanned, state);
    return counts ? [{ state, ...counts, share: pooledShare(counts) }] : [];
  });

export const tables = (result: CriticalResult): Table[] => [
  tableOf("curve", "Markets in which some lie pays, by relative budget", curveOf(result), curveColumns),
  tableOf(
    "moments",
    "Relative budgets at which lies first begin and last cease to pay",
    momentsOf(result.scanned),
    momentColumns,
  ),
  tableOf("changes", CHANGES, changesOf(result), changeColumns),
  tableOf("states", "How often some lie pays, by what the truthful run shows", statesOf(result.scanned), [
    textColumn("state", "Truthful run"),
    ...estimateColumns(
      shareColumn("share", "A lie pays, of all budgets scanned"),
      ({ share }: { readonly share: Estimate }) => bounded(share, result.exact),
    ),
    countColumn("paying", "Paying budgets", ({ hits }) => hits),
    countColumn("points", "Budgets scanned", ({ size }) => size),
    countColumn("markets", "Markets"),
  ]),
];

/** Markets of one size under one of the budgets scanned. */
interface CurvePoint {
  readonly workers: number;
  readonly ratio: number;
  readonly share: Estimate;
  readonly there: readonly AtBudget[];
}

const curveOf = ({ scanned, exact }: CriticalResult): CurvePoint[] =>
  ofSize(scanned).flatMap(([workers, markets]) =>
    markets[0]!.budgets.map(({ ratio }, k) => {
      const there = markets.map(({ budgets }) => budgets[k]!);
      return { workers, ratio, there, share: bounded(share(there.filter(pays).length, there.length), exact) };
    }),
  );

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

/** None of too few values. */
const quantileOf = (values: readonly number[], part: number): number | null =>
  values.length < FEWEST_FOR_PERCENTILES ? null : quantile(values, part)!;

/** Where lies of markets of one size first begin, or last cease, to pay. */
interface Met {
  readonly workers: number;
  readonly moment: Moment;
  readonly markets: readonly Scanned[];
  readonly found: readonly Crossing[];
}

const momentsOf = (scanned: readonly Scanned[]): Met[] =>
  ofSize(scanned).flatMap(([workers, markets]) =>
    moments.map((moment) => {
      const found = markets.flatMap((market) => extreme(market, moment) ?? []);
      return { workers, moment, markets, found };
    }),
  );

const budgetAt = ({ found }: Met, part: number): number | null => quantileOf(found.map(middleOf), part);

const momentColumns: readonly Field<Met>[] = [
  countColumn("workers", "Workers"),
  textColumn("moment", "Moment"),
  amountColumn("median", "Median relative budget", (met) => budgetAt(met, 0.5)),
  amountColumn("low", "First quartile", (met) => budgetAt(met, 0.25)),
  amountColumn("high", "Third quartile", (met) => budgetAt(met, 0.75)),
  amountColumn("gain", "Median gain there", ({ found }) =>
    quantileOf(
      found.map(({ below, above }) => (above.most ?? below.most)!.gain),
      0.5,
    ),
  ),
  countColumn("found", "Markets with it", ({ found }) => found.length),
  countColumn("outside", "Pays at the end of the range", ({ markets, moment }) => {
    const end = moment === "lies begin to pay" ? 0 : -1;
    return markets.filter(({ budgets }) => pays(budgets.at(end)!)).length;
  }),
  countColumn(
    "never",
    "Never pays",
    ({ markets }) => markets.filter(({ budgets }) => !budgets.some(pays)).length,
  ),
  amountColumn("windows", "Paying stretches per market", ({ markets }) => windowsOf(markets)),
  countColumn("markets", "Markets", ({ markets }) => markets.length),
];

/** How many separate stretches of budgets have a lie that pays, on average. */
const windowsOf = (markets: readonly Scanned[]): number =>
  mean(
    markets,
    ({ budgets, crossings }) =>
      crossings.filter((crossing) => momentOf(crossing) === "lies begin to pay").length +
      (pays(budgets[0]!) ? 1 : 0),
  )!;

const whens = ["any crossing", "first begin", "last cease"] as const;

type When = (typeof whens)[number];

function crossingsAt(scanned: readonly Scanned[], when: When): Crossing[] {
  if (when === "any crossing") return scanned.flatMap(({ crossings }) => crossings);
  const moment = when === "first begin" ? "lies begin to pay" : "lies cease to pay";
  return scanned.flatMap((market) => extreme(market, moment) ?? []);
}

/** What changes in the truthful run at crossings, beside how often it does by chance. */
interface Changing {
  readonly when: When;
  readonly change: Change;
  readonly count: number;
  readonly crossings: number;
  readonly share: Estimate;
  readonly chance: number;
}

function changesOf({ scanned, exact }: CriticalResult): Changing[] {
  const chances = scanned.flatMap(({ byChance }) => byChance);
  return whens.flatMap((when) => {
    const found = crossingsAt(scanned, when).map(({ change }) => change);
    if (found.length === 0) return [];
    return changes.map((change) => {
      const count = found.filter((other) => other === change).length;
      const chance = chances.filter((other) => other === change).length / chances.length;
      const there = share(count, found.length);
      // Of the lies that a search missed nobody knows more: what is said of those found has no interval at all.
      const known = exact ? there : { ...there, low: Number.NaN, high: Number.NaN };
      return { when, change, count, crossings: found.length, share: known, chance };
    });
  });
}

const changeColumns: readonly Field<Changing>[] = [
  textColumn("when", "Where lies"),
  textColumn("change", "What changes in the truthful run"),
  countColumn("count", "Crossings"),
  ...estimateColumns(shareColumn("share", "Share"), ({ share }: Changing) => share),
  shareColumn("chance", "Share by chance"),
  countColumn("crossings", "of crossings"),
];

/** Of the budgets at which the truthful run is in a state, those at which a lie pays; null where it never is. */
function payingIn(scanned: readonly Scanned[], state: State): PooledCounts | null {
  const perMarket = scanned.flatMap(({ budgets }) => {
    const there = budgets.filter((one) => one.state === state);
    return there.length === 0 ? [] : [countsOf(there.filter(pays).length, there.length)];
  });
  return perMarket.length === 0 ? null : perMarket.reduce(mergeCounts);
}

export const charts = (result: CriticalResult): Chart[] => [curveChart(result), ...changeChart(result)];

function curveChart(result: CriticalResult): Chart {
  const { exact } = result;
  const peaks = groups(curveOf(result), ({ workers }) => workers).map(([size, mine]) => {
    const top = mine.reduce((a, b) => (b.share.mean > a.share.mean ? b : a));
    return `${percent(top.share.mean)} at ${threeDigits(top.ratio)} with ${size} workers`;
  });
  return {
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
      ? "A line per market size; the 95 % interval of each point is in its tooltip and in the table."
      : "A line per market size. Lies were searched for: points are lower bounds.",
  };
}

const whenWords: Readonly<Record<When, string>> = {
  "any crossing": "Wherever lies begin or cease to pay",
  "first begin": "Where lies first begin to pay",
  "last cease": "Where lies last cease to pay",
};

const CHANGES = "What changes in the truthful run where lies begin or cease to pay";

/** None where no lie ever begins or ceases to pay. */
function changeChart(result: CriticalResult): Chart[] {
  const { exact } = result;
  const changing = changesOf(result);
  const met = whens.filter((when) => changing.some((one) => one.when === when));
  if (met.length === 0) return [];
  const choices: readonly Choice[] = [{ field: "when", label: "Where lies", values: met }];
  const marks = ["at crossings", "at any budget"];
  const x = (field: string) => percentAxis(field, "share", { domain: [0, 1] });
  return [
    {
      name: "changes",
      title: CHANGES,
      table: "changes",
      choices,
      spec: {
        height: { step: 34 },
        encoding: {
          y: nameAxis("change", [...changes], { labelLimit: 240 }),
          tooltip: tooltipOf(
            changeColumns.filter(({ name }) => exact || (name !== "low" && name !== "high")),
          ),
        },
        layer: [
          {
            mark: { type: "bar", opacity: 0.6 },
            encoding: { x: x("share"), color: { datum: marks[0], ...greyAndDark(marks) } },
          },
          ...(exact ? [{ mark: "rule", encoding: { x: x("low"), x2: { field: "high" } } }] : []),
          {
            mark: { type: "tick", thickness: 4, size: 26 },
            encoding: { x: x("chance"), color: { datum: marks[1], ...greyAndDark(marks) } },
          },
        ],
      },
      summary: captions(choices, ({ when }) => {
        const mine = changing.filter((one) => one.when === when);
        const parts = mine.map(({ change, share }) => `${change} ${percent(share.mean)}`);
        return `${whenWords[when as When]} (${many(mine[0]!.crossings, "crossing")}): ${listed(parts)}.`;
      }),
      howToRead: `Of two budgets next to each other, a lie pays at one only: bars say what else differs in the truthful run, the first of the list that does${exact ? ", with 95 % intervals" : ""}. The tick says how often the same differs between two such budgets drawn anywhere in the range.`,
    },
  ];
}

export function findings({ scanned, exact }: CriticalResult): Finding[] {
  const paying = scanned.filter(({ budgets }) => budgets.some(pays)).length;
  if (paying === 0) {
    const none = exact ? "does a lie pay" : "was a lie that pays found";
    return [
      { text: `In none of ${many(scanned.length, "market")} ${none} at any budget scanned.`, weight: 48 },
    ];
  }
  const some = `In ${paying} of ${many(scanned.length, "market")} drawn as in the paper (prose) a lie ${exact ? "pays" : "was found to pay"} at some budget: ${statesText(scanned)}.`;
  return [{ text: some, weight: 55 }, ...momentText(scanned, exact), ...beginText(scanned, exact)];
}

const stateWords: Readonly<Record<State, string>> = {
  "late start": "where the start is late",
  "budget events": "where it is on time but a budget binds",
  neither: "where it is on time and no budget binds",
};

const statesText = (scanned: readonly Scanned[]): string =>
  statesOf(scanned)
    .map(({ state, hits, size }) => `at ${whole(hits)} of ${whole(size)} budgets ${stateWords[state]}`)
    .join("; ");

function momentText(scanned: readonly Scanned[], exact: boolean): Finding[] {
  const parts = groups(momentsOf(scanned), ({ workers }) => workers).flatMap(([size, met]) => {
    const [begin, cease] = met.map((one) => budgetAt(one, 0.5)) as [number | null, number | null];
    if (begin === null || cease === null) return [];
    return [`${threeDigits(begin)} and ${threeDigits(cease)} with ${size} workers`];
  });
  if (parts.length === 0) return [];
  const text = `Medians of the relative budgets at which lies ${exact ? "" : "were found to "}first begin and last cease to pay: ${listed(parts)}.`;
  return [{ text, weight: 45 }];
}

/** In which state the truthful run is where lies first begin to pay, and by which lie. */
function beginText(scanned: readonly Scanned[], exact: boolean): Finding[] {
  const kinds = rollup(
    scanned.flatMap(({ beginsBy }) => beginsBy ?? []),
    ({ length }) => length,
    (kind) => kind,
  );
  const [top] = [...kinds].sort((a, b) => b[1] - a[1]);
  if (!top) return [];
  const crossings = crossingsAt(scanned, "first begin");
  const late = crossings.filter(({ above }) => above.state === "late start").length;
  const text = `The first lie ${exact ? "" : "found "}to pay as a budget grows is in ${top[1]} of ${many(crossings.length, "market")} to ${lieKinds[top[0]].split(":")[0]}; the start of the truthful run is late there in ${late}.`;
  return [{ text, weight: 40 }];
}

export function methods({ settings, exact }: CriticalResult): string[] {
  const { markets, sizes, scanned, width, rounds, asked } = settings;
  const { from, to, points } = scanned;
  return [
    `${many(markets, "market")} drawn of each of ${sizes.length} sizes (${listed(sizes)} workers; the paper's distributions to four decimals, ${rounds} rounds, ratio 0.35, prose).`,
    `Whether lies pay need not be monotone in the budget: ${points} relative budgets from ${from} to ${to} are scanned, and every change is narrowed down to ${percent(width)}. Paying stretches between two scanned budgets are missed, and of several changes between them one is found.`,
    `Medians and quartiles are left out where fewer than ${FEWEST_FOR_PERCENTILES} markets have the value. Shares of markets have Wilson's 95 % interval; shares of budgets are pooled over markets, with markets as clusters.`,
    exactnessText(exact, asked),
  ];
}
