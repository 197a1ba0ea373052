/** Expected utility over price and arrival, held against plain runs on the same draws. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AnyMechanism, runAuction } from "../../src/auction/mechanism.js";
import { workerUtility } from "../../src/auction/outcome.js";
import { stream } from "../../src/lib/random.js";
import { marketArbitrary } from "../../src/market/generators.js";
import { type Market, paperRules, type Worker } from "../../src/market/market.js";
import { mechanisms } from "../../src/mechanisms/index.js";
import { type Belief, believedMarket, drawnBelief, resampledBelief } from "../../src/responses/belief.js";
import { Draws, drawsOf } from "../../src/responses/draws.js";
import type { Landscape } from "../../src/responses/landscape.js";

const DRAWS = 4;

/** Everybody's types are drawn from those of the market: ties within draws and between them are common. */
const coarse = marketArbitrary({ minWorkers: 2, maxWorkers: 7, maxRounds: 4, numbers: "coarse" });
const generic = marketArbitrary({ minWorkers: 2, maxWorkers: 7, maxRounds: 4, numbers: "generic" });

const beliefOf = (market: Market): Belief =>
  resampledBelief(believedMarket(market), stream("draws"), { pool: market.workers, source: "test" });

/** The mean of plain runs, draw by draw. */
function plainMean(draws: readonly Market[], self: Worker, mechanism: AnyMechanism) {
  return (price: number, arrival: number): number => {
    const utilities = draws.map((market) => {
      const { workers } = runAuction(mechanism, market, [{ worker: self.id, price, arrival }]);
      return workerUtility(self, workers.find(({ id }) => id === self.id)!);
    });
    return utilities.reduce((sum, utility) => sum + utility, 0) / draws.length;
  };
}

/** At the breakpoints, on both sides of them, between them, and on an even grid that knows nothing of them. */
function pricesToTry(breakpoints: readonly number[]): number[] {
  const around = breakpoints.flatMap((at, k) => {
    const next = breakpoints[k + 1] ?? 2 * at + 1;
    return [at, at * (1 - 1e-8), at * (1 + 1e-8), (at + next) / 2];
  });
  const top = 1.2 * Math.max(0.1, ...breakpoints);
  return [...around, ...Array.from({ length: 40 }, (_, k) => (k * top) / 39)];
}

function expectExact(market: Market, mechanism: AnyMechanism): void {
  const self = market.workers[0]!;
  const { rules } = market;
  const draws = new Draws({ rules, mechanism, workers: drawsOf(beliefOf(market), 0, DRAWS) });
  const landscape: Landscape = draws.landscape(self);
  const plain = plainMean(
    Array.from({ length: DRAWS }, (_, k) => draws.market(k, self)),
    self,
    mechanism,
  );
  const scale = Math.max(rules.budget, self.cost * rules.rounds);
  const best = landscape.best(self);
  const told = plain(best.price, best.arrival);
  expect(Math.abs(told - best.utility), JSON.stringify(best)).toBeLessThanOrEqual(1e-8 * scale);
  expect(best.gain).toBeCloseTo(best.utility - plain(self.cost, self.arrival), 9);
  for (let arrival = self.arrival; arrival <= rules.rounds; arrival++)
    for (const price of pricesToTry(landscape.breakpoints(arrival))) {
      const utility = plain(price, arrival);
      const where = `price ${price}, arrival ${arrival}`;
      expect(Math.abs(landscape.utility(self.cost, { price, arrival }) - utility), where).toBeLessThanOrEqual(
        1e-9 * scale,
      );
      expect(utility - best.utility, where).toBeLessThanOrEqual(1e-9 * scale);
    }
}

describe("an expected landscape is the mean of plain runs at every price, and no bid beats its best", () => {
  const runs = { online: 60, "bid-greedy": 20, rrafl: 15, "multi-stage": 10, "posted-rounds": 10 } as const;
  it.each(Object.entries(runs))("%s", (name, numRuns) => {
    const mechanism: AnyMechanism = mechanisms[name as keyof typeof runs];
    const holds = (market: Market) => expectExact(market, mechanism);
    fc.assert(fc.property(coarse, holds), { numRuns });
    fc.assert(fc.property(generic, holds), { numRuns });
  });
});

it("one landscape answers for every cost and every true arrival", () => {
  const rules = { budget: 12, rounds: 5, ...paperRules } as const;
  const belief = drawnBelief({ rules, ids: [0, 1, 2, 3, 4, 5] }, stream("costs"));
  const draws = new Draws({ rules, workers: drawsOf(belief, 0, 30) });
  const landscape = draws.landscape({ id: 2, reputation: 0.6, cost: 0.3, arrival: 1 });
  for (const cost of [0, 0.15, 0.3, 0.45])
    for (const arrival of [1, 3, 5]) {
      const own = draws.landscape({ id: 2, reputation: 0.6, cost, arrival }).best({ cost, arrival });
      const shared = landscape.best({ cost, arrival });
      expect(shared.utility).toBeCloseTo(own.utility, 12);
      expect(shared.arrival).toBe(own.arrival);
    }
});

it("weighted by draws, its supremum is that of the weighted plain runs", () => {
  const rules = { budget: 8, rounds: 3, ...paperRules } as const;
  const self = { id: 1, reputation: 0.7, cost: 0.3, arrival: 1 };
  const belief = drawnBelief({ rules, ids: [0, 1, 2, 3] }, stream("weights"));
  const draws = new Draws({ rules, workers: drawsOf(belief, 0, 5) });
  const landscape = draws.landscape(self);
  const weights = Float64Array.of(1, -2, 0.5, 0, -0.25);
  const markets = Array.from({ length: 5 }, (_, k) => draws.market(k, self));
  const alone = markets.map((market) => plainMean([market], self, mechanisms.online));
  let most = Number.NEGATIVE_INFINITY;
  for (let arrival = 1; arrival <= 3; arrival++)
    for (const price of pricesToTry(landscape.breakpoints(arrival)))
      most = Math.max(
        most,
        alone.reduce((sum, plain, k) => sum + weights[k]! * plain(price, arrival), 0),
      );
  const supremum = landscape.process(self).supremum(weights);
  expect(supremum).toBeGreaterThanOrEqual(most - 1e-12);
  expect(supremum).toBeLessThanOrEqual(most + 1e-6);
});
