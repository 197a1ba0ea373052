import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bestResponses } from "../../../src/best-response/index.js";
import { marketArbitrary } from "../../../src/market/generators.js";
import type { Market } from "../../../src/market/market.js";
import { mechanisms } from "../../../src/mechanisms/index.js";
import { hold } from "../../../src/mechanisms/mechanism.js";
import { regimes, workerUtility } from "../../../src/mechanisms/outcome.js";
import {
  FLOOR,
  type Target,
  type Violation,
  violations,
} from "../../../src/verdicts/counterexamples/violations.js";

const { online } = mechanisms;
const markets = marketArbitrary({ minWorkers: 1, maxWorkers: 8, maxRounds: 5, maxRatio: 0.9 });
const target = (about: Partial<Target>): Target => ({
  property: "joint",
  regime: "sufficient",
  start: "any",
  mechanism: online,
  ...about,
});

const largest = (found: readonly Violation[]): number => found[0]?.amount ?? 0;

describe("violations", () => {
  it("are there for every worker that gains, with nearly all of the exact gain and never more", () => {
    const gains = { P5: "priceGain", P6: "timeGain", joint: "gain" } as const;
    fc.assert(
      fc.property(markets, fc.constantFrom("P5", "P6", "joint"), (market, property) => {
        const floor = 1.1 * FLOOR * market.rules.budget;
        for (const response of bestResponses(market).workers) {
          const gain = response[gains[property]];
          const found = violations(market, target({ property, regime: response.regime }), response.id);
          expect(largest(found)).toBeLessThanOrEqual(gain * (1 + 1e-9) + 1e-9 * market.rules.budget);
          if (gain > floor) expect(largest(found)).toBeGreaterThanOrEqual(0.98 * gain);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("replay: the lie told brings the amount, and moves the start or keeps it as it says", () => {
    fc.assert(
      fc.property(markets, fc.constantFrom(...regimes), (market, regime) => {
        const truth = hold(online, market);
        for (const { worker, lie, amount, startMoved } of violations(market, target({ regime }))) {
          const lied = hold(online, market, [lie!]);
          const utility = ({ workers }: typeof lied) =>
            workerUtility(
              market.workers.find(({ id }) => id === worker)!,
              workers.find(({ id }) => id === worker)!,
            );
          expect(utility(lied) - utility(truth)).toBeCloseTo(amount, 9);
          expect(lied.startDelay !== truth.startDelay).toBe(startMoved);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("that move the start and those that keep it are all there are", () => {
    fc.assert(
      fc.property(markets, fc.constantFrom(...regimes), (market, regime) => {
        const found = (start: Target["start"]) => violations(market, target({ regime, start }));
        expect(found("moved").length + found("kept").length).toBe(found("any").length);
        expect(found("kept").every(({ startMoved }) => !startMoved)).toBe(true);
      }),
    );
  });
});

const rules = {
  budget: 4,
  rounds: 2,
  firstRoundRatio: 0.5,
  minWorkers: 1,
  reading: "prose",
} as const;

describe("a raise denied because nothing is left", () => {
  const workers = [
    { id: 0, reputation: 0.5, cost: 1, arrival: 1 },
    { id: 1, reputation: 1, cost: 1, arrival: 1 },
  ];

  it("[M10] is a budget event: who gains by a lie there is in a tight market, not a sufficient one", () => {
    // Truth: B1 = 2 buys worker 1 for 2 · 1 · 1 = 2, all of its group's half. In round 2 worker 0's threshold is
    // 1 / 0.5 = 2, but nothing is left to raise worker 1 with: it earns 2 − 2 = 0.
    // Worker 1 asking 2 ties with worker 0, which has the smaller id and takes B1. In round 2 worker 1 is admitted at
    // 1 · 1 · 2 = 2 for one round: it earns 2 − 1 = 1.
    const market: Market = { rules, workers };
    expect(hold(online, market).budgetEvents).toEqual([{ round: 2, worker: 1, kind: "denied" }]);
    expect(violations(market, target({ property: "P5", regime: "sufficient" }))).toEqual([]);
    const [found] = violations(market, target({ property: "P5", regime: "tight", start: "kept" }));
    expect(found).toMatchObject({ worker: 1, regime: "tight", amount: 1, startMoved: false });
  });

  it("[M11] is none under the pseudocode, which cuts the raise to nothing instead", () => {
    const market: Market = { rules: { ...rules, reading: "pseudocode" }, workers };
    expect(hold(online, market).budgetEvents).toEqual([{ round: 2, worker: 1, kind: "capped" }]);
  });
});

describe("faults", () => {
  it("[M4] P4: whoever comes after the start finds no other group to judge it, and no bid helps", () => {
    const market: Market = {
      rules,
      workers: [
        { id: 0, reputation: 1, cost: 1, arrival: 1 },
        { id: 2, reputation: 1, cost: 1, arrival: 2 },
      ],
    };
    expect(violations(market, target({ property: "P4" }))).toEqual([
      { property: "P4", worker: 2, regime: "sufficient", lie: null, amount: 0, startMoved: false },
    ]);
  });

  it("[M1] P4: reputation 0 is never selected by rule, and not counted", () => {
    const nobody = { id: 1, reputation: 0, cost: 1, arrival: 1 };
    const market: Market = { rules, workers: [{ id: 0, reputation: 1, cost: 1, arrival: 1 }, nobody] };
    expect(violations(market, target({ property: "P4" }))).toEqual([]);
  });

  it("P2: a first step of more than half the budget, and the rest on top", () => {
    // B1 = 3.6 all goes to worker 0; in round 2 worker 1 is judged by worker 0's threshold 1 / 1, and 1 more fits in
    // its own group's half.
    const market: Market = {
      rules: { ...rules, firstRoundRatio: 0.9 },
      workers: [
        { id: 0, reputation: 1, cost: 0, arrival: 1 },
        { id: 1, reputation: 1, cost: 0.5, arrival: 2 },
      ],
    };
    const [found] = violations(market, target({ property: "P2" }));
    expect(found).toMatchObject({ worker: null, lie: null });
    expect(found!.amount).toBeCloseTo(0.6, 12);
  });
});
