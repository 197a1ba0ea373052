import { expect, it } from "vitest";
import { approximateOptimal } from "../../src/mechanisms/approximate-optimal.js";
import { allotments, marketOf, unselected } from "./hand-solved.js";

/*
 * T = 2, B = 3; costs per reputation 0.5, 0.8, 1, 1.5. Both rounds cost 1 (left 2), 0.8 (left 1.2), 2 (does not fit,
 * skipped) and 0.6 (left 0.6).
 */
const market = marketOf(3, 2, [
  [1, 0.5, 2],
  [0.5, 0.4, 1],
  [1, 1, 1],
  [0.2, 0.3, 1],
]);
const expected = [[1, 2, 1], [1, 2, 0.8], unselected, [1, 2, 0.6]];

it("hires by increasing cost per reputation whoever still fits, and pays the cost", () => {
  expect(allotments(approximateOptimal, market)).toEqual(expected);
});

it("does not look at bids", () => {
  const bids = market.workers.map(({ id }) => ({ worker: id, price: 3 - id, arrival: 2 }));
  expect(allotments(approximateOptimal, market, bids)).toEqual(expected);
});
