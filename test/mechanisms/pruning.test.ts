import { expect, it } from "vitest";
import { runAuction } from "../../src/auction/mechanism.js";
import { pruning } from "../../src/mechanisms/pruning.js";
import { allotments, marketOf, nine, rulings, type Type, unselected } from "./hand-solved.js";

/*
 * T = 2, B = 8: 4 per round; worker 4 asks 5 and is left out. Densities 0.5, 0.4, 0.8, 1.2 for reputations 2.5, 1, 3, 1.
 * ρ falls from 4/3, the best being worker 2. All others have 4.5: 4/4.5 = 0.89 is below the 1.2 of worker 3, which is
 * dropped at ρ = 1.2. The others now have 3.5, which is more than 3: they are hired, at 4/3.5 = 8/7 < 1.2.
 */
const types: readonly Type[] = [
  [2.5, 1.25, 1],
  [1, 0.4, 2],
  [3, 2.4, 1],
  [1, 1.2, 1],
  [9, 5, 1],
];

it("lowers the density until those left, without the best one, fit in the budget, and spends all of it", () => {
  expect(allotments(pruning, marketOf(8, 2, types))).toEqual([
    [1, 2, nine(40 / 7)],
    [1, 2, nine(16 / 7)],
    ...[unselected, unselected, unselected],
  ]);
});

it("hires the best one alone where the others are worth no more", () => {
  // With 2 in place of 2.5, the others have 3 once worker 3 is dropped at 1.2: 4/3 is above that, so ρ = 1.2.
  const even = types.map((type, id): Type => (id === 0 ? [2, 1, 1] : type));
  expect(allotments(pruning, marketOf(8, 2, even))).toEqual([
    ...[unselected, unselected],
    [1, 2, 7.2],
    ...[unselected, unselected],
  ]);
  // Alone from the beginning: (B/T) / Re is all of the budget.
  expect(allotments(pruning, marketOf(8, 2, [[2, 1, 1]]))).toEqual([[1, 2, 8]]);
});

it("[M2] drops the larger id first among equal densities", () => {
  // ρ falls from 1 to 0.9, where workers 1 and 2 would need 1.8: 2 goes, 1 could now be paid, and is worth no more than 0.
  const three: readonly Type[] = [
    [1, 0.5, 1],
    [1, 0.9, 1],
    [1, 0.9, 1],
  ];
  expect(rulings(pruning, marketOf(1, 1, three))).toEqual(["1:0 admitted", "1:1 dear", "1:2 dear"]);
  expect(runAuction(pruning, marketOf(1, 1, three)).workers[0]!.payment).toBeCloseTo(0.9, 12);
});

it("pays a critical price: asking up to it changes nothing, asking more loses", () => {
  const asking = (price: number) =>
    allotments(pruning, marketOf(8, 2, types), [{ worker: 1, price, arrival: 2 }])[1];
  expect(asking(0)).toEqual([1, 2, nine(16 / 7)]);
  expect(asking(8 / 7 - 0.001)).toEqual([1, 2, nine(16 / 7)]);
  expect(asking(8 / 7 + 0.001)).toEqual(unselected);
});
