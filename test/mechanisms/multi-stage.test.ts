import { expect, it } from "vitest";
import { runAuction } from "../../src/auction/mechanism.js";
import type { TraceEvent } from "../../src/auction/trace.js";
import { multiStage } from "../../src/mechanisms/multi-stage.js";
import { allotments, marketOf, nine, rulings, unselected } from "./hand-solved.js";

/*
 * T = 4, so J = 2: stage 2 ends at round 1, stage 1 at round 2 with B/2 in all, stage 0 at round 4 with B. B = 8.
 * End of round 1, β = 8 / (2 · 4) = 1: densities 0.2 and 0.8, reputation 1 each: 0.2 fits, 0.8 · 2 = 1.6 does not;
 * ρ* = min(1, 0.8) = 0.8.
 * Round 2 buys three rounds and may spend 4: worker 0 needs 2.4, left 1.6; worker 1 asks 0.8 and needs 2.4, refused;
 * worker 2 needs 3 · 0.2 · 0.8 = 0.48. Spent 2.88.
 * End of round 2, β = 8 / 4 = 2: all fit (0.8 · 2.2 = 1.76), ρ* = 2 / 2.2 = 10/11.
 */
const types = [
  [1, 0.2, 1],
  [1, 0.8, 1],
  [0.2, 0.04, 2],
] as const;
const density = 10 / 11;

it("admits nobody in the first stage, then doubles money and learns the price anew", () => {
  // Round 3 buys two rounds: worker 0 is raised by (10/11 − 0.8) · 1 · 2, worker 1 admitted for 2 · 10/11, worker 2
  // raised by (10/11 − 0.8) · 0.2 · 2. Worker 3 comes in round 4 and asks 1.
  expect(allotments(multiStage, marketOf(8, 4, [...types, [0.5, 0.5, 4]]))).toEqual([
    [2, 3, nine(2.4 + 2 * (density - 0.8))],
    [3, 2, nine(2 * density)],
    [2, 3, nine(0.48 + 0.4 * (density - 0.8))],
    unselected,
  ]);
});

it("[M10] raises only while the stage's money lasts", () => {
  // Worker 3 comes in round 3, leads the line and needs 2 · 2.7 · 10/11 = 4.909…, so that 8 − 2.88 − 4.909… = 0.2109…
  // is left. Worker 0's raise of 0.2181… is cut to that; worker 1 is refused; for worker 2 nothing is left.
  const market = marketOf(8, 4, [...types, [2.7, 0.27, 3]]);
  expect(allotments(multiStage, market)).toEqual([
    [2, 3, nine(2.4 + 8 - 2.88 - 5.4 * density)],
    unselected,
    [2, 3, 0.48],
    [3, 2, nine(5.4 * density)],
  ]);
  expect(rulings(multiStage, market)).toEqual([
    ...["2:0 admitted", "2:1 refused", "2:2 admitted"],
    ...["3:3 admitted", "3:0 capped", "3:1 refused", "3:2 denied"],
    ...["4:3 kept", "4:0 kept", "4:1 refused", "4:2 denied"],
  ]);
  expect(runAuction(multiStage, market).budgetEvents).toEqual([
    { round: 2, worker: 1, kind: "refused" },
    { round: 3, worker: 0, kind: "capped" },
    { round: 3, worker: 1, kind: "refused" },
    { round: 3, worker: 2, kind: "denied" },
    { round: 4, worker: 1, kind: "refused" },
    { round: 4, worker: 2, kind: "denied" },
  ]);
});

it.each([
  [1, []],
  [2, [1]],
  [3, [1]],
  [4, [1, 2]],
  [10, [1, 2, 5]],
  [16, [1, 2, 4, 8]],
])("has stages that end at ⌊T/2^j⌋, where the next one's price is learned (T = %i)", (rounds, ends) => {
  const learned: number[] = [];
  const tell = (event: TraceEvent) => event.kind === "sample" && learned.push(event.round);
  runAuction(
    multiStage,
    marketOf(
      8,
      rounds,
      types.map(([re, cost]) => [re, cost, 1] as const),
    ),
    [],
    tell,
  );
  expect(learned).toEqual(ends);
});
