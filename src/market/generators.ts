/** Where hunts look: random markets of every kind, and small ones drawn as the paper draws them. */

import * as fc from "fast-check";
import { type Stream, stream } from "../lib/random.js";
import { type MarketLimits, marketArbitrary } from "./arbitraries.js";
import { drawMarket } from "./draw.js";
import { type Market, paperRules, type Reading, type Rules } from "./market.js";

export interface Ground {
  readonly readings: readonly Reading[];
  /** The largest first-round ratio. */
  readonly maxRatio: number;
}

const MOST_WORKERS = 12;
const SEEDS = 2 ** 31;
/** Markets are drawn so many at a time. */
export const BATCH = 25;

/** Markets one by one; the k-th is the same whatever the count is. */
export function* drawFrom(ground: fc.Arbitrary<Market>, count: number, draws: Stream): Generator<Market> {
  for (let batch = 0; batch * BATCH < count; batch++)
    yield* batchFrom(ground, batch, draws).slice(0, count - batch * BATCH);
}

/** The batch-th of the batches they are drawn in. */
export function batchFrom(ground: fc.Arbitrary<Market>, batch: number, draws: Stream): Market[] {
  const seed = draws.fork(batch * BATCH).below(SEEDS);
  return fc.sample(ground, { seed, numRuns: BATCH });
}

/** Whether a market is of a ground, its size aside. */
export const within = ({ readings, maxRatio }: Ground, { rules }: Market): boolean =>
  rules.firstRoundRatio <= maxRatio && readings.includes(rules.reading);

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

/** Markets like this one with fewer rounds, or with fewer workers; null where there are none. */
export function groundBelow(ground: Ground, market: Market): fc.Arbitrary<Market> | null {
  const { rules, workers } = market;
  const ids = workers.map(({ id }) => id);
  const fewer = rules.rounds > 1 ? [alike(ground, rules, { ids, most: rules.rounds - 1 })] : [];
  const left = (id: number) => ids.filter((other) => other !== id);
  const most = Math.max(rules.rounds, 4);
  const without = ids.length > 1 ? ids.map((id) => alike(ground, rules, { ids: left(id), most })) : [];
  if (fewer.length + without.length === 0) return null;
  return fc.oneof(...fewer, ...(without.length > 0 ? [fc.oneof(...without)] : []));
}

/** Who takes part, and how many rounds there are at most. */
interface Frame {
  readonly ids: readonly number[];
  readonly most: number;
}

/** The same workers by id, in coarse numbers of all kinds. */
function alike({ maxRatio }: Ground, rules: Rules, { ids, most }: Frame): fc.Arbitrary<Market> {
  const ratios = [paperRules.firstRoundRatio, 0.5, 0.1, 0.9].filter((ratio) => ratio <= maxRatio);
  const drawn = fc.record({
    rounds: fc.integer({ min: Math.min(2, most), max: most }),
    firstRoundRatio: fc.constantFrom(rules.firstRoundRatio, ...ratios),
    perWorker: fc.integer({ min: 1, max: 30 }),
    types: fc.tuple(
      ...ids.map((id) =>
        fc.record({
          id: fc.constant(id),
          reputation: fc.integer({ min: 1, max: 10 }).map((k) => k / 10),
          cost: fc.integer({ min: 0, max: 10 }).map((k) => k / 10),
          arrival: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: most })),
        }),
      ),
    ),
  });
  return drawn.map(({ rounds, firstRoundRatio, perWorker, types }) => ({
    rules: { ...rules, rounds, firstRoundRatio, budget: (perWorker * ids.length * rounds) / 10 },
    workers: types.map((worker) => ({ ...worker, arrival: Math.min(worker.arrival, rounds) })),
  }));
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
