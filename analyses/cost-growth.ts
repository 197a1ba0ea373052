/** How the time of one auction grows (P3). Times are of this machine and this moment: no seed fixes them. */

import { extent, groups, median, pairs, quantile } from "d3-array";
import { type AnyMechanism, runAuction } from "../src/auction/mechanism.js";
import { threeDigits, twoPlaces, whole } from "../src/lib/format.js";
import { microseconds } from "../src/lib/statistics.js";
import { drawMarkets } from "../src/market/draw.js";
import { type Market, paperRules } from "../src/market/market.js";
import type { Chart, Finding } from "../src/report/result.js";
import { axis, colour, column, marks, tableOf } from "../src/report/vocabulary.js";
import { resolveGame } from "../src/responses/game.js";
import type { Analysis } from "../src/study/analysis.js";
import { collectJob, type Profile, type WorkContext } from "../src/study/job.js";

export interface CostGrowthSettings {
  readonly workers: readonly number[];
  readonly rounds: readonly number[];
  /** What stays the same while the other grows. */
  readonly fixed: { readonly workers: number; readonly rounds: number };
  /** Markets of each size, at most; fewer of the large ones. */
  readonly markets: number;
  /** Batches of each size, and how long one takes at least. */
  readonly batches: number;
  readonly milliseconds: number;
}

const settings: Record<Profile, CostGrowthSettings> = {
  quick: {
    workers: [30, 100, 300, 1_000, 3_000, 10_000, 30_000],
    rounds: [5, 10, 20, 50, 100, 200, 500],
    fixed: { workers: 1_000, rounds: 10 },
    markets: 10,
    batches: 9,
    milliseconds: 8,
  },
  full: {
    workers: [30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000],
    rounds: [5, 10, 20, 50, 100, 200, 500, 1_000],
    fixed: { workers: 1_000, rounds: 10 },
    markets: 40,
    batches: 25,
    milliseconds: 50,
  },
};

type Growing = "workers" | "rounds";

/** One size of market, and how its auction is timed. */
interface TimedSize extends Pick<CostGrowthSettings, "batches" | "milliseconds"> {
  readonly grows: Growing;
  readonly workers: number;
  readonly rounds: number;
  readonly markets: number;
}

/** Microseconds of one auction: the median batch, and the batches a quarter from either end. */
interface Times {
  readonly microseconds: number;
  readonly low: number;
  readonly high: number;
}

type Point = TimedSize & Times;

/** All sizes while one of the two grows. */
interface Growth {
  readonly grows: Growing;
  readonly points: readonly Point[];
}

interface Growths {
  readonly mechanism: string;
  readonly settings: CostGrowthSettings;
  readonly growths: readonly Growth[];
}

export const costGrowth: Analysis<CostGrowthSettings, TimedSize, Times[], Growths> = {
  name: "cost-growth",
  question: "How does the time of an auction grow with the number of workers and of rounds?",
  part: "appendix",
  timed: true,
  settings: ({ profile }) => settings[profile],
  plan({ workers, rounds, fixed, markets, batches, milliseconds }) {
    const cellAt = (grows: Growing, size: { workers: number; rounds: number }) => {
      const count = Math.max(1, Math.min(markets, Math.floor(1e5 / size.workers)));
      return { cell: { grows, ...size, markets: count, batches, milliseconds }, markets: 1 };
    };
    return [
      ...workers.map((n) => cellAt("workers", { workers: n, rounds: fixed.rounds })),
      ...rounds.map((t) => cellAt("rounds", { workers: fixed.workers, rounds: t })),
    ];
  },
  job: collectJob(timesOf, ({ batches, milliseconds }) => (batches + 3) * milliseconds),
  conclude: (gathered, chosen, { mechanism }) => ({
    mechanism: mechanism.name,
    settings: chosen,
    growths: groups(
      gathered.map(({ cell, summary }) => ({ ...cell, ...summary![0]! })),
      ({ grows }) => grows,
    ).map(([grows, points]) => ({ grows, points })),
  }),
  tables: ({ growths }) => [
    tableOf("times", "Time of one auction by size of market", growths.flatMap(rowsOf), columns),
  ],
  charts: (result) => [chartOf(result)],
  findings: ({ growths }) => growths.map(findingOf),
  methods: methodsOf,
};

function timesOf(size: TimedSize, _: number, { mechanism, stream }: WorkContext): Times {
  const { workers, rounds, grows, batches, milliseconds } = size;
  const rules = { ...paperRules, budget: 0.125 * workers * rounds, rounds };
  const drawn = drawMarkets({ rules, workers }, size.markets, stream.fork(grows).fork(size[grows]));
  const runs = [...drawn].map((market) => prepared(market, mechanism));
  const all = () => {
    for (const run of runs) run();
  };
  microseconds(all, 3 * milliseconds);
  const each = Array.from({ length: batches }, () => microseconds(all, milliseconds) / runs.length);
  return { microseconds: median(each)!, low: quantile(each, 0.25)!, high: quantile(each, 0.75)! };
}

/** An auction by whatever is fastest: with its bids read beforehand where the mechanism has a way to. */
function prepared(market: Market, mechanism: AnyMechanism): () => void {
  const game = resolveGame(mechanism, market);
  return game.solver.own?.prepared(game.market) ?? (() => runAuction(mechanism, market));
}

