/** Where truthfulness holds and where it breaks: who can gain by lying, by regime, relative budget and number of workers. */

import { rollups, sum } from "d3-array";
import { type Regime, regimeSlug, regimes } from "../src/auction/outcome.js";
import { capital, listed, many, percent, percents, whole } from "../src/lib/format.js";
import { FEWEST, FEWEST_FOR_PERCENTILES } from "../src/lib/statistics.js";
import { pooledShare } from "../src/lib/summaries.js";
import { surveyed } from "../src/market/draw.js";
import type { Chart, Finding, Table } from "../src/report/result.js";
import {
  axis,
  captions,
  colour,
  column,
  type Field,
  lieChoice,
  lies,
  lieWords,
  marks,
  rankedFindings,
  regimeChoice,
  regimeFields,
  regimeWords,
  relativeBudget,
  tableOf,
} from "../src/report/vocabulary.js";
import { isExact } from "../src/responses/index.js";
import type { Analysis, Gathered } from "../src/study/analysis.js";
import type { JobContext, WorkContext } from "../src/study/job.js";
import { certify } from "../src/verdicts/certify.js";
import { claims } from "../src/verdicts/properties.js";
import {
  askAt,
  type BySpeed,
  bounded,
  can,
  exactnessText,
  exhibitOf,
  finite,
  type GainSummary,
  gainQuantile,
  gainSummary,
  gainsAt,
  type LieName,
  marketAt,
  meanGain,
  mergeGains,
  mergeParts,
  pooledText,
  type SurveyCell,
  type SurveySettings,
  supremumOf,
  surveyJob,
  surveyPlan,
  surveySettings,
  surveyText,
  unboundedText,
} from "./shared/gains.js";

const grid = {
  rounds: 10,
  sizes: [5, 10, 20, 40, 80, 160],
  ratios: [0.03, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1, 1.4, 2, 3, 5],
};

const coarse = { rounds: 10, sizes: [5, 10, 20], ratios: [0.1, 0.35, 1, 3] };

const profiles: BySpeed<SurveySettings> = {
  quick: {
    fast: { ...grid, markets: 300, asked: null },
    slow: { ...coarse, markets: 6, asked: 2 },
  },
  full: {
    fast: { ...grid, markets: 5000, asked: null },
    slow: { ...coarse, markets: 100, asked: 4 },
  },
};

/** What a lie brings in a regime, at one budget or at "all" of the cell together; what nobody was in is absent. */
type MapSummary = Record<string, GainSummary>;

const keyOf = (ratio: number | "all", { regime, lie }: { readonly regime: Regime; readonly lie: LieName }) =>
  `${ratio} ${regime} ${lie}`;

function look(cell: SurveyCell, k: number, context: JobContext): MapSummary {
  const { workers, ratios, asked } = cell;
  const { mechanism } = context;
  const drawn = surveyed(cell, k, context.stream);
  const seen = ratios.flatMap((ratio) => {
    const place = { workers, k, ratio };
    const { market, responses } = askAt(drawn, place, { ...context, asked });
    return gainsAt(market, responses.workers, { place, mechanism });
  });
  const byRatio = rollups(seen, gainSummary, (gains) => keyOf(gains.ratio, gains));
  const all = rollups(seen, gainSummary, (gains) => keyOf("all", gains));
  return Object.fromEntries([...byRatio, ...all]);
}

const job = surveyJob<MapSummary>({ look, merge: (left, right) => mergeParts(left, right, mergeGains) });

/** The workers of one regime and what one lie brings them. */
interface Seen {
  readonly regime: Regime;
  readonly lie: LieName;
  readonly gains: GainSummary;
  /** The exhibit with the largest gain. */
  readonly exhibit: string | null;
}

/** In markets of one size, at one budget or at all. */
type SeenAt = Seen & { readonly workers: number; readonly ratio: number | "all" };

