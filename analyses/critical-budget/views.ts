/** Critical budgets in tables, charts and sentences. */

import { quantile, rollup } from "d3-array";
import { listed, many, percent, rounded, threeDigits, whole } from "../../src/lib/format.js";
import { FEWEST_FOR_PERCENTILES, share } from "../../src/lib/statistics.js";
import { countsOf, mergeCounts, type PooledCounts, pooledShare } from "../../src/lib/summaries.js";
import type { Chart, Choice, Column, Finding, Row, Table } from "../../src/report/result.js";
import {
  amountColumn,
  captions,
  countColumn,
  greyAndDark,
  intervalColumns,
  percentAxis,
  relativeBudget,
  shareColumn,
  textColumn,
  tooltipOf,
} from "../../src/report/vocabulary.js";
import { lieKinds } from "../../src/verdicts/explain.js";
import type { CriticalResult, Scanned } from "../critical-budget.js";
import { exactnessText, type PayingLie, shareCells } from "../shared/gains.js";

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
  [...new Set(scanned.map(({ workers }) => workers))].map((size) => [
    size,
    scanned.filter(({ workers }) => workers === size),
  ]);

export const tables = ({ scanned, exact }: CriticalResult): Table[] => [
  curveTable(scanned, exact),
  momentTable(scanned),
  changeTable(scanned, exact),
  stateTable(scanned, exact),
];

/** Of the lies that a search missed nobody knows more: what is said of those found has no interval at all. */
const cellsOfFound = (count: number, among: number, exact: boolean): Row => ({
  ...shareCells(share(count, among), exact),
  ...(!exact && { low: null }),
});

const curveColumns: readonly Column[] = [
  countColumn("workers", "Workers"),
  amountColumn("ratio", "Relative budget"),
  shareColumn("share", "Markets in which a lie pays"),
  ...intervalColumns("share"),
  shareColumn("late", "Start late"),
  shareColumn("events", "On time, with budget events"),
  countColumn("markets", "Markets"),
];

function curveTable(scanned: readonly Scanned[], exact: boolean): Table {
  const rows = ofSize(scanned).flatMap(([workers, markets]) =>
    markets[0]!.budgets.map(({ ratio }, k): Row => {
      const there = markets.map(({ budgets }) => budgets[k]!);
      const inState = (state: State) => there.filter((one) => one.state === state).length / there.length;
      return {
        ...{ workers, ratio, ...shareCells(share(there.filter(pays).length, there.length), exact) },
        late: rounded(inState("late start")),
        events: rounded(inState("budget events")),
        markets: there.length,
      };
    }),
  );
  const title = "Markets in which some lie pays, by relative budget";
  return { name: "curve", title, columns: curveColumns, rows };
}

/** None of too few values. */
const quantileOf = (values: readonly number[], part: number): number | null =>
  values.length < FEWEST_FOR_PERCENTILES ? null : rounded(quantile(values, part)!);

function momentTable(scanned: readonly Scanned[]): Table {
  const rows = ofSize(scanned).flatMap(([workers, markets]) =>
    moments.map((moment): Row => {
      const found = markets.flatMap((market) => extreme(market, moment) ?? []);
      const at = (part: number) => quantileOf(found.map(middleOf), part);
      const gains = found.map(({ below, above }) => (above.most ?? below.most)!.gain);
      const outside = markets.filter(({ budgets }) => pays(budgets.at(moment === moments[0] ? 0 : -1)!));
      return {
        ...{ workers, moment, median: at(0.5), low: at(0.25), high: at(0.75) },
        gain: quantileOf(gains, 0.5),
        found: found.length,
        outside: outside.length,
        never: markets.filter(({ budgets }) => !budgets.some(pays)).length,
        windows: rounded(windowsOf(markets)),
        markets: markets.length,
      };
    }),
  );
  return {
    name: "moments",
    title: "Relative budgets at which lies first begin and last cease to pay",
    columns: [
      countColumn("workers", "Workers"),
      textColumn("moment", "Moment"),
      amountColumn("median", "Median relative budget"),
      amountColumn("low", "First quartile"),
      amountColumn("high", "Third quartile"),
      amountColumn("gain", "Median gain there"),
      countColumn("found", "Markets with it"),
      countColumn("outside", "Pays at the end of the range"),
      countColumn("never", "Never pays"),
      amountColumn("windows", "Paying stretches per market"),
      countColumn("markets", "Markets"),
    ],
    rows,
  };
}

/** How many separate stretches of budgets have a lie that pays, on average. */
function windowsOf(markets: readonly Scanned[]): number {
  const begun = markets.map(
    ({ budgets, crossings }) =>
      crossings.filter((crossing) => momentOf(crossing) === "lies begin to pay").length +
      (pays(budgets[0]!) ? 1 : 0),
  );
  return begun.reduce((sum, count) => sum + count, 0) / markets.length;
}

const whens = ["any crossing", "first begin", "last cease"] as const;

type When = (typeof whens)[number];

function crossingsAt(scanned: readonly Scanned[], when: When): Crossing[] {
  if (when === "any crossing") return scanned.flatMap(({ crossings }) => crossings);
  const moment = when === "first begin" ? "lies begin to pay" : "lies cease to pay";
  return scanned.flatMap((market) => extreme(market, moment) ?? []);
}

const changeColumns: readonly Column[] = [
  textColumn("when", "Where lies"),
  textColumn("change", "What changes in the truthful run"),
  countColumn("count", "Crossings"),
  shareColumn("share", "Share"),
  ...intervalColumns("share"),
  shareColumn("chance", "Share by chance"),
  countColumn("crossings", "of crossings"),
];

