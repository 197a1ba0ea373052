/** At which budgets lies begin and cease to pay, market by market, and what else changes there. */

import type {
  Analysis,
  AnalysisContext,
  AnalysisResult,
  Chart,
  Exhibit,
  Finding,
  Profile,
  Row,
  Table,
} from "../src/analysis.js";
import { explain, type LieKind, lieKinds } from "../src/explain.js";
import { hold } from "../src/mechanism.js";
import type { Stream } from "../src/random.js";
import { share } from "../src/statistics.js";
import {
  type Change,
  type Crossing,
  changeBetween,
  changes,
  digest,
  middleOf,
  pays,
  type Scan,
  type State,
  scan,
  stateOf,
  states,
} from "../src/survey/crossings.js";
import { answeredExactly } from "../src/survey/inquiry.js";
import { quantile, shareOverMarkets } from "../src/survey/over-markets.js";
import { atRelativeBudget, drawForSurvey } from "../src/survey/relative-budget.js";
import { many, money, percent, rounded } from "../src/survey/words.js";

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

const common = { rounds: 10, width: 0.001, asked: null };
const searching = { rounds: 10, sizes: [5, 10], width: 0.05, asked: 2 };

/** Sample sizes where answers are exact, and where each takes a search. */
export const settings: Readonly<Record<Profile, { exact: CriticalSettings; searched: CriticalSettings }>> = {
  quick: {
    exact: {
      ...common,
      sizes: [5, 10, 20, 40, 80],
      markets: 20,
      scanned: { from: 0.01, to: 20, points: 24 },
    },
    searched: { ...searching, markets: 3, scanned: { from: 0.05, to: 5, points: 6 } },
  },
  full: {
    exact: {
      ...common,
      sizes: [5, 10, 20, 40, 80, 160],
      markets: 400,
      scanned: { from: 0.005, to: 50, points: 48 },
    },
    searched: { ...searching, markets: 30, scanned: { from: 0.05, to: 5, points: 12 } },
  },
};

export const criticalBudget: Analysis = {
  name: "critical-budget",
  question: "At which budgets do lies begin and cease to pay, and what else happens there?",
  run: (context) =>
    findCriticalBudgets(
      context,
      settings[context.profile][answeredExactly(context.mechanism) ? "exact" : "searched"],
    ),
};

export async function findCriticalBudgets(
  context: AnalysisContext,
  given: CriticalSettings,
): Promise<AnalysisResult> {
  const scanned = await scanAll(context, given);
  const exact = answeredExactly(context.mechanism);
  return {
    tables: [
      curveTable(scanned),
      momentTable(scanned),
      changeTable(scanned),
      stateTable(scanned),
      beginTable(scanned),
    ],
    charts: [curveChart(scanned), momentChart(scanned), changeChart(scanned)],
    findings: findingsOf(scanned),
    leftOut: leftOutOf(given, exact),
    exhibits: exhibitsOf(scanned, context.mechanism.name),
  };
}

/** One market's scan, and what changes by chance between budgets as near to each other as a crossing's. */
interface Scanned extends Scan {
  readonly workers: number;
  /** The kind of the lie that first begins to pay. */
  readonly beginsBy: LieKind | null;
  readonly byChance: readonly Change[];
}

const CHANCES = 20;

async function scanAll(context: AnalysisContext, given: CriticalSettings): Promise<Scanned[]> {
  const { stream, mechanism, pool } = context;
  const { sizes, markets, rounds, width, asked } = given;
  const ratios = ratiosOf(given.scanned);
  const inputs = sizes.flatMap((workers) => Array.from({ length: markets }, (_, k) => ({ workers, k })));
  return pool.map(inputs, ({ workers, k }) => {
    const own = stream.fork(workers).fork(k);
    const drawn = drawForSurvey({ workers, rounds }, own);
    const chances = anywhere(ratios, own.fork("chance"));
    const byChance = chances.map((ratio) => {
      const truth = (at: number) => digest(hold(mechanism, atRelativeBudget(drawn, at)));
      return changeBetween(truth(ratio), truth(ratio * (1 + width)));
    });
    const found = scan(drawn, { ratios, width, mechanism, asked });
    const first = extreme(found, "lies begin to pay")?.above.most;
    const beginsBy = first ? explain(first.market, first.bid, { mechanism }).kind : null;
    return { workers, byChance, beginsBy, ...found };
  });
}

