/** Markets for random programs: any small ones, and those of one shape. */

import * as fc from "fast-check";
import { exactly, fraction, toNumber } from "../../src/lib/fraction.js";
import { marketArbitrary } from "../../src/market/generators.js";
import { type Market, paperRules } from "../../src/market/market.js";
import { tiedMarkets } from "../tied-markets.js";
import type { ShapeCase } from "./checks.js";

export const markets: fc.Arbitrary<Market> = fc.oneof(
  { weight: 2, arbitrary: tiedMarkets() },
  { weight: 1, arbitrary: marketArbitrary({ minWorkers: 1, maxWorkers: 4, maxRounds: 3 }) },
);

const sizes = fc.constantFrom([1, 1], [2, 1], [1, 2], [2, 2]) as fc.Arbitrary<
  [workers: number, rounds: number]
>;

const reputation = fc.constantFrom(fraction(1), fraction(1), fraction(1, 2), fraction(2));

export const shapeCases: fc.Arbitrary<ShapeCase> = sizes.chain(([workers, rounds]) => {
  const types = fc.array(
    fc.record({
      cost: fc.constantFrom(0, 0.1, 0.25, 0.3, 0.5, 0.6, 0.7, 1, 1.5, 2, 3),
      arrival: fc.integer({ min: 1, max: rounds }),
    }),
    { minLength: workers, maxLength: workers },
  );
  const drawn = fc.record({
    ...{ reputations: fc.array(reputation, { minLength: workers, maxLength: workers }) },
    ...{ firstRoundRatio: fc.constantFrom(0.3, 0.5, 1), minWorkers: fc.constantFrom(1, 2) },
    reading: fc.constantFrom("prose" as const, "pseudocode" as const),
    draws: fc.array(fc.record({ budget: fc.constantFrom(0.5, 1, 2, 3, 5), types }), {
      minLength: 4,
      maxLength: 4,
    }),
  });
  return drawn.map(({ reputations, firstRoundRatio, minWorkers, reading, draws }): ShapeCase => {
    const rules = { ...paperRules, rounds, minWorkers, reading };
    return {
      shape: { ...rules, firstRoundRatio: exactly(firstRoundRatio), reputations },
      markets: draws.map(({ budget, types: own }) => ({
        rules: { ...rules, firstRoundRatio, budget },
        workers: own.map((type, id) => ({ id, reputation: toNumber(reputations[id]!), ...type })),
      })),
    };
  });
});
