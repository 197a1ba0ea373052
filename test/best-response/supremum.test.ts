import { expect, it } from "vitest";
import { Deviation } from "../../src/best-response/deviation.js";
import { bestResponses } from "../../src/best-response/index.js";
import type { Market } from "../../src/market/market.js";
import { online } from "../../src/mechanisms/online.js";

/*
 * B = 12, T = 3, B1 = 3. At the first step worker 2 (0.1) is taken, then worker 0 up to 0.5 (3 · 0.5 · 2 = 3), for ρ* = 0.5.
 * Dearer, worker 0 is the first loser and sets the price for worker 2: the higher, the less of its group's 6 is left. Just
 * above 0.5 it is admitted in round 2 and earns 2.6; at 0.5 it is still a winner of the first step, and earns 2.4.
 */
const market: Market = {
  rules: { budget: 12, rounds: 3, firstRoundRatio: 0.25, minWorkers: 1, reading: "prose" },
  workers: [
    { id: 0, reputation: 1, cost: 0.2, arrival: 1 },
    { id: 1, reputation: 1, cost: 1, arrival: 1 },
    { id: 2, reputation: 1, cost: 0.1, arrival: 1 },
  ],
};

it("a supremum that no price attains is approached from the side it lies on, to 1e-9", () => {
  const { truthful, gain, best } = bestResponses(market).workers[0]!;
  expect([truthful, gain]).toEqual([expect.closeTo(2.4, 12), expect.closeTo(0.2, 12)]);
  expect(best).toMatchObject({ arrival: 1, utility: expect.closeTo(2.6, 12), attained: false });
  expect(best.price).toBeGreaterThan(0.5);
  expect(best.price - 0.5).toBeLessThanOrEqual(1e-9);
  const deviation = new Deviation(online, market, market.workers[0]!);
  expect(2.6 - deviation.utility(best.price, best.arrival)).toBeLessThanOrEqual(1e-8);
  expect(deviation.utility(0.5, 1)).toBeCloseTo(2.4, 12);
});