function ratiosOf({ from, to, points }: CriticalSettings["scanned"]): number[] {
  const step = (to / from) ** (1 / (points - 1));
  return Array.from({ length: points }, (_, k) => Number((from * step ** k).toPrecision(4)));
}

/** Budgets anywhere in the range, evenly in logarithms. */
function anywhere(ratios: readonly number[], stream: Stream): number[] {
  const [from, to] = [ratios[0]!, ratios.at(-1)!];
  return Array.from({ length: CHANCES }, () => from * (to / from) ** stream.next());
}

const ofSize = (scanned: readonly Scanned[]): [number, Scanned[]][] =>
  [...new Set(scanned.map(({ workers }) => workers))].map((size) => [
    size,
    scanned.filter(({ workers }) => workers === size),
  ]);

function curveTable(scanned: readonly Scanned[]): Table {
  const rows = ofSize(scanned).flatMap(([workers, markets]) =>
    markets[0]!.standings.map(({ ratio }, k): Row => {
      const there = markets.map(({ standings }) => standings[k]!);
      const { mean, low, high } = share(there.filter(pays).length, there.length);
      const inState = (state: State) =>
        there.filter(({ truth }) => stateOf(truth) === state).length / there.length;
      return {
        workers,
        ratio,
        share: rounded(mean),
        low: rounded(low),
        high: rounded(high),
        late: rounded(inState("late start")),
        events: rounded(inState("budget events")),
        markets: there.length,
      };
    }),
  );
  return {
    name: "curve",
    title: "Markets in which some lie pays, by relative budget",
    columns: [
      { name: "workers", label: "Workers", kind: "count" },
      { name: "ratio", label: "Relative budget", kind: "amount" },
      { name: "share", label: "Markets in which a lie pays", kind: "share" },
      { name: "low", label: "95 % from", kind: "share" },
      { name: "high", label: "to", kind: "share" },
      { name: "late", label: "Start late", kind: "share" },
      { name: "events", label: "On time, with budget events", kind: "share" },
      { name: "markets", label: "Markets", kind: "count" },
    ],
    rows,
  };
}

const moments = ["lies begin to pay", "lies cease to pay"] as const;

type Moment = (typeof moments)[number];

const momentOf = ({ above }: Crossing): Moment => (pays(above) ? "lies begin to pay" : "lies cease to pay");

/** The first beginning, or the last ending, of a market; null where it lies outside of the range, or there is none. */
function extreme({ standings, crossings }: Scan, moment: Moment): Crossing | null {
  const begin = moment === "lies begin to pay";
  const outside = standings.at(begin ? 0 : -1)!;
  if (pays(outside)) return null;
  const fitting = crossings.filter((crossing) => momentOf(crossing) === moment);
  return fitting.at(begin ? 0 : -1) ?? null;
}

/** The gain on the paying side of a crossing. */
const gainAt = ({ below, above }: Crossing): number => (above.most ?? below.most)!.gain;

