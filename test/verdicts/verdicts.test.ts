/** What a verdict says of a market: for whom a claim breaks, how badly, and in which regime. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Mechanism, runAuction } from "../../src/auction/mechanism.js";
import { type Regime, regimeOf, regimes } from "../../src/auction/outcome.js";
import { marketArbitrary } from "../../src/market/generators.js";
import { type Bidder, type Market, paperRules, type Rules } from "../../src/market/market.js";
import { online } from "../../src/mechanisms/online/online.js";
import { propertyNames } from "../../src/properties/properties.js";
import { bestResponses, type Response } from "../../src/responses/index.js";
import { Deviation } from "../../src/responses/search.js";
import { check, examine } from "../../src/verdicts/properties.js";
import { responseVectors } from "../golden.js";

const markets = marketArbitrary({ minWorkers: 1, maxWorkers: 7, maxRounds: 5, maxRatio: 0.9 });

/** A mechanism of somebody else's, of which nothing is known but what it decides. */
const hiring = (pays: (bid: Bidder, rules: Rules) => number | null): Mechanism => ({
  name: "somebody-elses",
  about: "Hires one by one.",
  decide: (rules, bids) => ({
    started: true,
    startDelay: 0,
    workers: bids.map((bid) => {
      const payment = pays(bid, rules);
      const hired = payment !== null;
      return {
        id: bid.id,
        selectedAt: hired ? rules.rounds : null,
        rounds: hired ? 1 : 0,
        payment: payment ?? 0,
      };
    }),
    thresholds: [],
    budgetEvents: [],
  }),
});

describe("a verdict on lies", () => {
  it.each([
    ["P5", "priceGain"],
    ["P6", "timeGain"],
    ["joint", "gain"],
  ] as const)("[%s] breaks in a regime by the largest %s of a worker in it", (property, gain) => {
    const vectors = fc.constantFrom(...responseVectors.map(({ market }) => market));
    fc.assert(
      fc.property(fc.oneof(markets, vectors), (market) => {
        const [verdict] = check(market, { properties: [property] });
        const { workers } = bestResponses(market);
        const largest = (regime: Regime) =>
          Math.max(...workers.filter((worker) => worker.regime === regime).map((worker) => worker[gain]));
        for (const regime of regimes) {
          const most = largest(regime);
          const judgement = most > 0 ? "breaks" : most === 0 ? "holds" : null;
          expect(verdict!.byRegime[regime]).toBe(judgement);
        }
        expect(verdict!.verdict).toBe(workers.some((worker) => worker[gain] > 0) ? "breaks" : "holds");
        const broken = regimes.filter((regime) => largest(regime) > 0);
        expect(verdict!.witnesses.map(({ regime }) => regime)).toEqual(broken);
        for (const { regime, amount } of verdict!.witnesses) expect(amount).toBeCloseTo(largest(regime), 9);
      }),
      { numRuns: 400 },
    );
  });

  it("has witnesses whose lies, told, bring the amount", () => {
    fc.assert(
      fc.property(markets, (market) => {
        for (const { property, lie, worker: id, amount } of check(market).flatMap(
          ({ witnesses }) => witnesses,
        )) {
          if (lie === null) continue;
          const worker = market.workers.find((one) => one.id === id)!;
          const deviation = new Deviation(online, market, worker);
          const gain =
            deviation.utility(lie.price, lie.arrival) - deviation.utility(worker.cost, worker.arrival);
          expect(Math.abs(gain - amount)).toBeLessThanOrEqual(1e-8 * Math.max(1, market.rules.budget));
          expect(lie.worker).toBe(id);
          if (property === "P5") expect(lie.arrival).toBe(worker.arrival);
          if (property === "P6") expect(lie.price).toBe(worker.cost);
        }
      }),
      { numRuns: 100 },
    );
  });

  it("an examination names everybody for whom a claim breaks", () => {
    fc.assert(
      fc.property(markets, (market) => {
        const idsOf = (gains: (response: Response) => number) =>
          bestResponses(market)
            .workers.filter((response) => gains(response) > 0)
            .map(({ id }) => id);
        const [price, time, joint] = examine(market, { properties: ["P5", "P6", "joint"] });
        expect(price!.witnesses.map(({ worker }) => worker)).toEqual(idsOf(({ priceGain }) => priceGain));
        expect(time!.witnesses.map(({ worker }) => worker)).toEqual(idsOf(({ timeGain }) => timeGain));
        expect(joint!.witnesses.map(({ worker }) => worker)).toEqual(idsOf(({ gain }) => gain));
      }),
      { numRuns: 100 },
    );
  });

  it("is given on every claim unless some are asked for", () => {
    const [market] = fc.sample(markets, 1);
    expect(check(market!).map(({ property }) => property)).toEqual(propertyNames);
    expect(check(market!, { properties: ["P6", "P1"] }).map(({ property }) => property)).toEqual([
      "P6",
      "P1",
    ]);
  });
});

