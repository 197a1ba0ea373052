/** Random markets for property tests and for the search for counterexamples, small enough to read; fast-check shrinks them. */

import * as fc from "fast-check";
import { type Stream, stream } from "../lib/random.js";
import { drawMarket } from "./draw.js";
import { type Market, paperRules, type Reading, type Rules, type Worker } from "./market.js";

/** Which markets are drawn, whatever their size. */
export interface MarketRange {
  readonly readings: readonly Reading[];
  /** The largest first-round ratio. */
  readonly maxRatio: number;
  /** No more than a dozen workers and ten rounds if left out. */
  readonly mostWorkers?: number;
  readonly mostRounds?: number;
}

const DRAWN_WORKERS = 12;
const DRAWN_ROUNDS = 10;
const SEEDS = 2 ** 31;
/** How many markets are drawn at a time. */
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
export function marketsIn(range: MarketRange): fc.Arbitrary<Market> {
  const { readings, maxRatio, mostWorkers = DRAWN_WORKERS, mostRounds = DRAWN_ROUNDS } = range;
  const upTo = (workers: number, rounds: number) =>
    marketArbitrary({
      ...{ minWorkers: 1, maxRatio, readings },
      maxWorkers: Math.min(workers, mostWorkers),
      maxRounds: Math.min(rounds, mostRounds),
    });
  const random = fc.oneof(upTo(4, 4), upTo(8, 6), upTo(mostWorkers, range.mostRounds ?? 8));
  const firstRoundRatio = Math.min(paperRules.firstRoundRatio, maxRatio);
  const atPaperRatio = random.map(({ rules, workers }) => ({
    rules: { ...rules, firstRoundRatio },
    workers,
  }));
  return fc.oneof(random, atPaperRatio, paperLike({ ...range, mostWorkers, mostRounds }));
}

/** Markets of one size in coarse numbers, often with the rules of a given market and otherwise with any in the range. */
export function marketsOfSize(
  { readings, maxRatio }: MarketRange,
  { workers, mostRounds }: { readonly workers: number; readonly mostRounds: number },
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
    rules: {
      ...drawnRules,
      firstStep: rules.firstStep,
      delay: rules.delay,
      budget: (perWorker * workers * drawnRules.rounds) / 10,
    },
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

/** The paper's distributions in small markets, with budgets from scarce to ample. */
function paperLike(range: Required<MarketRange>): fc.Arbitrary<Market> {
  const { readings, maxRatio, mostWorkers, mostRounds } = range;
  const drawn = fc.record({
    seed: fc.nat(),
    workers: fc.integer({ min: Math.min(2, mostWorkers), max: mostWorkers }),
    rounds: fc.integer({ min: Math.min(2, mostRounds), max: mostRounds }),
    perWorker: fc.integer({ min: 5, max: 300 }).map((k) => k / 100),
    minWorkers: fc.constantFrom(1, 1, 1, 2, 3),
    reading: fc.constantFrom(...readings),
    firstRoundRatio: fc.constantFrom(...[0.35, 0.35, 0.5, 0.2, 0.7].filter((ratio) => ratio <= maxRatio)),
  });
  return drawn.map(({ seed, workers, perWorker, ...rules }) => {
    const budget = (perWorker * 100 * workers) / 100;
    return drawMarket({ rules: { ...paperRules, ...rules, budget }, workers }, stream(seed));
  });
}

export interface MarketLimits {
  readonly minWorkers?: number;
  readonly maxWorkers?: number;
  readonly maxRounds?: number;
  /** The largest first-round ratio; above 1/2 the paper's mechanism may overspend. */
  readonly maxRatio?: number;
  readonly readings?: readonly Reading[];
  /**
   * "coarse": decimals of one or two digits, so that ties, exact fits and zero reputations are common.
   * "generic": 30-bit fractions, so that knife edges almost never occur.
   */
  readonly numbers?: "coarse" | "generic" | "both";
}

interface Numbers {
  readonly reputation: fc.Arbitrary<number>;
  readonly cost: fc.Arbitrary<number>;
  /** The budget per worker and round: around what one asks on average, so that budgets often bind. */
  readonly tightness: fc.Arbitrary<number>;
  ratio(most: number): fc.Arbitrary<number>;
}

const STEPS = 2 ** 30;

const coarse: Numbers = {
  reputation: fc.integer({ min: 0, max: 10 }).map((k) => k / 10),
  cost: fc.integer({ min: 0, max: 12 }).map((k) => k / 20),
  tightness: fc.integer({ min: 1, max: 30 }).map((k) => k / 20),
  ratio: (most) => fc.integer({ min: 1, max: Math.floor(most * 20) }).map((k) => k / 20),
};

/** Not shrunk: that would take millions of steps, and rounder markets are what "coarse" is for. */
const between = (low: number, high: number) =>
  fc.noShrink(fc.noBias(fc.integer({ min: 1, max: STEPS - 1 }))).map((k) => low + ((high - low) * k) / STEPS);

const generic: Numbers = {
  reputation: between(0, 1),
  cost: between(0, 0.6),
  tightness: between(0.05, 1.5),
  ratio: (most) => between(0.05, most),
};

/** Markets with ids in any order, arrivals anywhere, delayed and failed starts among them. */
export function marketArbitrary(limits: MarketLimits = {}): fc.Arbitrary<Market> {
  const { numbers = "both" } = limits;
  if (numbers !== "both") return marketsOf(numbers === "coarse" ? coarse : generic, limits);
  return fc.oneof(marketsOf(coarse, limits), marketsOf(generic, limits));
}

function marketsOf(numbers: Numbers, limits: MarketLimits): fc.Arbitrary<Market> {
  const { minWorkers = 0, maxWorkers = 12, maxRounds = 6 } = limits;
  const { maxRatio = 0.95, readings = ["prose", "pseudocode"] } = limits;
  const drawn = fc.record({
    rounds: fc.integer({ min: 1, max: maxRounds }),
    tightness: numbers.tightness,
    firstRoundRatio: numbers.ratio(maxRatio),
    minWorkers: fc.constantFrom(1, 1, 2, 3),
    reading: fc.constantFrom(...readings),
    workers: fc.uniqueArray(
      fc.record({
        id: fc.integer({ min: 0, max: 2 * maxWorkers }),
        reputation: numbers.reputation,
        cost: numbers.cost,
        arrival: fc.oneof(
          { weight: 1, arbitrary: fc.constant(1) },
          { weight: 3, arbitrary: fc.integer({ min: 1, max: maxRounds }) },
        ),
      }),
      { selector: ({ id }) => id, minLength: minWorkers, maxLength: maxWorkers },
    ),
  });
  return drawn.map(({ tightness, workers, ...rules }) => ({
    // A whole number of twentieths where the tightness is: a coarse market stays coarse.
    rules: {
      ...paperRules,
      budget: (tightness * 20 * Math.max(1, workers.length) * rules.rounds) / 20,
      ...rules,
    },
    workers: workers.map((worker) => ({ ...worker, arrival: 1 + ((worker.arrival - 1) % rules.rounds) })),
  }));
}
