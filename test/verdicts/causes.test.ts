/** Where the gain of a lie comes from, worked out by hand. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runAuction } from "../../src/auction/mechanism.js";
import { workerUtility } from "../../src/auction/outcome.js";
import { marketArbitrary } from "../../src/market/generators.js";
import {
  type Bid,
  delays,
  type Market,
  paperRules,
  truthfulBid,
  type Worker,
} from "../../src/market/market.js";
import { online } from "../../src/mechanisms/online/online.js";
import { promises } from "../../src/mechanisms/online/promises.js";
import { type Causes, causesOf } from "../../src/verdicts/explain.js";

function causes(market: Market, bid: Bid): Causes {
  const worker = market.workers.find(({ id }) => id === bid.worker)!;
  const run = (bids: readonly Bid[]) => {
    const { startDelay, workers } = runAuction(online, market, bids);
    return { startDelay, utility: workerUtility(worker, workers.find(({ id }) => id === worker.id)!) };
  };
  return causesOf(promises(market, worker), worker, bid, { truth: run([]), lie: run([bid]) });
}

it.each(delays)("[M6] %s: where money decides nothing, a worker gets what it is promised", (delay) => {
  fc.assert(
    fc.property(marketArbitrary({ maxWorkers: 6, maxRounds: 4 }), ({ rules, workers }) => {
      const market = { rules: { ...rules, delay }, workers };
      const { startDelay, budgetEvents, workers: results } = runAuction(online, market);
      fc.pre(startDelay !== null && budgetEvents.length === 0);
      for (const worker of workers) {
        const rates = promises(market, worker)(truthfulBid(worker), startDelay);
        const promised = rates.reduce<number>(
          (sum, rate) => sum + (rate === null ? 0 : rate - worker.cost),
          0,
        );
        const utility = workerUtility(worker, results.find(({ id }) => id === worker.id)!);
        expect(Math.abs(promised - utility)).toBeLessThanOrEqual(1e-9 * Math.max(rules.budget, worker.cost));
      }
    }),
  );
});

const nothing: Causes = { rounds: 0, price: 0, budget: 0, start: 0 };

const near = (parts: Partial<Causes>) =>
  Object.fromEntries(Object.entries({ ...nothing, ...parts }).map(([k, v]) => [k, expect.closeTo(v, 12)]));

/*
 * B = 8, T = 2, B1 = 2; both come at clock 2, where the task starts. Worker 1 (reputation 2) asks b:
 *   b ≤ 1: it wins the first step, ρ* = 1/2, and is promised worker 0's threshold 2 in round 2: 1 and 4, of which the half
 *     of the budget pays only 4 in all;
 *   1 < b < 2: nobody is taken, the task never starts;
 *   2 ≤ b ≤ 4: worker 0 is taken, worker 1 admitted in round 2 for 4.
 */
const two = (cost: number): Market => ({
  rules: { budget: 8, rounds: 2, ...paperRules, firstRoundRatio: 0.25 },
  workers: [
    { id: 1, reputation: 2, cost, arrival: 2 },
    { id: 0, reputation: 1, cost: 1, arrival: 2 },
  ],
});

describe("causes of a gain", () => {
  it("the budget's part: what it kept from the truth, which gave up nothing else", () => {
    // Truth: promised 1 + 4, paid 4, two rounds at cost 1. Lie: promised 4 and paid 4 for one round, and the first round
    // was worth 1 − 1 = 0.
    expect(causes(two(1), { worker: 1, price: 3, arrival: 2 })).toEqual(near({ budget: 1 }));
  });

  it("the start's part: a task that never started for the truth does for the lie", () => {
    expect(causes(two(1.5), { worker: 1, price: 3, arrival: 2 })).toEqual(near({ start: 4 - 1.5 }));
    expect(causes(two(3), { worker: 1, price: 1.5, arrival: 2 })).toEqual(near({ start: -(4 - 3) }));
  });

  it("the rounds' part: a round won below its cost, and then the budget keeps the raise", () => {
    // Truth at 3: round 2 for 4. Lie at 0.5: rounds 1 and 2 at 1 and 4, of which 4 is paid: −2 for the round, −1 for the cap.
    expect(causes(two(3), { worker: 1, price: 0.5, arrival: 2 })).toEqual(near({ rounds: -2, budget: -1 }));
  });

  it("the round it won cheaply: given up, for the price of which the budget kept as much", () => {
    // Cost 0.5. Truth: promised 1 and 4 for two rounds, paid 4. Lie: 4 for one. The first round was worth 1 − 0.5.
    expect(causes(two(0.5), { worker: 1, price: 3, arrival: 2 })).toEqual(near({ rounds: -0.5, budget: 1 }));
  });

  it("without reputation nothing is promised, so nothing is caused ([M1])", () => {
    const { rules, workers } = two(1);
    const nobody: Worker = { id: 5, reputation: 0, cost: 1, arrival: 2 };
    expect(causes({ rules, workers: [...workers, nobody] }, { worker: 5, price: 0, arrival: 2 })).toEqual(
      nothing,
    );
  });

  /*
   * B = 12, T = 3, B1 = 6. Worker 0 is taken at the first step, and alone in its group sets β = (6 + 3)/3/2 = 1.5 in round
   * 2. In round 3 β = 2, but worker 2 has come with reputation 3: 2 / (3 + 1) = 0.5. Worker 1 costs 0.4, comes in round 2
   * and is admitted at 1.5 a round. A round later it is offered 0.5: it loses a round worth 1.1, and 1 on the other. Had it
   * been there for the first step, it would have won that.
   */
  const falling: Market = {
    rules: { budget: 12, rounds: 3, ...paperRules, firstRoundRatio: 0.5 },
    workers: [
      { id: 0, reputation: 1, cost: 0.5, arrival: 1 },
      { id: 1, reputation: 1, cost: 0.4, arrival: 2 },
      { id: 2, reputation: 3, cost: 0.3, arrival: 3 },
    ],
  };

  it("the price's part: the rounds worked either way, at another price", () => {
    expect(causes(falling, { worker: 1, price: 0.4, arrival: 3 })).toEqual(near({ rounds: -1.1, price: -1 }));
  });

  it("[M8] asking exactly the threshold is asking no more than it; more gives up every round", () => {
    expect(causes(falling, { worker: 1, price: 1.5, arrival: 2 })).toEqual(near({}));
    expect(causes(falling, { worker: 1, price: 1.6, arrival: 2 })).toEqual(near({ rounds: -2.2 }));
  });
});