/*
 * B = 2, T = 2, B1 = 1.8, as printed. Worker 0 (cost 0.8) wins the first step alone and is paid all of B1: 1.8, 0.8 more than
 * its group's half. In round 2 worker 1 has come and sets ρ* = 0.5 / 0.5 = 1 > 0.9: the raise of 0.1 is cut to what is left,
 * −0.8. Worker 0 works two rounds for 1.0 and loses 0.6.
 */
const lowered: Market = {
  rules: { budget: 2, rounds: 2, ...paperRules, firstRoundRatio: 0.9, reading: "pseudocode" },
  workers: [
    { id: 0, reputation: 1, cost: 0.8, arrival: 1 },
    { id: 1, reputation: 0.5, cost: 0.05, arrival: 2 },
  ],
};

describe("verdicts on one run", () => {
  it("[P1] [M11] breaks where the printed cap lowers a payment below the cost", () => {
    const [rationality, feasibility] = check(lowered, { properties: ["P1", "P2"] });
    expect(rationality).toMatchObject({
      verdict: "breaks",
      byRegime: { sufficient: "holds", tight: "breaks", "late start": null, "late and tight": null },
      witnesses: [{ property: "P1", worker: 0, regime: "tight", lie: null, amount: expect.closeTo(0.6, 12) }],
    });
    expect(feasibility!.verdict).toBe("holds");
  });

  it("[P1] a worker paid exactly its cost loses nothing", () => {
    // Alone, at the critical price: B1 = 2 = 2 · 1.
    const rules = { budget: 4, rounds: 2, ...paperRules, firstRoundRatio: 0.5 } as const;
    const market: Market = { rules, workers: [{ id: 0, reputation: 1, cost: 1, arrival: 1 }] };
    expect(check(market, { properties: ["P1"] })[0]!.verdict).toBe("holds");
  });

  it("[P2] breaks in every regime that somebody is in, by what is paid beyond the budget", () => {
    fc.assert(
      fc.property(marketArbitrary({ minWorkers: 1, maxRatio: 1 }), (market) => {
        const outcome = runAuction(online, market);
        const spent = outcome.workers.reduce((sum, { payment }) => sum + payment, 0);
        const over = spent - market.rules.budget;
        fc.pre(Math.abs(over) > 1e-9 * spent);
        const { witnesses, verdict, byRegime } = check(market, { properties: ["P2"] })[0]!;
        expect(verdict).toBe(over > 0 ? "breaks" : "holds");
        const there = new Set(market.workers.map(({ id }) => regimeOf(outcome, id)));
        for (const regime of regimes) expect(byRegime[regime]).toBe(there.has(regime) ? verdict : null);
        for (const { amount, worker } of witnesses)
          expect([amount, worker]).toEqual([expect.closeTo(over, 9), null]);
      }),
      { numRuns: 300 },
    );
  });
});

