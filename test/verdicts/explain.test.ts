import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bestResponses } from "../../src/best-response/index.js";
import { marketArbitrary } from "../../src/market/arbitraries.js";
import type { Bid, Market, Worker } from "../../src/market/market.js";
import { explain, type LieKind } from "../../src/verdicts/explain.js";

const markets = marketArbitrary({ minWorkers: 1, maxWorkers: 9, maxRounds: 6 });

/** A market, one of its workers, and any lie of it. */
const lies = fc
  .tuple(markets, fc.nat(), fc.double({ min: 0, max: 1.2, noNaN: true }), fc.nat())
  .map(([market, pick, price, later]): [Market, Bid] => {
    const { id, arrival } = market.workers[pick % market.workers.length]!;
    const choices = market.rules.rounds - arrival + 1;
    return [market, { worker: id, price, arrival: arrival + (later % choices) }];
  });

const noise = ({ rules, workers }: Market) =>
  1e-9 * Math.max(1, rules.budget, ...workers.map(({ cost }) => cost * rules.rounds));

describe("explain", () => {
  it("splits the gain of any lie into causes that add up to it", () => {
    fc.assert(
      fc.property(lies, ([market, bid]) => {
        const { gain, causes } = explain(market, bid);
        const { rounds, price, budget, start } = causes!;
        // Promises can be far larger than the budget: the sum is as exact as the largest of them.
        const scale = Math.max(...[rounds, price, budget, start].map(Math.abs));
        expect(Math.abs(rounds + price + budget + start - gain)).toBeLessThanOrEqual(
          noise(market) + 1e-12 * scale,
        );
      }),
      { numRuns: 1000 },
    );
  });

  it("[M8] without budget and start, no lie gains: what the paper's proofs of P5 and P6 do show", () => {
    fc.assert(
      fc.property(lies, ([market, bid]) => {
        const { rounds, price } = explain(market, bid).causes!;
        const scale = Math.max(Math.abs(rounds), Math.abs(price));
        expect(rounds + price).toBeLessThanOrEqual(noise(market) + 1e-12 * scale);
      }),
      { numRuns: 1000 },
    );
  });

  it("names a kind exactly where the lie gains", () => {
    fc.assert(
      fc.property(lies, ([market, bid]) => {
        const { gain, kind } = explain(market, bid);
        fc.pre(gain > noise(market) || gain <= 0);
        expect(kind !== null).toBe(gain > 0);
      }),
      { numRuns: 500 },
    );
  });

  it("shows no difference for the truth, and one for every lie that changes the utility", () => {
    fc.assert(
      fc.property(lies, ([market, bid]) => {
        const { cost, arrival } = market.workers.find(({ id }) => id === bid.worker)!;
        expect(explain(market, { worker: bid.worker, price: cost, arrival }).difference).toBeNull();
        const { gain, difference } = explain(market, bid);
        if (Math.abs(gain) > noise(market)) expect(difference).not.toBeNull();
      }),
      { numRuns: 500 },
    );
  });
});

describe("kinds of lies, each by the best lie of a market made for it", () => {
  const worker = (id: number, reputation: number, cost: number, arrival: number): Worker => ({
    id,
    reputation,
    cost,
    arrival,
  });
  const kindOfBest = (market: Market, id: number): LieKind | null => {
    const { best } = bestResponses(market, { workers: [id] }).workers[0]!;
    return explain(market, { worker: id, price: best.price, arrival: best.arrival }).kind;
  };

  it("force: worker 3 comes a tick later, no longer stops worker 0 at the first step, and the task starts", () => {
    // Vector 2 of the best responses: with 3 in the pool at clock 1 the share stops at it (5 · 0.4527 > 2.2138)
    // and takes nobody; without it, worker 0 is taken and the task starts.
    const rules = {
      budget: 2.569962,
      rounds: 5,
      firstRoundRatio: 0.8614,
      minWorkers: 1,
      reading: "prose",
    } as const;
    const workers = [
      worker(6, 0.884185, 0.556496, 3),
      worker(0, 0.091624, 0.292847, 1),
      worker(3, 0.805322, 0.452744, 1),
    ];
    expect(kindOfBest({ rules, workers }, 3)).toBe("force");
  });
});
