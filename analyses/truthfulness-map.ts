/** Where truthfulness holds and where it breaks: who can gain by lying, by regime, relative budget and number of workers. */

import { sum } from "d3-array";
import { type AnyMechanism, runAuction } from "../src/auction/mechanism.js";
import { type Regime, regimeSlug, regimes } from "../src/auction/outcome.js";
import { capital, listed, many, percent, percents, whole } from "../src/lib/format.js";
import { FEWEST, FEWEST_FOR_PERCENTILES } from "../src/lib/statistics.js";
import { pooledShare } from "../src/lib/summaries.js";
import { properties as claims } from "../src/properties/properties.js";
import * as accumulate from "../src/report/accumulators.js";
import type { Chart, Finding, Table } from "../src/report/result.js";
import * as show from "../src/report/vocabulary.js";
import { isExact } from "../src/responses/index.js";
import type { Analysis, Gathered } from "../src/study/analysis.js";
import type { WorkContext } from "../src/study/job.js";
import { certified } from "../src/verdicts/certify.js";
import { isOutside, OUTSIDE } from "../src/verdicts/outside.js";
import * as gains from "./shared/gains.js";
import * as survey from "./shared/survey.js";

type Lie = gains.LieName;

type Found = Readonly<Record<Lie, (gains.PayingLie & { readonly movesStart: boolean }) | null>>;

/** A worker at one budget, what each kind of lie would bring it, and whether that lie moves the start. */
interface Row {
  readonly at: survey.Asked;
  readonly found: Found;
}

const nothing: Found = { price: null, time: null, joint: null };

function rowsOf({ market, asked }: survey.AtBudget, mechanism: AnyMechanism): Row[] {
  // The truth is run only where some lie may move the start.
  let truth: { readonly delay: number | null } | undefined;
  const find = ({ response }: survey.Asked, lie: Lie) => {
    const paying = gains.payingLie(response, lie);
    if (paying === null) return null;
    const { bid } = paying;
    const { gain, best, pivotal } = response;
    if (gain > 0 && bid.price === best.price && bid.arrival === best.arrival)
      return { ...paying, movesStart: pivotal };
    truth ??= { delay: runAuction(mechanism, market).startDelay };
    return { ...paying, movesStart: runAuction(mechanism, market, [bid]).startDelay !== truth.delay };
  };
  return asked.map((at) => {
    const { gain, priceGain, timeGain } = at.response;
    const pays = gain > 0 || priceGain > 0 || timeGain > 0;
    const found = pays
      ? { price: find(at, "price"), time: find(at, "time"), joint: find(at, "joint") }
      : nothing;
    return { at, found };
  });
}

const { breakdown, count, largest, markets, mean, quantiles, share } = accumulate.accumulators<Row>();

type Keys = { readonly lie: Lie };

const doesGain = ({ found }: Row, { lie }: Keys): boolean => found[lie] !== null;

const among = { among: doesGain };

const gainOf = ({ found }: Row, { lie }: Keys): number | null => found[lie] && gains.supremumOf(found[lie]);

/** Of the whole budget. */
function partOf(row: Row, keys: Keys): number | null {
  const gain = gainOf(row, keys);
  return gain && gain / row.at.market.rules.budget;
}

const regime = accumulate.by.text("Regime", ({ at }: Row) => at.response.regime, regimes);
const lie = accumulate.by.text<Row, Lie>("Misstated", "every", show.lies);
const workers = accumulate.by.count("Workers", ({ at }: Row) => at.place.workers);
const ratio = accumulate.by.amount("Relative budget", ({ at }: Row) => at.place.ratio);

const gainers = share({ exact: "Can gain", searched: "Found to gain" }, doesGain, {
  axis: { exact: "share of workers who can gain", searched: "share of workers found to gain" },
});

const measures = {
  share: gainers,
  moving: mean(
    "Gain by moving the start",
    ({ found }, { lie }: Keys) => Number(found[lie]?.movesStart ?? 0),
    {
      kind: "share",
    },
  ),
  meanGain: mean("Mean gain of those who gain", gainOf, among),
  gainQuantiles: quantiles(
    { medianGain: ["Median gain of those", 0.5], gain95: ["95th percentile", 0.95] },
    gainOf,
    among,
  ),
  maxGain: largest("Largest gain", gainOf, {
    ...among,
    keep: ({ found, at }, { lie }) => ({ ...found[lie]!, ...at.place }),
  }),
  markets: markets<Keys>("Markets"),
  seen: count<Keys>("Workers asked"),
};