function momentTable(scanned: readonly Scanned[]): Table {
  const rows = ofSize(scanned).flatMap(([workers, markets]) =>
    moments.map((moment): Row => {
      const found = markets.flatMap((market) => extreme(market, moment) ?? []);
      const at = (part: number) => rounded(quantile(found.map(middleOf), part));
      const outside = markets.filter(({ standings }) => pays(standings.at(moment === moments[0] ? 0 : -1)!));
      return {
        workers,
        moment,
        median: at(0.5),
        low: at(0.25),
        high: at(0.75),
        gain: rounded(quantile(found.map(gainAt), 0.5)),
        found: found.length,
        outside: outside.length,
        never: markets.filter(({ standings }) => !standings.some(pays)).length,
        windows: rounded(windowsOf(markets)),
        markets: markets.length,
      };
    }),
  );
  return {
    name: "moments",
    title: "Relative budgets at which lies first begin and last cease to pay",
    columns: [
      { name: "workers", label: "Workers", kind: "count" },
      { name: "moment", label: "Moment", kind: "text" },
      { name: "median", label: "Median relative budget", kind: "amount" },
      { name: "low", label: "First quartile", kind: "amount" },
      { name: "high", label: "Third quartile", kind: "amount" },
      { name: "gain", label: "Median gain there", kind: "amount" },
      { name: "found", label: "Markets with it", kind: "count" },
      { name: "outside", label: "Pays at the end of the range", kind: "count" },
      { name: "never", label: "Never pays", kind: "count" },
      { name: "windows", label: "Paying stretches per market", kind: "amount" },
      { name: "markets", label: "Markets", kind: "count" },
    ],
    rows,
  };
}

/** How many separate stretches of budgets have a lie that pays, on average. */
function windowsOf(markets: readonly Scanned[]): number {
  const counts = markets.map(({ standings, crossings }) => {
    const begun = crossings.filter((crossing) => momentOf(crossing) === "lies begin to pay").length;
    return begun + (pays(standings[0]!) ? 1 : 0);
  });
  return counts.reduce((sum, count) => sum + count, 0) / counts.length;
}

const whens = ["first begin", "last cease", "any crossing"] as const;

function crossingsAt(scanned: readonly Scanned[], when: (typeof whens)[number]): Crossing[] {
  if (when === "any crossing") return scanned.flatMap(({ crossings }) => crossings);
  const moment = when === "first begin" ? "lies begin to pay" : "lies cease to pay";
  return scanned.flatMap((market) => extreme(market, moment) ?? []);
}

function changeTable(scanned: readonly Scanned[]): Table {
  const chances = scanned.flatMap(({ byChance }) => byChance);
  const rows = whens.flatMap((when) => {
    const found = crossingsAt(scanned, when).map(({ below, above }) =>
      changeBetween(below.truth, above.truth),
    );
    if (found.length === 0) return [];
    return changes.map((change): Row => {
      const count = found.filter((other) => other === change).length;
      const { mean, low, high } = share(count, found.length);
      const chance = chances.filter((other) => other === change).length / chances.length;
      return {
        when,
        change,
        count,
        share: rounded(mean),
        low: rounded(low),
        high: rounded(high),
        chance: rounded(chance),
        crossings: found.length,
      };
    });
  });
  return {
    name: "changes",
    title: "What changes in the truthful run where lies begin or cease to pay",
    columns: [
      { name: "when", label: "Where lies", kind: "text" },
      { name: "change", label: "What changes in the truthful run", kind: "text" },
      { name: "count", label: "Crossings", kind: "count" },
      { name: "share", label: "Share", kind: "share" },
      { name: "low", label: "95 % from", kind: "share" },
      { name: "high", label: "to", kind: "share" },
      { name: "chance", label: "Share by chance", kind: "share" },
      { name: "crossings", label: "of crossings", kind: "count" },
    ],
    rows,
  };
}

/** How often a lie pays in each state of the truthful run; one value per market. */
function payingIn(scanned: readonly Scanned[], state: State) {
  const perMarket = scanned.flatMap(({ standings }) => {
    const there = standings.filter(({ truth }) => stateOf(truth) === state);
    return there.length === 0 ? [] : [{ paying: there.filter(pays).length, points: there.length }];
  });
  const total = (key: "paying" | "points") => perMarket.reduce((sum, market) => sum + market[key], 0);
  const shares = perMarket.map(({ paying, points }) => paying / points);
  return { paying: total("paying"), points: total("points"), shares };
}

