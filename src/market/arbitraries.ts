/** Random markets for property tests, small enough to read when a property fails: fast-check shrinks them. */

import * as fc from "fast-check";
import type { Market, Reading, Rules, Worker } from "./market.js";

export interface MarketLimits {
  readonly minWorkers?: number;
  readonly maxWorkers?: number;
  readonly maxRounds?: number;
  /** The largest first-round ratio; above 1/2 the paper's mechanism may overspend. */
  readonly maxRatio?: number;
  readonly readings?: readonly Reading[];
  /**
   * "coarse": decimals of one or two digits, so that ties, exact fits and zero reputations are common.
   * "generic": 30-bit fractions, so that decisions hang by a thread about never.
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

/** Not shrunk: towards what would take millions of steps, and a rounder market is what "coarse" is for. */
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
  return drawn.map(({ tightness, workers, ...rules }) => assemble(rules, workers, tightness));
}

/** The budget is a whole number of twentieths where the tightness is: a coarse market stays coarse. */
function assemble(rules: Omit<Rules, "budget">, workers: readonly Worker[], tightness: number): Market {
  const { rounds } = rules;
  const budget = (tightness * 20 * Math.max(1, workers.length) * rounds) / 20;
  return {
    rules: { budget, ...rules },
    workers: workers.map((worker) => ({ ...worker, arrival: 1 + ((worker.arrival - 1) % rounds) })),
  };
}