const overall = breakdown(
  { regime, lie },
  {
    gained: count({ exact: "Could gain", searched: "Found to gain" }, doesGain),
    ...measures,
    parts: quantiles(
      {
        part25: ["First quartile of gains, of the budget per worker", 0.25],
        part50: ["Median", 0.5],
        part75: ["Third quartile", 0.75],
        part95: ["95th percentile", 0.95],
      },
      (row, keys: Keys) => gainOf(row, keys) && partOf(row, keys)! * row.at.place.workers,
      { ...among, kind: "share" },
    ),
    ofBudget: largest("Largest gain, of the whole budget", partOf, { ...among, kind: "share" }),
  },
);

const cells = breakdown({ ratio, workers, regime, lie }, measures);

const sums = accumulate.together({ overall, cells });

type Sums = accumulate.Accumulated<typeof sums>;
type Overall = accumulate.GroupIn<typeof overall>;
type Cell = accumulate.GroupIn<typeof cells>;

/** Larger markets say little on the bench, and make the page heavy. */
const LARGEST_SHOWN = 40;

const claimOf = { price: "P5", time: "P6", joint: "joint" } as const;

/** The exhibit that shows the largest gain; null where none does. */
const benchOf = ({ regime, lie, sums }: Overall): string | null =>
  sums.maxGain && `largest-${lie}-${regimeSlug(regime)}`;

const cellBenchOf = ({ workers, ratio, regime, lie, sums }: Cell): string | null =>
  sums.maxGain && lie === "joint" && workers <= LARGEST_SHOWN
    ? `map-${workers}-${ratio}-${regimeSlug(regime)}`
    : null;

function conclude(
  gathered: readonly Gathered<survey.SurveyCell, Sums>[],
  settings: survey.SurveySettings,
  context: WorkContext,
) {
  const exact = isExact(context.mechanism);
  const all = accumulate.mergeAll(sums, gathered)!;
  const at = { ...context, rounds: settings.rounds };
  const shown = {
    overall: overall.shown(all.overall, exact),
    bySize: gathered.map(({ cell, summary }) => {
      const { groups } = overall.shown(summary?.overall ?? {}, exact);
      return { workers: cell.workers, groups };
    }),
    cells: cells.shown(all.cells, exact),
  };
  const exhibit = (name: string | null, { sums: { maxGain } }: Overall | Cell) => {
    if (name === null) return [];
    const { workers, ratio, regime } = maxGain!.kept;
    const about = `${workers} workers at relative budget ${ratio}, ${regime}`;
    return [gains.exhibitOf({ name, about }, maxGain!.kept, at)];
  };
  return {
    ...shown,
    settings,
    exact,
    mechanism: context.mechanism,
    confirmed: new Map(shown.overall.groups.map((one) => [one, confirmedIn(one, at)])),
    exhibits: [
      ...shown.overall.groups.flatMap((one) => exhibit(benchOf(one), one)),
      ...shown.cells.groups.flatMap((one) => exhibit(cellBenchOf(one), one)),
    ],
  };
}

type MapResult = ReturnType<typeof conclude>;

/** False where exact fractions show no gain of the largest; null where they cannot be asked. */
function confirmedIn({ regime, lie, sums }: Overall, at: WorkContext & { readonly rounds: number }) {
  if (sums.maxGain === null) return null;
  const { bid, gain, ...place } = sums.maxGain.kept;
  const witness = { property: claimOf[lie], worker: bid.worker, regime, lie: bid, amount: gain };
  return certified(survey.marketAt(place, at), witness, at.mechanism).certified;
}

/** A claim by row, a regime by column; beside each the exhibit that its cell opens. */
function verdictTable({ overall, exact, confirmed, mechanism }: MapResult): Table {
  const text = (regime: Regime, lie: Lie) => {
    const found = overall.at({ lie, regime });
    if (!found) return "no such worker drawn";
    const verdict = verdictText(found, exact, confirmed.get(found) !== false);
    return isOutside(mechanism, claimOf[lie], regime) ? `${verdict} (${OUTSIDE})` : verdict;
  };
  const bench = (regime: Regime, lie: Lie) => {
    const found = overall.at({ lie, regime });
    return found && confirmed.get(found) !== false ? benchOf(found) : null;
  };
  const title = "Truthfulness in markets drawn as in the paper (prose, first-round ratio 0.35)";
  const table = show.tableOf<Lie>("truthfulness", title, show.lies, [
    show.column.text("claim", "Claim", (lie) => `${claimOf[lie]} ${claims[claimOf[lie]].name}`),
    ...show.regimeFields(text),
    ...show.regimeFields(bench, "Witness", ": on the bench"),
  ]);
  return { ...table, firstScreen: true };
}

