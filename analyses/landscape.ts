/** What one worker's utility looks like over all prices and arrivals, for a worker of each regime. */

import { isExact, isFast } from "../src/best-response/index.js";
import { capital, listed, many, threeDigits } from "../src/lib/format.js";
import { regimes } from "../src/mechanisms/outcome.js";
import type { AnalysisResult, Exhibit, Finding } from "../src/report/result.js";
import type { AnalysisContext, Profile, StepwiseAnalysis } from "../src/study/analysis.js";
import { heatChart, lineChart } from "./landscape/charts.js";
import { chosenTable, outlineTable } from "./landscape/tables.js";
import { choose, inWords, landscapeJob, type View, viewOf } from "./landscape/views.js";

export interface LandscapeSettings {
  readonly rounds: number;
  readonly sizes: readonly number[];
  /** Relative budgets to look for workers under. */
  readonly ratios: readonly number[];
  /** Markets drawn of each size to choose from. */
  readonly markets: number;
  /** Workers asked in each; null: everybody. */
  readonly asked: number | null;
  /** Prices tried for each arrival where no exact pieces are known. */
  readonly samples: number;
}

const scene = { rounds: 10, sizes: [6, 12], ratios: [0.15, 0.25, 0.35, 0.5, 0.7, 1, 1.4, 2], samples: 120 };

/** Sample sizes where an answer takes microseconds, and where each takes milliseconds or a search. */
export const settings: Readonly<Record<Profile, { fast: LandscapeSettings; slow: LandscapeSettings }>> = {
  quick: {
    fast: { ...scene, markets: 300, asked: null },
    slow: { ...scene, sizes: [6], ratios: [0.35, 1], markets: 12, asked: 2 },
  },
  full: {
    fast: { ...scene, markets: 5000, asked: null },
    slow: { ...scene, sizes: [6], ratios: [0.35, 1], markets: 200, asked: 2 },
  },
};

export const landscape: StepwiseAnalysis = {
  name: "landscape",
  question: "What does a worker's utility look like over all it could say?",
  jobs: { candidates: landscapeJob },
  run: (context) =>
    drawLandscapes(context, settings[context.profile][isFast(context.mechanism) ? "fast" : "slow"]),
};

export async function drawLandscapes(
  context: AnalysisContext,
  given: LandscapeSettings,
): Promise<AnalysisResult> {
  const views = (await choose(context, given)).map((choice) => viewOf(choice, context, given));
  return {
    tables: [chosenTable(views), ...views.map(outlineTable)],
    charts: views.flatMap((view) => [lineChart(view), heatChart(view)]),
    findings: views.map(findingOf),
    methods: methodsOf(views, given, isExact(context.mechanism)),
    exhibits: views.map((view) => exhibitOf(view, context.mechanism.name)),
  };
}

const findingOf = (view: View): Finding => ({ text: inWords(view), weight: view.kind === null ? 16 : 24 });

function methodsOf(views: readonly View[], given: LandscapeSettings, exact: boolean): string[] {
  const { markets, sizes, ratios, samples, asked } = given;
  const missing = regimes.filter((regime) => !views.some((view) => view.regime === regime));
  const choice = exact
    ? "of those who gain, the one whose picture shows most, or, where nobody gains,"
    : "the one with the largest gain found, or, where none was found,";
  return [
    `Workers were chosen from ${many(markets, "market")} of each size (${listed(sizes.map(String))} workers) under ${ratios.length} relative budgets: in each regime ${choice} one with the median utility of those who earn something. They show what is possible, not what is usual.`,
    ...missing.map((regime) => `No worker was found in the regime ${regime}.`),
    views.every(({ outline }) => outline.exact)
      ? "Utilities are exact for every price in sight; prices above it are not drawn."
      : `Utilities were tried at ${many(samples, "price")} for each arrival.`,
    exact
      ? `Best lies are exact${asked === null ? "" : `; ${many(asked, "worker")} of each market were asked`}.`
      : `Lies were searched${asked === null ? "" : ` for ${many(asked, "worker")} of each market`}: gains are lower bounds.`,
  ];
}

function exhibitOf(view: View, mechanism: string): Exhibit {
  const { key, market, lie, response, worker, regime, kind, proved } = view;
  const gains =
    kind === null
      ? proved
        ? "cannot do better than the truth"
        : "has no better lie that was found"
      : `gains ${threeDigits(response.gain)} on top of ${threeDigits(response.truthful)}`;
  const title = `${capital(regime)}: worker ${worker.id} ${gains}`;
  return { name: key, title, market, mechanism, lie: kind === null ? null : lie };
}