describe("[P4] consumer sovereignty", () => {
  it("a witness is paid for no bid of a grid, and nobody else is without one that pays", () => {
    fc.assert(
      fc.property(marketArbitrary({ minWorkers: 1, maxWorkers: 5, maxRounds: 4 }), (market) => {
        const [verdict] = examine(market, { properties: ["P4"] });
        const excluded = new Set(verdict!.witnesses.map(({ worker }) => worker));
        for (const worker of market.workers) {
          const deviation = new Deviation(online, market, worker);
          const paid = deviation.arrivals.some((arrival) =>
            Array.from({ length: 40 }, (_, k) => (k / 20) ** 2).some((price) => {
              const mine = deviation.outcome(price, arrival).workers.find(({ id }) => id === worker.id)!;
              return mine.payment > 0;
            }),
          );
          if (paid) expect(excluded.has(worker.id)).toBe(false);
          if (worker.reputation === 0) expect(excluded.has(worker.id)).toBe(true);
        }
      }),
      { numRuns: 100 },
    );
  });

  it("[M6] breaks for a worker alone where two are needed: no bid starts the task", () => {
    const rules = { budget: 4, rounds: 2, ...paperRules, firstRoundRatio: 0.5, minWorkers: 2 } as const;
    const market: Market = { rules, workers: [{ id: 4, reputation: 1, cost: 0.1, arrival: 1 }] };
    expect(check(market, { properties: ["P4"] })[0]).toMatchObject({
      verdict: "breaks",
      byRegime: { sufficient: null, tight: null, "late start": null, "late and tight": "breaks" },
      witnesses: [{ property: "P4", worker: 4, regime: "late and tight", lie: null, amount: 0 }],
      method: "exact",
    });
  });

  it("without an exact method, a worker that some bid gets hired proves it, and one that none does proves nothing", () => {
    const rules = { budget: 4, rounds: 2, ...paperRules, firstRoundRatio: 0.5 } as const;
    const payingBids = hiring(({ reputation, price }) => (reputation > 0 ? price : null));
    // Paid its bid, a worker that asks 0 is paid nothing; it has to ask for something.
    const hired: Market = { rules, workers: [{ id: 0, reputation: 1, cost: 0.5, arrival: 1 }] };
    expect(check(hired, { mechanism: payingBids, properties: ["P4"] })[0]!.verdict).toBe("holds");
    const nobody: Market = { rules, workers: [{ id: 0, reputation: 0, cost: 0.5, arrival: 1 }] };
    const [verdict] = check(nobody, { mechanism: payingBids, properties: ["P4"] });
    expect([verdict!.verdict, verdict!.witnesses]).toEqual(["none found", []]);
  });

  it("without an exact method, any arrival from the true one on may be the one that pays", () => {
    const rules = { budget: 4, rounds: 3, ...paperRules, firstRoundRatio: 0.5 } as const;
    const market: Market = { rules, workers: [{ id: 0, reputation: 1, cost: 0.5, arrival: 2 }] };
    const sovereign = (mechanism: Mechanism) => check(market, { mechanism, properties: ["P4"] })[0]!.verdict;
    expect(sovereign(hiring(({ arrival, price }) => (arrival === 3 ? price : null)))).toBe("holds");
    expect(sovereign(hiring(({ arrival, price }) => (arrival === 2 ? price : null)))).toBe("holds");
    expect(sovereign(hiring(({ arrival, price }) => (arrival === 1 ? price : null)))).toBe("none found");
    expect(sovereign(hiring(({ price }) => (price > 0 && price < 0.01 ? price : null)))).toBe("holds");
  });

  it("whoever is hired for nothing is not paid", () => {
    const rules = { budget: 4, rounds: 2, ...paperRules, firstRoundRatio: 0.5 } as const;
    const market: Market = { rules, workers: [{ id: 0, reputation: 1, cost: 0.5, arrival: 1 }] };
    const [verdict] = check(market, { mechanism: hiring(() => 0), properties: ["P4"] });
    expect(verdict!.verdict).toBe("none found");
  });
});
