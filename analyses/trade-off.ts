/** What the publisher gets per unit paid against what liars get, auction by auction. */

import { listed, threeDigits } from "../src/lib/format.js";
import type { AnalysisResult, Exhibit } from "../src/report/result.js";
import type { AnalysisContext, Profile, StepwiseAnalysis } from "../src/study/analysis.js";
import { marketAt } from "./shared/auctions/accounts.js";
import { looksJob, type Sizes } from "./shared/auctions/gains.js";
import { examined, type Trade, tradeAt } from "./shared/auctions/trade.js";
import { tradeCharts, withLabels } from "./shared/auctions/trade-charts.js";
import { regimeTable, sizeText, tradeTable } from "./shared/auctions/trade-tables.js";
import { tradeFindings } from "./shared/auctions/trade-text.js";

/** The paper's budget per worker in small markets, where searches are cheap, and in the paper's own. */
export const tradeOffSizes = {
  quick: [
    { workers: 20, budget: 25, markets: 100, searched: 30, effort: 800 },
    { workers: 100, budget: 125, markets: 8, searched: 0, effort: 0 },
  ],
  full: [
    { workers: 20, budget: 25, markets: 400, searched: 200, effort: 2000 },
    { workers: 100, budget: 125, markets: 200, searched: 200, effort: 1200 },
  ],
} as const satisfies Record<Profile, readonly Sizes[]>;

export const tradeOff: StepwiseAnalysis = {
  name: "trade-off",
  question: "What does the publisher pay for truthfulness, and how much do liars gain where it is missing?",
  jobs: { looks: looksJob },
  run: (context) => runTradeOff(context, tradeOffSizes[context.profile]),
};

export async function runTradeOff(
  context: AnalysisContext,
  sizes: readonly Sizes[],
): Promise<AnalysisResult> {
  const trades: Trade[] = [];
  for (const size of sizes) trades.push(await tradeAt(size, context));
  return {
    tables: [withLabels(tradeTable(trades)), regimeTable(trades)],
    charts: tradeCharts(trades),
    findings: trades.flatMap(tradeFindings),
    methods: trades.map(methods),
    exhibits: exhibits(trades[0]!, context),
  };
}

function methods(trade: Trade): string {
  const { sizes, dots } = trade;
  const [bounds, skipped] = [
    examined(trade).filter(({ reading }) => reading.certainty === "lower bound"),
    dots.filter(({ reading }) => reading.workers === 0),
  ].map((some) => some.map(({ auction }) => auction)) as [string[], string[]];
  const searched =
    bounds.length > 0
      ? [
          `One worker's best lie in ${sizes.searched} of them was searched for in ${listed(bounds)}, with about ${threeDigits(sizes.effort)} lies each: gains there are lower bounds.`,
        ]
      : [];
  const left = skipped.length > 0 ? [`Nobody's best lie was looked for in ${listed(skipped)}.`] : [];
  return [
    `${sizeText(sizes)}: ${sizes.markets} markets, the same for all auctions.`,
    ...searched,
    ...left,
  ].join(" ");
}

/** The largest gain found in each auction. */
function exhibits(trade: Trade, { stream }: AnalysisContext): Exhibit[] {
  return trade.dots.flatMap(({ auction, looks, reading }) => {
    const k = looks.findIndex(({ most }) => most > 0 && most === reading.most);
    const lie = looks[k]?.best;
    if (!lie) return [];
    const title = `Worker ${lie.worker} gains ${threeDigits(reading.most)} by a lie in ${auction}`;
    return [
      { name: `${auction}-${k}`, title, market: marketAt(trade.sizes, k, stream), mechanism: auction, lie },
    ];
  });
}