/** Of a sample it is said that nobody was found to gain, with how many workers might yet. */
function verdictText({ sums }: Overall, exact: boolean, confirmed: boolean): string {
  const { hits, size, markets } = sums.share;
  const asked = many(size, "worker");
  if (hits === 0 && !exact) return `none found by a search among ${asked}`;
  if (hits === 0 && markets < FEWEST) return `not judged: only ${many(markets, "market")}`;
  if (hits === 0) return `none found among ${asked} (95 %: at most ${percent(pooledShare(sums.share).high)})`;
  if (!confirmed) return `none found but within rounding: ${whole(hits)} of ${asked}`;
  return `breaks: ${exact ? "" : "found for "}${gains.portion(sums.share)}${movedText(sums, "moving the start")}`;
}

/** Where it is true of all who gain. */
const movedText = ({ share: { hits }, moving }: Overall["sums"], how: string): string =>
  hits === 0 || moving.total < hits ? "" : `,${hits > 1 ? " all" : ""} by ${how}`;

const tables = (result: MapResult): Table[] => [
  verdictTable(result),
  result.overall.table("regimes", "Who can gain, by regime and by what is misstated", [
    ...result.overall.names,
    show.column.text("witness", "Largest gain on the bench", benchOf),
  ]),
  result.cells.table("map", "Who can gain, by relative budget and number of workers", [
    ...cellColumns,
    show.column.text("witness", "Largest gain on the bench", cellBenchOf),
  ]),
];

const cellColumns = [
  "regime",
  "lie",
  "workers",
  "ratio",
  ...(Object.keys(measures) as (keyof typeof measures)[]),
] as const;

const onRows = {
  y: show.axis.name("regime", regimes, { labelFontSize: 13 }),
  yOffset: { field: "lie", type: "nominal", sort: show.lies },
  color: show.colour.lie("lie"),
};

/** What a pointed at mark shows besides. */
const pointed = ["regime", "lie", "part50", "medianGain", "maxGain"];

function regimeChart({ overall, exact, settings: { sizes, ratios } }: MapResult): Chart {
  const extent = (values: readonly number[]) => [...new Set([values[0], values.at(-1)])].join(" to ");
  const each = overall.where({ lie: "joint" }).map((one) => `${one.regime} ${gains.portion(one.sums.share)}`);
  const tooltip = overall.tooltip(overall.names, [...pointed, "share", "low", "high", "seen", "markets"]);
  return {
    name: "regimes",
    title: `Share of workers who ${gains.can(exact)} gain, by regime and by what is misstated`,
    table: "regimes",
    firstScreen: true,
    spec: {
      height: { step: 11 },
      encoding: { ...onRows, tooltip },
      layer: overall.points("share", { size: 80 }),
    },
    summary: `Who ${gains.can(exact)} gain by either or both: ${each.join("; ")}.`,
    howToRead: `Markets of ${extent(sizes)} workers, budgets ${extent(ratios)} times the cost of all rounds on offer. ${exact ? "Lines are 95 % intervals, with markets as clusters." : "Lies were searched for: points are lower bounds."}`,
  };
}

function mapChart({ cells, exact }: MapResult): Chart {
  const choices = [show.regimeChoice(cells.groups.map(({ regime }) => regime)), show.lieChoice];
  const top = Math.ceil(20 * Math.max(0.01, ...cells.groups.map(gains.shareIn))) / 20;
  const ticks = [0, 0.01, 0.05, 0.2, 0.5, 1].filter(
    (tick) => tick === 0 || (tick >= top / 20 && tick <= top),
  );
  const color = {
    field: "share",
    type: "quantitative",
    title: exact ? "can gain" : "found to gain",
    scale: { type: "sqrt", domain: [0, top] },
    legend: { format: "~%", values: ticks },
  };
  return {
    name: "map",
    title: `Share of workers who ${gains.can(exact)} gain, by relative budget and number of workers`,
    table: "map",
    choices,
    spec: {
      height: { step: 30 },
      encoding: {
        x: { field: "ratio", type: "ordinal", title: show.relativeBudget },
        y: { field: "workers", type: "ordinal", sort: "descending", title: "workers" },
        tooltip: cells.tooltip(cellColumns),
      },
      layer: [
        { mark: "rect", encoding: { color } },
        {
          transform: [{ filter: "datum.share === 0" }],
          mark: { type: "point", size: 8, filled: true, color: "black" },
        },
      ],
    },
    summary: show.captions(choices, (chosen) => {
      const [regime, lie] = [chosen.regime as Regime, chosen.lie as Lie];
      return `${capital(regime)}, ${show.lieWords[lie]}: ${mapText(cells.where({ regime, lie }), exact)}.`;
    }),
    howToRead: `Empty: nobody was in the regime. Dot: ${exact ? "nobody can gain" : "the search found no gain, which does not mean that there is none"}. A click opens the largest gain on the bench, with up to ${LARGEST_SHOWN} workers.`,
  };
}

