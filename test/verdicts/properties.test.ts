import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exactOutcome, exactUtility } from "../../src/auction/exact.js";
import { toNumber } from "../../src/lib/fraction.js";
import { marketArbitrary } from "../../src/market/generators.js";
import { bidders, type Market, paperRules, type Worker } from "../../src/market/market.js";
import { bidGreedy } from "../../src/mechanisms/bid-greedy.js";
import { online } from "../../src/mechanisms/online/online.js";
import type { PropertyName } from "../../src/properties/properties.js";
import { bestResponses, pieces, searchResponses } from "../../src/responses/index.js";
import { certified, certifiedVerdict } from "../../src/verdicts/certify.js";
import { check, examine, type Verdict } from "../../src/verdicts/properties.js";
import { withoutText } from "../searched.js";

const verdict = (market: Market, property: PropertyName): Verdict =>
  check(market, { properties: [property] })[0]!;

const worker = (id: number, reputation: number, cost: number, arrival: number): Worker => ({
  id,
  reputation,
  cost,
  arrival,
});

const excluded = (market: Market) =>
  examine(market, { properties: ["P4"] })[0]!.witnesses.map((witness) => witness.worker);

describe("verdicts", () => {
  it("[P2] breaks above a ratio of 1/2: the first step spends its budget on one group, later rounds spend the other half", () => {
    // Group 0 takes all of B1 = 0.9 · 2 = 1.8 at the first step; B/2 = 1 is still there for group 1.
    const rules = { budget: 2, rounds: 2, ...paperRules, firstRoundRatio: 0.9 } as const;
    const market = { rules, workers: [worker(0, 1, 0.1, 1), worker(1, 1, 0.1, 2)] };
    // Round 2: B' = (1.8 + 0.2) / 2 = 1; group 0's sample of one sets 0.5 / 1; group 1 is admitted for 0.5.
    const { verdict: judgement, witnesses } = verdict(market, "P2");
    expect(judgement).toBe("breaks");
    expect(witnesses[0]!.amount).toBeCloseTo(0.3, 12);
    expect(certified(market, witnesses[0]!, online)).toMatchObject({ certified: true, amount: 0.3 });
  });

  it("[P1] [P2] hold for every random market with a ratio of at most 1/2", () => {
    fc.assert(
      fc.property(marketArbitrary({ maxRatio: 0.5 }), (market) => {
        for (const { verdict } of check(market, { properties: ["P1", "P2"] })) expect(verdict).toBe("holds");
      }),
      { numRuns: 500 },
    );
  });

  it("[P1] breaks where the pseudocode pays a worker less than nothing, even if its cost is 0 ([M11])", () => {
    // B1 = 6 buys workers 3 and 5 at ρ* = 6 / (3 · 3) = 2/3 for 2 + 4 = 6; their group's half is 3. In round 2 worker 4
    // sets 1 for them, and the cap of −3 is applied to the lower reputation: worker 3 is left with 2 − 3 = −1.
    const rules = { budget: 6, rounds: 3, ...paperRules, firstRoundRatio: 1, reading: "pseudocode" } as const;
    const market = { rules, workers: [worker(3, 1, 0, 1), worker(4, 1, 1, 1), worker(5, 2, 1, 1)] };
    const { verdict: judgement, witnesses } = verdict(market, "P1");
    expect(judgement).toBe("breaks");
    expect(witnesses).toMatchObject([{ worker: 3, regime: "tight", amount: 1 }]);
    expect(certified(market, witnesses[0]!, online).certified).toBe(true);
  });

  it("[P1] agrees with exact fractions, negative payments to costs of 0 included", () => {
    fc.assert(
      fc.property(marketArbitrary({ maxWorkers: 6, maxRounds: 4, numbers: "coarse" }), (market) => {
        const { rules, workers } = market;
        const costs = new Map(workers.map(({ id, cost }) => [id, cost]));
        const losers = exactOutcome(online, rules, bidders(workers)).workers.filter(
          (one) => toNumber(exactUtility(costs.get(one.id)!, one)) < 0,
        );
        const [found] = examine(market, { properties: ["P1"] });
        expect(found!.witnesses.map((witness) => witness.worker)).toEqual(losers.map(({ id }) => id));
      }),
      { numRuns: 1000 },
    );
  });

  it("[P4] is told from payments: no cost is so large that it hides one, and no rounding error is one", () => {
    const pseudocode = { ...paperRules, rounds: 4, minWorkers: 2, reading: "pseudocode" } as const;
    const huge = {
      rules: { ...pseudocode, budget: 6, firstRoundRatio: 1 },
      workers: [
        ...[worker(0, 0.1, 2, 2), worker(2, 2, 0.5, 4), worker(3, 1, 5e16, 2), worker(6, 0.1, 1e17, 1)],
        ...[worker(7, 0.1, 1e17, 1), worker(8, 0.3, 2, 1), worker(9, 2, 1, 2)],
      ],
    };
    expect(excluded(huge)).not.toContain(3);
    expect(excluded(huge)).not.toContain(7);
    const dust = {
      rules: { ...pseudocode, budget: 5.7, firstRoundRatio: 0.7 },
      workers: [
        ...[worker(1, 0.1, 0.2, 1), worker(2, 0.3, 0.2, 4), worker(3, 2, 0, 1), worker(5, 0.3, 1e17, 3)],
        ...[worker(8, 0.5, 0, 2), worker(11, 0.3, 0.1, 1)],
      ],
    };
    expect(excluded(dust)).toContain(11);
  });

  it("[P4] what one run tells of everybody is what all bids of each tell", () => {
    fc.assert(
      fc.property(marketArbitrary({ maxWorkers: 7, maxRounds: 5 }), (market) => {
        const unpaid = market.workers.filter(({ id }) => {
          const workers = market.workers.map((one) => (one.id === id ? { ...one, cost: 0 } : one));
          const noise = 1e-12 * market.rules.budget;
          return pieces({ ...market, workers }, id)!.every(
            ({ utilityFrom, utilityTo }) => Math.max(utilityFrom, utilityTo) <= noise,
          );
        });
        expect(excluded(market)).toEqual(unpaid.map(({ id }) => id));
      }),
      { numRuns: 500 },
    );
  });

  it("are read from best responses that are known already", () => {
    const rules = { budget: 4, rounds: 2, ...paperRules, firstRoundRatio: 0.5 } as const;
    const market = { rules, workers: [worker(0, 0.5, 1, 1), worker(1, 1, 1, 1)] };
    expect(verdict(market, "P5").verdict).toBe("breaks");
    const responses = { ...bestResponses(market), workers: [] };
    expect(check(market, { properties: ["P5"], responses })[0]!.verdict).toBe("holds");
  });

  it("[P4] breaks for a worker without reputation, whatever it bids ([M1])", () => {
    const rules = { budget: 2, rounds: 1, ...paperRules, firstRoundRatio: 0.5 } as const;
    const { witnesses } = verdict({ rules, workers: [worker(0, 1, 0.1, 1), worker(1, 0, 0.1, 1)] }, "P4");
    expect(witnesses.map(({ worker }) => worker)).toEqual([1]);
  });

  it("[P4] breaks for a worker whose payment the pseudocode lowers to nothing, rounding aside ([M11])", () => {
    // At the first step ρ* = 3.3: worker 0 gets 1.98, worker 6 gets 3.3, together 1.98 more than half of the budget. In
    // round 2 worker 0, of the lower reputation, is decided first and lowered by just that: to nothing.
    const rules = {
      budget: 6.6,
      rounds: 2,
      ...paperRules,
      firstRoundRatio: 1,
      reading: "pseudocode",
    } as const;
    const workers = [worker(0, 0.3, 0, 1), worker(3, 0.2, 0, 1), worker(6, 0.5, 0, 1)];
    const judgements = [1, 10, 100].map(
      (factor) => verdict({ rules: { ...rules, budget: (66 * factor) / 10 }, workers }, "P4").verdict,
    );
    expect(judgements).toEqual(["breaks", "breaks", "breaks"]);
  });

  it("[P3] is never decided on one market", () => {
    fc.assert(
      fc.property(marketArbitrary(), (market) => {
        expect(verdict(market, "P3").verdict).toBe("not proved");
      }),
    );
  });

  it("[P5] [P6] a joint verdict that holds means that both hold", () => {
    fc.assert(
      fc.property(marketArbitrary({ maxWorkers: 8 }), (market) => {
        const [price, time, joint] = check(market, { properties: ["P5", "P6", "joint"] });
        if (joint!.verdict === "holds") expect([price!.verdict, time!.verdict]).toEqual(["holds", "holds"]);
      }),
      { numRuns: 300 },
    );
  });

  it('of a searched mechanism are never "holds" where lies were only sampled', () => {
    const rules = { budget: 4, rounds: 2, ...paperRules, firstRoundRatio: 0.5 } as const;
    const market = { rules, workers: [worker(0, 1, 0, 1)] };
    const [time] = check(market, { mechanism: withoutText(bidGreedy), properties: ["P6"] });
    expect(time!.verdict).toBe("none found");
    expect(time!.method).toMatch(/^search, \d+ evaluations/);
  });
});

