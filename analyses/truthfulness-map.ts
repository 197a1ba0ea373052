/** Where truthfulness holds and where it breaks: who can gain by lying, by regime, relative budget and number of workers. */

import { sum } from "d3-array";
import { isExact } from "../src/best-response/index.js";
import { capital, listed, many, percent, percents, whole } from "../src/lib/format.js";
import type { SomeSettings } from "../src/lib/options.js";
import { FEWEST, FEWEST_FOR_PERCENTILES } from "../src/lib/statistics.js";
import { pooledShare } from "../src/lib/summaries.js";
import { surveyed } from "../src/market/draw.js";
import { type Regime, regimes } from "../src/mechanisms/outcome.js";
import type { Chart, Choice, Exhibit, Finding, Table } from "../src/report/result.js";
import {
  amountColumn,
  captions,
  countColumn,
  estimateColumns,
  type Field,
  lieColour,
  lies,
  lieWords,
  nameAxis,
  percentAxis,
  pointsWithIntervals,
  regimeChoice,
  regimeWords,
  relativeBudget,
  shareColumn,
  tableOf,
  textColumn,
  tooltipOf,
} from "../src/report/vocabulary.js";
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
  type GainSummary,
  type GainsAt,
  gainSummary,
  gainsAt,
  type LieName,
  marketAt,
  mergeGains,
  mergeParts,
  pooledText,
  quantileOf,
  type SurveyCell,
  type SurveySettings,
  settingsFor,
  surveyJob,
  surveyPlan,
  surveyText,
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

/** Another number of markets of each size, one size alone, or one relative budget alone. */
const withOptions = (usual: SurveySettings, set: SomeSettings): SurveySettings => ({
  ...usual,
  ...(set.markets !== undefined && { markets: Number(set.markets) }),
  ...(set.workers !== undefined && { sizes: [Number(set.workers)] }),
  ...(set.ratio !== undefined && { ratios: [Number(set.ratio)] }),
});

/** "all" budgets: those of the cell together. */
interface Part {
  readonly ratio: number | "all";
  readonly regime: Regime;
  readonly lie: LieName;
}

/** A summary of every part that anybody was in. */
type MapSummary = Record<string, GainSummary>;

const keyOf = ({ ratio, regime, lie }: Part): string => `${ratio} ${regime} ${lie}`;