/** The largest of many cells is large by luck too: its interval is one of those that hold for all cells together. */
function mapText(cells: readonly Cell[], exact: boolean): string {
  const { workers, ratio, sums } = cells.reduce((a, b) => (gains.shareIn(a) >= gains.shareIn(b) ? a : b));
  if (sums.share.hits === 0)
    return `in ${many(cells.length, "cell")} ${exact ? "nobody can" : "the search found no"} gain`;
  const [share, low, high] = percents(pooledShare(sums.share, cells.length));
  const interval = exact ? `${low} to ${high}` : `at least ${low}`;
  const together = cells.length === 1 ? "" : ` for all ${cells.length} cells together`;
  return `most often with ${workers} workers at a relative budget of ${ratio}, where ${share} of workers ${gains.can(exact)} gain (95 %${together}: ${interval})`;
}

/** None where too few gain. */
function gainChart({ overall, exact }: MapResult): Chart[] {
  const known = overall.groups.filter(({ sums }) => sums.share.hits >= FEWEST_FOR_PERCENTILES);
  const most = known.map(({ sums }) => sums.ofBudget).reduce(accumulate.larger, null);
  if (!most) return [];
  const scale = { type: "log", nice: false, padding: 10 };
  const ticks = { format: "~%", values: [0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5] };
  const x = (field: string) => show.axis.amount(field, "gain / budget per worker", { scale, axis: ticks });
  const medians = known.filter(({ lie }) => lie === "joint").map((one) => `${one.regime} ${typical(one)}`);
  return [
    {
      name: "gains",
      title: `How much those who ${gains.can(exact)} gain would gain`,
      table: "regimes",
      spec: {
        height: { step: 14 },
        transform: [{ filter: "isValid(datum.part50)" }],
        encoding: {
          ...onRows,
          tooltip: overall.tooltip(overall.names, [...pointed, "gained", "part25", "part75", "part95"]),
        },
        layer: [
          { mark: { type: "rule", strokeWidth: 4 }, encoding: { x: x("part25"), x2: { field: "part75" } } },
          { mark: { type: "rule", strokeWidth: 1 }, encoding: { x: x("part75"), x2: { field: "part95" } } },
          { mark: { type: "point", filled: true, size: 80, opacity: 1 }, encoding: { x: x("part50") } },
        ],
      },
      summary: `Median gain by either or both, as a share of the budget per worker: ${listed(medians)}. The largest gain is ${most.unbounded ? "unbounded" : `${percent(most.amount)} of a whole budget`}.`,
      howToRead:
        "Points: medians. Thick lines: first to third quartile; thin ones: up to the 95th percentile. The axis is logarithmic.",
    },
  ];
}

const typical = ({ sums }: Overall): string => percent(accumulate.quantileOf(sums.parts, 0.5) ?? Number.NaN);

function findings({ overall, bySize, exact }: MapResult): Finding[] {
  const either = overall.where({ lie: "joint" });
  if (either.every(({ sums }) => sums.share.hits === 0)) {
    const none = `No lie about price, arrival or both ${exact ? "gains" : "was found to gain"} anything`;
    const asked = whole(sum(either, ({ sums }) => sums.share.size));
    return show.rankedFindings([
      100,
      `${none}: asked were ${asked} workers of markets drawn as in the paper.`,
    ]);
  }
  // With a sufficient budget, with any other and a start on time, and where the start is late.
  const [sufficient, onTime, late] = [0, 1, 2].map((which) =>
    either
      .filter(({ regime }) => which === (regime === "sufficient" ? 0 : regime.startsWith("late") ? 2 : 1))
      .map((one, k) => shareText(one, exact, k > 0))
      .join(" "),
  );
  const how = either.filter(({ sums }) => sums.share.hits >= FEWEST).map((one) => howText(one, overall));
  return show.rankedFindings(
    [100, sufficient!],
    [95, onTime!],
    [88, late!],
    [60, how.join(" ")],
    [32, sizeText(bySize, exact)],
    [90, gains.unboundedText(sum(either, ({ sums }) => sums.meanGain.unbounded))],
  );
}