/** What the paper bounds the time by, up to a factor: T · n log n. */
const bound = ({ workers, rounds }: Point): number => rounds * workers * Math.log2(workers);

const timeOf = ({ microseconds }: Times): number => microseconds;

/** The exponent that holds from one size to another: the slope on logarithmic axes. */
const slope = (value: (point: Point) => number, from: Point, to: Point): number =>
  Math.log(value(to) / value(from)) / Math.log(to[to.grows] / from[to.grows]);

function rowsOf({ grows, points }: Growth) {
  const last = points.at(-1)!;
  return points.map((point, k) => {
    const before = points[k - 1];
    return {
      ...{ ...point, size: point[grows] },
      slope: before && slope(timeOf, before, point),
      boundSlope: before && slope(bound, before, point),
      bound: (timeOf(last) * bound(point)) / bound(last),
      perWorkerRound: (1000 * point.microseconds) / (point.workers * point.rounds),
    };
  });
}

const columns = [
  column.text("grows", "what grows"),
  column.count("size", "size"),
  column.count("workers", "workers"),
  column.count("rounds", "rounds"),
  column.count("markets", "markets timed"),
  column.amount("microseconds", "microseconds, median"),
  column.amount("low", "half of the batches from"),
  column.amount("high", "to"),
  column.amount("slope", "exponent from the size before"),
  column.amount("boundSlope", "exponent of the paper's bound there"),
  column.amount("bound", "the paper's bound through the last point"),
  column.amount("perWorkerRound", "nanoseconds per worker and round"),
];

function chartOf({ growths, settings: { fixed } }: Growths): Chart {
  const powers = { format: ",", values: Array.from({ length: 9 }, (_, k) => 10 ** k), grid: true };
  const log = (field: string, title: string) =>
    axis.amount(field, title, { scale: { type: "log", nice: false }, axis: powers });
  const y = (field: string) => log(field, "microseconds of one auction");
  return {
    name: "times",
    title: "Time of one auction as workers or rounds grow",
    table: "times",
    spec: {
      height: 260,
      encoding: {
        x: log("size", "number of workers or rounds"),
        color: {
          ...{ field: "grows", type: "nominal", title: "what grows", sort: null },
          ...{ scale: colour.other(["workers", "rounds"]), legend: { symbolOpacity: 1 } },
        },
        tooltip: marks.tooltip(columns),
      },
      layer: [
        {
          mark: { type: "line", strokeDash: [4, 4], strokeWidth: 1, tooltip: null },
          encoding: { y: y("bound") },
        },
        { mark: { type: "line", tooltip: null }, encoding: { y: y("microseconds") } },
        { mark: { type: "point", opacity: 1 }, encoding: { y: y("microseconds") } },
      ],
    },
    summary: `${growths.map(rangeText).join("; ")}.`,
    howToRead: `On logarithmic axes a slope is an exponent. Points are medians, workers at ${fixed.rounds} rounds and rounds at ${whole(fixed.workers)} workers; dashed lines have the slope of the paper's bound, T·n·log n.`,
  };
}

const time = (microseconds: number): string =>
  microseconds < 1000 ? `${threeDigits(microseconds)} µs` : `${threeDigits(microseconds / 1000)} ms`;

function rangeText({ grows, points }: Growth): string {
  const [first, last] = [points[0]!, points.at(-1)!];
  return `${time(first.microseconds)} with ${whole(first[grows])} ${grows}, ${time(last.microseconds)} with ${whole(last[grows])}`;
}

/** How much more than the bound a noisy machine may make it grow. */
const SLACK = 1.25;

/** Disagrees only where the batches that are quick at the last size and slow at the first do so, too. */
function findingOf({ grows, points }: Growth): Finding {
  // Over the larger half of the sizes: on small ones what does not grow takes most of the time.
  const large = points.slice(Math.min(Math.floor(points.length / 2), Math.max(0, points.length - 2)));
  const [first, last] = [large[0]!, large.at(-1)!];
  const times = last.microseconds / first.microseconds;
  const allowed = bound(last) / bound(first);
  const [least, most] = extent(pairs(large, (from, to) => slope(timeOf, from, to))) as [number, number];
  const grown = `from ${whole(first[grows])} to ${whole(last[grows])} ${grows} an auction takes ${threeDigits(times)} times as long, and the paper's bound T·n·log n grows ${threeDigits(allowed)} times. From one size to the next the exponent is between ${twoPlaces(least)} and ${twoPlaces(most)}.`;
  if (times <= SLACK * allowed) return { text: `Measured times agree with P3: ${grown}`, weight: 20 };
  return last.low / first.high > SLACK * allowed
    ? { text: `Measured times disagree with P3: ${grown}`, weight: 70 }
    : { text: `Measured times vary too much to decide P3: ${grown}`, weight: 30 };
}

function methodsOf({ mechanism, settings: { fixed, batches, milliseconds, markets } }: Growths): string[] {
  return [
    `Workers grow at ${fixed.rounds} rounds, rounds at ${whole(fixed.workers)} workers: markets drawn as in the paper, up to ${markets} of each size, with a budget of 0.125 per worker and round.`,
    `Times of ${mechanism} are medians of ${batches} batches of at least ${milliseconds} ms, on input prepared beforehand and without a trace, in one thread of this machine while it may have had other work: they are the one thing here that a seed does not fix. They say nothing beyond the sizes measured.`,
  ];
}