function stateTable(scanned: readonly Scanned[]): Table {
  const rows = states.flatMap((state): Row[] => {
    const { paying, points, shares } = payingIn(scanned, state);
    if (points === 0) return [];
    const { mean, low, high, n } = shareOverMarkets(shares);
    return [
      { state, share: rounded(mean), low: rounded(low), high: rounded(high), paying, points, markets: n },
    ];
  });
  return {
    name: "states",
    title: "How often some lie pays, by what the truthful run shows",
    columns: [
      { name: "state", label: "Truthful run", kind: "text" },
      { name: "share", label: "A lie pays (mean over markets)", kind: "share" },
      { name: "low", label: "95 % from", kind: "share" },
      { name: "high", label: "to", kind: "share" },
      { name: "paying", label: "Paying budgets", kind: "count" },
      { name: "points", label: "Budgets scanned", kind: "count" },
      { name: "markets", label: "Markets", kind: "count" },
    ],
    rows,
  };
}

const ratioAxis = (field: string) => ({
  field,
  type: "quantitative",
  scale: { type: "log", nice: false },
  title: "budget / true cost of all rounds on offer",
  axis: { format: "~g", values: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30] },
});

function curveChart(scanned: readonly Scanned[]): Chart {
  const rows = curveTable(scanned).rows;
  const peaks = ofSize(scanned).map(([size]) => {
    const top = rows
      .filter(({ workers }) => workers === size)
      .reduce((a, b) => ((b.share as number) > (a.share as number) ? b : a));
    return `with ${size} workers at ${money(top.ratio as number)} (${percent(top.share as number)})`;
  });
  const y = {
    field: "share",
    type: "quantitative",
    title: "markets in which a lie pays",
    scale: { domain: [0, 1] },
    axis: { format: "~%" },
  };
  const color = { field: "workers", type: "ordinal", title: "workers" };
  return {
    name: "curve",
    title: "Markets in which some lie pays",
    table: "curve",
    spec: {
      encoding: { x: ratioAxis("ratio"), color },
      layer: [
        { mark: "line", encoding: { y } },
        {
          mark: { type: "point", filled: true, size: 20 },
          encoding: {
            y,
            tooltip: [
              { field: "workers", title: "Workers" },
              { field: "ratio", title: "Relative budget" },
              { field: "share", title: "A lie pays in", format: ".0%" },
              { field: "low", title: "95 % from", format: ".0%" },
              { field: "high", title: "to", format: ".0%" },
              { field: "late", title: "Start late in", format: ".0%" },
              { field: "events", title: "On time, with budget events, in", format: ".0%" },
            ],
          },
        },
      ],
    },
    summary: `Share of markets in which some lie pays, against the relative budget; highest ${peaks.join(", ")}.`,
    howToRead:
      "A line per market size. Each point has a 95 % interval over markets, in its tooltip and in the table.",
  };
}

function momentChart(scanned: readonly Scanned[]): Chart {
  const rows = momentTable(scanned).rows;
  const told = rows
    .filter(({ median }) => median !== null)
    .map(({ workers, moment, median }) => `${workers} workers, ${moment}: ${money(median as number)}`);
  const color = { field: "moment", type: "nominal", title: null, sort: [...moments] };
  const y = { field: "workers", type: "ordinal", sort: "descending", title: "workers" };
  return {
    name: "moments",
    title: "Where lies first begin and last cease to pay",
    table: "moments",
    spec: {
      height: { step: 22 },
      transform: [{ filter: "datum.median !== null" }],
      encoding: { y, yOffset: { field: "moment" }, color },
      layer: [
        { mark: { type: "rule", strokeWidth: 3 }, encoding: { x: ratioAxis("low"), x2: { field: "high" } } },
        {
          mark: { type: "point", filled: true, size: 80 },
          encoding: {
            x: ratioAxis("median"),
            tooltip: [
              { field: "workers", title: "Workers" },
              { field: "moment", title: "Moment" },
              { field: "median", title: "Median relative budget", format: ".3~g" },
              { field: "low", title: "First quartile", format: ".3~g" },
              { field: "high", title: "Third quartile", format: ".3~g" },
              { field: "found", title: "Markets with it" },
              { field: "outside", title: "Pays at the end of the range" },
            ],
          },
        },
      ],
    },
    summary: `Median relative budgets: ${told.length === 0 ? "none, for no lie ever pays" : told.join("; ")}.`,
    howToRead: "Points are medians over markets, lines reach from the first to the third quartile.",
  };
}

