import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bestResponses } from "../../src/best-response/index.js";
import { marketArbitrary } from "../../src/market/arbitraries.js";
import type { Market } from "../../src/market/market.js";
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
    const rules = { budget: 4, rounds: 2, firstRoundRatio: 0.5, minWorkers: 1, reading: "prose" } as const;
    const market: Market = { rules, workers: [{ id: 0, reputation: 1, cost: 0.4, arrival: 1 }] };
    expect(audit(market, 0)).toEqual({ monotone: true, rises: [], paidAsMyerson: true, mispayment: null });
  });
});
