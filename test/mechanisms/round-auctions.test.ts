import * as fc from "fast-check";
import { expect, it } from "vitest";
import { runAuction } from "../../src/auction/mechanism.js";
import { marketArbitrary } from "../../src/market/generators.js";
import { proportionalShare } from "../../src/mechanisms/proportional-share.js";
import { roundAuctions } from "../../src/mechanisms/round-auctions.js";
import { allotments, marketOf, nine, rulings, unselected } from "./hand-solved.js";

/*
 * T = 2 and a first-round ratio of 0.35: the rounds have 0.35/1.35 and 1/1.35 of the money; of 2.7 that is 0.7 and 2.
 * Round 1, densities 0.2, 0.3, 0.45: 0.2 and 0.3 · 2 = 0.6 fit, 0.45 · 3 = 1.35 does not; ρ* = min(0.7/2, 0.45) = 0.35.
 * Round 2. Worker 3 joins with density 0.4 and reputation 2: 0.4 · 4 = 1.6 fits, 0.45 · 5 = 2.25 does not;
 * ρ* = min(2/4, 0.45) = 0.45.
 */
const market = marketOf(2.7, 2, [
  [1, 0.2, 1],
  [1, 0.3, 1],
  [1, 0.45, 1],
  [2, 0.8, 2],
]);
const whole = roundAuctions.vary!({ share: 1 });

it("[M3] shares each round's money among all who have arrived, and pays them for that round", () => {
  expect(allotments(whole, market)).toEqual([[1, 2, 0.8], [1, 2, 0.8], unselected, [2, 1, 0.9]]);
  expect(rulings(whole, market)).toEqual([
    ...["1:0 admitted", "1:1 admitted", "1:2 dear"],
    ...["2:0 admitted", "2:1 admitted", "2:2 dear", "2:3 admitted"],
  ]);
});

it("uses a share of the budget, 0.76 unless said otherwise", () => {
  const sized = (share: number) => ({ ...market, rules: { ...market.rules, budget: 2.7 / share } });
  expect(allotments(roundAuctions.vary!({ share: 0.5 }), sized(0.5))).toEqual(allotments(whole, market));
  expect(allotments(roundAuctions, sized(0.76))).toEqual(allotments(whole, market));
});

it("pays a critical price in each round: asking more than one of them loses that round only", () => {
  const asking = (price: number) => allotments(whole, market, [{ worker: 0, price, arrival: 1 }])[0];
  expect(asking(0)).toEqual([1, 2, 0.8]);
  expect(asking(0.349)).toEqual([1, 2, 0.8]);
  expect(asking(0.351)).toEqual([2, 1, 0.45]);
  expect(asking(0.451)).toEqual(unselected);
});

it("spends no more than the budget, and in a single round is a proportional share of all of it", () => {
  fc.assert(
    fc.property(marketArbitrary(), (drawn) => {
      const single = { ...drawn, rules: { ...drawn.rules, rounds: 1 } };
      const present = { ...single, workers: single.workers.map((worker) => ({ ...worker, arrival: 1 })) };
      expect(allotments(whole, present)).toEqual(allotments(proportionalShare, present));
      const paid = runAuction(whole, drawn).workers.reduce((sum, { payment }) => sum + payment, 0);
      expect(nine(paid)).toBeLessThanOrEqual(nine(drawn.rules.budget) + 1e-9);
    }),
    { numRuns: 100 },
  );
});

it("does not let what happened in a round change another", () => {
  // Without worker 2, which sets the price of round 2 only, round 1 is as it was: 0.35, then 2/4.
  const others = { ...market, workers: market.workers.filter(({ id }) => id !== 2) };
  expect(allotments(whole, others)).toEqual([
    [1, 2, 0.85],
    [1, 2, 0.85],
    [2, 1, 1],
  ]);
});
