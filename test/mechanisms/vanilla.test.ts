import { expect, it } from "vitest";
import { vanilla } from "../../src/mechanisms/vanilla.js";
import { allotments, marketOf, rulings, unselected } from "./hand-solved.js";

/*
 * T = 2, B = 3; all rounds cost 2, 1 and 1.6. Worker 1 always fits. If 0 comes before 2 it fits (2 + 1 = 3) and 2 no
 * longer does; if 2 comes first it fits (1.6 + 1 = 2.6) and 0 no longer does.
 */
const market = marketOf(3, 2, [
  [0.5, 1, 1],
  [0.5, 0.5, 2],
  [0.5, 0.8, 1],
]);
const seeds = Array.from({ length: 40 }, (_, seed) => seed);

const orderOf = (seed: number): number[] =>
  rulings(vanilla.vary!({ seed }), market).map((ruling) => Number(/:(\d+)/.exec(ruling)![1]));

it.each(seeds.slice(0, 10))("takes in its order whoever still fits and pays the bid (seed %i)", (seed) => {
  const order = orderOf(seed);
  const zeroFirst = order.indexOf(0) < order.indexOf(2);
  expect(allotments(vanilla.vary!({ seed }), market)).toEqual(
    zeroFirst ? [[1, 2, 2], [1, 2, 1], unselected] : [unselected, [1, 2, 1], [1, 2, 1.6]],
  );
});

it("draws every order", () => {
  expect(new Set(seeds.map((seed) => orderOf(seed).join())).size).toBe(6);
});

it("has seed 0 by default", () => {
  expect(rulings(vanilla, market)).toEqual(rulings(vanilla.vary!({ seed: 0 }), market));
});

it("gives a worker the same place whatever it and the others ask, and whoever else is there", () => {
  const richer = marketOf(100, 2, [...market.workers.map(() => [0.9, 0.01, 1] as const), [1, 1, 1]]);
  for (const seed of seeds) {
    const order = rulings(vanilla.vary!({ seed }), richer).map((ruling) => Number(/:(\d+)/.exec(ruling)![1]));
    expect(order.filter((id) => id !== 3)).toEqual(orderOf(seed));
  }
});
