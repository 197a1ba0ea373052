import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exactOutcome } from "../../src/auction/exact.js";
import { type Outcome, runAuction } from "../../src/auction/mechanism.js";
import type { TraceEvent } from "../../src/auction/trace.js";
import { toNumber } from "../../src/lib/fraction.js";
import { marketArbitrary } from "../../src/market/generators.js";
import { type Bid, bidders, groupOf, type Market, paperRules } from "../../src/market/market.js";
import { online } from "../../src/mechanisms/online/online.js";
import { numbered, type RunVector, readingVectors, runVectors } from "../golden.js";

const close = (a: number, b: number, share: number) =>
  Math.abs(a - b) <= share * Math.max(Math.abs(a), Math.abs(b));

/** The same decisions, and payments to a relative share. */
function expectAlike(outcome: Outcome, other: Outcome, budget: number): void {
  expect(outcome.startDelay).toBe(other.startDelay);
  expect(outcome.workers.map(({ id, selectedAt, rounds }) => ({ id, selectedAt, rounds }))).toEqual(
    other.workers.map(({ id, selectedAt, rounds }) => ({ id, selectedAt, rounds })),
  );
  expect(outcome.budgetEvents).toEqual(other.budgetEvents);
  for (const [k, { payment }] of other.workers.entries())
    expect(outcome.workers[k]!.payment).toSatisfy(
      (paid: number) => close(paid, payment, 1e-9) || Math.abs(paid) < 1e-12 * budget,
    );
}

function expectTwins(market: Market, bids: readonly Bid[] = []): void {
  const twin = exactOutcome(online, market.rules, bidders(market.workers, bids));
  fc.pre(twin.narrowestGap > 1e-9);
  const workers = twin.workers.map((worker) => ({ ...worker, payment: toNumber(worker.payment) }));
  expectAlike(runAuction(online, market, bids), { ...twin, workers, thresholds: [] }, market.rules.budget);
}

describe("vectors of an independent exact implementation", () => {
  const expectVector = (
    outcome: Pick<Outcome, "startDelay" | "workers" | "thresholds">,
    vector: RunVector,
  ) => {
    expectAllotments(outcome, vector);
    expect(outcome.thresholds).toHaveLength(vector.expect.thresholds.length);
    for (const [k, { group0, group1 }] of vector.expect.thresholds.entries()) {
      expectDensity(outcome.thresholds[k]!.group0, group0);
      expectDensity(outcome.thresholds[k]!.group1, group1);
    }
  };
  const expectAllotments = (
    outcome: Pick<Outcome, "startDelay" | "workers">,
    vector: Pick<RunVector, "expect">,
  ) => {
    expect(outcome.startDelay).toBe(vector.expect.startDelay);
    expect(outcome.workers.map((w) => [w.id, w.selectedAt])).toEqual(
      vector.expect.workers.map((w) => [w.id, w.selectedAt]),
    );
    for (const [k, { payment }] of vector.expect.workers.entries())
      expect(Math.abs(outcome.workers[k]!.payment - payment)).toBeLessThanOrEqual(1e-9);
  };
  const expectDensity = (density: number | null, expected: number | null) =>
    expected === null ? expect(density).toBeNull() : expect(density).toBeCloseTo(expected, 9);

  it.each(numbered(runVectors))("[M1]–[M13] engine, vector %i", (_, vector) => {
    const outcome = runAuction(online, vector.market, vector.bids);
    expectVector(outcome, vector);
    expect(outcome.budgetEvents).toEqual(vector.expect.budgetEvents);
  });

  it.each(numbered(runVectors))("[M1]–[M13] rational twin, vector %i", (_, vector) => {
    const { market, bids } = vector;
    const twin = exactOutcome(online, market.rules, bidders(market.workers, bids));
    const density = (value: (typeof twin.thresholds)[number]["group0"]) =>
      value === null ? null : toNumber(value);
    expectVector(
      {
        startDelay: twin.startDelay,
        workers: twin.workers.map((w) => ({ ...w, payment: toNumber(w.payment) })),
        thresholds: twin.thresholds.map(({ round, group0, group1 }) => ({
          round,
          group0: density(group0),
          group1: density(group1),
        })),
      },
      vector,
    );
    expect(twin.budgetEvents).toEqual(vector.expect.budgetEvents);
  });

  it.each(numbered(readingVectors))("[M5] [M6] engine and rational twin, reading vector %i", (_, vector) => {
    const { market } = vector;
    const outcome = runAuction(online, market);
    expectAllotments(outcome, vector);
    expect(outcome.budgetEvents).toEqual(vector.expect.budgetEvents);
    const twin = exactOutcome(online, market.rules, bidders(market.workers));
    const workers = twin.workers.map((w) => ({ ...w, payment: toNumber(w.payment) }));
    expectAllotments({ ...twin, workers }, vector);
    expect(twin.budgetEvents).toEqual(vector.expect.budgetEvents);
  });
});

describe("engine and rational twin decide alike", () => {
  it("[M1]–[M13] on coarse markets full of ties, exact fits and zero reputations", () => {
    const markets = marketArbitrary({ maxWorkers: 12, maxRounds: 6, numbers: "coarse" });
    fc.assert(
      fc.property(markets, (market) => expectTwins(market)),
      { numRuns: 2000 },
    );
  });

  it("[M1]–[M13] on generic markets of up to 30 workers", () => {
    const markets = marketArbitrary({ minWorkers: 10, maxWorkers: 30, maxRounds: 8, numbers: "generic" });
    fc.assert(
      fc.property(markets, (market) => expectTwins(market)),
      { numRuns: 400 },
    );
  });

  it("[M2] on coarse markets of up to 30 workers", () => {
    const markets = marketArbitrary({ minWorkers: 10, maxWorkers: 30, maxRounds: 8, numbers: "coarse" });
    fc.assert(
      fc.property(markets, (market) => expectTwins(market)),
      { numRuns: 400 },
    );
  });
});

