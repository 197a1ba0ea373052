/** Workers that set the price of the first step by losing it: what they say moves the money of their own group. */

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { exactResponses } from "../../src/best-response/online-responses.js";
import { pieceResponses } from "../../src/best-response/pieces.js";
import type { Market } from "../../src/market/market.js";
import { online } from "../../src/mechanisms/online.js";

/** Densities close together, and a first step that buys from few: many lose it, and are admitted and raised later. */
const crowded: fc.Arbitrary<Market> = fc
  .record({
    rounds: fc.integer({ min: 2, max: 6 }),
    firstRoundRatio: fc.constantFrom(0.1, 0.2, 0.3, 0.5),
    tightness: fc.integer({ min: 4, max: 24 }),
    minWorkers: fc.constantFrom(0, 1, 1, 1),
    reading: fc.constantFrom("prose" as const, "pseudocode" as const),
    workers: fc.uniqueArray(
      fc.record({
        id: fc.integer({ min: 0, max: 11 }),
        reputation: fc.integer({ min: 3, max: 20 }).map((k) => k / 10),
        density: fc.integer({ min: 5, max: 40 }).map((k) => k / 50),
        arrival: fc.constantFrom(1, 1, 1, 2, 3),
      }),
      { selector: ({ id }) => id, minLength: 3, maxLength: 9 },
    ),
  })
  .map(({ rounds, firstRoundRatio, tightness, minWorkers, reading, workers }) => {
    const budget = Math.ceil(workers.length * rounds * tightness) / 20;
    return {
      rules: { budget, rounds, firstRoundRatio, minWorkers, reading },
      workers: workers.map(({ id, reputation, density, arrival }) => ({
        id,
        reputation,
        cost: Number((density * reputation).toPrecision(12)),
        arrival: Math.min(arrival, rounds),
      })),
    };
  });

const market = (
  rules: Pick<Market["rules"], "budget" | "rounds" | "firstRoundRatio"> & { minWorkers?: number },
  workers: readonly (readonly [id: number, reputation: number, cost: number, arrival: number])[],
): Market => ({
  rules: { minWorkers: 1, reading: "prose", ...rules },
  workers: workers.map(([id, reputation, cost, arrival]) => ({ id, reputation, cost, arrival })),
});

/** Two of the group of a first loser are paid its density: from some price on the money no longer suffices for itself. */
const flips = market({ budget: 1.2, rounds: 2, firstRoundRatio: 0.5 }, [
  [2, 0.3, 0.03, 1],
  [3, 1, 0.1, 1],
  [0, 1.7, 0.17, 1],
]);

/** The budget sets the price of the first step before the first loser's density does. */
const byBudget = market({ budget: 1.8, rounds: 3, firstRoundRatio: 0.1 }, [
  [1, 0.3, 0.03, 1],
  [2, 0.3, 0.03, 1],
  [0, 0.3, 0.03, 1],
]);

/** A first loser is admitted later, and its raise capped by what its own price has left of the group's money. */
const capped = market({ budget: 4, rounds: 4, firstRoundRatio: 0.1 }, [
  [3, 0.3, 0.03, 1],
  [9, 0.6, 0.06, 1],
  [1, 0.3, 0.03, 2],
  [0, 0.5, 0.05, 3],
  [7, 0.4, 0.04, 3],
]);

/** The task starts with nobody, and the first step sets no price. */
const startsWithNobody = market({ budget: 3, rounds: 3, firstRoundRatio: 0.3, minWorkers: 0 }, [
  [7, 0.7, 0.07, 3],
  [8, 1.1, 0.176, 1],
  [1, 0.3, 0.03, 3],
  [0, 0.3, 0.03, 3],
  [2, 1.2, 0.12, 3],
]);

/** A need that just fits, whatever the worker says. */
const fitsExactly = market({ budget: 12, rounds: 5, firstRoundRatio: 0.3, minWorkers: 0 }, [
  [3, 1.7, 0.986, 1],
  [0, 1.7, 0.17, 1],
  [8, 0.6, 0.24, 1],
]);

it("[M5] [M10] the structural method and the pieces of the text agree on gains and on what is attained", () => {
  fc.assert(
    fc.property(crowded, (market) => {
      const read = pieceResponses(market, online).workers;
      for (const [k, response] of exactResponses(market).workers.entries()) {
        const { gain, priceGain, timeGain, best } = read[k]!;
        const noise = 1e-9 * market.rules.budget;
        expect(Math.abs(response.gain - gain)).toBeLessThanOrEqual(noise);
        expect(Math.abs(response.priceGain - priceGain)).toBeLessThanOrEqual(noise);
        expect(Math.abs(response.timeGain - timeGain)).toBeLessThanOrEqual(noise);
        expect(Math.abs(response.best.utility - best.utility)).toBeLessThanOrEqual(noise);
        expect(response.best.attained).toBe(best.attained);
      }
    }),
    {
      numRuns: 500,
      examples: [flips, byBudget, capped, startsWithNobody, fitsExactly].map((one): [Market] => [one]),
    },
  );
});