function changeTable(scanned: readonly Scanned[], exact: boolean): Table {
  const chances = scanned.flatMap(({ byChance }) => byChance);
  const rows = whens.flatMap((when) => {
    const found = crossingsAt(scanned, when).map(({ change }) => change);
    if (found.length === 0) return [];
    return changes.map((change): Row => {
      const count = found.filter((other) => other === change).length;
      const chance = chances.filter((other) => other === change).length / chances.length;
      return {
        ...{ when, change, count, ...cellsOfFound(count, found.length, exact) },
        ...{ chance: rounded(chance), crossings: found.length },
      };
    });
  });
  const title = "What changes in the truthful run where lies begin or cease to pay";
  return { name: "changes", title, columns: changeColumns, rows };
}

/** Of the budgets at which the truthful run is in a state, those at which a lie pays; null where it never is. */
function payingIn(scanned: readonly Scanned[], state: State): PooledCounts | null {
  const perMarket = scanned.flatMap(({ budgets }) => {
    const there = budgets.filter((one) => one.state === state);
    return there.length === 0 ? [] : [countsOf(there.filter(pays).length, there.length)];
  });
  return perMarket.length === 0 ? null : perMarket.reduce(mergeCounts);
}

function stateTable(scanned: readonly Scanned[], exact: boolean): Table {
  const rows = states.flatMap((state): Row[] => {
    const counts = payingIn(scanned, state);
    if (!counts) return [];
    const { hits: paying, size: points, markets } = counts;
    return [{ state, ...shareCells(pooledShare(counts), exact), paying, points, markets }];
  });
  return {
    name: "states",
    title: "How often some lie pays, by what the truthful run shows",
    columns: [
      textColumn("state", "Truthful run"),
      shareColumn("share", "A lie pays, of all budgets scanned"),
      ...intervalColumns("share"),
      countColumn("paying", "Paying budgets"),
      countColumn("points", "Budgets scanned"),
      countColumn("markets", "Markets"),
    ],
    rows,
  };
}

export const charts = ({ scanned, exact }: CriticalResult): Chart[] => [
  curveChart(scanned, exact),
  ...changeChart(scanned, exact),
];

const numeric = (value: Row[string] | undefined): number => Number(value);

function curveChart(scanned: readonly Scanned[], exact: boolean): Chart {
  const rows = curveTable(scanned, exact).rows;
  const peaks = ofSize(scanned).map(([size]) => {
    const mine = rows.filter(({ workers }) => workers === size);
    const top = mine.reduce((a, b) => (numeric(b.share) > numeric(a.share) ? b : a));
    return `${percent(numeric(top.share))} at ${threeDigits(numeric(top.ratio))} with ${size} workers`;
  });
  return {
    name: "curve",
    title: `Markets in which some lie ${exact ? "pays" : "was found to pay"}, by relative budget`,
    table: "curve",
    spec: {
      encoding: {
        x: {
          field: "ratio",
          type: "quantitative",
          scale: { type: "log", nice: false },
          title: relativeBudget,
          axis: { format: "~g", values: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30] },
        },
        y: percentAxis("share", "share of markets", { domain: [0, 1] }),
        color: { field: "workers", type: "ordinal", title: "workers" },
        tooltip: tooltipOf(curveColumns.filter(({ name }) => exact || name !== "high")),
      },
      layer: [{ mark: "line" }, { mark: { type: "point", filled: true, size: 20 } }],
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

/** None where no lie ever begins or ceases to pay. */
function changeChart(scanned: readonly Scanned[], exact: boolean): Chart[] {
  const { rows } = changeTable(scanned, exact);
  const met = whens.filter((when) => rows.some((row) => row.when === when));
  if (met.length === 0) return [];
  const choices: readonly Choice[] = [{ field: "when", label: "Where lies", values: met }];
  const marks = ["at crossings", "at any budget"];
  const x = (field: string) => percentAxis(field, "share", { domain: [0, 1] });
  return [
    {
      name: "changes",
      title: "What changes in the truthful run where lies begin or cease to pay",
      table: "changes",
      choices,
      spec: {
        height: { step: 34 },
        encoding: {
          y: { field: "change", type: "nominal", sort: [...changes], title: null, axis: { labelLimit: 240 } },
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
        const mine = rows.filter((row) => row.when === when);
        const parts = mine.map(({ change, share }) => `${change} ${percent(numeric(share))}`);
        return `${whenWords[when as When]} (${many(numeric(mine[0]?.crossings), "crossing")}): ${listed(parts)}.`;
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
  states
    .flatMap((state) => {
      const counts = payingIn(scanned, state);
      return counts ? [`at ${whole(counts.hits)} of ${whole(counts.size)} budgets ${stateWords[state]}`] : [];
    })
    .join("; ");

function momentText(scanned: readonly Scanned[], exact: boolean): Finding[] {
  const { rows } = momentTable(scanned);
  const parts = ofSize(scanned).flatMap(([size]) => {
    const at = (moment: Moment) => rows.find((row) => row.workers === size && row.moment === moment)?.median;
    const [begin, cease] = moments.map((moment) => at(moment) ?? null);
    if (begin === null || cease === null) return [];
    return [`from ${threeDigits(numeric(begin))} to ${threeDigits(numeric(cease))} with ${size} workers`];
  });
  if (parts.length === 0) return [];
  const text = `The relative budgets between the medians of where lies ${exact ? "" : "were found to "}first begin and last cease to pay go ${listed(parts)}.`;
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
