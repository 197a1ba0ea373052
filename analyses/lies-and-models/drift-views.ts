/** What learners come to say: a table, a chart and sentences. */

import { listed, many, percent, threeDigits } from "../../src/lib/format.js";
import { type Estimate, estimate } from "../../src/lib/statistics.js";
import { type Regime, regimes } from "../../src/mechanisms/outcome.js";
import type { Chart, Finding, Row, Table } from "../../src/report/result.js";
import { interval } from "../shared/auctions/figure-tables.js";
import type { DriftCell, Tally } from "./drift.js";

export const driftMeasures = {
  honest: "Bids that state the truth",
  ratio: "Price over cost",
  delay: "Ticks late",
} as const;

type DriftMeasure = keyof typeof driftMeasures;

/** What one budget's runs left: a list of tallies per seed. */
export interface Drift {
  readonly cell: DriftCell;
  readonly seeds: readonly (readonly Tally[])[];
}

type Where = Regime | "all";

/** The mean over one seed's bids in all budgets; null where there were none. */
function meanAt(
  drifts: readonly Drift[],
  seed: number,
  at: { stretch: number; regime: Where; measure: DriftMeasure },
) {
  const own = drifts
    .flatMap(({ seeds }) => seeds[seed] ?? [])
    .filter(({ stretch, regime }) => stretch === at.stretch && (at.regime === "all" || regime === at.regime));
  const bids = own.reduce((sum, one) => sum + one.bids, 0);
  return bids === 0 ? null : own.reduce((sum, one) => sum + one[at.measure], 0) / bids;
}

const seedsOf = (drifts: readonly Drift[]): number[] => [...(drifts[0]?.seeds ?? []).keys()];

function overSeeds(drifts: readonly Drift[], value: (seed: number) => number | null): Estimate {
  return estimate(seedsOf(drifts).flatMap((seed) => value(seed) ?? []));
}

/** Over seeds, in one stretch. */
const levelAt = (drifts: readonly Drift[], at: Parameters<typeof meanAt>[2]): Estimate =>
  overSeeds(drifts, (seed) => meanAt(drifts, seed, at));

/** How far a mean of bids is from what it is where all tell the truth. */
const distances: Readonly<Record<DriftMeasure, (mean: number) => number>> = {
  honest: (share) => 1 - share,
  ratio: (ratio) => Math.abs(ratio - 1),
  delay: (delay) => delay,
};

/** How much further from the truth the last stretch is than the first, seed by seed; below 0 where it is nearer. */
export function driftOf(drifts: readonly Drift[], regime: Where, measure: DriftMeasure): Estimate {
  const changes = seedsOf(drifts).flatMap((seed) => {
    const [first, last] = [1, stretchesOf(drifts)].map((stretch) =>
      meanAt(drifts, seed, { stretch, regime, measure }),
    );
    return first == null || last == null ? [] : [distances[measure](last) - distances[measure](first)];
  });
  return estimate(changes, regimes.length * Object.keys(driftMeasures).length);
}

const stretchesOf = ([drift]: readonly Drift[]): number =>
  drift === undefined ? 0 : Math.ceil(drift.cell.tasks / drift.cell.stretch);

export function driftTable(drifts: readonly Drift[]): Table {
  const stretch = drifts[0]?.cell.stretch ?? 1;
  const rows = (["all", ...regimes] as const).flatMap((regime) =>
    Array.from({ length: stretchesOf(drifts) }, (_, k) => k + 1).flatMap((at) =>
      (Object.keys(driftMeasures) as DriftMeasure[]).flatMap((measure): Row[] => {
        const level = levelAt(drifts, { stretch: at, regime, measure });
        if (level.n === 0) return [];
        const about = { world: regime, upTo: at * stretch, measure: driftMeasures[measure] };
        return [{ ...about, ...interval(level), seeds: level.n }];
      }),
    ),
  );
  return {
    name: "drift",
    title: "What learners say over repeated tasks",
    columns: [
      { name: "world", label: "Regime", kind: "text" },
      { name: "upTo", label: "Up to task", kind: "count" },
      { name: "measure", label: "Measured", kind: "text" },
      { name: "mean", label: "Mean", kind: "amount" },
      { name: "low", label: "95 % from", kind: "amount" },
      { name: "high", label: "to", kind: "amount" },
      { name: "seeds", label: "Seeds", kind: "count" },
    ],
    rows,
  };
}

