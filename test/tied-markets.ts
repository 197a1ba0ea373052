/** Markets of few decimals in which densities, thresholds and budgets tie on purpose, and lies move the start. */

import * as fc from "fast-check";
import { type Market, paperRules } from "../src/market/market.js";

/** The product of two decimals, as the decimal it is: 0.3 · 3 is 0.9. */
const product = (a: number, b: number): number => Number((a * b).toPrecision(12));

const tiedWorker = fc.record({
  id: fc.integer({ min: 0, max: 7 }),
  reputation: fc.constantFrom(0.3, 0.7, 1, 1.1, 2, 3),
  density: fc.constantFrom(0, 0.1, 0.3, 0.6, 0.7, 1, 1.1),
  arrival: fc.integer({ min: 1, max: 3 }),
});

export const tiedMarkets = (): fc.Arbitrary<Market> =>
  fc
    .record({
      budget: fc.integer({ min: 1, max: 12 }),
      rounds: fc.integer({ min: 1, max: 3 }),
      firstRoundRatio: fc.constantFrom(0.3, 0.5, 0.7, 1),
      minWorkers: fc.constantFrom(1, 1, 2),
      reading: fc.constantFrom("prose" as const, "pseudocode" as const),
      workers: fc.uniqueArray(tiedWorker, { selector: ({ id }) => id, minLength: 1, maxLength: 4 }),
    })
    .map(({ workers, ...rules }) => ({
      rules: { ...paperRules, ...rules },
      workers: workers.map(({ id, reputation, density, arrival }) => ({
        id,
        reputation,
        cost: product(density, reputation),
        arrival: Math.min(arrival, rules.rounds),
      })),
    }));
