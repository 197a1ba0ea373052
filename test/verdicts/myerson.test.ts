import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runAuction } from "../../src/auction/mechanism.js";
import { marketArbitrary } from "../../src/market/generators.js";
import { type Market, paperRules } from "../../src/market/market.js";
import { online } from "../../src/mechanisms/online/online.js";
import { bestResponses } from "../../src/responses/index.js";
import { audit } from "../../src/verdicts/myerson.js";

describe("Myerson's audit", () => {
  it("[P5] finds fault with every worker that can gain by its price alone", () => {
    fc.assert(
      fc.property(marketArbitrary({ minWorkers: 1, maxWorkers: 8, maxRounds: 5 }), (market) => {
        for (const { id, priceGain } of bestResponses(market).workers) {
          if (priceGain <= 1e-6 * Math.max(1, market.rules.budget)) continue;
          const { monotone, paidAsMyerson } = audit(market, id)!;
          expect(monotone && paidAsMyerson).toBe(false);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("finds none with a worker alone at the first step: T · b ≤ B1 sells all rounds for B1, dearer sells none", () => {
    // B1 = 0.5 · 4 = 2, T = 2: critical price 1, and every price up to it is paid 2 · 1 = 2 = b · 2 + (1 − b) · 2.
    const rules = { budget: 4, rounds: 2, ...paperRules, firstRoundRatio: 0.5 } as const;
    const market: Market = { rules, workers: [{ id: 0, reputation: 1, cost: 0.4, arrival: 1 }] };
    expect(audit(market, 0)).toEqual({
      monotone: true,
      rises: [],
      paidAsMyerson: true,
      roundsAtAnyPrice: 0,
      mispayment: null,
    });
  });

  it("finds a price that sells more rounds than a lower one, though all are paid as they should be", () => {
    // B1 = 0.65 · 0.6 = 0.39. Up to 0.13 worker 8 is taken at the first step (3 · 0.13 = 0.39) and paid 0.39 for 3 rounds.
    // Dearer, but below 0.5 / 3, it stands first in line and does not fit: nobody is taken and the task never starts.
    // At 0.5 / 3 it ties with worker 1, whose smaller id comes first: the task starts, and in round 3 it is admitted at
    // worker 1's 0.1 / 0.3 for 1 · 0.5 / 3. Any dearer it is never admitted.
    const rules = { budget: 0.6, rounds: 3, ...paperRules, firstRoundRatio: 0.65 } as const;
    const workers = [
      { id: 1, reputation: 0.3, cost: 0.1, arrival: 1 },
      { id: 8, reputation: 0.5, cost: 0.05, arrival: 1 },
    ];
    const { monotone, rises, paidAsMyerson } = audit({ rules, workers }, 8)!;
    expect([monotone, paidAsMyerson]).toEqual([false, true]);
    expect(rises).toEqual([
      { lower: { price: 0.14, rounds: 0 }, higher: { price: expect.closeTo(0.5 / 3, 12), rounds: 1 } },
    ]);
  });

  const markets = marketArbitrary({ minWorkers: 1, maxWorkers: 6, maxRounds: 4 });
  const roundsAt = (market: Market, worker: number, price: number): number => {
    const { arrival } = market.workers.find(({ id }) => id === worker)!;
    return runAuction(online, market, [{ worker, price, arrival }]).workers.find(({ id }) => id === worker)!
      .rounds;
  };

  it("shows prices of which the higher sells more, and none is found where it says there are none", () => {
    let rising = 0;
    const expectAudited = (market: Market, id: number) => {
      const { monotone, rises } = audit(market, id)!;
      for (const { lower, higher } of rises) {
        expect(higher.price).toBeGreaterThan(lower.price);
        expect(higher.rounds).toBeGreaterThan(lower.rounds);
        for (const { price, rounds } of [lower, higher]) expect(roundsAt(market, id, price)).toBe(rounds);
      }
      const sold = Array.from({ length: 40 }, (_, k) => roundsAt(market, id, k / 39));
      if (sold.some((rounds, k) => k > 0 && rounds > sold[k - 1]!)) expect(monotone).toBe(false);
      if (!monotone) rising++;
    };
    fc.assert(
      fc.property(markets, (market) => {
        for (const { id } of market.workers) expectAudited(market, id);
      }),
      { numRuns: 400 },
    );
    expect(rising).toBeGreaterThan(0);
  });

  it("names a payment that a run at the price, or just beside it, shows", () => {
    fc.assert(
      fc.property(
        marketArbitrary({ minWorkers: 1, maxWorkers: 5, maxRounds: 3, numbers: "generic" }),
        (market) => {
          const { id, arrival } = market.workers[0]!;
          const { mispayment } = audit(market, id)!;
          if (mispayment === null || mispayment.price === 0) return;
          const aside = { at: 0, above: 1e-7, below: -1e-7 }[mispayment.side] * mispayment.price;
          const bid = { worker: id, price: mispayment.price + aside, arrival };
          const { payment } = runAuction(online, market, [bid]).workers.find((one) => one.id === id)!;
          expect(payment).toBeCloseTo(mispayment.paid, 3);
        },
      ),
      { numRuns: 200 },
    );
  });
});
