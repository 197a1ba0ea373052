import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runAuction } from "../../../src/auction/mechanism.js";
import { publisherAccount } from "../../../src/auction/outcome.js";
import { marketArbitrary } from "../../../src/market/generators.js";
import { groupOf, type Market, paperRules } from "../../../src/market/market.js";
import { online } from "../../../src/mechanisms/online/online.js";
import { bestResponses } from "../../../src/responses/index.js";
import {
  compareSize,
  digits,
  type Keeps,
  type ShrinkOptions,
  type Shrunk,
  shrinking,
  smallerCases,
} from "../../../src/verdicts/counterexamples/shrink.js";

const markets = marketArbitrary({ minWorkers: 1, maxWorkers: 6, maxRounds: 5, maxRatio: 0.95 });

/** Shrinks to the end. */
function shrinkMarket(market: Market, keeps: Keeps, options: ShrinkOptions = {}): Shrunk {
  const path = shrinking(market, keeps, options);
  for (;;) {
    const { done, value } = path.next();
    if (done) return value;
  }
}

const sample: Market = {
  rules: {
    budget: 7.3125,
    rounds: 4,
    ...paperRules,
    firstRoundRatio: 0.41,
    minWorkers: 2,
    reading: "pseudocode",
  },
  workers: [
    { id: 3, reputation: 0.8125, cost: 0.2875, arrival: 2 },
    { id: 10, reputation: 0.4375, cost: 0.3333, arrival: 1 },
    { id: 6, reputation: 0.9, cost: 0.1, arrival: 4 },
  ],
};

describe("smaller", () => {
  it("is a total order: one of two different markets is the smaller, and chains close", () => {
    fc.assert(
      fc.property(markets, markets, markets, (a, b, c) => {
        expect(Math.sign(compareSize(a, b))).toBe(-Math.sign(compareSize(b, a)) + 0);
        if (compareSize(a, b) < 0 && compareSize(b, c) < 0) expect(compareSize(a, c)).toBeLessThan(0);
      }),
    );
  });

  it("does not depend on the order of the workers", () => {
    expect(compareSize(sample, { ...sample, workers: [...sample.workers].reverse() })).toBe(0);
  });

  it.each<[string, (market: Market) => Market]>([
    ["a worker", ({ rules, workers }) => ({ rules: { ...rules, rounds: 9 }, workers: workers.slice(1) })],
    ["a round", ({ rules, workers }) => ({ rules: { ...rules, rounds: 3, minWorkers: 9 }, workers })],
    ["a rule", ({ rules, workers }) => ({ rules: { ...rules, ...paperRules, budget: 1.23456 }, workers })],
    ["an arrival", ({ rules, workers }) => ({ rules, workers: workers.map((w) => ({ ...w, arrival: 1 })) })],
    ["digits", ({ rules, workers }) => ({ rules, workers: workers.map((w) => ({ ...w, cost: 0.7 })) })],
  ])("counts %s before what comes after it", (_, change) => {
    expect(compareSize(change(sample), sample)).toBeLessThan(0);
  });

  it("reads a number as long as it is written", () => {
    expect([0, 1, 10, 0.5, 0.25, 12.5].map(digits)).toEqual([1, 1, 2, 2, 3, 4]);
    expect(digits(1e-7)).toBeGreaterThan(digits(0.1234567890123));
  });
});

describe("shrinking", () => {
  it("reaches the smallest market of all where any market will do", () => {
    const { market, minimal } = shrinkMarket(sample, () => true);
    expect(minimal).toBe(true);
    expect(market).toEqual({ rules: { budget: 1, rounds: 1, ...paperRules }, workers: [] });
  });

  it("leaves as it is what nothing smaller can replace", () => {
    const { market, evaluations } = shrinkMarket(sample, () => false);
    expect(market.workers.map(({ id }) => id)).toEqual([3, 6, 10]);
    expect({ ...market, workers: new Set(market.workers) }).toEqual({
      ...sample,
      workers: new Set(sample.workers),
    });
    expect(evaluations).toBeGreaterThan(100);
  });

  it("stops at the cap and says so", () => {
    const { evaluations, minimal } = shrinkMarket(sample, () => true, { evaluations: 3 });
    expect([evaluations, minimal]).toEqual([3, false]);
  });

  it("carries the worker along under its new id", () => {
    const dear = ({ workers }: Market, worker: number | null) =>
      workers.some(({ id, cost }) => id === worker && cost > 0.3 && groupOf(id) === 0);
    const { market, worker } = shrinkMarket(sample, dear, { worker: 10 });
    expect(worker).toBe(0);
    expect(market.workers).toEqual([{ id: 0, reputation: 0, cost: 1, arrival: 1 }]);
  });

  it("takes the paper's rules where they do as well", () => {
    const early = ({ rules }: Market) => rules.firstRoundRatio * rules.budget > 3;
    expect(shrinkMarket(sample, early).market.rules).toEqual({ budget: 9, rounds: 1, ...paperRules });
  });
});

/** Overspent by a tenth and more: an event in numbers that shrinking can lose on every side. */
const overspends = (market: Market): boolean =>
  publisherAccount(market.workers, runAuction(online, market)).spent > 1.1 * market.rules.budget;

/** Worker gains more than a thousandth of the budget. */
const gains = (market: Market, worker: number | null): boolean =>
  bestResponses(market, { workers: [worker!] }).workers[0]!.gain > 1e-3 * market.rules.budget;

describe("what shrinking ends with", () => {
  it("still keeps, is no larger, is reached again, and no single step applies to it any more", () => {
    let shrunk = 0;
    fc.assert(
      fc.property(markets, (market) => {
        const liar = market.workers.find(({ id }) => gains(market, id));
        fc.pre(liar !== undefined);
        const worker = liar!.id;
        const result = shrinkMarket(market, gains, { worker });
        shrunk++;
        expect(gains(result.market, result.worker)).toBe(true);
        expect(compareSize(result.market, market)).toBeLessThanOrEqual(0);
        expect(shrinkMarket(market, gains, { worker })).toEqual(result);
        for (const next of smallerCases(result)) expect(gains(next.market, next.worker)).toBe(false);
      }),
      { numRuns: 12 },
    );
    expect(shrunk).toBe(12);
  });

  it("is minimal too where the market is about nobody in particular", () => {
    fc.assert(
      fc.property(markets, (market) => {
        fc.pre(overspends(market));
        const { market: smallest, minimal } = shrinkMarket(market, overspends);
        expect(minimal).toBe(true);
        for (const next of smallerCases({ market: smallest, worker: null }))
          expect(overspends(next.market)).toBe(false);
      }),
      { numRuns: 5, maxSkipsPerRun: 2000 },
    );
  });
});