describe("properties of the online mechanism", () => {
  const markets = marketArbitrary({ maxWorkers: 14, maxRounds: 7 });

  it("[M2] the order of input never matters", () => {
    const shuffled = markets.chain((market) =>
      fc.tuple(
        fc.constant(market),
        fc.shuffledSubarray([...market.workers], { minLength: market.workers.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([market, workers]) => {
        expect(runAuction(online, { ...market, workers })).toEqual(runAuction(online, market));
      }),
    );
  });

  it("[M7] decisions up to round t do not change when later bids change", () => {
    const changes = fc.tuple(markets, fc.nat(), fc.double({ min: 0, max: 3, noNaN: true }));
    fc.assert(
      fc.property(changes, ([market, pick, factor]) => {
        const late = market.workers.filter(({ arrival }) => arrival > 1);
        fc.pre(late.length > 0);
        const { id, cost, arrival } = late[pick % late.length]!;
        const before = tracedUntil(market, [], arrival);
        expect(tracedUntil(market, [{ worker: id, price: factor * cost, arrival }], arrival)).toEqual(before);
      }),
    );
  });

  it("[M9] losers are paid 0 and work 0 rounds", () => {
    fc.assert(
      fc.property(markets, (market) => {
        for (const { selectedAt, payment, rounds } of runAuction(online, market).workers)
          if (selectedAt === null) expect([payment, rounds]).toEqual([0, 0]);
      }),
    );
  });

  it("[M9] [M10] a group never spends more than B/2 when the ratio is at most 1/2", () => {
    fc.assert(
      fc.property(marketArbitrary({ maxWorkers: 14, maxRatio: 0.5 }), (market) => {
        const { workers } = runAuction(online, market);
        for (const group of [0, 1]) {
          const mine = workers.filter(({ id }) => groupOf(id) === group);
          const spent = mine.reduce((sum, { payment }) => sum + payment, 0);
          expect(spent).toBeLessThanOrEqual((market.rules.budget / 2) * (1 + 1e-9));
        }
      }),
    );
  });

  it("[M1] scaling all prices and the budget by a factor scales payments and changes nothing else", () => {
    const factors = fc.constantFrom(2, 4, 0.5, 1024, 2 ** -20);
    fc.assert(
      fc.property(markets, factors, (market, factor) => {
        const { rules, workers } = market;
        const scaled = runAuction(online, {
          rules: { ...rules, budget: factor * rules.budget },
          workers: workers.map((worker) => ({ ...worker, cost: factor * worker.cost })),
        });
        const plain = runAuction(online, market);
        expect(scaled).toEqual({
          ...plain,
          workers: plain.workers.map((w) => ({ ...w, payment: factor * w.payment })),
          thresholds: plain.thresholds.map(({ round, group0, group1 }) => ({
            round,
            group0: group0 === null ? null : factor * group0,
            group1: group1 === null ? null : factor * group1,
          })),
        });
      }),
    );
  });

  it("[M8] a worker's own price never moves the threshold that judges it nor the other group's payments", () => {
    const prices = fc.double({ min: 0, max: 2, noNaN: true });
    fc.assert(
      fc.property(markets, fc.nat(), prices, (market, pick, price) => {
        fc.pre(market.workers.length > 0);
        const { id, arrival } = market.workers[pick % market.workers.length]!;
        const truthful = runAuction(online, market);
        const lying = runAuction(online, market, [{ worker: id, price, arrival }]);
        fc.pre(lying.startDelay === truthful.startDelay);
        const judging = groupOf(id) === 0 ? "group1" : "group0";
        expect(lying.thresholds.map((t) => t[judging])).toEqual(truthful.thresholds.map((t) => t[judging]));
      }),
    );
  });
});

/** The trace up to, and without, what happens at a clock tick. */
function tracedUntil(market: Market, bids: readonly Bid[], clock: number): TraceEvent[] {
  const events: TraceEvent[] = [];
  let now = 1;
  runAuction(online, market, bids, (event) => {
    if (event.kind === "start" || event.kind === "round") now = event.clock;
    if (now < clock) events.push(event);
  });
  return events;
}

describe("the trace", () => {
  it("does not change the outcome", () => {
    fc.assert(
      fc.property(marketArbitrary({ numbers: "coarse" }), (market) => {
        const traced = runAuction(online, market, [], () => {});
        expectAlike(traced, runAuction(online, market), market.rules.budget);
      }),
    );
  });

  it("[M13] marks a decision that hangs by less than 1e-9 and no other", () => {
    // One worker at the first step: T · b ≤ ratio · B is 2 · b ≤ 1.
    const edges = (cost: number) => {
      const rules = { budget: 2, rounds: 2, ...paperRules, firstRoundRatio: 0.5 } as const;
      const seen: boolean[] = [];
      runAuction(online, { rules, workers: [{ id: 0, reputation: 1, cost, arrival: 1 }] }, [], (event) => {
        if (event.kind === "start") seen.push(event.share.knifeEdge);
      });
      return seen;
    };
    expect(edges(0.5)).toEqual([true]);
    expect(edges(0.5 * (1 + 1e-10))).toEqual([true]);
    expect(edges(0.5 * (1 - 1e-7))).toEqual([false]);
  });
});
