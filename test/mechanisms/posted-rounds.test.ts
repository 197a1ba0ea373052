import * as fc from "fast-check";
import { expect, it } from "vitest";
import { runAuction } from "../../src/auction/mechanism.js";
import { postedRounds } from "../../src/mechanisms/posted-rounds.js";
import { mechanismContract } from "../../src/verdicts/contracts.js";
import { allotments, marketOf, nine, rulings, unselected } from "./hand-solved.js";
import { lieArbitrary, offersMet, truthOf } from "./offers.js";

/*
 * T = 2, B = 8: each group has 8/4 = 2 per round, and that is β too.
 * Round 1. Even sample, densities 0.2 (Re 2) and 0.5 (Re 1): 0.4 and 0.5 · 3 = 1.5 fit, ρ* = 2/3. Odd sample: worker 1
 * alone, 0.6 fits, ρ* = 2. Even, offered 2 per unit: worker 2 needs 4, refused; worker 0 needs 2 and fits exactly. Odd,
 * offered 2/3: worker 1 asks 0.6 and gets 2/3.
 * Round 2. Worker 4 joins the even sample: 0.1, 0.2 · 3 = 0.6 and 0.5 · 4 = 2 fit, ρ* = 1/2. Worker 3 joins the odd one:
 * 1.2 · 2 = 2.4 does not fit, ρ* = min(2, 1.2) = 1.2. Even, offered 1.2: worker 2 needs 2.4, refused; worker 0 gets 1.2,
 * left 0.8; worker 4 needs 1.2, refused. Odd, offered 1/2: worker 1 is now too dear, as is worker 3.
 */
const market = marketOf(8, 2, [
  [1, 0.5, 1],
  [1, 0.6, 1],
  [2, 0.4, 1],
  [1, 1.2, 2],
  [1, 0.1, 2],
]);

it("buys every round afresh at the other group's threshold", () => {
  expect(allotments(postedRounds, market)).toEqual([
    [1, 2, 3.2],
    [1, 1, nine(2 / 3)],
    unselected,
    unselected,
    unselected,
  ]);
});

it("tells thresholds, refusals and every ruling", () => {
  const { thresholds, budgetEvents } = runAuction(postedRounds, market);
  expect(thresholds).toEqual([
    { round: 1, group0: 2 / 3, group1: 2 },
    { round: 2, group0: 0.5, group1: 1.2 },
  ]);
  expect(budgetEvents).toEqual([
    { round: 1, worker: 2, kind: "refused" },
    { round: 2, worker: 2, kind: "refused" },
    { round: 2, worker: 4, kind: "refused" },
  ]);
  expect(rulings(postedRounds, market)).toEqual([
    ...["1:2 refused", "1:0 admitted", "1:1 admitted"],
    ...["2:2 refused", "2:0 admitted", "2:4 refused", "2:1 dear", "2:3 dear"],
  ]);
});

it("learns its thresholds with a share of a round's money, and spends up to all of it", () => {
  // Half: β = 1. Round 1. Even: 0.4 fits, 1.5 does not, ρ* = min(1/2, 0.5); odd: ρ* = 1. Worker 2 needs 2 and fits, worker 0
  // needs 1, refused; worker 1 asks more than 0.5. Round 2. Even: 0.1 and 0.6 fit, 2 does not, ρ* = min(1/3, 0.5); odd:
  // ρ* = min(1, 1.2). Worker 2 needs 2 again; workers 0 and 4 are refused; 1 and 3 ask too much.
  expect(allotments(postedRounds.vary!({ share: 0.5 }), market)).toEqual([
    ...[unselected, unselected],
    [1, 2, 4],
    ...[unselected, unselected],
  ]);
  expect(allotments(postedRounds.vary!({ share: 1 }), market)).toEqual(allotments(postedRounds, market));
});

it("[M4] offers nothing to a group whose counterpart is empty", () => {
  expect(
    allotments(
      postedRounds,
      marketOf(8, 2, [
        [1, 0.1, 1],
        [1, 0.1, 2],
      ]),
    ),
  ).toEqual([
    // Worker 1 alone sets 2 per unit in round 2, which worker 0 takes, and the other way round.
    [2, 1, 2],
    [2, 1, 2],
  ]);
});

it("makes a worker offers that its own bid does not change", () => {
  fc.assert(
    fc.property(lieArbitrary(), ([drawn, worker, lie]) => {
      const truthful = offersMet(postedRounds, drawn, truthOf(worker));
      const later = truthful.filter(({ round }) => round >= lie.arrival);
      expect(offersMet(postedRounds, drawn, lie)).toEqual(later);
    }),
    { numRuns: 500 },
  );
});

it("lets no price and no arrival gain, on a rich grid of both", () => {
  const claim = mechanismContract(postedRounds, { runs: 150, minWorkers: 4 }).find(({ title }) =>
    title.includes("gain"),
  );
  claim!.run();
});