/** In all markets at all budgets: false where exact fractions show no gain of the largest; null where they cannot be asked. */
type Overall = Seen & { readonly confirmed: boolean | null };

/** Larger markets say little on the bench, and make the page heavy. */
const LARGEST_SHOWN = 40;

const combinations = regimes.flatMap((regime) => lies.map((lie) => ({ regime, lie })));

function conclude(
  gathered: readonly Gathered<SurveyCell, MapSummary>[],
  settings: SurveySettings,
  context: WorkContext,
) {
  const seenAt = (ratio: number | "all"): SeenAt[] =>
    gathered.flatMap(({ cell: { workers }, summary }) =>
      combinations.flatMap((combination) => {
        const { regime, lie } = combination;
        const gains = summary?.[keyOf(ratio, combination)];
        const shown = gains?.most && lie === "joint" && workers <= LARGEST_SHOWN && ratio !== "all";
        const exhibit = shown ? `map-${workers}-${ratio}-${regimeSlug(regime)}` : null;
        return gains ? [{ regime, lie, workers, ratio, gains, exhibit }] : [];
      }),
    );
  const [bySize, cells] = [seenAt("all"), settings.ratios.flatMap(seenAt)];
  const at = { ...context, rounds: settings.rounds };
  const overall = combinations.flatMap((combination) => allSizes(bySize, combination, at));
  const exhibits = [...overall, ...cells].flatMap(({ exhibit: name, gains: { most } }) => {
    if (name === null || most === null) return [];
    const about = `${most.workers} workers at relative budget ${most.ratio}, ${most.regime}`;
    return [exhibitOf({ name, about }, most, at)];
  });
  return { settings, exact: isExact(context.mechanism), overall, bySize, cells, exhibits };
}

type MapResult = ReturnType<typeof conclude>;

const claimOf = { price: "P5", time: "P6", joint: "joint" } as const;

/** Merging changes the left one: each is a copy. */
function allSizes(
  bySize: readonly SeenAt[],
  { regime, lie }: (typeof combinations)[number],
  at: WorkContext & { readonly rounds: number },
): Overall[] {
  const there = bySize.filter((one) => one.regime === regime && one.lie === lie);
  if (there.length === 0) return [];
  const gains = there.map((one) => structuredClone(one.gains)).reduce(mergeGains);
  const { most } = gains;
  if (most === null) return [{ regime, lie, gains, exhibit: null, confirmed: null }];
  const { bid, gain } = most;
  const witness = { property: claimOf[lie], worker: bid.worker, regime, lie: bid, amount: gain };
  const certificate = certify(marketAt(most, at), witness, at.mechanism);
  const exhibit = `largest-${lie}-${regimeSlug(regime)}`;
  return [{ regime, lie, gains, exhibit, confirmed: certificate?.certified ?? null }];
}

const hits = ({ gains }: Seen): number => gains.share.hits;

const shareOf = ({ gains: { share } }: Seen): number => share.hits / share.size;

/** The columns of every place: `exact` decides what is known of the share, and how it is called. */
const estimates = (exact: boolean): Field<Seen>[] => [
  ...column.estimate(column.share("share", exact ? "Can gain" : "Found to gain"), ({ gains }: Seen) =>
    bounded(pooledShare(gains.share), exact),
  ),
  column.share("moving", "Gain by moving the start", ({ gains }) => gains.moving / gains.share.size),
  column.amount("meanGain", "Mean gain of those who gain", ({ gains }) => meanGain(gains)),
  column.amount("medianGain", "Median gain of those", ({ gains }) => gainQuantile(gains, gains.gains, 0.5)),
  column.amount("gain95", "95th percentile", ({ gains }) => gainQuantile(gains, gains.gains, 0.95)),
  column.amount("maxGain", "Largest gain", ({ gains: { most } }) => (most ? finite(supremumOf(most)) : 0)),
  column.count("markets", "Markets", ({ gains }) => gains.share.markets),
  column.count("seen", "Workers asked", ({ gains }) => gains.share.size),
];

