/** Controls of the meter: mechanisms whose gains are known beforehand, and what the search reads on them. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Allotment, Mechanism, Outcome } from "../../src/auction/mechanism.js";
import { marketArbitrary } from "../../src/market/generators.js";
import { type Bidder, type Market, paperRules, type Rules } from "../../src/market/market.js";
import { mechanisms } from "../../src/mechanisms/index.js";
import { searchResponses } from "../../src/responses/index.js";

const markets = marketArbitrary({ minWorkers: 1, maxWorkers: 8, maxRounds: 4 });

/** A reading is off by no more than this. */
const tolerance = ({ rules, workers }: Market): number =>
  1e-6 * Math.max(rules.budget, ...workers.map(({ cost }) => cost * rules.rounds));

describe("critical prices: the meter reads 0 for price lies", () => {
  it.each(["proportional-share", "rrafl"] as const)("on %s", (name) => {
    fc.assert(
      fc.property(markets, (market) => {
        const mechanism = mechanisms[name];
        for (const { priceGain } of searchResponses(market, { mechanism, effort: 600 }).workers)
          expect(priceGain).toBeLessThanOrEqual(tolerance(market));
      }),
      { numRuns: 100 },
    );
  });
});

/**
 * Bid greedy, in closed form. The truth earns nothing: paid its bid, a worker gets T·c − T·c = 0. A bid b stands behind
 * all cheaper ones, which are hired as if the worker were not there; say they take S(b). It is hired if
 * S(b) + T·b ≤ B. S never falls as b rises, so the bids that are hired are those up to some b*, and the best of them
 * earns T·(b* − c), or nothing where b* < c. Between the prices of two neighbours S is constant, so b* is the largest
 * min((B − S_k) / T, p_{k+1}) of the intervals whose lower end p_k is still hired.
 */
function bidGreedyGain({ rules, workers }: Market, id: number): number {
  const { budget, rounds } = rules;
  const self = workers.find((worker) => worker.id === id)!;
  if (self.reputation === 0) return 0;
  const prices = workers
    .filter((worker) => worker.id !== id && worker.reputation > 0)
    .map(({ cost }) => cost)
    .sort((a, b) => a - b);
  let highest = 0;
  let spent = 0;
  for (const [k, from] of [0, ...prices].entries()) {
    if (k > 0 && spent + rounds * from <= budget * (1 + 1e-12)) spent += rounds * from;
    const affordable = (budget - spent) / rounds;
    if (affordable >= from) highest = Math.min(affordable, prices[k] ?? Number.POSITIVE_INFINITY);
  }
  return rounds * Math.max(0, highest - self.cost);
}

describe("pay your bid: the meter reads the closed form", () => {
  it("bid-greedy: T · (b* − c), b* the highest bid that is still hired", () => {
    fc.assert(
      fc.property(markets, (market) => {
        const { workers } = searchResponses(market, { mechanism: mechanisms["bid-greedy"], effort: 600 });
        for (const { id, truthful, priceGain, timeGain } of workers) {
          expect(Math.abs(truthful)).toBeLessThanOrEqual(tolerance(market));
          expect(Math.abs(priceGain - bidGreedyGain(market, id))).toBeLessThanOrEqual(tolerance(market));
          expect(timeGain).toBe(0);
        }
      }),
      { numRuns: 100 },
    );
  });

  it("bid-greedy: a worker alone asks for the whole budget", () => {
    const market: Market = {
      rules: { budget: 10, rounds: 2, ...paperRules },
      workers: [{ id: 0, reputation: 1, cost: 1, arrival: 1 }],
    };
    const [worker] = searchResponses(market, { mechanism: mechanisms["bid-greedy"] }).workers;
    expect(worker!.priceGain).toBeCloseTo(8, 6);
  });
});

/** An auction that buys single rounds: whoever is bought in a round, at which pay. */
function buyingRounds(
  name: string,
  purchases: (rules: Rules, bids: readonly Bidder[]) => Purchase[],
): Mechanism {
  return {
    name,
    about: "Buys single rounds.",
    decide(rules, bids): Outcome {
      const bought = new Map(purchases(rules, bids).map((purchase) => [purchase.worker, purchase]));
      const workers = [...bids]
        .sort((a, b) => a.id - b.id)
        .map(({ id }): Allotment => {
          const { round = null, payment = 0 } = bought.get(id) ?? {};
          return { id, selectedAt: round, rounds: round === null ? 0 : 1, payment };
        });
      return { started: true, startDelay: 0, workers, thresholds: [], budgetEvents: [] };
    },
  };
}

interface Purchase {
  readonly worker: number;
  readonly round: number;
  readonly payment: number;
}

const byPrice = (a: Bidder, b: Bidder): number => a.price - b.price || a.id - b.id;

