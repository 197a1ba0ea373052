import { expect, it } from "vitest";
import { runAuction } from "../../src/auction/mechanism.js";
import { twoStage } from "../../src/mechanisms/two-stage.js";
import { allotments, marketOf, rulings, unselected } from "./hand-solved.js";

/*
 * T = 4, B = 4: workers 0–2 arrive by round 2 and are the sample, with β = B/T = 1. Densities 0.2, 0.4, 0.8 for
 * reputations 1, 1, 0.5: 0.2 · 1 and 0.4 · 2 = 0.8 fit, 0.8 · 2.5 = 2 does not; ρ* = min(1/2, 0.8) = 0.5.
 * Round 3 buys two rounds, by decreasing reputation: worker 3 needs 2 · 6 · 0.5 = 6 > 4, refused; worker 4 asks 0.6,
 * too dear; worker 5 asks 0.5 and needs 0.8, left 3.2.
 * Round 4 buys one: worker 3 needs 3, left 0.2; worker 6 has arrived and needs 0.3, refused.
 */
const market = marketOf(4, 4, [
  [1, 0.2, 1],
  [1, 0.4, 2],
  [0.5, 0.4, 2],
  [6, 0.6, 3],
  [1, 0.6, 3],
  [0.8, 0.4, 3],
  [0.6, 0.06, 4],
]);

it("hires the second half of the arrivals at the threshold the first half sets", () => {
  expect(allotments(twoStage, market)).toEqual([
    unselected,
    unselected,
    unselected,
    [4, 1, 3],
    unselected,
    [3, 2, 0.8],
    unselected,
  ]);
});

it("looks again at who was refused", () => {
  expect(rulings(twoStage, market)).toEqual([
    "3:3 refused",
    "3:4 dear",
    "3:5 admitted",
    "4:3 admitted",
    "4:4 dear",
    "4:5 kept",
    "4:6 refused",
  ]);
  expect(runAuction(twoStage, market).budgetEvents).toEqual([
    { round: 3, worker: 3, kind: "refused" },
    { round: 4, worker: 6, kind: "refused" },
  ]);
});

it("lets a sample worker win by coming late", () => {
  // Without worker 0 the sample is 0.4 · 1 and 0.8 · 1.5 = 1.2 > 1: ρ* = min(1, 0.8) = 0.8. In round 3 worker 3 needs
  // 9.6, refused; workers 0 and 4 have reputation 1 and need 1.6 each.
  const [first] = allotments(twoStage, market, [{ worker: 0, price: 0.2, arrival: 3 }]);
  expect(first).toEqual([3, 2, 1.6]);
});

it("[M4] hires nobody without a sample", () => {
  expect(allotments(twoStage, marketOf(4, 4, [[1, 0.2, 3]]))).toEqual([unselected]);
  expect(allotments(twoStage, marketOf(4, 1, [[1, 0.2, 1]]))).toEqual([unselected]);
});