export const driftCharts = (drifts: readonly Drift[], agent: string): Chart[] =>
  (Object.keys(driftMeasures) as DriftMeasure[]).map((measure) => chartOf(drifts, agent, measure));

function chartOf(drifts: readonly Drift[], agent: string, measure: DriftMeasure): Chart {
  const title = driftMeasures[measure];
  const y = {
    type: "quantitative",
    title,
    scale: { zero: false },
    ...(measure === "honest" && { axis: { format: "~%" } }),
  };
  const along = {
    x: { field: "upTo", type: "quantitative", title: "Tasks so far" },
    color: { field: "world", type: "nominal", sort: regimes, title: null },
  };
  return {
    name: `drift-${measure}`,
    title: `${title}, where everybody plays ${agent}`,
    table: "drift",
    spec: {
      transform: [{ filter: { field: "measure", equal: title } }, { filter: "datum.world !== 'all'" }],
      layer: [
        {
          transform: [{ filter: "isValid(datum.low)" }],
          mark: { type: "area", opacity: 0.15, tooltip: null },
          encoding: { ...along, y: { ...y, field: "low" }, y2: { field: "high" } },
        },
        { mark: "line", encoding: { ...along, y: { ...y, field: "mean" } } },
        { mark: "point", encoding: { ...along, y: { ...y, field: "mean" } } },
      ],
    },
    summary: summaryOf(drifts, measure),
    howToRead:
      "A line is the mean over the bids of workers in this regime, in the stretch of tasks that ends here; the shade is the 95 % " +
      "interval over seeds. The regime is that of the same task if all told the truth.",
  };
}

const shown = (measure: DriftMeasure): ((x: number) => string) =>
  measure === "honest" ? percent : threeDigits;

function summaryOf(drifts: readonly Drift[], measure: DriftMeasure): string {
  const parts = regimes.flatMap((regime) => {
    const [first, last] = [1, stretchesOf(drifts)].map((stretch) =>
      levelAt(drifts, { stretch, regime, measure }),
    );
    if (first!.n === 0 || last!.n === 0) return [];
    return [`${regime} ${shown(measure)(first!.mean)} at first, ${shown(measure)(last!.mean)} in the end`];
  });
  return `${driftMeasures[measure]}: ${parts.length === 0 ? "no regime lasts from the first stretch of tasks to the last" : parts.join("; ")}.`;
}

/** "toward the truth", by intervals that hold for all regimes and measures together. */
export function wayOf({ low, high, n }: Estimate): string {
  if (low > 0) return "away from the truth";
  return high < 0 ? "toward the truth" : `which way, ${many(n, "seed")} are too few to tell`;
}

/** By regime: whether learners move toward the truth or away from it, in each thing they say. */
export function driftFindings(drifts: readonly Drift[], agent: string): Finding[] {
  return regimes.flatMap((regime): Finding[] => {
    const honest = driftOf(drifts, regime, "honest");
    if (honest.n === 0) return [];
    const part = (measure: DriftMeasure, text: (level: string) => string) => {
      const [first, last] = [1, stretchesOf(drifts)].map((stretch) =>
        shown(measure)(levelAt(drifts, { stretch, regime, measure }).mean),
      );
      return `${text(`from ${first} to ${last}`)} (${wayOf(driftOf(drifts, regime, measure))})`;
    };
    const parts = [
      part("honest", (level) => `the share of bids that state the truth goes ${level}`),
      part("ratio", (level) => `prices go ${level} times the cost`),
      part("delay", (level) => `delays go ${level} ticks`),
    ];
    const tasks = many(drifts[0]!.cell.tasks, "task");
    const text = `In the regime ${regime}, over ${tasks} in which everybody plays ${agent} (${many(honest.n, "seed")}), ${listed(parts)}.`;
    return [{ text, weight: honest.low > 0 ? 52 : 36 }];
  });
}