function look(cell: SurveyCell, k: number, context: JobContext): MapSummary {
  const { workers, ratios, asked } = cell;
  const { mechanism } = context;
  const drawn = surveyed(cell, k, context.stream);
  const parts: Record<string, GainsAt[]> = {};
  for (const ratio of ratios) {
    const place = { workers, k, ratio };
    const { market, responses } = askAt(drawn, place, { ...context, asked });
    for (const seen of gainsAt(market, responses.workers, { place, mechanism }))
      for (const at of [ratio, "all"] as const) {
        const key = keyOf({ ...seen, ratio: at });
        parts[key] ??= [];
        parts[key].push(seen);
      }
  }
  return Object.fromEntries(Object.entries(parts).map(([key, seen]) => [key, gainSummary(seen)]));
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
interface SeenAt extends Seen {
  readonly workers: number;
  readonly ratio: number | "all";
}

/** In all markets at all budgets. */
interface Overall extends Seen {
  /** False where exact fractions show no gain of the lie that gains most; null where they cannot be asked. */
  readonly confirmed: boolean | null;
}

interface MapResult {
  readonly settings: SurveySettings;
  readonly exact: boolean;
  /** A regime that nobody was in is absent. */
  readonly overall: readonly Overall[];
  readonly bySize: readonly SeenAt[];
  readonly cells: readonly SeenAt[];
  readonly exhibits: readonly Exhibit[];
}

/** Larger markets say little on the bench, and make the page heavy. */
const LARGEST_SHOWN = 40;

const slug = (regime: Regime): string => regime.replace(" ", "-");

const combinations = regimes.flatMap((regime) => lies.map((lie) => ({ regime, lie })));

function conclude(
  gathered: readonly Gathered<SurveyCell, MapSummary>[],
  settings: SurveySettings,
  context: WorkContext,
): MapResult {
  const seenAt = (ratio: number | "all"): SeenAt[] =>
    gathered.flatMap(({ cell: { workers }, summary }) =>
      combinations.flatMap(({ regime, lie }) => {
        const gains = summary?.[keyOf({ regime, lie, ratio })];
        const shown = gains?.most && lie === "joint" && workers <= LARGEST_SHOWN && ratio !== "all";
        const exhibit = shown ? `map-${workers}-${ratio}-${slug(regime)}` : null;
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
  const exhibit = `largest-${lie}-${slug(regime)}`;
  return [{ regime, lie, gains, exhibit, confirmed: certificate?.certified ?? null }];
}

const hits = ({ gains }: Seen): number => gains.share.hits;

const shareOf = ({ gains: { share } }: Seen): number => share.hits / share.size;

/** The columns of every place: `exact` decides what is known of the share, and how it is called. */
const estimates = (exact: boolean): Field<Seen>[] => [
  ...estimateColumns(shareColumn("share", exact ? "Can gain" : "Found to gain"), ({ gains }: Seen) =>
    bounded(pooledShare(gains.share), exact),
  ),
  shareColumn("moving", "Gain by moving the start", ({ gains }) => gains.moving / gains.share.size),
  amountColumn("meanGain", "Mean gain of those who gain", (one) => one.gains.total / hits(one)),
  amountColumn("medianGain", "Median gain of those", (one) => quantileOf(one.gains.gains, 0.5, hits(one))),
  amountColumn("gain95", "95th percentile", (one) => quantileOf(one.gains.gains, 0.95, hits(one))),
  amountColumn("maxGain", "Largest gain", ({ gains }) => gains.most?.gain ?? 0),
  countColumn("markets", "Markets", ({ gains }) => gains.share.markets),
  countColumn("seen", "Workers asked", ({ gains }) => gains.share.size),
];

const partAt = (percentile: number) => (one: Seen) =>
  quantileOf(one.gains.parts, percentile / 100, hits(one));

const lieColumns = [textColumn("regime", "Regime"), textColumn("lie", "Misstated")];

const witness = textColumn("witness", "Largest gain on the bench", ({ exhibit }: Seen) => exhibit);

const regimeColumns = (exact: boolean): Field<Seen>[] => [
  ...lieColumns,
  countColumn("gained", exact ? "Could gain" : "Found to gain", hits),
  ...estimates(exact),
  shareColumn("part25", "First quartile of gains, of the budget per worker", partAt(25)),
  shareColumn("part50", "Median", partAt(50)),
  shareColumn("part75", "Third quartile", partAt(75)),
  shareColumn("part95", "95th percentile", partAt(95)),
  shareColumn("ofBudget", "Largest gain, of the whole budget", ({ gains }) => gains.mostOfBudget),
  witness,
];

const mapColumns = (exact: boolean): Field<SeenAt>[] => [
  ...lieColumns,
  countColumn("workers", "Workers"),
  amountColumn("ratio", "Relative budget"),
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
  const fieldOf = (regime: Regime) => (regime === "late start" ? "lateStart" : regime);
  const title = "Truthfulness in markets drawn as in the paper (prose, first-round ratio 0.35)";
  const fields: Field<LieName>[] = [
    textColumn("claim", "Claim", (lie) => `${claimOf[lie]} ${claims[claimOf[lie]].name}`),
    ...regimes.map((regime) =>
      textColumn(fieldOf(regime), capital(regime), (lie: LieName) => verdictText(seen(lie, regime), exact)),
    ),
    ...regimes.map((regime) =>
      textColumn(`${fieldOf(regime)}Witness`, `${capital(regime)}: on the bench`, (lie: LieName) => {
        const found = seen(lie, regime);
        return found?.confirmed === false ? null : found?.exhibit;
      }),
    ),
  ];
  return { ...tableOf("truthfulness", title, lies, fields), firstScreen: true };
}

/** "holds" is said only of what was decided exactly, with how many workers might yet gain. */
function verdictText(seen: Overall | undefined, exact: boolean): string {
  if (!seen) return "no such worker drawn";
  const { share } = seen.gains;
  const asked = many(share.size, "worker");
  if (share.hits === 0 && !exact) return `undecided: a search found none among ${asked}`;
  if (share.hits === 0 && share.markets < FEWEST) return `undecided: only ${many(share.markets, "market")}`;
  if (share.hits === 0) return `holds: none of ${asked} (95 %: at most ${percent(pooledShare(share).high)})`;
  if (seen.confirmed === false) return `undecided: ${whole(share.hits)} of ${asked}, within rounding`;
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
  y: nameAxis("regime", regimes, { labelFontSize: 13 }),
  yOffset: { field: "lie", type: "nominal", sort: lies },
  color: lieColour("lie"),
};

/** What a pointed at mark tells. */
const pointed = [
  "regime",
  "lie",
  "share",
  "low",
  "high",
  "seen",
  "markets",
  "part50",
  "medianGain",
  "maxGain",
];

function regimeChart({ overall, exact, settings: { sizes, ratios } }: MapResult): Chart {
  const title = `share of workers ${exact ? "who can gain" : "found to gain"}`;
  const columns = regimeColumns(exact).filter(({ name }) => exact || name !== "high");
  const points = pointsWithIntervals((field) => percentAxis(field, title), { value: "share", size: 80 });
  const either = overall.filter(({ lie }) => lie === "joint");
  const each = either.map(({ regime, gains: { share } }) => `${regime} ${portion(share)}`);
  return {
    name: "regimes",
    title: `Share of workers who ${can(exact)} gain, by regime and by what is misstated`,
    table: "regimes",
    firstScreen: true,
    spec: {
      height: { step: 14 },
      encoding: { ...onRows, tooltip: tooltipOf(columns, pointed) },
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

const lieChoice: Choice = {
  field: "lie",
  label: "Misstated",
  values: ["joint", "price", "time"],
  words: lieWords,
};

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
        tooltip: tooltipOf(columns),
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

const spread = ["regime", "lie", "gained", "part25", "part50", "part75", "part95", "medianGain", "maxGain"];

/** None where too few gain. */
function gainChart({ overall, exact }: MapResult): Chart[] {
  const known = overall.filter((one) => hits(one) >= FEWEST_FOR_PERCENTILES);
  if (known.length === 0) return [];
  const x = (field: string) => ({
    field,
    type: "quantitative",
    title: "gain / budget per worker",
    scale: { type: "log", nice: false, padding: 10 },
    axis: { format: "~%", values: [0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5] },
  });
  const told = known.filter(({ lie }) => lie === "joint").map((one) => `${one.regime} ${typical(one)}`);
  const largest = Math.max(...known.map(({ gains }) => gains.mostOfBudget));
  return [
    {
      name: "gains",
      title: `How much those who ${can(exact)} gain would gain`,
      table: "regimes",
      spec: {
        height: { step: 14 },
        transform: [{ filter: "isValid(datum.part50)" }],
        encoding: { ...onRows, tooltip: tooltipOf(regimeColumns(exact), spread) },
        layer: [
          { mark: { type: "rule", strokeWidth: 4 }, encoding: { x: x("part25"), x2: { field: "part75" } } },
          { mark: { type: "rule", strokeWidth: 1 }, encoding: { x: x("part75"), x2: { field: "part95" } } },
          { mark: { type: "point", filled: true, size: 80, opacity: 1 }, encoding: { x: x("part50") } },
        ],
      },
      summary: `Median gain by either or both, as a share of the budget per worker: ${listed(told)}. The largest gain is ${percent(largest)} of a whole budget.`,
      howToRead:
        "Points: medians. Thick lines: first to third quartile; thin ones: up to the 95th percentile. The axis is logarithmic.",
    },
  ];
}

const typical = (one: Seen): string => percent(partAt(50)(one) ?? Number.NaN);

function findings({ overall, bySize, exact }: MapResult): Finding[] {
  const either = overall.filter(({ lie }) => lie === "joint");
  const asked = sum(either, ({ gains }) => gains.share.size);
  if (either.every((one) => hits(one) === 0)) {
    const none = `No lie about price, arrival or both ${exact ? "gains" : "was found to gain"} anything`;
    return [
      { text: `${none}: asked were ${whole(asked)} workers of markets drawn as in the paper.`, weight: 100 },
    ];
  }
  const [sufficient, others] = [true, false].map((is) =>
    either
      .filter(({ regime }) => (regime === "sufficient") === is)
      .map((one, k) => shareText(one, exact, k > 0)),
  );
  const texts = [
    sufficient!,
    others!,
    either.flatMap((one) => howText(one, overall)),
    sizeText(bySize, exact),
  ];
  const weights = [100, 95, 60, 32];
  return texts.flatMap((some, k) => (some.length > 0 ? [{ text: some.join(" "), weight: weights[k]! }] : []));
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
function howText(joint: Seen, overall: readonly Seen[]): string[] {
  if (hits(joint) < FEWEST) return [];
  const by = (lie: LieName) => {
    const found = overall.find((one) => one.regime === joint.regime && one.lie === lie)!;
    return percent(hits(found) / hits(joint));
  };
  return [
    `${capital(regimeWords[joint.regime])}, the price alone is enough for ${by("price")} of those who gain, the arrival alone for ${by("time")}; ${percent(joint.gains.moving / hits(joint))} of the best lies move the start.`,
  ];
}

/** From the smallest markets to the largest where the budget is tight, if their intervals are apart. */
function sizeText(bySize: readonly SeenAt[], exact: boolean): string[] {
  const tight = bySize.filter(({ regime, lie }) => regime === "tight" && lie === "joint");
  const [small, large] = [tight[0], tight.at(-1)].flatMap((one) =>
    one ? [{ workers: one.workers, ...pooledShare(one.gains.share, 2) }] : [],
  );
  if (!small || !large || (small.low <= large.high && large.low <= small.high)) return [];
  const trend = small.mean > large.mean ? "rarer" : "more frequent";
  return [
    `Where the budget is tight, lies that pay ${exact ? "get" : "were found to get"} ${trend} as markets grow: ${percent(small.mean)} of workers with ${small.workers}, ${percent(large.mean)} with ${large.workers}.`,
  ];
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
  settings: (context) => withOptions(settingsFor(profiles, context), context.options),
  plan: surveyPlan,
  job,
  conclude,
  tables,
  charts,
  findings,
  methods,
  exhibits: ({ exhibits }) => exhibits,
};
