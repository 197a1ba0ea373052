import { mean } from "d3-array";
import { expect, it } from "vitest";
import { runAuction } from "../../src/auction/mechanism.js";
import { stream } from "../../src/lib/random.js";
import { drawMarket, drawMarkets } from "../../src/market/draw.js";
import { paperRules } from "../../src/market/market.js";
import { fixedThreshold } from "../../src/mechanisms/fixed-threshold.js";
import { learnedDensity, learnedPrice } from "../../src/mechanisms/learned-price.js";

const rules = { ...paperRules, rounds: 10, budget: 25 };
const past = { tasks: 40, workers: 20, budget: 25 };

/** What all who ask at most a density would cost at it, on average over the earlier tasks. */
const costAt = (density: number): number =>
  mean(drawMarkets({ rules, workers: 20 }, 40, stream("earlier tasks")), ({ workers }) =>
    workers
      .filter(({ cost, reputation }) => cost / reputation <= density)
      .reduce((sum, { reputation, arrival }) => sum + density * reputation * (11 - arrival), 0),
  )!;

it("learns the highest density at which earlier tasks stay within their budgets on average", () => {
  const density = learnedDensity(past);
  expect(costAt(density * (1 - 1e-9))).toBeLessThanOrEqual(25);
  expect(costAt(density * (1 + 1e-6))).toBeGreaterThan(25);
  expect(learnedDensity({ ...past, budget: 0 })).toBeGreaterThan(0);
  expect(learnedDensity({ ...past, budget: 1e6 })).toBeGreaterThan(1000);
});

it("posts it to everybody in every round, as a fixed threshold", () => {
  const market = drawMarket({ rules, workers: 20 }, stream("a later task"));
  const posted = fixedThreshold.vary!({ density: learnedDensity(past) });
  expect(runAuction(learnedPrice.vary!(past), market)).toEqual(runAuction(posted, market));
});
