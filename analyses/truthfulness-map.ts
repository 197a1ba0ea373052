/** Where truthfulness holds and where it breaks: who can gain by lying, over relative budget and number of workers. */

import type { Analysis, AnalysisContext, AnalysisResult, Profile } from "../src/analysis.js";
import { isExact } from "../src/best-response/index.js";
import { drawForSurvey } from "../src/survey/relative-budget.js";
import { look, type Sight, summed } from "../src/survey/sights.js";
import { many, whole } from "../src/survey/words.js";
import { cellsOf, chosen, exhibitsOf } from "./truthfulness-map/cells.js";
import { gainChart, shareChart, situationChart } from "./truthfulness-map/charts.js";
import { findingsOf } from "./truthfulness-map/findings.js";
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

/** Sample sizes where answers are exact, and where each takes a search. */
export const settings: Readonly<Record<Profile, { exact: MapSettings; searched: MapSettings }>> = {
  quick: {
    exact: { ...grid, markets: 60, asked: null },
    searched: { ...coarse, markets: 6, asked: 2 },
  },
  full: {
    exact: { ...grid, markets: 1000, asked: null },
    searched: { ...coarse, markets: 100, asked: 4 },
  },
};

export const truthfulnessMap: Analysis = {
  name: "truthfulness-map",
  question: "Where can a worker gain by lying about its price, its arrival or both, and how much?",
  run: (context) =>
    mapTruthfulness(context, settings[context.profile][isExact(context.mechanism) ? "exact" : "searched"]),
};

export async function mapTruthfulness(context: AnalysisContext, given: MapSettings): Promise<AnalysisResult> {
  const sights = await survey(context, given);
  const cells = cellsOf(sights);
  const exact = isExact(context.mechanism);
  const exhibits = exhibitsOf(cells, context.mechanism.name);
  return {
    tables: [mapTable(cells, new Set(exhibits.map(({ name }) => name))), situationTable(sights)],
    charts: [shareChart(cells), gainChart(cells), situationChart(sights)],
    findings: findingsOf(sights, cells, exact),
    leftOut: leftOutOf(sights, given, exact),
    exhibits,
  };
}

async function survey(context: AnalysisContext, given: MapSettings): Promise<Sight[]> {
  const { stream, mechanism, pool } = context;
  const { rounds, sizes, ratios, markets, asked } = given;
  const inputs = sizes.flatMap((workers) => Array.from({ length: markets }, (_, k) => ({ workers, k })));
  const seen = await pool.map(inputs, ({ workers, k }) => {
    const drawn = drawForSurvey({ workers, rounds }, stream.fork(workers).fork(k));
    const market = `${workers}/${k}`;
    return ratios.flatMap((ratio) => look(drawn, { market, workers, ratio }, { mechanism, asked }));
  });
  return seen.flat();
}

function leftOutOf(sights: readonly Sight[], given: MapSettings, exact: boolean): string[] {
  const { sizes, ratios, markets, rounds, asked } = given;
  const { seen } = summed(chosen(sights, "all", "joint"));
  return [
    `${many(markets, "market")} drawn of each of ${sizes.length} sizes (the paper's distributions to four decimals, ${rounds} rounds, ratio 0.35, prose), each under ${ratios.length} budgets: ${whole(seen)} workers asked. Cells of one size share their markets.`,
    "Rounds before a worker's arrival count as not on offer; the relative budget is over Σ cost · (T − arrival + 1).",
    exact
      ? "Each answer is exact; shares and gains are estimates because markets are drawn."
      : `Lies were searched, not solved: every gain is a lower bound${asked === null ? "" : `, and only ${many(asked, "worker")} of each market were asked`}.`,
  ];
}
