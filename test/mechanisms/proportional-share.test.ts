import { expect, it } from "vitest";
import { runAuction } from "../../src/auction/mechanism.js";
import type { TraceEvent } from "../../src/auction/trace.js";
import { proportionalShare } from "../../src/mechanisms/proportional-share.js";
import { allotments, marketOf, unselected } from "./hand-solved.js";

/*
 * T = 2, B = 4; densities 0.2, 0.4, 0.6, 0.9 for reputations 1, 0.5, 1, 1. T · ρ · (Re + Σ taken):
 * 0.4, 1.2 and 3 fit; 2 · 0.9 · 3.5 = 6.3 does not. The budget affords 4 / (2 · 2.5) = 0.8, the fourth asks 0.9.
 */
const types = [
  [1, 0.2, 1],
  [0.5, 0.2, 2],
  [1, 0.6, 1],
  [1, 0.9, 1],
] as const;

it("[M3] shares the whole budget among the taken where the first one left out asks more", () => {
  const expected = [[1, 2, 1.6], [1, 2, 0.8], [1, 2, 1.6], unselected];
  expect(allotments(proportionalShare, marketOf(4, 2, types))).toEqual(expected);
});

it("[M3] pays the density of the first one left out where that is less", () => {
  // The fourth now has reputation 3 and asks 0.65 < 0.8 per unit: 2 · 0.65 · 5.5 = 7.15 > 4.
  const market = marketOf(4, 2, [...types.slice(0, 3), [3, 1.95, 1]]);
  expect(allotments(proportionalShare, market)).toEqual([[1, 2, 1.3], [1, 2, 0.65], [1, 2, 1.3], unselected]);
});

it("[M4] hires nobody where even the first does not fit", () => {
  expect(allotments(proportionalShare, marketOf(0.3, 2, types))).toEqual(Array(4).fill(unselected));
});

it("tells its one decision", () => {
  const events: TraceEvent[] = [];
  runAuction(proportionalShare, marketOf(4, 2, types), [], (event) => events.push(event));
  expect(events).toHaveLength(1);
  expect(events[0]).toMatchObject({ kind: "start", enough: true, share: { taken: [0, 1, 2], density: 0.8 } });
});
