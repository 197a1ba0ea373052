import * as fc from "fast-check";
import { expect, it } from "vitest";
import { runAuction } from "../../src/auction/mechanism.js";
import { marketArbitrary } from "../../src/market/generators.js";
import { fallingPrice } from "../../src/mechanisms/falling-price.js";
import { mechanismContract } from "../../src/verdicts/contracts.js";
import { allotments, marketOf, nine, rulings, unselected } from "./hand-solved.js";
import { lieArbitrary, offersMet, truthOf } from "./offers.js";

/*
 * T = 2, B = 8, ratio 1/2: β = 0.5 · 8/4 = 1 throughout, and each group has 4 in all.
 * Round 1 buys two rounds. Even sample, densities 0.2 (Re 2) and 0.5 (Re 1): 0.4 fits, 0.5 · 3 = 1.5 does not,
 * ρ* = min(1/2, 0.5). Odd sample, 0.2 (Re 0.5) and 0.6 (Re 1): 0.1 and 0.6 · 1.5 = 0.9 fit, ρ* = 2/3. Even, at 2/3:
 * worker 2 needs 8/3, left 4/3; worker 0 needs 4/3 and fits exactly. Odd, at 1/2: worker 1 asks 0.6, too dear; worker 5
 * gets 2 · 0.5 · 0.5 = 0.5.
 * Round 2 buys one. Worker 4 joins the even sample: 0.1, 0.2 · 3 = 0.6 fit, 0.5 · 4 = 2 does not, ρ* = 1/3. Workers 3
 * and 7 join the odd one: 0.1 · 2, 0.2 · 2.5 = 0.5 fit, 0.6 · 3.5 = 2.1 does not, ρ* = min(0.4, 0.6). Even, at 0.4:
 * nothing is left for worker 4. Odd, at 1/3: worker 7 needs 2/3 and fits; 1 and 3 are too dear; 5 keeps its pay.
 */
const drawn = marketOf(8, 2, [
  [1, 0.5, 1],
  [1, 0.6, 1],
  [2, 0.4, 1],
  [1, 1.2, 2],
  [1, 0.1, 2],
  [0.5, 0.1, 1],
  [0, 0.1, 1],
  [2, 0.2, 2],
]);
const market = { ...drawn, rules: { ...drawn.rules, firstRoundRatio: 0.5 } };

it("admits for all remaining rounds at the other group's threshold of the moment", () => {
  expect(allotments(fallingPrice, market)).toEqual([
    [1, 2, nine(4 / 3)],
    unselected,
    [1, 2, nine(8 / 3)],
    unselected,
    unselected,
    [1, 2, 0.5],
    unselected,
    [2, 1, nine(2 / 3)],
  ]);
});

it("tells thresholds, refusals and every ruling", () => {
  const { thresholds, budgetEvents } = runAuction(fallingPrice, market);
  expect(thresholds).toEqual([
    { round: 1, group0: 0.5, group1: 2 / 3 },
    { round: 2, group0: 1 / 3, group1: 0.4 },
  ]);
  expect(budgetEvents).toEqual([{ round: 2, worker: 4, kind: "refused" }]);
  expect(rulings(fallingPrice, market)).toEqual([
    ...["1:2 admitted", "1:0 admitted", "1:1 dear", "1:5 admitted"],
    ...["2:4 refused", "2:7 admitted", "2:1 dear", "2:3 dear"],
  ]);
});

it("never raises a price", () => {
  fc.assert(
    fc.property(marketArbitrary({ maxWorkers: 30, maxRounds: 10 }), (any) => {
      const { thresholds } = runAuction(fallingPrice, any);
      for (const group of ["group0", "group1"] as const) {
        const prices = thresholds.flatMap((threshold) => threshold[group] ?? []);
        for (const [k, price] of prices.slice(1).entries())
          expect(price).toBeLessThanOrEqual(prices[k]! * (1 + 1e-12));
      }
    }),
    { numRuns: 500 },
  );
});

it("makes a worker offers that its own bid does not change until it is admitted", () => {
  fc.assert(
    fc.property(lieArbitrary(), ([any, worker, lie]) => {
      const truthful = offersMet(fallingPrice, any, truthOf(worker)).filter(
        ({ round }) => round >= lie.arrival,
      );
      const lying = offersMet(fallingPrice, any, lie);
      const both = Math.min(truthful.length, lying.length);
      expect(lying.slice(0, both)).toEqual(truthful.slice(0, both));
    }),
    { numRuns: 500 },
  );
});

it("keeps the promise: a winner works all remaining rounds", () => {
  fc.assert(
    fc.property(marketArbitrary(), (any) => {
      for (const { selectedAt, rounds } of runAuction(fallingPrice, any).workers)
        expect(rounds).toBe(selectedAt === null ? 0 : any.rules.rounds - selectedAt + 1);
    }),
  );
});

it("lets no price and no arrival gain, on a rich grid of both", () => {
  const claim = mechanismContract(fallingPrice, { runs: 150, minWorkers: 4 }).find(({ title }) =>
    title.includes("gain"),
  );
  claim!.run();
});
