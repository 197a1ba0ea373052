/** The truthfulness map in tables, charts and sentences. */

import { capital, listed, many, percent, percents, whole } from "../../src/lib/format.js";
import { FEWEST, FEWEST_FOR_PERCENTILES } from "../../src/lib/statistics.js";
import { pooledShare } from "../../src/lib/summaries.js";
import { type Regime, regimes } from "../../src/mechanisms/outcome.js";
import type { Chart, Choice, Finding, Table } from "../../src/report/result.js";
import {
  amountColumn,
  captions,
  countColumn,
  estimateColumns,
  type Field,
  lieColour,
  lies,
  nameAxis,
  offeredRegimes,
  percentAxis,
  pointsWithIntervals,
  regimeChoice,
  regimeWords,
  relativeBudget,
  shareColumn,
  tableOf,
  textColumn,
  tooltipOf,
} from "../../src/report/vocabulary.js";
import { bounded, exactnessText, type GainSummary, type LieName, quantileOf } from "../shared/gains.js";
import type { MapResult, Seen } from "../truthfulness-map.js";

const hits = ({ gains }: Seen<unknown>): number => gains.share.hits;

/** The columns of every place: `exact` decides what is known of the share, and how it is called. */
const estimates = (exact: boolean): Field<Seen<unknown>>[] => [
  ...estimateColumns(shareColumn("share", exact ? "Can gain" : "Found to gain"), ({ gains }: Seen<unknown>) =>
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

const partAt = (percentile: number) => (one: Seen<unknown>) =>
  quantileOf(one.gains.parts, percentile / 100, hits(one));

/** Of the budget per worker. */
const partColumns: readonly Field<Seen<unknown>>[] = [
  shareColumn("part25", "First quartile of gains, of the budget per worker", partAt(25)),
  shareColumn("part50", "Median", partAt(50)),
  shareColumn("part75", "Third quartile", partAt(75)),
  shareColumn("part95", "95th percentile", partAt(95)),
  shareColumn("ofBudget", "Largest gain, of the whole budget", ({ gains }) => gains.mostOfBudget),
];

const lieColumns = [textColumn("regime", "Regime"), textColumn("lie", "Misstated")];

const witness = textColumn("witness", "Largest gain on the bench", ({ exhibit }: Seen<unknown>) => exhibit);

const regimeColumns = (exact: boolean): Field<Seen<unknown>>[] => [
  ...lieColumns,
  countColumn("gained", exact ? "Could gain" : "Found to gain", hits),
  ...estimates(exact),
  ...partColumns,
  witness,
];

const mapColumns = (exact: boolean): Field<Seen>[] => [
  ...lieColumns,
  countColumn("workers", "Workers", ({ where }) => where.workers),
  amountColumn("ratio", "Relative budget", ({ where }) => where.ratio),
  ...estimates(exact),
  witness,
];

export const tables = ({ overall, cells, exact }: MapResult): Table[] => [
  tableOf("regimes", "Who can gain, by regime and by what is misstated", overall, regimeColumns(exact)),
  tableOf("map", "Who can gain, by relative budget and number of workers", cells, mapColumns(exact)),
];

export const charts = (result: MapResult): Chart[] => [
  regimeChart(result),
  mapChart(result),
  ...gainChart(result),
];

const onRows = {
  y: nameAxis("regime", regimes, { labelFontSize: 13 }),
  yOffset: { field: "lie", type: "nominal", sort: lies },
  color: lieColour("lie"),
};

function regimeChart({ overall, exact, settings }: MapResult): Chart {
  const title = `share of workers ${exact ? "who can gain" : "found to gain"}`;
  const { sizes, ratios } = settings;
  const columns = regimeColumns(exact).filter(({ name }) => exact || name !== "high");
  return {
    name: "regimes",
    title: `Share of workers who ${exact ? "can" : "were found to"} gain, by regime and by what is misstated`,
    table: "regimes",
    firstScreen: true,
    spec: {
      height: { step: 14 },
      encoding: { ...onRows, tooltip: tooltipOf(columns, pointed) },
      // What was searched for has no upper end to draw.
      layer: pointsWithIntervals((field) => percentAxis(field, title), { value: "share", size: 80 }).slice(
        exact ? 0 : 1,
      ),
    },
    summary: regimes.flatMap((regime) => regimeText(overall, regime)).join(" "),
    howToRead: `Workers of all markets are pooled: ${extent(sizes)} workers, relative budgets ${extent(ratios)}, drawn as in the paper, prose. ${exact ? "Lines are 95 % intervals that allow for workers of one market being alike." : "Lies were searched for: points are lower bounds."}`,
  };
}

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

const extent = (values: readonly number[]): string =>
  values.length === 1 ? String(values[0]) : `${values[0]} to ${values.at(-1)}`;

/** "Tight: 2.4 %, 2.2 % by price alone and 0.95 % by arrival alone." */
function regimeText(overall: readonly Seen<null>[], regime: Regime): string[] {
  const [price, time, joint] = lies.map((lie) =>
    overall.find((one) => one.regime === regime && one.lie === lie),
  );
  if (!price || !time || !joint) return [];
  const [byPrice, byTime, either] = [price, time, joint].map(({ gains }) => portion(gains.share));
  const { hits } = joint.gains.share;
  const parts = hits < FEWEST ? "" : ` (${byPrice} by price alone, ${byTime} by arrival alone)`;
  return [`${capital(regime)}: ${either}${parts}.`];
}

/** A share in per cent, or how many where they are next to none. */
const portion = ({ hits, size }: GainSummary["share"]): string =>
  hits >= FEWEST ? percent(hits / size) : `${hits} of ${many(size, "worker")}`;

const byLie: Readonly<Record<LieName, string>> = {
  price: "by price alone",
  time: "by arrival alone",
  joint: "by either or both",
};

const lieChoice: Choice = { field: "lie", label: "Misstated", values: ["joint", "price", "time"] };

function mapChart({ cells, exact }: MapResult): Chart {
  const choices = [regimeChoice(cells.map(({ regime }) => regime)), lieChoice];
  const top = Math.ceil(20 * Math.max(0.01, ...cells.map(shareOf))) / 20;
  const color = {
    field: "share",
    type: "quantitative",
    title: exact ? "can gain" : "found to gain",
    scale: { type: "sqrt", domain: [0, top] },
    legend: { format: "~%", values: legendUpTo(top) },
  };
  const columns = mapColumns(exact).filter(({ name }) => name !== "witness" && (exact || name !== "high"));
  return {
    name: "map",
    title: `Share of workers who ${exact ? "can" : "were found to"} gain, by relative budget and number of workers`,
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
    summary: captions(choices, (chosen) => mapText(cells, chosen, exact)),
    howToRead: `A cell is a number of workers and a budget, over the true cost of all rounds on offer; where it is empty, nobody was in the regime. A dot marks cells in which ${exact ? "nobody can gain" : "the search found no gain, which does not mean that there is none"}; a click opens the largest gain on the bench, with up to 40 workers.`,
  };
}

const shareOf = ({ gains: { share } }: Pick<Seen, "gains">): number => share.hits / share.size;

const legendShares = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];

/** Those that stand far enough from each other on a legend that ends at `most`, on its scale of square roots. */
function legendUpTo(most: number): number[] {
  const kept = [0];
  for (const share of legendShares)
    if (share <= most && Math.sqrt(share / most) - Math.sqrt(kept.at(-1)! / most) >= 0.28) kept.push(share);
  return kept;
}

function mapText(cells: readonly Seen[], chosen: Readonly<Record<string, string>>, exact: boolean): string {
  const mine = cells.filter(({ regime, lie }) => regime === chosen.regime && lie === chosen.lie);
  const about = `${capital(chosen.regime!)}, ${byLie[chosen.lie as LieName]}:`;
  const top = highest(mine);
  const can = exact ? "can" : "were found to";
  if (!top)
    return `${about} in ${many(mine.length, "cell")} ${exact ? "nobody can" : "the search found no"} gain.`;
  const none = mine.filter(({ gains }) => gains.share.hits === 0).length;
  const rest = `${none} of ${many(mine.length, "cell")} ${exact ? "nobody can gain" : "the search found no gain"}`;
  return `${about} most often with ${placeText(top)}, where ${percent(shareOf(top))} of workers ${can} gain; in ${rest}.`;
}

/** Null where nobody gains. */
function highest(cells: readonly Seen[]): Seen | null {
  const top = cells.reduce<Seen | null>((a, b) => (a && shareOf(a) >= shareOf(b) ? a : b), null);
  return top && shareOf(top) > 0 ? top : null;
}

const placeText = ({ where: { workers, ratio } }: Seen): string =>
  `${workers} workers at a relative budget of ${ratio}`;

/** None where too few gain. */
function gainChart({ overall, exact }: MapResult): Chart[] {
  const known = overall.filter(({ gains }) => gains.share.hits >= FEWEST_FOR_PERCENTILES);
  if (known.length === 0) return [];
  const x = (field: string) => ({
    field,
    type: "quantitative",
    title: "gain / budget per worker",
    scale: { type: "log", nice: false },
    axis: { format: "~%", values: [0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5] },
  });
  const told = known
    .filter(({ lie }) => lie === "joint")
    .map(({ regime, gains }) => `${regime} ${percent(typical(gains))}`);
  return [
    {
      name: "gains",
      title: `How much those who ${exact ? "can" : "were found to"} gain would gain`,
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
      summary: `The median gain of those who gain by either or both, as a share of the budget per worker: ${listed(told)}.`,
      howToRead:
        "Points are medians, thick lines reach from the first to the third quartile, thin ones to the 95th percentile; the axis is logarithmic.",
    },
  ];
}

const spread = ["regime", "lie", "gained", "part25", "part50", "part75", "part95", "medianGain", "maxGain"];

const typical = ({ parts, share }: GainSummary): number => quantileOf(parts, 0.5, share.hits) ?? Number.NaN;

export function findings({ overall, bySize, cells, exact }: MapResult): Finding[] {
  const either = overall.filter(({ lie }) => lie === "joint");
  const bound = exact ? "" : " Lies were searched for: these are lower bounds.";
  return [
    { text: `${breaksText(either, exact)}${bound}`, weight: 95 },
    { text: howText(overall, exact), weight: 90 },
    ...peakText(cells, exact),
    ...sizeText(bySize, exact),
  ].filter(({ text }) => text !== "");
}

/** For how many lying pays, and how much: where the budget is tight, and where the start is late. */
function breaksText(either: readonly Seen<null>[], exact: boolean): string {
  const paying = either.filter(({ regime, gains }) => regime !== "sufficient" && gains.share.hits > 0);
  if (paying.length === 0)
    return `No lie about price, arrival or both ${exact ? "gains" : "was found to gain"} anything where the budget is tight or the start is late.`;
  const parts = paying.map(({ regime, gains }) => {
    const [share, low, high] = percents(pooledShare(gains.share));
    const interval = exact ? `${low} to ${high}` : `at least ${low}`;
    const half =
      gains.share.hits < FEWEST_FOR_PERCENTILES
        ? ""
        : `, half of them more than ${percent(typical(gains))} of the budget per worker`;
    return `${regimeWords[regime]}, ${share} of workers ${exact ? "can" : "were found to"} gain (95 %: ${interval})${half}`;
  });
  const largest = Math.max(...paying.map(({ gains }) => gains.mostOfBudget));
  return `Lying pays in markets drawn as in the paper: ${parts.join("; ")}. The largest gain seen is ${percent(largest)} of the whole budget.`;
}

/** By which lie, and by moving the start or not. */
function howText(overall: readonly Seen<null>[], exact: boolean): string {
  const parts = offeredRegimes.flatMap((regime) => {
    const [price, time, joint] = lies.map(
      (lie) => overall.find((one) => one.regime === regime && one.lie === lie)?.gains,
    );
    if (!price || !time || !joint || joint.share.hits === 0) return [];
    const { hits, size } = joint.share;
    const where = capital(regimeWords[regime]);
    if (hits < FEWEST)
      return [
        `${where}, ${hits} of ${whole(size)} workers can gain, ${joint.moving === hits ? "always" : `${joint.moving} of them`} by moving the start.`,
      ];
    const of = (part: GainSummary) => percent(part.share.hits / hits);
    return [
      `${where}, ${of(price)} of those who gain can by the price alone and ${of(time)} by the arrival alone; ${percent(joint.moving / hits)} of the best lies move the start.`,
    ];
  });
  if (parts.length === 0) return "";
  return `How lying pays in markets drawn as in the paper (prose${exact ? "" : ", as far as a search found"}): ${lowered(parts.join(" "))}`;
}

const lowered = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** The largest of many cells is large by luck too: its interval is one of those that hold for all cells together. */
function peakText(cells: readonly Seen[], exact: boolean): Finding[] {
  const tight = cells.filter(({ regime, lie }) => regime === "tight" && lie === "joint");
  const top = highest(tight);
  if (!top || top.gains.share.markets < FEWEST) return [];
  const [share, low, high] = percents(pooledShare(top.gains.share, tight.length));
  const together = tight.length === 1 ? "95 %" : `95 % for all ${tight.length} cells together`;
  const text = exact
    ? `Where the budget is tight, lying pays most often with ${placeText(top)}: ${share} of workers can gain (${together}: ${low} to ${high}; ${many(top.gains.share.markets, "market")}).`
    : `Where the budget is tight, lies that pay were found most often with ${placeText(top)}: for ${share} of workers (${together}: at least ${low}).`;
  return [{ text, weight: 48 }];
}

/** From the smallest markets to the largest where the budget is tight, if their intervals are apart. */
function sizeText(bySize: MapResult["bySize"], exact: boolean): Finding[] {
  const tight = bySize.filter(({ regime, lie }) => regime === "tight" && lie === "joint");
  const rated = [tight[0], tight.at(-1)].flatMap((one) =>
    one ? [{ workers: one.where.workers, ...pooledShare(one.gains.share, 2) }] : [],
  );
  const [small, large] = rated;
  if (!small || !large || (small.low <= large.high && large.low <= small.high)) return [];
  const trend = small.mean > large.mean ? "rarer" : "more frequent";
  const text = `Where the budget is tight, lies that pay ${exact ? "get" : "were found to get"} ${trend} as markets grow: ${percent(small.mean)} of workers with ${small.workers}, ${percent(large.mean)} with ${large.workers}, over all budgets looked at.`;
  return [{ text, weight: 32 }];
}

export function methods({ settings, overall, exact }: MapResult): string[] {
  const { sizes, ratios, markets, rounds, asked } = settings;
  const drawn = `${many(markets, "market")} drawn ${sizes.length === 1 ? `of ${many(sizes[0]!, "worker")}` : `of each of ${sizes.length} sizes (${listed(sizes)} workers)`}`;
  const budgets =
    ratios.length === 1
      ? `at a relative budget of ${ratios[0]}`
      : `each under ${ratios.length} relative budgets from ${ratios[0]} to ${ratios.at(-1)}`;
  const joint = overall.filter(({ lie }) => lie === "joint");
  const workers = joint.reduce((sum, { gains }) => sum + gains.share.size, 0);
  return [
    `${drawn} (the paper's distributions to four decimals, ${rounds} rounds, first-round ratio 0.35, one worker enough to start, prose), ${budgets}: ${whole(workers)} workers asked.`,
    "The relative budget is over the true cost of all rounds on offer, Σ cost · (T − arrival + 1): rounds before a worker's arrival are not on offer. The budget per worker is the budget over the number of workers.",
    "The share of workers who can gain is that of all workers asked, pooled over markets; its interval is that of a ratio estimator with markets as clusters, and where fewer than five markets show a gain, no narrower than that of the share of such markets.",
    `Medians and percentiles are read from sketches, within 1 % of those of all gains, and left out where fewer than ${FEWEST_FOR_PERCENTILES} workers gain.`,
    exactnessText(exact, asked),
  ];
}
