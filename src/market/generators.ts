/** Markets to search for counterexamples in: random ones of every kind, and small ones drawn as the paper draws them. */

import * as fc from "fast-check";
import { type Stream, stream } from "../lib/random.js";
import { type MarketLimits, marketArbitrary } from "./arbitraries.js";
import { drawMarket } from "./draw.js";
import { type Market, paperRules, type Reading, type Rules, type Worker } from "./market.js";

/** Which markets are drawn, whatever their size. */
export interface MarketRange {
  readonly readings: readonly Reading[];
  /** The largest first-round ratio. */
  readonly maxRatio: number;
}

const MOST_WORKERS = 12;
const SEEDS = 2 ** 31;
/** Markets are drawn so many at a time. */
export const BATCH = 25;

/** Markets one by one; the k-th is the same whatever the count is. */
export function* drawFrom(markets: fc.Arbitrary<Market>, count: number, draws: Stream): Generator<Market> {
  for (let batch = 0; batch * BATCH < count; batch++)
    yield* batchFrom(markets, batch, draws).slice(0, count - batch * BATCH);
}

/** The batch-th of the batches they are drawn in. */
export function batchFrom(markets: fc.Arbitrary<Market>, batch: number, draws: Stream): Market[] {
  const seed = draws.fork(batch * BATCH).below(SEEDS);
  return fc.sample(markets, { seed, numRuns: BATCH });
}

/** Whether a market is in a range. */
export const isWithin = ({ readings, maxRatio }: MarketRange, { rules }: Market): boolean =>
  rules.firstRoundRatio <= maxRatio && readings.includes(rules.reading);

/** From one worker to a dozen, half of them with the paper's ratio, a third drawn as the paper draws. */
export function marketsIn({ readings, maxRatio }: MarketRange): fc.Arbitrary<Market> {
  const wide = (limits: MarketLimits) => marketArbitrary({ minWorkers: 1, maxRatio, readings, ...limits });
  const random = fc.oneof(
    wide({ maxWorkers: 4, maxRounds: 4 }),
    wide({ maxWorkers: 8, maxRounds: 6 }),
    wide({ maxWorkers: MOST_WORKERS, maxRounds: 8 }),
  );
  return fc.oneof(random, withPaperRatio(random, maxRatio), paperLike({ readings, maxRatio }));
}

/** A number of workers, and how many rounds there are at most. */
export interface MarketSize {
  readonly workers: number;
  readonly mostRounds: number;
}

/** Markets of one size in coarse numbers, often with the rules of a given market and otherwise with any in the range. */
export function marketsOfSize(
  { readings, maxRatio }: MarketRange,
  { workers, mostRounds }: MarketSize,
  rules: Rules,
): fc.Arbitrary<Market> {
  const ratios = [paperRules.firstRoundRatio, 0.5, 0.1, 0.9].filter((ratio) => ratio <= maxRatio);
  const drawn = fc.record({
    rounds: fc.integer({ min: Math.min(2, mostRounds), max: mostRounds }),
    firstRoundRatio: fc.constantFrom(rules.firstRoundRatio, ...ratios),
    minWorkers: fc.constantFrom(rules.minWorkers, 1, Math.min(2, workers)),
    reading: fc.constantFrom(rules.reading, ...readings),
    perWorker: fc.integer({ min: 1, max: 30 }),
    types: fc.tuple(...Array.from({ length: workers }, (_, place) => coarseWorker(place, mostRounds))),
  });
  return drawn.map(({ perWorker, types, ...drawnRules }) => ({
    rules: { ...drawnRules, budget: (perWorker * workers * drawnRules.rounds) / 10 },
    workers: types.map((worker) => ({ ...worker, arrival: Math.min(worker.arrival, drawnRules.rounds) })),
  }));
}

/** A worker of either group, whose id comes after those of the places before it. */
const coarseWorker = (place: number, mostRounds: number): fc.Arbitrary<Worker> =>
  fc.record({
    id: fc.constantFrom(2 * place, 2 * place + 1),
    reputation: fc.integer({ min: 1, max: 10 }).map((k) => k / 10),
    cost: fc.integer({ min: 0, max: 10 }).map((k) => k / 10),
    arrival: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: mostRounds })),
  });

const withPaperRatio = (markets: fc.Arbitrary<Market>, maxRatio: number): fc.Arbitrary<Market> =>
  markets.map(({ rules, workers }) => ({
    rules: { ...rules, firstRoundRatio: Math.min(paperRules.firstRoundRatio, maxRatio) },
    workers,
  }));

/** The paper's distributions in small markets, with budgets from scarce to ample. */
function paperLike({ readings, maxRatio }: MarketRange): fc.Arbitrary<Market> {
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