/** For how many of a regime lying pays, and how much; the same in fewer words behind another. */
function shareText(found: Overall, exact: boolean, briefly: boolean): string {
  const { hits, size, markets } = found.sums.share;
  const where = capital(show.regimeWords[found.regime]);
  if (hits === 0 && !exact) return `${where}, a search found no gain for ${many(size, "worker")}.`;
  const [share, low, high] = percents(gains.bounded(pooledShare(found.sums.share), exact));
  const ends = exact ? (hits < FEWEST ? `at most ${high}` : `${low} to ${high}`) : `at least ${low}`;
  const interval = markets < FEWEST ? "" : ` (95 %: ${ends})`;
  const all = briefly ? "" : " of workers";
  const who = hits < FEWEST ? `${hits || "none"} of ${many(size, "worker")}` : `${share}${all}`;
  const gain = briefly ? gains.can(exact).split(" ")[0] : `${gains.can(exact)} gain by lying`;
  const half = `, half of them more than ${typical(found)}${briefly ? "" : " of the budget per worker"}`;
  const moved = movedText(found.sums, "changing when the task starts");
  return `${where}, ${who} ${gain}${interval}${hits < FEWEST_FOR_PERCENTILES ? "" : half}${moved}.`;
}

/** By which lie, and by moving the start or not. */
function howText({ regime, sums: { share, moving } }: Overall, overall: MapResult["overall"]): string {
  const by = (lie: Lie) => percent(overall.at({ regime, lie })!.sums.share.hits / share.hits);
  return `${capital(show.regimeWords[regime])}, the price alone is enough for ${by("price")} of those who gain, the arrival alone for ${by("time")}; ${percent(moving.total / share.hits)} of the best lies move the start.`;
}

/** From the smallest markets to the largest where the budget is tight, if their intervals are apart. */
function sizeText(bySize: MapResult["bySize"], exact: boolean): string {
  const tight = bySize.flatMap(({ workers, groups }) => {
    const found = groups.find(({ regime, lie }) => regime === "tight" && lie === "joint");
    return found ? [{ workers, ...pooledShare(found.sums.share, 2) }] : [];
  });
  const [small, large] = [tight[0], tight.at(-1)];
  if (!small || !large || (small.low <= large.high && large.low <= small.high)) return "";
  const trend = small.mean > large.mean ? "rarer" : "more frequent";
  return `Where the budget is tight, lies that pay ${exact ? "get" : "were found to get"} ${trend} as markets grow: ${percent(small.mean)} of workers with ${small.workers}, ${percent(large.mean)} with ${large.workers}.`;
}

const methods = ({ settings, overall, exact }: MapResult): string[] => [
  `${survey.surveyText(settings)}: ${whole(sum(overall.where({ lie: "joint" }), ({ sums }) => sums.seen))} workers asked.`,
  "The relative budget is over the true cost of all rounds on offer, Σ cost · (T − arrival + 1): rounds before a worker's arrival are not on offer. The budget per worker is the budget over the number of workers.",
  gains.pooledText,
  "Behind every “breaks” stands the largest gain seen, confirmed in exact fractions where the mechanism can be run in them; “by moving the start” is said of the best lies.",
  `Medians and percentiles are read from sketches, within 1 % of those of all gains, and left out where fewer than ${FEWEST_FOR_PERCENTILES} workers gain.`,
  gains.exactnessText(exact, settings.asked),
];

export const truthfulnessMap: Analysis<survey.SurveySettings, survey.SurveyCell, Sums, MapResult> = {
  name: "truthfulness-map",
  question: "How many workers can gain by lying about their price, their arrival or both, and how much?",
  part: "gains",
  options: {
    markets: { from: 1, whole: true },
    workers: { from: 1, to: 10_000, whole: true },
    ratio: { from: 0.001, to: 1000 },
  },
  settings: survey.surveySettings,
  plan: survey.surveyPlan,
  job: survey.drawnJob<Sums>({
    reduce: ({ budgets }, _, { mechanism }) => sums.of(budgets.flatMap((at) => rowsOf(at, mechanism))),
    merge: sums.merge,
    columns: survey.workerColumns,
  }),
  conclude,
  tables,
  charts: (result) => [regimeChart(result), mapChart(result), ...gainChart(result)],
  findings,
  methods,
  exhibits: ({ exhibits }) => exhibits,
};
