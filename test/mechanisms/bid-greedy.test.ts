import { expect, it } from "vitest";
import { runAuction } from "../../src/auction/mechanism.js";
import { bidGreedy } from "../../src/mechanisms/bid-greedy.js";
import { allotments, marketOf, unselected } from "./hand-solved.js";

/*
 * T = 2, B = 2.6. Worker 3 asks least but has no reputation. Then 2 (0.6 for both rounds, left 2), 0 and 1, who ask the
 * same, by id: 0 (1, left 1), 1 (1, left 0). Worker 4 (1.2) does not fit.
 */
const market = marketOf(2.6, 2, [
  [0.1, 0.5, 1],
  [0.9, 0.5, 1],
  [0.5, 0.3, 2],
  [0, 0.2, 1],
  [1, 0.6, 1],
]);

it("[M1] [M2] hires by increasing price whoever has a reputation and still fits, and pays the bid", () => {
  expect(allotments(bidGreedy, market)).toEqual([[1, 2, 1], [1, 2, 1], [1, 2, 0.6], unselected, unselected]);
  expect(runAuction(bidGreedy, market).budgetEvents).toEqual([{ round: 1, worker: 4, kind: "refused" }]);
});

it("pays more to who asks more, as long as it still fits", () => {
  // Worker 2 at 0.5 comes third among equals: 1 + 1 are spent before it, and 1 > 0.6 is not left.
  const asking = (price: number) => allotments(bidGreedy, market, [{ worker: 2, price, arrival: 2 }])[2];
  expect(asking(0.499)).toEqual([1, 2, 0.998]);
  expect(asking(0.5)).toEqual(unselected);
});
