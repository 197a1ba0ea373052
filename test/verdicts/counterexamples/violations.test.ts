import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AnyMechanism, type Mechanism, runAuction } from "../../../src/auction/mechanism.js";
import { regimes, workerUtility } from "../../../src/auction/outcome.js";
import type { Piece } from "../../../src/auction/piece.js";
import { marketArbitrary } from "../../../src/market/generators.js";
import { type Market, paperRules, workerOf } from "../../../src/market/market.js";
import { mechanisms } from "../../../src/mechanisms/index.js";
import { bestResponses, pieces } from "../../../src/responses/index.js";
import {
  FLOOR,
  isDecided,
  type Target,
  type Violation,
  violations,
} from "../../../src/verdicts/counterexamples/violations.js";
import { hiringBetween } from "../../hiring-between.js";
import { withoutText } from "../../searched.js";

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
        const truth = runAuction(online, market);
        for (const { worker, lie, amount, startMoved } of violations(market, target({ regime }))) {
          const lied = runAuction(online, market, [lie!]);
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

describe("lies", () => {
  it("are told one for each stretch of prices that gains, and bring nearly all that it does; the largest first", () => {
    fc.assert(
      fc.property(markets, fc.constantFrom("P5", "joint"), (market, property) => {
        const { budget } = market.rules;
        for (const { id, regime, truthful } of bestResponses(market).workers) {
          const { arrival } = workerOf(market, id);
          const gainOn = ({ utilityFrom, utilityTo }: Piece) => Math.max(utilityFrom, utilityTo) - truthful;
          const paying = pieces(market, id, online)!.filter(
            (piece) =>
              gainOn(piece) > 1.1 * FLOOR * budget && (property === "joint" || piece.arrival === arrival),
          );
          const found = violations(market, target({ property, regime }), id);
          const noise = 1e-9 * budget;
          for (const piece of paying) {
            const on = found.filter(
              ({ lie }) =>
                lie!.arrival === piece.arrival && lie!.price >= piece.from && lie!.price <= piece.to,
            );
            const amounts = on.map(({ amount }) => amount);
            expect(Math.max(...amounts)).toBeGreaterThanOrEqual(0.98 * gainOn(piece) - noise);
          }
          const amounts = found.map(({ amount }) => amount);
          expect(amounts).toEqual([...amounts].sort((a, b) => b - a));
          for (const { worker, lie, amount } of found) {
            expect(worker).toBe(id);
            expect(amount).toBeGreaterThan(FLOOR * budget);
            if (property === "P5") expect(lie!.arrival).toBe(arrival);
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  const alone: Market = {
    rules: { budget: 10, rounds: 2, ...paperRules, firstRoundRatio: 0.5 },
    workers: [{ id: 0, reputation: 1, cost: 1, arrival: 1 }],
  };
  const told = (mechanism: AnyMechanism, cost = 1) => {
    const market = { ...alone, workers: alone.workers.map((one) => ({ ...one, cost })) };
    const found = violations(market, target({ property: "P5", mechanism }));
    return found.map(({ lie, amount }) => [lie!.price, amount]);
  };

  it("at the fewest digits that bring 99 % of what the stretch does, on a slope", () => {
    // Up to 2 · (6 − 1) = 10 at 6: 9.9 from 5.95 on. Down from 12.6 − 2 − 1.2 = 9.4 at 1.2: 9.306 up to 1.294.
    const rising = hiringBetween(2, 6, (price, math) => math.times(price, math.known(2)));
    expect(told(rising)).toEqual([[5.96, expect.closeTo(9.92, 9)]]);
    const falling = hiringBetween(1.2, 6.2, (price, math) => math.minus(math.known(12.6), price));
    expect(told(falling)).toEqual([[1.21, expect.closeTo(9.39, 9)]]);
    // At cost 2.5 the truth brings 0, 2 loses and 6 gains 7: 6.93 from 5.965 on.
    expect(told(rising, 2.5)).toEqual([[5.97, expect.closeTo(6.94, 9)]]);
    // At cost 1.5 the truth brings 8.1, and 1.2 gains 0.3: 0.297 up to 1.203.
    expect(told(falling, 1.5)).toEqual([[1.201, expect.closeTo(0.299, 9)]]);
  });

  it("inside a stretch that begins with a tie", () => {
    const market: Market = {
      rules: { budget: 4, rounds: 2, ...paperRules, firstRoundRatio: 0.5 },
      workers: [
        { id: 0, reputation: 0.385293, cost: 0.782215, arrival: 1 },
        { id: 1, reputation: 0.617479, cost: 0.925102, arrival: 1 },
      ],
    };
    const lies = regimes.flatMap((regime) => violations(market, target({ property: "P5", regime }), 1));
    expect(lies.map(({ lie }) => lie!.price)).toEqual([1.3]);
  });

  it("at the fewest digits of all on a level stretch, and at 0 where that is the lowest price of it", () => {
    const flat = (low: number, high: number) => hiringBetween(low, high, (_, math) => math.known(3));
    expect(told(flat(1.5, 6))).toEqual([[2, 1]]);
    expect(told(flat(-1, 0.5))).toEqual([[0, 1]]);
    expect(told(flat(0, 0.5))).toEqual([[0.1, 1]]);
  });

  it("at the true price where that gains as much as any other, by another arrival", () => {
    const market: Market = {
      rules: { budget: 8, rounds: 3, ...paperRules, firstRoundRatio: 0.3 },
      workers: [
        { id: 0, reputation: 2, cost: 0.05, arrival: 1 },
        { id: 1, reputation: 3, cost: 2, arrival: 3 },
      ],
    };
    const [largest] = violations(market, target({ property: "joint" }));
    expect(largest!.lie).toEqual({ worker: 0, price: 0.05, arrival: 2 });
    expect(violations(market, target({ property: "P5" }))).toEqual([]);
  });

  it("P6: at the true price, at every later arrival that gains", () => {
    const market: Market = {
      rules: { budget: 8, rounds: 3, ...paperRules, firstRoundRatio: 0.5 },
      workers: [
        { id: 0, reputation: 0.7, cost: 1, arrival: 2 },
        { id: 1, reputation: 1, cost: 1, arrival: 1 },
      ],
    };
    const later = regimes.flatMap((regime) => violations(market, target({ property: "P6", regime }), 1));
    expect(later.map(({ lie }) => lie)).toEqual([{ worker: 1, price: 1, arrival: 3 }]);
  });

  it("P6: [M11] not after the last round, though who is paid less than its cost would do well to stay away", () => {
    const market: Market = {
      rules: { budget: 2, rounds: 2, ...paperRules, firstRoundRatio: 0.9, reading: "pseudocode" },
      workers: [
        { id: 0, reputation: 1, cost: 0.8, arrival: 1 },
        { id: 1, reputation: 0.5, cost: 0.05, arrival: 2 },
      ],
    };
    const later = violations(market, target({ property: "P6", regime: "tight" }), 0);
    expect(later.every(({ lie }) => lie!.arrival === 2)).toBe(true);
  });

  it("of a mechanism that is searched, at the best price found: about the price alone, or about both", () => {
    // Paid three times its price in the second round, twice in the first, up to a price of 2.
    const later: Mechanism = {
      name: "later",
      about: "Pays latecomers better.",
      decide: (_, bids) => ({
        started: true,
        startDelay: 0,
        workers: bids.map(({ id, price, arrival }) => ({
          id,
          selectedAt: price > 2 ? null : arrival,
          rounds: price > 2 ? 0 : 1,
          payment: price > 2 ? 0 : (arrival + 1) * price,
        })),
        thresholds: [],
        budgetEvents: [],
      }),
    };
    const lieTo = (property: "P5" | "joint") => {
      const found = violations(alone, target({ property, mechanism: later }));
      expect(found).toHaveLength(1);
      return found[0]!;
    };
    expect(lieTo("P5").lie).toMatchObject({ worker: 0, arrival: 1 });
    expect(lieTo("P5").amount).toBeCloseTo(2, 2);
    expect(lieTo("joint").lie).toMatchObject({ worker: 0, arrival: 2 });
    expect(lieTo("joint").amount).toBeCloseTo(4, 2);
    const honest = { ...alone, workers: [{ ...alone.workers[0]!, cost: 2 }] };
    expect(violations(honest, target({ property: "P5", mechanism: later }))).toEqual([]);
  });
});

describe("whether a market in which nothing is found has nothing", () => {
  it.each<[Target["property"], AnyMechanism, boolean]>([
    ["P1", withoutText(online), true],
    ["P2", withoutText(online), true],
    ["P4", online, true],
    ["P4", withoutText(mechanisms["bid-greedy"]), false],
    ["P5", online, true],
    ["joint", mechanisms["bid-greedy"], true],
    ["P6", withoutText(mechanisms["bid-greedy"]), false],
  ])("%s, $name: %o", (property, mechanism, decided) => {
    expect(isDecided({ property, mechanism })).toBe(decided);
  });
});

const rules = {
  budget: 4,
  rounds: 2,
  ...paperRules,
  firstRoundRatio: 0.5,
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
    expect(runAuction(online, market).budgetEvents).toEqual([{ round: 2, worker: 1, kind: "denied" }]);
    expect(violations(market, target({ property: "P5", regime: "sufficient" }))).toEqual([]);
    const [found] = violations(market, target({ property: "P5", regime: "tight", start: "kept" }));
    expect(found).toMatchObject({ worker: 1, regime: "tight", amount: 1, startMoved: false });
  });

  it("[M11] is none under the pseudocode, which cuts the raise to nothing instead", () => {
    const market: Market = { rules: { ...rules, reading: "pseudocode" }, workers };
    expect(runAuction(online, market).budgetEvents).toEqual([{ round: 2, worker: 1, kind: "capped" }]);
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

  it("P1: is a violation of the worker that loses, in its regime only, and of nobody else", () => {
    // As printed, worker 0's payment is lowered below its cost in round 2.
    const market: Market = {
      rules: { budget: 2, rounds: 2, ...paperRules, firstRoundRatio: 0.9, reading: "pseudocode" },
      workers: [
        { id: 0, reputation: 1, cost: 0.8, arrival: 1 },
        { id: 1, reputation: 0.5, cost: 0.05, arrival: 2 },
        { id: 2, reputation: 0, cost: 0.05, arrival: 2 },
      ],
    };
    const losing = (about: Partial<Target>, worker?: number) =>
      violations(market, target({ property: "P1", ...about }), worker).map((found) => found.worker);
    expect(losing({ regime: "tight" })).toEqual([0]);
    expect(losing({ regime: "tight" }, 0)).toEqual([0]);
    expect(losing({ regime: "tight" }, 1)).toEqual([]);
    expect(losing({ regime: "tight" }, 2)).toEqual([]);
    expect(losing({ regime: "sufficient" })).toEqual([]);
    expect(losing({ regime: "tight", start: "moved" })).toEqual([]);
    expect(losing({ regime: "tight", start: "kept" })).toEqual([0]);
  });

  it("P2: is a violation of everybody's, once in each regime that somebody is in", () => {
    // As below, but three of group 1 want what is left of its half.
    const late = [1, 3, 5].map((id) => ({ id, reputation: 1, cost: 0.5 + id / 10, arrival: 2 }));
    const market: Market = {
      rules: { ...rules, firstRoundRatio: 0.9 },
      workers: [{ id: 0, reputation: 1, cost: 0, arrival: 1 }, ...late],
    };
    const found = (regime: Target["regime"]) =>
      violations(market, target({ property: "P2", regime })).map((one) => [one.regime, one.worker]);
    expect(found("sufficient")).toEqual([["sufficient", null]]);
    expect(found("tight")).toEqual([["tight", null]]);
    expect(found("late start")).toEqual([]);
  });

  it("P2: of less than a millionth of the budget is too near to rounding to count", () => {
    const overspending = (share: number): Mechanism => ({
      name: "overspending",
      about: "Pays a little more than the budget.",
      decide: ({ budget }, bids) => ({
        started: true,
        startDelay: 0,
        workers: bids.map(({ id }) => ({ id, selectedAt: 1, rounds: 1, payment: budget * (1 + share) })),
        thresholds: [],
        budgetEvents: [],
      }),
    });
    const market: Market = { rules, workers: [{ id: 0, reputation: 1, cost: 0, arrival: 1 }] };
    const found = (share: number) =>
      violations(market, target({ property: "P2", mechanism: overspending(share) })).length;
    expect([0.5e-6, 2e-6].map(found)).toEqual([0, 1]);
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
