import { mean, median, pairs, quantile } from "d3-array";
import { rounded, threeDigits, whole } from "../src/lib/format.js";
import { fittedPower } from "../src/lib/statistics.js";
import { microseconds } from "../src/lib/timing.js";
import { drawMarkets } from "../src/market/draw.js";
import { bidders, type Market, paperRules } from "../src/market/market.js";
import { type AnyMechanism, hold, unvaried } from "../src/mechanisms/mechanism.js";
import { online } from "../src/mechanisms/online.js";
import { columnsOf, OnlineEngine } from "../src/mechanisms/online-engine.js";
import type { AnalysisResult, Chart, Finding, Row, Table } from "../src/report/result.js";
import type { AnalysisContext, StepwiseAnalysis } from "../src/study/analysis.js";

export interface GrowthSettings {
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

export const growthSettings: Record<AnalysisContext["profile"], GrowthSettings> = {
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

export const costGrowth: StepwiseAnalysis = {
  name: "cost-growth",
  question: "How does the time of an auction grow with the number of workers and of rounds?",
  timed: true,
  run: (context) => growthOf(context, growthSettings[context.profile]),
};

/** Times are of this machine and this moment: the only numbers of a report that a seed does not fix. */
export async function growthOf(context: AnalysisContext, settings: GrowthSettings): Promise<AnalysisResult> {
  const { workers, rounds } = settings.fixed;
  const byWorkers = await measured(
    "workers",
    settings.workers.map((n) => ({ workers: n, rounds })),
    context,
    settings,
  );
  const byRounds = await measured(
    "rounds",
    settings.rounds.map((t) => ({ workers, rounds: t })),
    context,
    settings,
  );
  return {
    tables: [byWorkers.table, byRounds.table],
    charts: [byWorkers, byRounds].map(chartOf),
    findings: [findingOf(byWorkers, byRounds)],
    methods: methods(settings, context.mechanism),
  };
}

interface Size {
  readonly workers: number;
  readonly rounds: number;
}

type Axis = keyof Size;

interface Growth {
  readonly axis: Axis;
  readonly table: Table;
  /** Over the large sizes. */
  readonly exponent: number;
  readonly r2: number;
  /** The exponent that the paper's bound, T · n log n, has over the same sizes. */
  readonly bound: number;
}

type Points = readonly (readonly [size: number, time: number])[];

/** The larger half of the sizes: on small ones what does not grow takes most of the time, and bends the curve. */
export const largeOnes = <Item>(sizes: readonly Item[]): Item[] =>
  sizes.slice(Math.min(Math.floor(sizes.length / 2), Math.max(0, sizes.length - 2)));

/** The slope on logarithmic axes from each point to the next: the exponent that holds between them. */
export const slopesOf = (points: Points): number[] =>
  pairs(points).map(([[x, y], [x2, y2]]) => Math.log(y2 / y) / Math.log(x2 / x));

async function measured(
  axis: Axis,
  sizes: readonly Size[],
  { mechanism, pool, stream }: AnalysisContext,
  settings: GrowthSettings,
): Promise<Growth> {
  const times = await pool.map(sizes, (size) => {
    const count = Math.max(1, Math.min(settings.markets, Math.floor(1e5 / size.workers)));
    const rules = { ...paperRules, budget: 0.125 * size.workers * size.rounds, rounds: size.rounds };
    const drawn = drawMarkets({ rules, workers: size.workers }, count, stream.fork(axis).fork(size[axis]));
    return timesOf([...drawn], mechanism, settings);
  });
  const points = sizes.map((size, k) => [size[axis], times[k]!.microseconds] as const);
  const { exponent, r2 } = fittedPower(largeOnes(points));
  const bound = fittedPower(
    largeOnes(sizes).map((size) => [size[axis], size.rounds * size.workers * Math.log2(size.workers)]),
  );
  const rows = rowsOf(sizes, times, { axis, exponent });
  return { axis, table: tableOf(axis, rows), exponent, r2, bound: bound.exponent };
}

interface Times {
  readonly markets: number;
  readonly microseconds: number;
  readonly low: number;
  readonly high: number;
}

/** Microseconds of one auction: the median batch, and the batches a quarter from either end. */
function timesOf(markets: readonly Market[], mechanism: AnyMechanism, settings: GrowthSettings): Times {
  const runs = markets.map((market) => prepared(market, mechanism));
  const all = () => {
    for (const run of runs) run();
  };
  microseconds(all, 3 * settings.milliseconds);
  const batches = Array.from(
    { length: settings.batches },
    () => microseconds(all, settings.milliseconds) / markets.length,
  );
  const [low, high] = [quantile(batches, 0.25)!, quantile(batches, 0.75)!];
  return { markets: markets.length, microseconds: median(batches)!, low, high };
}

/** The paper's auction runs on columns made beforehand; any other is held as it is. */
function prepared(market: Market, mechanism: AnyMechanism): () => void {
  const base = unvaried(mechanism, market);
  if (base.mechanism !== online) return () => hold(mechanism, market);
  const engine = new OnlineEngine();
  const columns = columnsOf(bidders(market.workers));
  return () => engine.run(base.market.rules, columns);
}

function rowsOf(
  sizes: readonly Size[],
  times: readonly Times[],
  fit: { axis: Axis; exponent: number },
): Row[] {
  const { axis, exponent } = fit;
  const points = sizes.map((size, k) => [size[axis], times[k]!.microseconds] as const);
  const large = largeOnes(points);
  const scale = Math.exp(mean(large, ([x, y]) => Math.log(y) - exponent * Math.log(x))!);
  const slopes = slopesOf(points);
  return sizes.map((size, k) => {
    const { markets, microseconds, low, high } = times[k]!;
    return {
      workers: size.workers,
      rounds: size.rounds,
      markets,
      microseconds: rounded(microseconds),
      low: rounded(low),
      high: rounded(high),
      slope: k === 0 ? null : rounded(slopes[k - 1]!),
      fitted: size[axis] < large[0]![0] ? null : rounded(scale * size[axis] ** exponent),
      perWorkerRound: rounded((1000 * microseconds) / (size.workers * size.rounds)),
    };
  });
}

const tableOf = (axis: Axis, rows: readonly Row[]): Table => ({
  name: `by-${axis}`,
  title: `Time of one auction by the number of ${axis}`,
  columns: [
    { name: "workers", label: "workers", kind: "count" },
    { name: "rounds", label: "rounds", kind: "count" },
    { name: "markets", label: "markets timed", kind: "count" },
    { name: "microseconds", label: "microseconds, median", kind: "amount" },
    { name: "low", label: "half of the batches from", kind: "amount" },
    { name: "high", label: "to", kind: "amount" },
    { name: "slope", label: "exponent from the size before", kind: "amount" },
    { name: "fitted", label: "fitted power", kind: "amount" },
    { name: "perWorkerRound", label: "nanoseconds per worker and round", kind: "amount" },
  ],
  rows,
});

function chartOf(growth: Growth): Chart {
  const { axis, table } = growth;
  const log = (field: string) => ({ field, type: "quantitative", scale: { type: "log" } });
  const x = {
    ...log(axis),
    title: axis,
    axis: { format: ",", grid: false, values: table.rows.map((row) => row[axis]) },
  };
  const decades = Array.from({ length: 9 }, (_, k) => 10 ** k);
  const y = (field: string) => ({ ...log(field), title: null, axis: { format: ",", values: decades } });
  return {
    name: table.name,
    title: `Microseconds of one auction against the number of ${axis}`,
    table: table.name,
    spec: {
      layer: [
        {
          transform: [{ filter: "isValid(datum.fitted)" }],
          mark: { type: "line", strokeDash: [4, 4] },
          encoding: { x, y: y("fitted") },
        },
        { mark: { type: "rule" }, encoding: { x, y: y("low"), y2: { field: "high" } } },
        { mark: { type: "point" }, encoding: { x, y: y("microseconds") } },
      ],
    },
    summary: `${sentence(growth)}.`,
    howToRead:
      "Both axes are logarithmic: a power of the size is a straight line, and its slope is the exponent. Points are medians of batches, with the middle half of them; the dashed line is the power fitted to the larger half of the sizes.",
  };
}

function sentence({ axis, table, exponent, r2, bound }: Growth): string {
  const large = largeOnes(table.rows);
  const [first, last] = [large[0]!, large.at(-1)!];
  const slopes = large.slice(1).map(({ slope }) => Number(slope));
  const [least, most] = [Math.min(...slopes), Math.max(...slopes)].map((slope) => slope.toFixed(2));
  const symbol = axis === "workers" ? "n" : "T";
  const range = `From ${whole(Number(first[axis]))} to ${whole(Number(last[axis]))} ${axis}`;
  const times = `${time(Number(first.microseconds))} to ${time(Number(last.microseconds))}`;
  return `${range} the time of one auction goes from ${times}, as ${symbol} to the power ${exponent.toFixed(2)} (R² ${r2.toFixed(3)}; from one size to the next between ${least} and ${most}; the paper's bound of T·n·log n has ${bound.toFixed(2)} there)`;
}

const time = (microseconds: number): string =>
  microseconds < 1000 ? `${threeDigits(microseconds)} µs` : `${threeDigits(microseconds / 1000)} ms`;

/** How much steeper than the bound a noisy machine may make it look. */
const SLACK = 0.15;

function findingOf(byWorkers: Growth, byRounds: Growth): Finding {
  const within = [byWorkers, byRounds].every(({ exponent, bound }) => exponent <= bound + SLACK);
  const verdict = within
    ? "P3 agrees with what was measured: the time grows no faster than the paper's bound"
    : "P3 is not what was measured: the time grows faster than the paper's bound";
  return { text: `${verdict}. ${sentence(byWorkers)}. ${sentence(byRounds)}.`, weight: within ? 20 : 70 };
}

const methods = (
  { fixed, batches, milliseconds, markets }: GrowthSettings,
  { name }: AnyMechanism,
): string[] => [
  `Workers grow at ${fixed.rounds} rounds, rounds at ${whole(fixed.workers)} workers: markets drawn as in the paper, up to ${markets} of each size, with a budget of 0.125 per worker and round.`,
  `Times of ${name} are medians of ${batches} batches of at least ${milliseconds} ms, on input prepared beforehand and without a trace, on this machine while it may have had other work: they are the one thing here that a seed does not fix. Powers are fitted to the larger half of the sizes, for on small ones what does not grow takes most of the time; they say nothing beyond the sizes measured.`,
];