const partAt =
  (percentile: number) =>
  ({ gains }: Seen) =>
    gainQuantile(gains, gains.parts, percentile / 100);

const lieColumns = [column.text("regime", "Regime"), column.text("lie", "Misstated")];

const witness = column.text("witness", "Largest gain on the bench", ({ exhibit }: Seen) => exhibit);

const regimeColumns = (exact: boolean): Field<Seen>[] => [
  ...lieColumns,
  column.count("gained", exact ? "Could gain" : "Found to gain", hits),
  ...estimates(exact),
  column.share("part25", "First quartile of gains, of the budget per worker", partAt(25)),
  column.share("part50", "Median", partAt(50)),
  column.share("part75", "Third quartile", partAt(75)),
  column.share("part95", "95th percentile", partAt(95)),
  column.share("ofBudget", "Largest gain, of the whole budget", ({ gains }) => finite(mostShare(gains))),
  witness,
];

const mapColumns = (exact: boolean): Field<SeenAt>[] => [
  ...lieColumns,
  column.count("workers", "Workers"),
  column.amount("ratio", "Relative budget"),
  ...estimates(exact),
  witness,
];

const tables = ({ overall, cells, exact }: MapResult): Table[] => [
  verdictTable(overall, exact),
  tableOf("regimes", "Who can gain, by regime and by what is misstated", overall, regimeColumns(exact)),
  tableOf("map", "Who can gain, by relative budget and number of workers", cells, mapColumns(exact)),
];

/** A claim by row, a regime by column; beside each the exhibit that its cell opens. */
function verdictTable(overall: readonly Overall[], exact: boolean): Table {
  const seen = (lie: LieName, regime: Regime) =>
    overall.find((one) => one.lie === lie && one.regime === regime);
  const bench = (found: Overall | undefined) => (found?.confirmed === false ? null : found?.exhibit);
  const title = "Truthfulness in markets drawn as in the paper (prose, first-round ratio 0.35)";
  const table = tableOf<LieName>("truthfulness", title, lies, [
    column.text("claim", "Claim", (lie) => `${claimOf[lie]} ${claims[claimOf[lie]].name}`),
    ...regimeFields((regime, lie: LieName) => verdictText(seen(lie, regime), exact)),
    ...regimeFields((regime, lie: LieName) => bench(seen(lie, regime)), "Witness", ": on the bench"),
  ]);
  return { ...table, firstScreen: true };
}

/** Of a sample it is said that nobody was found to gain, with how many workers might yet. */
function verdictText(seen: Overall | undefined, exact: boolean): string {
  if (!seen) return "no such worker drawn";
  const { share } = seen.gains;
  const asked = many(share.size, "worker");
  if (share.hits === 0 && !exact) return `none found by a search among ${asked}`;
  if (share.hits === 0 && share.markets < FEWEST) return `not judged: only ${many(share.markets, "market")}`;
  if (share.hits === 0)
    return `none found among ${asked} (95 %: at most ${percent(pooledShare(share).high)})`;
  if (seen.confirmed === false) return `none found but within rounding: ${whole(share.hits)} of ${asked}`;
  return `breaks: ${exact ? "" : "found for "}${portion(share)}${movedText(seen)}`;
}

/** Said where it is true of all who gain. */
const movedText = ({ gains: { share, moving } }: Seen, how = "moving the start"): string =>
  share.hits === 0 || moving < share.hits ? "" : `,${share.hits > 1 ? " all" : ""} by ${how}`;

/** "2.2 % of 190,355 workers", or how many where they are next to none. */
const portion = ({ hits, size }: GainSummary["share"]): string =>
  `${hits < FEWEST ? hits : percent(hits / size)} of ${many(size, "worker")}`;

const charts = (result: MapResult): Chart[] => [regimeChart(result), mapChart(result), ...gainChart(result)];