function changeChart(scanned: readonly Scanned[]): Chart {
  const any = changeTable(scanned).rows.filter(({ when }) => when === "any crossing");
  const told = any.map(({ change, share }) => `${change}: ${percent(share as number)}`);
  const x = (field: string) => ({
    field,
    type: "quantitative",
    title: "share of crossings",
    scale: { domain: [0, 1] },
    axis: { format: "~%" },
  });
  const y = { field: "change", type: "nominal", sort: [...changes], title: null, axis: { labelLimit: 240 } };
  const when = { field: "when", type: "nominal", sort: [...whens] };
  const tooltip = [
    { field: "change", title: "In the truthful run" },
    { field: "when", title: "Where lies" },
    { field: "share", title: "Share", format: ".1%" },
    { field: "chance", title: "By chance", format: ".1%" },
    { field: "count", title: "Crossings" },
  ];
  return {
    name: "changes",
    title: "What changes in the truthful run where lies begin or cease to pay",
    table: "changes",
    spec: {
      height: { step: 18 },
      encoding: { y, yOffset: when },
      layer: [
        { mark: "bar", encoding: { x: x("share"), color: { ...when, title: "where lies" }, tooltip } },
        { mark: "rule", encoding: { x: x("low"), x2: { field: "high" } } },
        { mark: { type: "tick", thickness: 2 }, encoding: { x: x("chance"), tooltip } },
      ],
    },
    summary:
      told.length === 0 ? "No lie ever begins or ceases to pay." : `At all crossings: ${told.join("; ")}.`,
    howToRead:
      "Between two budgets next to each other, at one of which a lie pays: what else differs in the truthful run, the first of the list that does. Lines are 95 % intervals; the tick is how often the same differs between two such budgets anywhere in the range.",
  };
}

function findingsOf(scanned: readonly Scanned[]): Finding[] {
  const paying = scanned.filter(({ standings }) => standings.some(pays)).length;
  const first =
    paying === 0
      ? `In none of ${many(scanned.length, "market")} a lie that pays was found at any budget scanned.`
      : `In ${paying} of ${many(scanned.length, "market")} some budget makes a lie pay; ${statesText(scanned)}.`;
  return [{ text: first, weight: 6 }, ...momentText(scanned), ...changeText(scanned)];
}

const stateWords: Readonly<Record<State, string>> = {
  "late start": "where the start is late",
  "budget events": "where it is on time but some budget binds",
  neither: "where it is on time and no budget binds",
};

function statesText(scanned: readonly Scanned[]): string {
  const parts = states.flatMap((state) => {
    const { paying, points } = payingIn(scanned, state);
    return points === 0 ? [] : [`${stateWords[state]}, at ${paying} of ${points} budgets`];
  });
  return `a lie pays ${parts.join("; ")}`;
}

function momentText(scanned: readonly Scanned[]): Finding[] {
  const rows = momentTable(scanned).rows.filter(({ median }) => median !== null);
  const told = ofSize(scanned).flatMap(([size]) => {
    const at = (moment: Moment) => rows.find((row) => row.workers === size && row.moment === moment)?.median;
    const [begin, cease] = moments.map(at);
    if (begin === undefined || cease === undefined) return [];
    return [`${money(begin as number)} and ${money(cease as number)} with ${size} workers`];
  });
  if (told.length === 0) return [];
  const text = `The median relative budgets at which lies first begin and last cease to pay are ${told.join("; ")}.`;
  return [{ text, weight: 5 }];
}

