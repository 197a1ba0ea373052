/** The markets the properties are checked on: a spread of the paper's, and random ones with ties and late starts. */

import { type MarketLimits, marketArbitrary } from "../../src/arbitraries.js";
import { drawFrom } from "../../src/hunt/ground.js";
import type { Market, Reading } from "../../src/market.js";
import type { Stream } from "../../src/random.js";
import { atRelativeBudget, drawForSurvey } from "../../src/survey/relative-budget.js";

export interface Draws {
  readonly rounds: number;
  readonly sizes: readonly number[];
  /** Over the true cost of all rounds on offer. */
  readonly budgets: readonly number[];
  /** How many of each size and budget. */
  readonly perCell: number;
  /** How many random ones. */
  readonly wide: number;
}

/** paper: the paper's distributions and rules. wide: anything, with round numbers in half of them. */
export type DrawName = "paper" | "wide";

export interface Drawn {
  readonly draw: DrawName;
  readonly name: string;
  readonly market: Market;
}

export const readings: readonly Reading[] = ["prose", "pseudocode"];

export const wideLimits = { minWorkers: 1, maxWorkers: 12, maxRounds: 8, maxRatio: 0.5 } as const;

export const drawAll = (draws: Draws, stream: Stream): Drawn[] => [
  ...paperDraws(draws, stream.fork("paper")),
  ...wideDraws(draws.wide, wideLimits, stream.fork("wide")),
];

function paperDraws({ rounds, sizes, budgets, perCell }: Draws, stream: Stream): Drawn[] {
  return sizes.flatMap((workers) =>
    budgets.flatMap((budget) => {
      const cell = stream.fork(workers).fork(budget);
      return Array.from({ length: perCell }, (_, k) => ({
        draw: "paper" as const,
        name: `paper ${workers} ${budget} ${k}`,
        market: atRelativeBudget(drawForSurvey({ workers, rounds }, cell.fork(k)), budget),
      }));
    }),
  );
}

function wideDraws(count: number, limits: MarketLimits, stream: Stream): Drawn[] {
  const ground = marketArbitrary({ ...limits, readings: ["prose"] });
  return Array.from(drawFrom(ground, count, stream), (market, k) => ({
    draw: "wide" as const,
    name: `wide ${k}`,
    market,
  }));
}

export const withRules = ({ rules, workers }: Market, other: Partial<Market["rules"]>): Market => ({
  rules: { ...rules, ...other },
  workers,
});
