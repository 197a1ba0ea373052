/** Where hunts look: random markets of every kind, and small ones drawn as the paper draws them. */

import * as fc from "fast-check";
import { type MarketLimits, marketArbitrary } from "./arbitraries.js";
import { drawMarket } from "./draw.js";
import { type Market, paperRules, type Reading } from "./market.js";
import { type Stream, stream } from "./random.js";

export interface Ground {
  readonly readings: readonly Reading[];
  /** The largest first-round ratio. */
  readonly maxRatio: number;
}

const MOST_WORKERS = 12;
const SEEDS = 2 ** 31;

/** A few markets from the ground: the same ones for the same stream. */
export const drawFrom = (ground: fc.Arbitrary<Market>, count: number, draws: Stream): Market[] =>
  fc.sample(ground, { seed: draws.below(SEEDS), numRuns: count });

/** From one worker to a dozen, half of them with the paper's ratio, a third drawn as the paper draws. */
export function groundOf({ readings, maxRatio }: Ground): fc.Arbitrary<Market> {
  const wide = (limits: MarketLimits) => marketArbitrary({ minWorkers: 1, maxRatio, readings, ...limits });
  const random = fc.oneof(
    wide({ maxWorkers: 4, maxRounds: 4 }),
    wide({ maxWorkers: 8, maxRounds: 6 }),
    wide({ maxWorkers: MOST_WORKERS, maxRounds: 8 }),
  );
  return fc.oneof(random, withPaperRatio(random, maxRatio), paperLike({ readings, maxRatio }));
}

const withPaperRatio = (markets: fc.Arbitrary<Market>, maxRatio: number): fc.Arbitrary<Market> =>
  markets.map(({ rules, workers }) => ({
    rules: { ...rules, firstRoundRatio: Math.min(paperRules.firstRoundRatio, maxRatio) },
    workers,
  }));

/** The paper's distributions in small markets, with budgets from scarce to ample. */
function paperLike({ readings, maxRatio }: Ground): fc.Arbitrary<Market> {
  const drawn = fc.record({
    seed: fc.nat(),
    workers: fc.integer({ min: 2, max: MOST_WORKERS }),
    rounds: fc.integer({ min: 2, max: 10 }),
    perWorker: fc.integer({ min: 5, max: 300 }).map((k) => k / 100),
    minWorkers: fc.constantFrom(1, 1, 1, 2, 3),
    reading: fc.constantFrom(...readings),
    firstRoundRatio: fc.constantFrom(...[0.35, 0.35, 0.5, 0.2, 0.7].filter((ratio) => ratio <= maxRatio)),
  });
  return drawn.map(({ seed, workers, perWorker, ...rules }) => {
    const budget = (perWorker * 100 * workers) / 100;
    return drawMarket({ rules: { ...rules, budget }, workers }, stream(seed));
  });
}
