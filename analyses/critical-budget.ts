/** At which budgets lies begin and cease to pay, market by market, and what else changes there. */

import { median } from "d3-array";
import { isExact, isFast } from "../src/best-response/index.js";
import { many, percent, threeDigits } from "../src/lib/format.js";
import { FEWEST_FOR_PERCENTILES } from "../src/lib/statistics.js";
import { atRelativeBudget, surveyed } from "../src/market/draw.js";
import type { AnalysisResult, Exhibit } from "../src/report/result.js";
import type { AnalysisContext, Profile, StepwiseAnalysis } from "../src/study/analysis.js";
import { changeChart, curveChart, momentChart } from "./critical-budget/charts.js";
import { findingsOf } from "./critical-budget/findings.js";
import { extreme, ofSize, type Scanned } from "./critical-budget/moments.js";
import { criticalJob } from "./critical-budget/survey.js";
import { beginTable, changeTable, curveTable, momentTable, stateTable } from "./critical-budget/tables.js";
import { type Crossing, middleOf } from "./shared/gains/crossings.js";

export interface CriticalSettings {
  readonly rounds: number;
  readonly sizes: readonly number[];
  /** Markets drawn of each size. */
  readonly markets: number;
  /** The relative budgets scanned: evenly in logarithms. */
  readonly scanned: { readonly from: number; readonly to: number; readonly points: number };
  /** Relative distance of the two budgets that a crossing is narrowed down to. */
  readonly width: number;
  /** Workers asked in each market; null: everybody. */
  readonly asked: number | null;
}

const common = { rounds: 10, width: 0.001, asked: null };

const searching = { rounds: 10, sizes: [5, 10], width: 0.05, asked: 2 };

/** Sample sizes where an answer takes microseconds, and where each takes milliseconds or a search. */
export const settings: Readonly<Record<Profile, { fast: CriticalSettings; slow: CriticalSettings }>> = {
  quick: {
    fast: {
      ...common,
      sizes: [5, 10, 20, 40, 80],
      markets: 80,
      scanned: { from: 0.01, to: 20, points: 24 },
    },
    slow: { ...searching, markets: 3, scanned: { from: 0.05, to: 5, points: 6 } },
  },
  full: {
    fast: {
      ...common,
      sizes: [5, 10, 20, 40, 80, 160],
      markets: 1000,
      scanned: { from: 0.005, to: 50, points: 48 },
    },
    slow: { ...searching, markets: 30, scanned: { from: 0.05, to: 5, points: 12 } },
  },
};

export const criticalBudget: StepwiseAnalysis = {
  name: "critical-budget",
  question: "At which budgets do lies begin and cease to pay, and what else happens there?",
  jobs: { scan: criticalJob },
  run: (context) =>
    findCriticalBudgets(context, settings[context.profile][isFast(context.mechanism) ? "fast" : "slow"]),
};

export async function findCriticalBudgets(
  context: AnalysisContext,
  given: CriticalSettings,
): Promise<AnalysisResult> {
  const scanned = await scanAll(context, given);
  const exact = isExact(context.mechanism);
  return {
    tables: [
      curveTable(scanned, exact),
      momentTable(scanned),
      changeTable(scanned, exact),
      stateTable(scanned, exact),
      beginTable(scanned, exact),
    ],
    charts: [curveChart(scanned, exact), momentChart(scanned, exact), changeChart(scanned, exact)],
    findings: findingsOf(scanned, exact),
    methods: methodsOf(given, exact),
    exhibits: exhibitsOf(scanned, context, given),
  };
}

async function scanAll({ pool }: AnalysisContext, given: CriticalSettings): Promise<Scanned[]> {
  const { sizes, markets, rounds, width, asked } = given;
  const ratios = ratiosOf(given.scanned);
  const cells = sizes.map((workers) => ({ cell: { workers, rounds, ratios, width, asked }, markets }));
  return (await pool.gather(criticalJob, cells)).flatMap((scanned) => scanned ?? []);
}

function ratiosOf({ from, to, points }: CriticalSettings["scanned"]): number[] {
  const step = (to / from) ** (1 / (points - 1));
  return Array.from({ length: points }, (_, k) => Number((from * step ** k).toPrecision(4)));
}

function methodsOf(
  { markets, sizes, scanned, width, rounds, asked }: CriticalSettings,
  exact: boolean,
): string[] {
  const { from, to, points } = scanned;
  return [
    `${many(markets, "market")} drawn of each of ${sizes.length} sizes (the paper's distributions to four decimals, ${rounds} rounds).`,
    `Whether lies pay need not be monotone in the budget: ${points} budgets from ${from} to ${to} are scanned, and every change is narrowed down to ${percent(width)}. Paying stretches between two scanned budgets are missed, and of several changes between them one is found.`,
    `Medians and quartiles are left out where fewer than ${FEWEST_FOR_PERCENTILES} markets have the value. Shares of budgets are pooled over markets, with intervals of a ratio estimator that has markets as clusters.`,
    exact
      ? `At every budget looked at the answer is exact${asked === null ? "" : `; ${many(asked, "worker")} of each market were asked`}.`
      : `Lies were searched, not solved: where none was found one may exist${asked === null ? "" : `, and only ${many(asked, "worker")} of each market were asked`}.`,
  ];
}

/** Of each size, the market whose lies begin to pay nearest to the median, at that budget. */
function exhibitsOf(
  scanned: readonly Scanned[],
  { stream, mechanism }: AnalysisContext,
  { rounds }: CriticalSettings,
): Exhibit[] {
  return ofSize(scanned).flatMap(([workers, markets]): Exhibit[] => {
    const found = markets.flatMap((one) => {
      const crossing = extreme(one, "lies begin to pay");
      return crossing ? [{ k: one.k, crossing }] : [];
    });
    if (found.length === 0) return [];
    const middle = median(found, ({ crossing }) => middleOf(crossing))!;
    const off = (crossing: Crossing) => Math.abs(Math.log(middleOf(crossing) / middle));
    const { k, crossing } = found.reduce((a, b) => (off(b.crossing) < off(a.crossing) ? b : a));
    const { ratio, most } = crossing.above;
    const { bid, gain, truthful } = most!;
    const market = atRelativeBudget(surveyed({ workers, rounds }, k, stream), ratio);
    const title = `${workers} workers, just where lies begin to pay (relative budget ${threeDigits(ratio)}): worker ${bid.worker} gains ${threeDigits(gain)} on top of ${threeDigits(truthful)}`;
    return [{ name: `begin-${workers}`, title, market, mechanism: mechanism.name, lie: bid }];
  });
}
