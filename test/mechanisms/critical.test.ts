/** Payments by Myerson, from the prices up to which a worker is selected. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Mechanism, runAuction } from "../../src/auction/mechanism.js";
import { priceFunction } from "../../src/auction/price-pieces.js";
import { bidders, type Market, paperRules, type Rules } from "../../src/market/market.js";
import { critical } from "../../src/mechanisms/critical.js";
import { mechanisms } from "../../src/mechanisms/index.js";
import { withoutText } from "../searched.js";
import { tiedMarkets } from "../tied-markets.js";

const rules: Rules = { budget: 10, rounds: 2, ...paperRules, firstRoundRatio: 0.5 };
const worker = (id: number, cost: number) => ({ id, reputation: 1, cost, arrival: 1 });

/** 2 · (1 + 2) fits in 10, and 2 · 3 more does not. Workers 0 and 1 are hired up to 3: above it, worker 2 comes first. */
const market: Market = { rules, workers: [worker(2, 3), worker(0, 1), worker(1, 2)] };

const paid = (mechanism: Mechanism, given: Market): number[] =>
  runAuction(mechanism, given).workers.map(({ payment }) => payment);

describe("critical(bid-greedy)", () => {
  const mechanism = critical(mechanisms["bid-greedy"]);

  it("hires as bid-greedy does, and pays the price up to which a worker is hired, for each round", () => {
    const byBid = runAuction(mechanisms["bid-greedy"], market);
    const outcome = runAuction(mechanism, market);
    expect(outcome.workers.map(({ selectedAt, rounds }) => [selectedAt, rounds])).toEqual(
      byBid.workers.map(({ selectedAt, rounds }) => [selectedAt, rounds]),
    );
    expect(outcome).toMatchObject({ started: true, startDelay: 0 });
    expect(outcome.workers[2]).toMatchObject({ selectedAt: null, payment: 0 });
    for (const [k, payment] of paid(mechanism, market).slice(0, 2).entries())
      expect(payment).toBeCloseTo(2 * highestHired(market, k), 9);
    expect(paid(mechanism, market)).toEqual([6, 6, 0]);
  });

  it("pays the same at every price at which it hires, and nothing above", () => {
    const prices = priceFunction(mechanism, { rules, bids: bidders(market.workers), worker: 0 })!;
    const pieces = prices.pieces(1);
    expect(prices.evaluations).toBeGreaterThan(0);
    expect(prices.arrivalMatters).toBe(false);
    for (const { rounds, utilityFrom, utilityTo } of pieces) {
      expect(utilityFrom).toBe(utilityTo);
      expect(utilityFrom).toBeCloseTo(rounds === 0 ? 0 : 2 * highestHired(market, 0), 9);
    }
    expect(pieces.map(({ from }) => from)).toEqual(pieces.map(({ from }) => from).sort((a, b) => a - b));
  });

  it("may spend more than the budget, and says so", () => {
    expect(mechanism).toMatchObject({ name: "critical(bid-greedy)", offline: true });
    expect(mechanism.keepsBudget?.(rules)).toBe(false);
    expect(critical(mechanisms["posted-rounds"])).not.toHaveProperty("offline");
  });
});

/** By bisection of plain runs. */
function highestHired(given: Market, id: number): number {
  const hired = (price: number) =>
    runAuction(mechanisms["bid-greedy"], given, [{ worker: id, price, arrival: 1 }]).workers.find(
      (one) => one.id === id,
    )!.rounds > 0;
  let [low, high] = [0, 100];
  for (let k = 0; k < 60; k++)
    [low, high] = hired((low + high) / 2) ? [(low + high) / 2, high] : [low, (low + high) / 2];
  return low;
}