const onRows = {
  y: axis.name("regime", regimes, { labelFontSize: 13 }),
  yOffset: { field: "lie", type: "nominal", sort: lies },
  color: colour.lie("lie"),
};

/** What a pointed at mark tells: of shares, and of gains. */
const common = ["regime", "lie", "part50", "medianGain", "maxGain"];

const pointedShare = [...common, "share", "low", "high", "seen", "markets"];

const pointedGain = [...common, "gained", "part25", "part75", "part95"];

function regimeChart({ overall, exact, settings: { sizes, ratios } }: MapResult): Chart {
  const title = `share of workers ${exact ? "who can gain" : "found to gain"}`;
  const columns = regimeColumns(exact).filter(({ name }) => exact || name !== "high");
  const points = marks.points((field) => axis.percent(field, title), { value: "share", size: 80 });
  const either = overall.filter(({ lie }) => lie === "joint");
  const each = either.map(({ regime, gains: { share } }) => `${regime} ${portion(share)}`);
  return {
    name: "regimes",
    title: `Share of workers who ${can(exact)} gain, by regime and by what is misstated`,
    table: "regimes",
    firstScreen: true,
    spec: {
      height: { step: 14 },
      encoding: { ...onRows, tooltip: marks.tooltip(columns, pointedShare) },
      // What was searched for has no upper end to draw.
      layer: points.slice(exact ? 0 : 1),
    },
    summary: `Who ${can(exact)} gain by either or both: ${each.join("; ")}.`,
    howToRead: `Markets of ${extent(sizes)} workers, budgets ${extent(ratios)} times the cost of all rounds on offer. ${exact ? "Lines are 95 % intervals, with markets as clusters." : "Lies were searched for: points are lower bounds."}`,
  };
}

const extent = (values: readonly number[]): string =>
  values.length === 1 ? String(values[0]) : `${values[0]} to ${values.at(-1)}`;

const legendShares = [0, 0.01, 0.05, 0.2, 0.5, 1];

function mapChart({ cells, exact }: MapResult): Chart {
  const choices = [regimeChoice(cells.map(({ regime }) => regime)), lieChoice];
  const top = Math.ceil(20 * Math.max(0.01, ...cells.map(shareOf))) / 20;
  const color = {
    field: "share",
    type: "quantitative",
    title: exact ? "can gain" : "found to gain",
    scale: { type: "sqrt", domain: [0, top] },
    legend: {
      format: "~%",
      values: legendShares.filter((share) => share === 0 || (share >= top / 20 && share <= top)),
    },
  };
  const columns = mapColumns(exact).filter(({ name }) => name !== "witness" && (exact || name !== "high"));
  return {
    name: "map",
    title: `Share of workers who ${can(exact)} gain, by relative budget and number of workers`,
    table: "map",
    choices,
    spec: {
      height: { step: 30 },
      encoding: {
        x: { field: "ratio", type: "ordinal", title: relativeBudget },
        y: { field: "workers", type: "ordinal", sort: "descending", title: "workers" },
        tooltip: marks.tooltip(columns),
      },
      layer: [
        { mark: "rect", encoding: { color } },
        {
          transform: [{ filter: "datum.share === 0" }],
          mark: { type: "point", size: 8, filled: true, color: "black" },
        },
      ],
    },
    summary: captions(choices, ({ regime, lie }) => {
      const mine = cells.filter((one) => one.regime === regime && one.lie === lie);
      return `${capital(regime!)}, ${lieWords[lie as LieName]}: ${mapText(mine, exact)}.`;
    }),
    howToRead: `Empty: nobody was in the regime. Dot: ${exact ? "nobody can gain" : "the search found no gain, which does not mean that there is none"}. A click opens the largest gain on the bench, with up to ${LARGEST_SHOWN} workers.`,
  };
}