describe("certificates", () => {
  it("every witness of a random market replays in exact fractions, and by the same amount", () => {
    fc.assert(
      fc.property(marketArbitrary({ maxWorkers: 7, maxRounds: 5 }), (market) => {
        for (const verdict of check(market)) {
          for (const witness of verdict.witnesses) {
            fc.pre(witness.property === "P4" || witness.amount > 1e-6 * Math.max(1, market.rules.budget));
            const confirmed = certified(market, witness, online);
            const { amount } = confirmed;
            expect(confirmed.certified).toBe(true);
            expect(Math.abs(amount - witness.amount)).toBeLessThanOrEqual(
              1e-7 * Math.max(1, market.rules.budget),
            );
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  it("turn a witness that only rounding made into none found", () => {
    const rules = { budget: 4, rounds: 2, ...paperRules, firstRoundRatio: 0.5 } as const;
    const market = { rules, workers: [worker(0, 1, 0.4, 1)] };
    const honest = verdict(market, "P5");
    const made: Verdict = {
      ...honest,
      verdict: "breaks",
      byRegime: { ...honest.byRegime, sufficient: "breaks" },
      witnesses: [
        {
          property: "P5",
          worker: 0,
          regime: "sufficient",
          lie: { worker: 0, price: 0.3, arrival: 1 },
          amount: 1e-17,
        },
      ],
    };
    expect(certifiedVerdict(market, made, online)).toMatchObject({
      verdict: "none found",
      byRegime: { sufficient: "none found" },
      witnesses: [],
    });
  });
});

describe("the search for any mechanism", () => {
  it("never claims more than the exact answer, and is a lower bound that says so", () => {
    fc.assert(
      fc.property(marketArbitrary({ minWorkers: 1, maxWorkers: 6, maxRounds: 4 }), (market) => {
        const exact = bestResponses(market).workers;
        const search = searchResponses(market, { mechanism: online, effort: 600 });
        expect(search.exact).toBe(false);
        for (const [k, { gain }] of search.workers.entries())
          expect(gain).toBeLessThanOrEqual(exact[k]!.gain + 1e-8 * Math.max(1, market.rules.budget));
      }),
      { numRuns: 60 },
    );
  });

  it("finds nearly all of the gain there is in paper-like markets", () => {
    const found = { exact: 0, search: 0 };
    const markets = fc.sample(marketArbitrary({ minWorkers: 3, maxWorkers: 6, maxRounds: 4 }), {
      numRuns: 60,
      seed: 7,
    });
    for (const market of markets) {
      for (const { gain } of bestResponses(market).workers) found.exact += gain;
      for (const { gain } of searchResponses(market, { mechanism: online }).workers) found.search += gain;
    }
    expect(found.exact).toBeGreaterThan(0);
    expect(found.search).toBeGreaterThan(0.95 * found.exact);
  });
});