describe("where the rounds that are sold fall with the price in steps", () => {
  const steps: Mechanism = {
    name: "steps",
    about: "Buys three rounds up to 1, and one up to 2.",
    program: (auction) => {
      for (const one of auction.workers) {
        const { math } = auction;
        const buys = math.atMost(one.price, math.known(1))
          ? 3
          : math.atMost(one.price, math.known(2))
            ? 1
            : 0;
        if (buys > 0) auction.hire(one, { round: 1, buys, threshold: null }, auction.zero);
      }
    },
    decide: (_, bids) => ({
      started: true,
      startDelay: 0,
      workers: bids.map(({ id, price }) => {
        const rounds = price <= 1 ? 3 : price <= 2 ? 1 : 0;
        return { id, selectedAt: rounds > 0 ? 1 : null, rounds, payment: 0 };
      }),
      thresholds: [],
      budgetEvents: [],
    }),
  };
  const three = { ...rules, rounds: 3 };
  const paidAt = (price: number) => paid(critical(steps), { rules: three, workers: [worker(0, price)] })[0];

  it("b · x(b) + ∫ x over all higher prices", () => {
    expect(paidAt(0)).toBeCloseTo(4, 12); // 3 · 1 + 1 · 1
    expect(paidAt(0.5)).toBeCloseTo(4, 12);
    expect(paidAt(1)).toBeCloseTo(4, 12);
    expect(paidAt(1.5)).toBeCloseTo(2, 12);
    expect(paidAt(2)).toBeCloseTo(2, 12);
    expect(paidAt(2.5)).toBe(0);
  });

  it("and the pieces say the same", () => {
    const question = { rules: three, bids: bidders([worker(0, 0)]), worker: 0 };
    const pieces = priceFunction(critical(steps), question)!.pieces(1);
    expect(pieces.map(({ from, to, utilityFrom, utilityTo }) => [from, to, utilityFrom, utilityTo])).toEqual([
      [0, 1, 4, 4],
      [1, 2, 2, 2],
      [2, Number.POSITIVE_INFINITY, 0, 0],
    ]);
  });
});

describe("there are no critical payments", () => {
  const buying = (buys: (atMostOne: boolean) => number): Mechanism => ({
    name: "odd",
    about: "Buys by the price.",
    program: (auction) => {
      for (const one of auction.workers) {
        const rounds = buys(auction.math.atMost(one.price, auction.math.known(1)));
        if (rounds > 0) auction.hire(one, { round: 1, buys: rounds, threshold: null }, auction.zero);
      }
    },
    decide: (_, bids) => ({
      started: true,
      startDelay: 0,
      workers: bids.map(({ id }) => ({ id, selectedAt: null, rounds: 0, payment: 0 })),
      thresholds: [],
      budgetEvents: [],
    }),
  });
  const held = (mechanism: Mechanism) => () =>
    runAuction(critical(mechanism), { rules, workers: [worker(0, 0.5)] });

  it("where a worker sells more at a higher price", () => {
    expect(held(buying((cheap) => (cheap ? 1 : 2)))).toThrow(
      "worker 0: has no critical payment, for a higher price sells more: 1 rounds just below 1, 2 from there on",
    );
  });

  it("where it sells at every price", () => {
    expect(held(buying((cheap) => (cheap ? 2 : 1)))).toThrow(
      "worker 0: has no critical payment, for it sells rounds at every price",
    );
  });

  it("of a mechanism without a text", () => {
    expect(() => critical(withoutText(mechanisms["bid-greedy"]) as Mechanism)).toThrow("has no program");
  });
});

it("[M12] no lie about the price gains, and a truthful worker never loses, where payments are critical", () => {
  fc.assert(
    fc.property(
      tiedMarkets(),
      fc.nat(),
      fc.constantFrom(0, 0.1, 0.5, 0.9, 1.1, 2, 7),
      (given, pick, factor) => {
        const mechanism = critical(mechanisms["bid-greedy"]);
        const { id, cost, arrival } = given.workers[pick % given.workers.length]!;
        const earned = (price: number): number => {
          const bid = { worker: id, price, arrival };
          const { payment, rounds } = runAuction(mechanism, given, [bid]).workers.find(
            (one) => one.id === id,
          )!;
          return payment - cost * rounds;
        };
        const noise = 1e-9 * Math.max(given.rules.budget, cost);
        const truthful = earned(cost);
        expect(truthful).toBeGreaterThanOrEqual(-noise);
        for (const lie of [cost * factor, factor]) expect(earned(lie)).toBeLessThanOrEqual(truthful + noise);
      },
    ),
    { numRuns: 300 },
  );
});