/** The largest of many cells is large by luck too: its interval is one of those that hold for all cells together. */
function mapText(cells: readonly SeenAt[], exact: boolean): string {
  const top = cells.reduce((a, b) => (shareOf(a) >= shareOf(b) ? a : b));
  if (hits(top) === 0)
    return `in ${many(cells.length, "cell")} ${exact ? "nobody can" : "the search found no"} gain`;
  const [share, low, high] = percents(pooledShare(top.gains.share, cells.length));
  const interval = exact ? `${low} to ${high}` : `at least ${low}`;
  const together = cells.length === 1 ? "" : ` for all ${cells.length} cells together`;
  return `most often with ${top.workers} workers at a relative budget of ${top.ratio}, where ${share} of workers ${can(exact)} gain (95 %${together}: ${interval})`;
}

/** None where too few gain. */
function gainChart({ overall, exact }: MapResult): Chart[] {
  const known = overall.filter((one) => hits(one) >= FEWEST_FOR_PERCENTILES);
  if (known.length === 0) return [];
  const scale = { type: "log", nice: false, padding: 10 };
  const ticks = { format: "~%", values: [0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5] };
  const x = (field: string) => axis.amount(field, "gain / budget per worker", { scale, axis: ticks });
  const told = known.filter(({ lie }) => lie === "joint").map((one) => `${one.regime} ${typical(one)}`);
  const largest = Math.max(...known.map(({ gains }) => mostShare(gains)));
  const most = largest < Number.POSITIVE_INFINITY ? `${percent(largest)} of a whole budget` : "unbounded";
  return [
    {
      name: "gains",
      title: `How much those who ${can(exact)} gain would gain`,
      table: "regimes",
      spec: {
        height: { step: 14 },
        transform: [{ filter: "isValid(datum.part50)" }],
        encoding: { ...onRows, tooltip: marks.tooltip(regimeColumns(exact), pointedGain) },
        layer: [
          { mark: { type: "rule", strokeWidth: 4 }, encoding: { x: x("part25"), x2: { field: "part75" } } },
          { mark: { type: "rule", strokeWidth: 1 }, encoding: { x: x("part75"), x2: { field: "part95" } } },
          { mark: { type: "point", filled: true, size: 80, opacity: 1 }, encoding: { x: x("part50") } },
        ],
      },
      summary: `Median gain by either or both, as a share of the budget per worker: ${listed(told)}. The largest gain is ${most}.`,
      howToRead:
        "Points: medians. Thick lines: first to third quartile; thin ones: up to the 95th percentile. The axis is logarithmic.",
    },
  ];
}

const mostShare = ({ unbounded, mostOfBudget }: GainSummary): number =>
  unbounded > 0 ? Number.POSITIVE_INFINITY : mostOfBudget;

const typical = (one: Seen): string => percent(partAt(50)(one) ?? Number.NaN);

function findings({ overall, bySize, exact }: MapResult): Finding[] {
  const either = overall.filter(({ lie }) => lie === "joint");
  const asked = sum(either, ({ gains }) => gains.share.size);
  if (either.every((one) => hits(one) === 0)) {
    const none = `No lie about price, arrival or both ${exact ? "gains" : "was found to gain"} anything`;
    return rankedFindings([
      100,
      `${none}: asked were ${whole(asked)} workers of markets drawn as in the paper.`,
    ]);
  }
  const [sufficient, others] = [true, false].map((is) =>
    either
      .filter(({ regime }) => (regime === "sufficient") === is)
      .map((one, k) => shareText(one, exact, k > 0))
      .join(" "),
  );
  const unbounded = sum(either, ({ gains }) => gains.unbounded);
  const how = either.filter((one) => hits(one) >= FEWEST).map((one) => howText(one, overall));
  return rankedFindings(
    [100, sufficient!],
    [95, others!],
    [60, how.join(" ")],
    [32, sizeText(bySize, exact)],
    [90, unboundedText(unbounded)],
  );
}

