/** Where truthfulness holds and where it breaks: who can gain by lying, over relative budget and number of workers. */

import { isExact, isFast } from "../src/best-response/index.js";
import { many, whole } from "../src/lib/format.js";
import type { SomeSettings } from "../src/lib/options.js";
import { FEWEST_FOR_PERCENTILES } from "../src/lib/statistics.js";
import { atRelativeBudget, surveyed } from "../src/market/draw.js";
import type { AnalysisResult } from "../src/report/result.js";
import type { AnalysisContext, Profile, StepwiseAnalysis } from "../src/study/analysis.js";
import { cellsOf, exhibitsOf, overall, type Sized } from "./truthfulness-map/cells.js";
import { gainChart, shareChart, situationChart } from "./truthfulness-map/charts.js";
import { findingsOf } from "./truthfulness-map/findings.js";
import { mapJob } from "./truthfulness-map/survey.js";
import { mapTable, situationTable } from "./truthfulness-map/tables.js";

export interface MapSettings {
  readonly rounds: number;
  readonly sizes: readonly number[];
  /** Budgets over the true cost of all rounds on offer. */
  readonly ratios: readonly number[];
  /** Markets drawn of each size; each is looked at under every budget. */
  readonly markets: number;
  /** Workers asked in each; null: everybody. */
  readonly asked: number | null;
}

const grid = {
  rounds: 10,
  sizes: [5, 10, 20, 40, 80, 160],
  ratios: [0.03, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1, 1.4, 2, 3, 5],
};

const coarse = { rounds: 10, sizes: [5, 10, 20], ratios: [0.1, 0.35, 1, 3] };

/** Sample sizes where an answer takes microseconds, and where each takes milliseconds or a search. */
export const settings: Readonly<Record<Profile, { fast: MapSettings; slow: MapSettings }>> = {
  quick: {
    fast: { ...grid, markets: 300, asked: null },
    slow: { ...coarse, markets: 6, asked: 2 },
  },
  full: {
    fast: { ...grid, markets: 5000, asked: null },
    slow: { ...coarse, markets: 100, asked: 4 },
  },
};

export const truthfulnessMap: StepwiseAnalysis = {
  name: "truthfulness-map",
  question: "Where can a worker gain by lying about its price, its arrival or both, and how much?",
  options: {
    markets: { from: 1, whole: true },
    workers: { from: 1, to: 10_000, whole: true },
    ratio: { from: 0.001, to: 1000 },
  },
  jobs: { map: mapJob },
  run: (context) => {
    const usual = settings[context.profile][isFast(context.mechanism) ? "fast" : "slow"];
    return mapTruthfulness(context, settled(usual, context.options));
  },
};

/** Another number of markets of each size, one size alone, or one relative budget alone. */
function settled(usual: MapSettings, set: SomeSettings): MapSettings {
  return {
    ...usual,
    ...(set.markets !== undefined && { markets: Number(set.markets) }),
    ...(set.workers !== undefined && { sizes: [Number(set.workers)] }),
    ...(set.ratio !== undefined && { ratios: [Number(set.ratio)] }),
  };
}

export async function mapTruthfulness(context: AnalysisContext, given: MapSettings): Promise<AnalysisResult> {
  const { mechanism, stream } = context;
  const sizes = await survey(context, given);
  const cells = cellsOf(sizes);
  const exact = isExact(mechanism);
  const exhibits = exhibitsOf(cells, {
    mechanism: mechanism.name,
    marketOf: ({ workers, k, ratio }) =>
      atRelativeBudget(surveyed({ workers, rounds: given.rounds }, k, stream), ratio),
  });
  const witnesses = new Set(exhibits.map(({ name }) => name));
  return {
    tables: [mapTable(cells, { witnesses, exact }), situationTable(sizes, exact)],
    charts: [shareChart(cells, exact), gainChart(cells, exact), situationChart(sizes, exact)],
    findings: findingsOf(sizes, cells, exact),
    methods: methodsOf(sizes, given, exact),
    exhibits,
  };
}

async function survey({ pool }: AnalysisContext, given: MapSettings): Promise<Sized[]> {
  const { rounds, sizes, ratios, markets, asked } = given;
  const cells = sizes.map((workers) => ({ cell: { workers, rounds, ratios, asked }, markets }));
  const summaries = await pool.gather(mapJob, cells);
  return sizes.map((workers, k) => ({ workers, ratios, summary: summaries[k] ?? {} }));
}

function methodsOf(seen: readonly Sized[], given: MapSettings, exact: boolean): string[] {
  const { sizes, ratios, markets, rounds, asked } = given;
  const drawn = `${many(markets, "market")} drawn ${sizes.length === 1 ? `of ${many(sizes[0]!, "worker")}` : `of each of ${sizes.length} sizes`}`;
  const budgets =
    ratios.length === 1 ? `, a relative budget of ${ratios[0]}` : `, each under ${ratios.length} budgets`;
  const shared = ratios.length === 1 ? "" : " Cells of one size share their markets.";
  return [
    `${drawn} (the paper's distributions to four decimals, ${rounds} rounds, ratio 0.35, prose)${budgets}: ${whole(overall(seen, "all", "joint")?.share.size ?? 0)} workers asked.${shared}`,
    "Rounds before a worker's arrival count as not on offer; the relative budget is over Σ cost · (T − arrival + 1).",
    "Shares are of all workers, pooled over markets; their intervals are those of a ratio estimator with markets as clusters, for workers of one market are not independent.",
    `Medians and 95th percentiles are read from sketches that do not grow with the number of markets: they are within 1 % of those of all gains. They are left out where fewer than ${FEWEST_FOR_PERCENTILES} workers gain.`,
    exact
      ? `Each answer is exact; shares and gains are estimates because markets are drawn${asked === null ? "" : `, and ${many(asked, "worker")} of each market were asked`}.`
      : `Lies were searched, not solved: every share and gain is a lower bound, for a search can miss in every market${asked === null ? "" : `, and only ${many(asked, "worker")} of each market were asked`}.`,
  ];
}