/** A second-price auction in every round among those present and not yet bought; who is alone is paid the budget of the round. */
const vickreyEveryRound = buyingRounds("vickrey-every-round", ({ rounds, budget }, bids) => {
  const purchases: Purchase[] = [];
  for (let round = 1; round <= rounds; round++) {
    const bought = new Set(purchases.map(({ worker }) => worker));
    const [first, second] = bids
      .filter(({ id, arrival }) => arrival <= round && !bought.has(id))
      .sort(byPrice);
    if (first) purchases.push({ worker: first.id, round, payment: second?.price ?? budget / rounds });
  }
  return purchases;
});

/** The first half of the rounds only teaches the price, the lowest seen; later the first to accept it is bought, once. */
const learnThenBuy = buyingRounds("learn-then-buy", ({ rounds }, bids) => {
  const half = Math.floor(rounds / 2);
  const [lowest] = bids.filter(({ arrival }) => arrival <= half).sort(byPrice);
  if (!lowest) return [];
  const [taker] = bids
    .filter(({ arrival, price }) => arrival > half && price <= lowest.price)
    .sort((a, b) => a.arrival - b.arrival || byPrice(a, b));
  return taker ? [{ worker: taker.id, round: taker.arrival, payment: lowest.price }] : [];
});

const readings = (mechanism: Mechanism, market: Market) =>
  searchResponses(market, { mechanism }).workers.map(({ id, truthful, priceGain, timeGain, gain }) => ({
    id,
    truthful,
    priceGain,
    timeGain,
    gain,
  }));

const nothing = { priceGain: 0, timeGain: 0, gain: 0 };

describe("time lies of Parkes' Online Mechanisms, re-cast for buying: the meter reads the gain known by hand", () => {
  /*
   * Selling one item a period by second price to buyers worth 100 and 80 (both from period 1 on) and 60 (in period 2):
   * the first pays 80 at once, and 60 if she turns up a period later. For buying, a value v becomes a cost 100 − v, and
   * 100 is what a seller alone is paid.
   *   Truth: round 1 buys worker 0 (cost 0) at the second price 20; round 2 buys worker 1 (20) at 40.
   *   Worker 0 at 2: round 1 buys worker 1, alone, at 100; round 2 buys worker 0 at worker 2's 40. It gains 40 − 20 = 20.
   *   Worker 0 asking between 20 and 40: round 1 buys worker 1, round 2 worker 0 at 40: the same 20 without delay.
   *   Worker 1: first at a price of 0 only by a smaller id, which it has not; in round 2 it is paid 40 whatever it does.
   *   Worker 2: bought only below 20, at 20, which is less than its cost 40.
   */
  it("a second-price auction in every round: the cheapest waits for weaker rivals", () => {
    const market: Market = {
      rules: { budget: 200, rounds: 2, ...paperRules },
      workers: [
        { id: 0, reputation: 1, cost: 0, arrival: 1 },
        { id: 1, reputation: 1, cost: 20, arrival: 1 },
        { id: 2, reputation: 1, cost: 40, arrival: 2 },
      ],
    };
    expect(readings(vickreyEveryRound, market)).toEqual([
      { id: 0, truthful: 20, priceGain: 20, timeGain: 20, gain: 20 },
      { id: 1, truthful: 20, ...nothing },
      { id: 2, truthful: 0, ...nothing },
    ]);
  });

  /*
   * The secretary's way to sell: watch the first arrivals, then sell to the first who beats the best of them, at that
   * price. Whoever is watched can never win, so the best of them had better come later. For buying, best is cheapest.
   *   Truth: worker 0 (cost 1) and worker 1 (2) are watched, the price is 1, worker 2 (3) does not accept: nobody is bought.
   *   Worker 0 at 3 or 4: worker 1 alone is watched, the price is 2, worker 0 accepts. It gains 2 − 1 = 1.
   *   No price helps the watched, and worker 1 at 3 meets worker 0's price 1, below its cost; so does worker 2.
   */
  it("learning first, buying later: whoever would teach the price comes after the lesson", () => {
    const market: Market = {
      rules: { budget: 100, rounds: 4, ...paperRules },
      workers: [
        { id: 0, reputation: 1, cost: 1, arrival: 1 },
        { id: 1, reputation: 1, cost: 2, arrival: 2 },
        { id: 2, reputation: 1, cost: 3, arrival: 3 },
      ],
    };
    expect(readings(learnThenBuy, market)).toEqual([
      { id: 0, truthful: 0, priceGain: 0, timeGain: 1, gain: 1 },
      { id: 1, truthful: 0, ...nothing },
      { id: 2, truthful: 0, ...nothing },
    ]);
  });
});