function changeText(scanned: readonly Scanned[]): Finding[] {
  const rows = changeTable(scanned).rows;
  const shareAt = (when: string, change: Change) => {
    const row = rows.find((other) => other.when === when && other.change === change);
    return row ? percent(row.share as number) : null;
  };
  const changesAt = (when: (typeof whens)[number]) =>
    `the start of the truthful run moves in ${shareAt(when, "the start moves")} of markets, budget events begin or end in ${shareAt(when, "budget events begin or end")} and change in ${shareAt(when, "other budget events")}`;
  const found = (when: (typeof whens)[number]) => shareAt(when, "the start moves") !== null;
  const begin = found("first begin")
    ? [`Where lies first begin to pay, ${changesAt("first begin")}; ${beginText(scanned)}.`]
    : [];
  const cease = found("last cease") ? [`Where lies last cease to pay, ${changesAt("last cease")}.`] : [];
  return [...begin, ...cease].map((text) => ({ text, weight: 4 }));
}

/** In which state the truthful run is where lies first begin to pay, and by which lie. */
function beginText(scanned: readonly Scanned[]): string {
  const kinds = beginTable(scanned).rows;
  const late = crossingsAt(scanned, "first begin").filter(
    ({ above }) => stateOf(above.truth) === "late start",
  );
  const [top] = [...kinds].sort((a, b) => (b.count as number) - (a.count as number));
  const total = kinds.reduce((sum, { count }) => sum + (count as number), 0);
  return `it is late there in ${late.length} of ${total}, and the first lie to pay is most often to ${lieKinds[top!.kind as LieKind]} (${top!.count} of ${total})`;
}

function beginTable(scanned: readonly Scanned[]): Table {
  const found = scanned.flatMap(({ beginsBy }) => beginsBy ?? []);
  const rows = (Object.keys(lieKinds) as LieKind[]).flatMap((kind): Row[] => {
    const count = found.filter((other) => other === kind).length;
    const { mean, low, high } = share(count, found.length);
    if (count === 0) return [];
    return [{ kind, count, share: rounded(mean), low: rounded(low), high: rounded(high) }];
  });
  return {
    name: "beginnings",
    title: "The lie that first begins to pay",
    columns: [
      { name: "kind", label: "Kind of lie", kind: "text" },
      { name: "count", label: "Markets", kind: "count" },
      { name: "share", label: "Share", kind: "share" },
      { name: "low", label: "95 % from", kind: "share" },
      { name: "high", label: "to", kind: "share" },
    ],
    rows,
  };
}

function leftOutOf(
  { markets, sizes, scanned, width, rounds, asked }: CriticalSettings,
  exact: boolean,
): string[] {
  const { from, to, points } = scanned;
  return [
    `${many(markets, "market")} drawn of each of ${sizes.length} sizes (the paper's distributions to four decimals, ${rounds} rounds).`,
    `Whether lies pay need not be monotone in the budget: ${points} budgets from ${from} to ${to} are scanned, and every change is narrowed down to ${percent(width)}. Paying stretches between two scanned budgets are missed, and of several changes between them one is found.`,
    exact
      ? "At every budget looked at the answer is exact."
      : `Lies were searched, not solved: where none was found one may exist${asked === null ? "" : `, and only ${many(asked, "worker")} of each market were asked`}.`,
  ];
}

/** Of each size, the market whose lies begin to pay nearest to the median, at that budget. */
function exhibitsOf(scanned: readonly Scanned[], mechanism: string): Exhibit[] {
  return ofSize(scanned).flatMap(([workers, markets]): Exhibit[] => {
    const found = markets.flatMap((market) => extreme(market, "lies begin to pay") ?? []);
    if (found.length === 0) return [];
    const median = quantile(found.map(middleOf), 0.5);
    const off = (crossing: Crossing) => Math.abs(Math.log(middleOf(crossing) / median));
    const { above } = found.reduce((a, b) => (off(b) < off(a) ? b : a));
    const { market, bid, gain, truthful } = above.most!;
    const title = `${workers} workers, just where lies begin to pay (relative budget ${money(above.ratio)}): worker ${bid.worker} gains ${money(gain)} on top of ${money(truthful)}`;
    return [{ name: `begin-${workers}`, title, market, mechanism, lie: bid }];
  });
}
