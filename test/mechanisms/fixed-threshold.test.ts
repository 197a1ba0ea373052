import { expect, it } from "vitest";
import { runAuction } from "../../src/auction/mechanism.js";
import { fixedThreshold } from "../../src/mechanisms/fixed-threshold.js";
import { allotments, marketOf, rulings, unselected } from "./hand-solved.js";

/*
 * T = 2, B = 2.4, ρ* = 0.75. By decreasing reputation: 1 (1), 0 (0.8), 3 and 4 (0.4, the smaller id first), 2 (0.2).
 * Round 1 buys two rounds: worker 1 needs 2 · 1 · 0.75 = 1.5, left 0.9; worker 0 needs 1.2, refused; worker 3 asks
 * 0.35 / 0.4 = 0.875 per unit, too dear; worker 2 needs 0.3, left 0.6.
 * Round 2 buys one: worker 0 needs 0.6 and fits exactly; worker 4 asks 0.75, not too dear, but nothing is left.
 */
const market = marketOf(2.4, 2, [
  [0.8, 0.4, 1],
  [1, 0.5, 1],
  [0.2, 0.1, 1],
  [0.4, 0.35, 1],
  [0.4, 0.3, 2],
]);

it("admits by decreasing reputation whoever asks at most the threshold and fits", () => {
  expect(allotments(fixedThreshold, market)).toEqual([
    [2, 1, 0.6],
    [1, 2, 1.5],
    [1, 2, 0.3],
    unselected,
    unselected,
  ]);
});

it("looks again at who was refused, and records each refusal", () => {
  expect(runAuction(fixedThreshold, market).budgetEvents).toEqual([
    { round: 1, worker: 0, kind: "refused" },
    { round: 2, worker: 4, kind: "refused" },
  ]);
  expect(rulings(fixedThreshold, market)).toEqual([
    "1:1 admitted",
    "1:0 refused",
    "1:3 dear",
    "1:2 admitted",
    "2:1 kept",
    "2:0 admitted",
    "2:3 dear",
    "2:4 refused",
    "2:2 kept",
  ]);
});

it("takes another threshold as an option", () => {
  // At 0.875 worker 1 needs 1.75, leaving 0.65 of 2.4: worker 3 needs 0.7, refused; worker 2 needs 0.35, left 0.3.
  // In round 2 workers 0 (0.7), 3 and 4 (0.35 each) are refused.
  const varied = fixedThreshold.vary!({ density: 0.875 });
  expect(allotments(varied, market)).toEqual([
    unselected,
    [1, 2, 1.75],
    [1, 2, 0.35],
    unselected,
    unselected,
  ]);
});
