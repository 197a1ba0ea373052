import { expect, it } from "vitest";
import { rrafl } from "../../src/mechanisms/rrafl.js";
import { allotments, marketOf, unselected } from "./hand-solved.js";

/*
 * T = 2; densities 0.2, 0.4, 0.6, 0.9 for reputations 1, 0.5, 1, 1.
 * T · ρ_{k+1} · Σ Re: k = 1: 2 · 0.4 · 1 = 0.8; k = 2: 2 · 0.6 · 1.5 = 1.8; k = 3: 2 · 0.9 · 2.5 = 4.5.
 */
const types = [
  [1, 0.2, 1],
  [0.5, 0.2, 2],
  [1, 0.6, 1],
  [1, 0.9, 1],
] as const;

it("hires the most workers whom the next one's density still affords, whatever their arrival", () => {
  // B = 4 affords k = 2 at ρ = 0.6: 2 · 1 · 0.6 and 2 · 0.5 · 0.6.
  expect(allotments(rrafl, marketOf(4, 2, types))).toEqual([
    [1, 2, 1.2],
    [1, 2, 0.6],
    unselected,
    unselected,
  ]);
});

it("never hires the last of the list, however rich", () => {
  // k = 3 at ρ = 0.9.
  expect(allotments(rrafl, marketOf(100, 2, types))).toEqual([
    [1, 2, 1.8],
    [1, 2, 0.9],
    [1, 2, 1.8],
    unselected,
  ]);
  expect(allotments(rrafl, marketOf(100, 2, [types[0]]))).toEqual([unselected]);
});

it("[M13] affords what fits exactly", () => {
  expect(allotments(rrafl, marketOf(1.8, 2, types))).toEqual([
    [1, 2, 1.2],
    [1, 2, 0.6],
    unselected,
    unselected,
  ]);
  expect(allotments(rrafl, marketOf(1.79, 2, types))).toEqual([
    [1, 2, 0.8],
    unselected,
    unselected,
    unselected,
  ]);
});

it("pays a critical price: asking up to it changes nothing, asking more loses", () => {
  const market = marketOf(4, 2, types);
  const asking = (price: number) => allotments(rrafl, market, [{ worker: 1, price, arrival: 2 }])[1];
  expect(asking(0)).toEqual([1, 2, 0.6]);
  expect(asking(0.299)).toEqual([1, 2, 0.6]);
  expect(asking(0.301)).toEqual(unselected);
});

it("[M2] breaks ties of density by the smaller id", () => {
  // Both ask 0.5: 0 is hired at the density of 1. With k = 1: 1 · 0.5 · 1 ≤ 1.
  expect(
    allotments(
      rrafl,
      marketOf(1, 1, [
        [1, 0.5, 1],
        [0.4, 0.2, 1],
      ]),
    ),
  ).toEqual([[1, 1, 0.5], unselected]);
});
