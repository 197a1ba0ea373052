/** What learners come to say: a table, a chart and sentences. */

import { type Estimate, estimate } from "../../src/lib/statistics.js";
import { type Regime, regimes } from "../../src/mechanisms/regime.js";
import type { Chart, Finding, Row, Table } from "../../src/report/result.js";
import { interval } from "../shared/auctions/figure-tables.js";
import { amount, percent } from "../shared/auctions/words.js";
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

/** The last stretch less the first, seed by seed. */
export const driftOf = (drifts: readonly Drift[], regime: Where, measure: DriftMeasure): Estimate =>
  overSeeds(drifts, (seed) => {
    const [first, last] = [1, stretchesOf(drifts)].map((stretch) =>
      meanAt(drifts, seed, { stretch, regime, measure }),
    );
    return first == null || last == null ? null : last - first;
  });

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

const shown = (measure: DriftMeasure): ((x: number) => string) => (measure === "honest" ? percent : amount);

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

/** By regime: whether learners move toward the truth or away from it. */
export function driftFindings(drifts: readonly Drift[], agent: string): Finding[] {
  return regimes.flatMap((regime): Finding[] => {
    const change = driftOf(drifts, regime, "honest");
    if (change.n < 2) return [];
    const at = (stretch: number, measure: DriftMeasure) =>
      shown(measure)(levelAt(drifts, { stretch, regime, measure }).mean);
    const [end, tasks] = [stretchesOf(drifts), drifts[0]!.cell.tasks];
    const word =
      change.low > 0
        ? "drift toward the truth"
        : change.high < 0
          ? "drift away from the truth"
          : "do not drift either way that can be told at 95 %";
    const text = `In the regime ${regime}, ${agent}s ${word} over ${tasks} tasks: they state it in ${at(1, "honest")} of bids at first and ${at(end, "honest")} in the end; prices go from ${at(1, "ratio")} to ${at(end, "ratio")} times the cost, delays from ${at(1, "delay")} to ${at(end, "delay")} ticks.`;
    return [{ text, weight: change.high < 0 ? 52 : 36 }];
  });
}
