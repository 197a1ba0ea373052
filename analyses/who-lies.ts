/** Who has a lie that pays, which lie it is, what it brings, and where that comes from. */

import { isExact, isFast } from "../src/best-response/index.js";
import { capital, listed, many, threeDigits, whole } from "../src/lib/format.js";
import { atRelativeBudget, surveyed } from "../src/market/draw.js";
import type { AnalysisResult, Exhibit } from "../src/report/result.js";
import type { AnalysisContext, Profile, StepwiseAnalysis } from "../src/study/analysis.js";
import { lieKinds } from "../src/verdicts/explain.js";
import { bandChart, causeChart, kindChart, pointChart } from "./who-lies/charts.js";
import { findingsOf } from "./who-lies/findings.js";
import { kinds } from "./who-lies/people.js";
import { mergeWho, type Shown, type WhoSummary } from "./who-lies/summary.js";
import { whoJob } from "./who-lies/survey.js";
import { bandTable, causeTable, kindTable, pointTable } from "./who-lies/tables.js";

export interface WhoSettings {
  readonly rounds: number;
  readonly sizes: readonly number[];
  /** Relative budgets; every market is looked at under each. */
  readonly ratios: readonly number[];
  /** Markets drawn of each size. */
  readonly markets: number;
  /** Workers asked in each; null: everybody. */
  readonly asked: number | null;
  /** At most so many points of those who gain, and of those who do not, are shown. */
  readonly shown: Shown;
}

const crowd = {
  rounds: 10,
  sizes: [5, 10, 20, 40, 80],
  ratios: [0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1, 1.4, 2, 3],
  shown: { gaining: 700, others: 500 },
};

const few = { ...crowd, sizes: [5, 10], ratios: [0.2, 0.7, 2] };

/** Sample sizes where an answer takes microseconds, and where each takes milliseconds or a search. */
export const settings: Readonly<Record<Profile, { fast: WhoSettings; slow: WhoSettings }>> = {
  quick: {
    fast: { ...crowd, markets: 200, asked: null },
    slow: { ...few, markets: 10, asked: 2 },
  },
  full: {
    fast: { ...crowd, markets: 3000, asked: null },
    slow: { ...few, markets: 200, asked: 2 },
  },
};

export const whoLies: StepwiseAnalysis = {
  name: "who-lies",
  question: "Who has a lie that pays, which one is it, and where does the gain come from?",
  options: { markets: { from: 1, whole: true } },
  jobs: { who: whoJob },
  run: (context) => {
    const usual = settings[context.profile][isFast(context.mechanism) ? "fast" : "slow"];
    const { markets } = context.options;
    return findLiars(context, markets === undefined ? usual : { ...usual, markets: Number(markets) });
  },
};

export async function findLiars(context: AnalysisContext, given: WhoSettings): Promise<AnalysisResult> {
  const who = await meetAll(context, given);
  const exact = isExact(context.mechanism);
  const causes = causeTable(who);
  return {
    tables: [pointTable(who), bandTable(who, exact), kindTable(who, exact), causes],
    charts: [
      pointChart(who, exact),
      bandChart(who, exact),
      kindChart(who, exact),
      ...(causes.rows.length > 0 ? [causeChart(who)] : []),
    ],
    findings: findingsOf(who, exact),
    methods: methodsOf(who, given, exact),
    exhibits: exhibitsOf(who, context, given),
  };
}

async function meetAll({ pool }: AnalysisContext, given: WhoSettings): Promise<WhoSummary> {
  const { rounds, sizes, ratios, markets, asked, shown } = given;
  const cells = sizes.map((workers) => ({ cell: { workers, rounds, ratios, asked, shown }, markets }));
  const seen = await pool.gather(whoJob, cells);
  return seen.flatMap((one) => one ?? []).reduce(mergeWho);
}

function methodsOf(
  { seen, gained, points }: WhoSummary,
  { markets, sizes, ratios, rounds, asked }: WhoSettings,
  exact: boolean,
): string[] {
  const [gaining, others] = [points.gaining.length, points.others.length];
  return [
    `${many(markets, "market")} drawn of each size (${listed(sizes.map(String))} workers, ${rounds} rounds), each under ${ratios.length} relative budgets from ${ratios[0]} to ${ratios.at(-1)}.`,
    `The scatter shows ${whole(gaining)} of ${whole(gained)} who gain and ${whole(others)} of ${whole(seen - gained)} who do not, drawn by lot; all tables count everybody.`,
    "Shares are of all workers, pooled over markets; their intervals are those of a ratio estimator with markets as clusters, for workers of one market are not independent.",
    "Medians are read from sketches that do not grow with the number of markets: they are within 1 % of those of all workers.",
    "Each worker is counted once with its best lie; others that pay less may be of another kind.",
    exact
      ? `Best lies are exact${asked === null ? "" : `; ${many(asked, "worker")} of each market were asked`}.`
      : `Lies were searched${asked === null ? "" : ` for ${many(asked, "worker")} of each market`}: gains are lower bounds, and causes are known only for the paper's mechanism.`,
  ];
}

/** The largest gain of each kind. */
function exhibitsOf(
  { most }: WhoSummary,
  { stream, mechanism }: AnalysisContext,
  { rounds }: WhoSettings,
): Exhibit[] {
  return kinds.flatMap((kind): Exhibit[] => {
    const witness = most[kind];
    if (!witness) return [];
    const { bid, gain, truthful, regime, workers, k, ratio } = witness;
    const market = atRelativeBudget(surveyed({ workers, rounds }, k, stream), ratio);
    const title = `${capital(lieKinds[kind])} (${regime}): worker ${bid.worker} of ${workers} gains ${threeDigits(gain)} on top of ${threeDigits(truthful)}`;
    return [{ name: kind, title, market, mechanism: mechanism.name, lie: bid }];
  });
}
