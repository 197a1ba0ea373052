/** Markets worked out by hand for the textbook mechanisms. T = 2 and B = 12 unless a test says otherwise. */

import { expect, it } from "vitest";
import { mechanismNamed } from "../../../src/mechanisms/index.js";
import { clockAuction } from "../../../src/mechanisms/published/clock-auction.js";
import { firstPrice } from "../../../src/mechanisms/published/first-price.js";
import { uniformPrice } from "../../../src/mechanisms/published/uniform-price.js";
import { vcg } from "../../../src/mechanisms/published/vcg.js";
import { vickrey } from "../../../src/mechanisms/published/vickrey.js";
import { bestResponses } from "../../../src/responses/index.js";
import { allotments, marketOf, rulings, unselected } from "../hand-solved.js";

const types = [
  [1, 1, 1],
  [2, 1.5, 1],
  [1, 2, 1],
  [1, 4, 2],
] as const;
const market = marketOf(12, 2, types);
const nobody = types.map(() => unselected);

it("first-price pays the cheapest their bids", () => {
  expect(allotments(firstPrice, market)).toEqual([[1, 2, 2], unselected, unselected, unselected]);
  expect(allotments(mechanismNamed("first-price:winners=2"), market).slice(0, 3)).toEqual([
    [1, 2, 2],
    [1, 2, 3],
    unselected,
  ]);
  // Asking just less than the second keeps the place, at that pay.
  expect(allotments(firstPrice, market, [{ worker: 0, price: 1.49, arrival: 1 }])[0]).toEqual([1, 2, 2.98]);
});

it("first-price has no bound on what a worker alone gains", () => {
  const [response] = bestResponses(marketOf(12, 2, types.slice(0, 1)), { mechanism: firstPrice }).workers;
  expect(response).toMatchObject({ truthful: 0, gain: Number.POSITIVE_INFINITY });
  expect(response!.best.price).toBeGreaterThan(1);
});

it("vickrey pays the cheapest the second price, whatever it asks below that", () => {
  expect(allotments(vickrey, market)).toEqual([[1, 2, 3], unselected, unselected, unselected]);
  expect(allotments(vickrey, market, [{ worker: 0, price: 1.49, arrival: 1 }])[0]).toEqual([1, 2, 3]);
  expect(allotments(vickrey, market, [{ worker: 0, price: 1.51, arrival: 1 }]).slice(0, 2)).toEqual([
    unselected,
    [1, 2, 3.02],
  ]);
});

it("vickrey hires nobody where there is no second price", () => {
  expect(allotments(vickrey, marketOf(12, 2, types.slice(0, 1)))).toEqual([unselected]);
  expect(allotments(vickrey, marketOf(12, 2, []))).toEqual([]);
});

it("[M2] vickrey breaks a tie by the smaller id, at no gain to either", () => {
  const tied = marketOf(12, 2, [types[0], types[0]]);
  expect(allotments(vickrey, tied)).toEqual([[1, 2, 2], unselected]);
});

it("uniform-price pays the k cheapest the price of the next", () => {
  expect(allotments(uniformPrice, market)).toEqual([[1, 2, 4], [1, 2, 4], unselected, unselected]);
  const three = mechanismNamed("uniform-price:winners=3");
  expect(allotments(three, market)).toEqual([[1, 2, 8], [1, 2, 8], [1, 2, 8], unselected]);
  expect(allotments(mechanismNamed("uniform-price:winners=4"), market)).toEqual(nobody);
});

it("vcg pays each winner what its rounds would cost from the others", () => {
  // Three rounds: two of worker 0, one of worker 1. Worker 0's would cost 1.5 and 2, worker 1's would cost 2.
  expect(allotments(vcg, market)).toEqual([[1, 2, 3.5], [1, 1, 2], unselected, unselected]);
  // Four rounds: 0 and 1 sell two each; either's would cost 2 · 2.
  expect(allotments(mechanismNamed("vcg:units=4"), market).slice(0, 3)).toEqual([
    [1, 2, 4],
    [1, 2, 4],
    unselected,
  ]);
});

it("vcg hires nobody where some worker could not be replaced", () => {
  expect(allotments(mechanismNamed("vcg:units=6"), market).slice(2)).toEqual([[1, 2, 8], unselected]);
  expect(allotments(mechanismNamed("vcg:units=7"), market)).toEqual(nobody);
});

it("posted-price hires whoever asks no more while the budget lasts", () => {
  // A price of 2 takes 2 · 2 of 12 from each of three workers, and worker 3 asks more.
  const posted = mechanismNamed("posted-price:price=2");
  expect(allotments(posted, market)).toEqual([[1, 2, 4], [1, 2, 4], [1, 2, 4], unselected]);
  expect(allotments(posted, marketOf(11, 2, types))).toEqual([[1, 2, 4], [1, 2, 4], unselected, unselected]);
  expect(rulings(posted, marketOf(11, 2, types))).toEqual([
    "1:0 admitted",
    "1:1 admitted",
    "1:2 refused",
    "1:3 dear",
  ]);
});

it("clock-auction stops where the price falls to an equal share of the budget", () => {
  // With four left at 12 / 8 = 1.5 worker 3 has gone; with three at 12 / 6 = 2 worker 2 just stays.
  expect(allotments(clockAuction, market)).toEqual([[1, 2, 4], [1, 2, 4], [1, 2, 4], unselected]);
  // B = 11: 11 / 6 is less than 2; with two left the clock has fallen to 2, and 11 / 4 is more.
  expect(allotments(clockAuction, marketOf(11, 2, types)).slice(0, 3)).toEqual([
    [1, 2, 4],
    [1, 2, 4],
    unselected,
  ]);
});

it("clock-auction stops at once where all who are left can be paid when the dearest leaves", () => {
  // B = 30: 30 / 8 = 3.75 is less than 4, where worker 3 leaves; the other three cost 3 · 2 · 4 = 24.
  expect(allotments(clockAuction, marketOf(30, 2, types))).toEqual([
    [1, 2, 8],
    [1, 2, 8],
    [1, 2, 8],
    unselected,
  ]);
  expect(allotments(clockAuction, marketOf(1.9, 2, types))).toEqual(nobody);
});