/** For how many of a regime lying pays, and how much; the same in fewer words behind another. */
function shareText(seen: Seen, exact: boolean, briefly: boolean): string {
  const { hits, size, markets } = seen.gains.share;
  const where = capital(regimeWords[seen.regime]);
  if (hits === 0 && !exact) return `${where}, a search found no gain for ${many(size, "worker")}.`;
  const [share, low, high] = percents(bounded(pooledShare(seen.gains.share), exact));
  const ends = exact ? (hits < FEWEST ? `at most ${high}` : `${low} to ${high}`) : `at least ${low}`;
  const interval = markets < FEWEST ? "" : ` (95 %: ${ends})`;
  const all = briefly ? "" : " of workers";
  const who = hits < FEWEST ? `${hits || "none"} of ${many(size, "worker")}` : `${share}${all}`;
  const gain = briefly ? can(exact).split(" ")[0] : `${can(exact)} gain by lying`;
  const half = `, half of them more than ${typical(seen)}${briefly ? "" : " of the budget per worker"}`;
  const moved = movedText(seen, "changing when the task starts");
  return `${where}, ${who} ${gain}${interval}${hits < FEWEST_FOR_PERCENTILES ? "" : half}${moved}.`;
}

/** By which lie, and by moving the start or not. */
function howText(joint: Seen, overall: readonly Seen[]): string {
  const by = (lie: LieName) => {
    const found = overall.find((one) => one.regime === joint.regime && one.lie === lie)!;
    return percent(hits(found) / hits(joint));
  };
  return `${capital(regimeWords[joint.regime])}, the price alone is enough for ${by("price")} of those who gain, the arrival alone for ${by("time")}; ${percent(joint.gains.moving / hits(joint))} of the best lies move the start.`;
}

/** From the smallest markets to the largest where the budget is tight, if their intervals are apart. */
function sizeText(bySize: readonly SeenAt[], exact: boolean): string {
  const tight = bySize.filter(({ regime, lie }) => regime === "tight" && lie === "joint");
  const [small, large] = [tight[0], tight.at(-1)].flatMap((one) =>
    one ? [{ workers: one.workers, ...pooledShare(one.gains.share, 2) }] : [],
  );
  if (!small || !large || (small.low <= large.high && large.low <= small.high)) return "";
  const trend = small.mean > large.mean ? "rarer" : "more frequent";
  return `Where the budget is tight, lies that pay ${exact ? "get" : "were found to get"} ${trend} as markets grow: ${percent(small.mean)} of workers with ${small.workers}, ${percent(large.mean)} with ${large.workers}.`;
}

function methods({ settings, overall, exact }: MapResult): string[] {
  const workers = sum(overall, ({ lie, gains }) => (lie === "joint" ? gains.share.size : 0));
  return [
    `${surveyText(settings)}: ${whole(workers)} workers asked.`,
    "The relative budget is over the true cost of all rounds on offer, Σ cost · (T − arrival + 1): rounds before a worker's arrival are not on offer. The budget per worker is the budget over the number of workers.",
    pooledText,
    "Behind every “breaks” stands the largest gain seen, confirmed in exact fractions where the mechanism can be run in them; “by moving the start” is said of the best lies.",
    `Medians and percentiles are read from sketches, within 1 % of those of all gains, and left out where fewer than ${FEWEST_FOR_PERCENTILES} workers gain.`,
    exactnessText(exact, settings.asked),
  ];
}

export const truthfulnessMap: Analysis<SurveySettings, SurveyCell, MapSummary, MapResult> = {
  name: "truthfulness-map",
  question: "How many workers can gain by lying about their price, their arrival or both, and how much?",
  part: "gains",
  options: {
    markets: { from: 1, whole: true },
    workers: { from: 1, to: 10_000, whole: true },
    ratio: { from: 0.001, to: 1000 },
  },
  settings: (context) => surveySettings(profiles, context),
  plan: surveyPlan,
  job,
  conclude,
  tables,
  charts,
  findings,
  methods,
  exhibits: ({ exhibits }) => exhibits,
};
