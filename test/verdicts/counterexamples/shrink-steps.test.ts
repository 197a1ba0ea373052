/** The steps of the shrinker: which smaller markets it tries, one kind of step after the other. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { marketArbitrary } from "../../../src/market/generators.js";
import { type Market, paperRules, type Rules, type Worker } from "../../../src/market/market.js";
import {
  compareSize,
  type Shrunk,
  shrinking,
  smallerCases,
} from "../../../src/verdicts/counterexamples/shrink.js";

type Case = Pick<Shrunk, "market" | "worker">;

const worker = (id: number, change: Partial<Worker> = {}): Worker => ({
  id,
  reputation: 0.123456789,
  cost: 0.456789123,
  arrival: 1,
  ...change,
});

const rules: Rules = {
  budget: 7.123456789,
  rounds: 4,
  ...paperRules,
  firstRoundRatio: 0.4123,
  minWorkers: 3,
  reading: "pseudocode",
};

const marketOf = (...workers: Worker[]): Market => ({ rules, workers });

const tried = (market: Market, liar: number | null = null): Case[] => [
  ...smallerCases({ market, worker: liar }),
];

/** A market as a text, its numbers to nine digits. */
const textOf = (market: Market): string =>
  JSON.stringify(market, (_, value) => (typeof value === "number" ? Number(value.toPrecision(9)) : value));

/** The texts of all that is tried. */
const textsOf = (market: Market): Set<string> => new Set(tried(market).map((next) => textOf(next.market)));

const withRules = ({ workers }: Market, change: Partial<Rules>): string =>
  textOf({ rules: { ...rules, ...change }, workers });

const idsOf = ({ market }: Case): string => market.workers.map(({ id }) => id).join();

const close = (value: number) => expect.closeTo(value, 9);

it("every market that is tried is smaller and legal, and has the worker that it is about", () => {
  fc.assert(
    fc.property(marketArbitrary({ minWorkers: 1, maxWorkers: 4, maxRounds: 4 }), fc.nat(), (market, pick) => {
      const liar = market.workers[pick % market.workers.length]!;
      fc.pre(market.rules.budget > 0);
      const isLegal = ({ market: { rules, workers }, worker }: Case) =>
        compareSize({ rules, workers }, market) < 0 &&
        workers.some(({ id }) => id === worker) &&
        new Set(workers.map(({ id }) => id)).size === workers.length &&
        workers.every(({ arrival }) => arrival >= 1 && arrival <= rules.rounds) &&
        workers.every(({ reputation, cost }) => reputation >= 0 && cost >= 0 && Number.isFinite(cost)) &&
        rules.budget > 0 &&
        rules.firstRoundRatio > 0 &&
        rules.firstRoundRatio <= 1 &&
        rules.minWorkers >= 1;
      expect(tried(market, liar.id).find((next) => !isLegal(next))).toBeUndefined();
    }),
    { numRuns: 10 },
  );
});

describe("fewer workers", () => {
  const four = marketOf(...[1, 2, 3, 4].map((id) => worker(id, { reputation: id / 10 })));
  /** What is tried with fewer workers, which comes first. */
  const fewer = (market: Market, liar: number | null = null): Case[] => {
    const found: Case[] = [];
    for (const next of smallerCases({ market, worker: liar })) {
      if (next.market.workers.length === market.workers.length) break;
      found.push(next);
    }
    return found;
  };
  const left = (market: Market, liar: number | null = null) => new Set(fewer(market, liar).map(idsOf));

  it("without any one, and without any two", () => {
    expect(left(four)).toEqual(
      new Set(["3,4", "1,2", "2,3,4", "1,3,4", "1,2,4", "1,2,3", "2,4", "2,3", "1,4", "1,3"]),
    );
  });

  it("but never without the one that it is about", () => {
    expect(left(four, 3)).toEqual(new Set(["3,4", "1,3", "2,3", "2,3,4", "1,3,4", "1,2,3"]));
    expect(left(marketOf(worker(3)), 3)).toEqual(new Set());
  });

  it("by halves first, then by quarters and one by one; in pairs only of up to sixteen", () => {
    const equals = (count: number) => marketOf(...Array.from({ length: count }, (_, id) => worker(id)));
    const removed = (count: number) =>
      fewer(equals(count)).map(({ market }) => count - market.workers.length);
    const sizes = (count: number) => [...new Set(removed(count))];
    expect(sizes(8)).toEqual([4, 2, 1]);
    expect(sizes(7)).toEqual([4, 3, 2, 1]);
    const pairs = (count: number) =>
      new Set(
        fewer(equals(count))
          .map(idsOf)
          .filter((ids) => ids.split(",").length === count - 2),
      ).size;
    expect(pairs(16)).toBe((16 * 15) / 2);
    expect(pairs(18)).toBeLessThan(18);
  });

  it("with the same budget or less, by heads or by reputation, and as many to start or fewer", () => {
    const without = tried(four).filter((next) => idsOf(next) === "1,2");
    const found = without.map(({ market }) => [market.rules.budget / rules.budget, market.rules.minWorkers]);
    expect(found.slice(0, 6)).toEqual([
      [1, 3],
      [1, 1],
      [0.5, 3],
      [0.5, 1],
      [close(0.3), 3],
      [close(0.3), 1],
    ]);
    const one = tried(four).filter((next) => idsOf(next) === "2,3,4");
    expect(new Set(one.map(({ market }) => market.rules.minWorkers))).toEqual(new Set([3, 2]));
  });

  it("not with a budget of nothing where those left have no reputation", () => {
    const market = marketOf(worker(0, { reputation: 0 }), worker(1));
    const without = tried(market).filter((next) => idsOf(next) === "0");
    expect(without.map((next) => next.market.rules.budget)).not.toContain(0);
  });
});

describe("fewer rounds", () => {
  const market = marketOf(worker(0, { arrival: 2 }), worker(1, { arrival: 4 }));
  const tries = () =>
    tried(market)
      .filter((next) => next.market.workers.length === 2 && next.market.rules.rounds < 4)
      .map(({ market: { rules: changed, workers } }) => ({
        rounds: changed.rounds,
        budget: changed.budget / rules.budget,
        arrivals: workers.map(({ arrival }) => arrival),
      }));

  it("with the same budget or less in proportion, arrivals cut at the end or moved to the front", () => {
    const found = tries();
    for (const [rounds, cut, moved] of [
      [1, [1, 1], [1, 1]],
      [2, [2, 2], [1, 2]],
      [3, [2, 3], [1, 3]],
    ] as const)
      for (const budget of [1, rounds / 4])
        for (const arrivals of [cut, moved]) expect(found).toContainEqual({ rounds, budget, arrivals });
    expect(new Set(found.map(({ rounds }) => rounds))).toEqual(new Set([1, 2, 3]));
  });
});

describe("simpler rules", () => {
  const market = marketOf(worker(0));
  const texts = () => textsOf(market);

  it("fewer needed to start, and the reading of the prose", () => {
    const found = texts();
    for (const minWorkers of [1, 2]) expect(found).toContain(withRules(market, { minWorkers }));
    expect(found).toContain(withRules(market, { reading: "prose" }));
  });

  it("a ratio as in the paper, a short one or a rounded one; the budget as it is, or so that the first step has as much", () => {
    const found = texts();
    for (const firstRoundRatio of [
      paperRules.firstRoundRatio,
      0.5,
      0.25,
      0.75,
      0.4,
      0.41,
      0.42,
      0.413,
      0.412,
      1,
    ])
      for (const factor of [1, rules.firstRoundRatio / firstRoundRatio, 0.5, 0.75, 1.5, 2, 3])
        expect(found).toContain(withRules(market, { firstRoundRatio, budget: rules.budget * factor }));
  });

  it("no ratio of 0 or above 1", () => {
    const ratios = new Set(tried(market).map((next) => next.market.rules.firstRoundRatio));
    expect(Math.min(...ratios)).toBeGreaterThan(0);
    expect(Math.max(...ratios)).toBe(1);
  });

  it("a budget of fewer digits: down, to the nearest, up", () => {
    const found = texts();
    for (const budget of [
      1, 7, 9, 0.1, 0.9, 8, 7.1, 7.2, 7.12, 7.13, 7.123, 7.124, 7.1234, 7.1235, 7.123457, 7.123456,
    ])
      expect(found).toContain(withRules(market, { budget }));
  });
});

describe("other units", () => {
  const market = marketOf(worker(0, { reputation: 0.64 }), worker(1, { reputation: 0.16 }));
  const texts = () => textsOf(market);

  it.each([1, 2, 5, 10, 20, 50, 100])("money: a budget of %d, and costs with it", (budget) => {
    const workers = market.workers.map((one) => ({
      ...one,
      cost: (one.cost * budget) / rules.budget,
    }));
    expect(texts()).toContain(textOf({ rules: { ...rules, budget }, workers }));
  });

  it("reputation: the largest is 1", () => {
    const workers = [worker(0, { reputation: 1 }), worker(1, { reputation: 0.25 })];
    expect(texts()).toContain(textOf({ rules, workers }));
  });
});

describe("earlier arrivals and smaller ids", () => {
  it("any earlier arrival of anybody", () => {
    const market = marketOf(worker(0, { arrival: 3 }), worker(1, { arrival: 2, cost: 0.9 }));
    const ofBoth = (...arrivals: number[]) =>
      textOf(marketOf(...market.workers.map((one, k) => ({ ...one, arrival: arrivals[k]! }))));
    const texts = textsOf(market);
    const choices = [1, 2, 3].flatMap((a) => [1, 2].map((b) => [a, b]));
    const offered = choices.filter((arrivals) => texts.has(ofBoth(...arrivals)));
    expect(offered).toEqual([
      [1, 2],
      [2, 2],
      [3, 1],
    ]);
  });

  const renamed = (ids: readonly number[], liar: number | null = null) => {
    const market = marketOf(...ids.map((id) => worker(id)));
    return tried(market, liar)
      .filter((next) => next.market.workers.length === ids.length && idsOf(next) !== ids.join())
      .map((next) => `${idsOf(next)} about ${next.worker}`);
  };

  it("[M2] [M4] the smallest ids in the same order and the same groups", () => {
    expect(renamed([3, 4, 9], 4)[0]).toBe("1,2,3 about 2");
    expect(renamed([10, 12, 13])[0]).toBe("0,2,3 about null");
  });

  it("the two groups exchanged", () => {
    expect(renamed([1, 3], 3)).toContain("0,2 about 2");
  });

  it("any free smaller id for one of them, up to twice as many as there are", () => {
    expect(renamed([0, 3], 3)).toEqual(expect.arrayContaining(["0,1 about 1", "0,2 about 2"]));
    expect(renamed([9])).toEqual(["1 about null", "8 about null", "0 about null", "1 about null"]);
  });
});

describe("shorter numbers", () => {
  const market = marketOf(
    worker(0, { reputation: 0.87654321, cost: 0.123456789 }),
    worker(1, { reputation: 0.55555555, cost: 0.987654321 }),
  );
  const texts = () => textsOf(market);
  const changed = (id: number, change: Partial<Worker>) => {
    const workers = market.workers.map((one) => (one.id === id ? { ...one, ...change } : one));
    return textOf({ rules, workers });
  };

  it.each([0, 1, 2, 3, 4, 5, 6])("all reputations and costs to %d decimals", (decimals) => {
    const to = (value: number) => Number(value.toFixed(decimals));
    const workers = market.workers.map((one) => ({
      ...one,
      reputation: to(one.reputation),
      cost: to(one.cost),
    }));
    expect(texts()).toContain(textOf({ rules, workers }));
  });

  it("one cost or one reputation: a digit, fewer decimals, or that of another", () => {
    const found = texts();
    for (const cost of [0, 1, 9, 0.1, 0.9, 0.12, 0.13, 0.1235, 0.1234, 0.123457, 0.987654321])
      expect(found).toContain(changed(0, { cost }));
    for (const reputation of [0, 1, 9, 0.1, 0.87, 0.88, 0.8765, 0.8766, 0.876543, 0.55555555])
      expect(found).toContain(changed(0, { reputation }));
  });

  it("both at once, with about the same density", () => {
    const found = texts();
    expect(found).toContain(changed(0, { reputation: 1, cost: 0.14 }));
    expect(found).toContain(changed(0, { reputation: 1, cost: 0.140845 }));
    expect(found).toContain(changed(1, { reputation: 0.5, cost: 0.888889 }));
  });

  it("of a worker without reputation, each by itself", () => {
    const without = tried(marketOf(worker(0, { reputation: 0 })));
    expect(without.every((next) => next.market.workers.every(({ cost }) => Number.isFinite(cost)))).toBe(
      true,
    );
  });
});

describe("the path of shrinking", () => {
  const market = marketOf(worker(2), worker(5));

  it("tries no market twice, and tells after each the smallest that keeps", () => {
    const seen = new Set<string>();
    const keeps = (next: Market) => {
      const text = JSON.stringify(next);
      expect(seen.has(text)).toBe(false);
      seen.add(text);
      return next.workers.length === 2 && next.rules.minWorkers === 3;
    };
    let count = 0;
    for (const { market: smallest, evaluations, minimal } of shrinking(market, keeps)) {
      expect(evaluations).toBe(++count);
      expect(minimal).toBe(false);
      expect(smallest.workers).toHaveLength(2);
    }
    expect(seen.size).toBe(count);
  });

  it("puts workers in order and leaves out what belongs to no market", () => {
    const noted = { ...market, note: "x", workers: [...market.workers].reverse() };
    const { value } = shrinking(noted, () => false, { evaluations: 0 }).next();
    expect(value.market).toEqual(market);
    expect(value).toMatchObject({ worker: null, evaluations: 0, minimal: false });
  });
});

describe("the smaller of two markets", () => {
  const base = marketOf(worker(0), worker(1));
  const smaller = (a: Market, b: Market) => compareSize(a, b) < 0 && compareSize(b, a) > 0;
  const ruled = (change: Partial<Rules>): Market => ({ ...base, rules: { ...rules, ...change } });

  it("needs as many to start as the paper, or nearly as many", () => {
    expect(smaller(ruled({ minWorkers: 1 }), ruled({ minWorkers: 2 }))).toBe(true);
    expect(smaller(ruled({ minWorkers: 0 }), ruled({ minWorkers: 2 }))).toBe(true);
  });

  it("has the paper's ratio, else a short one", () => {
    expect(smaller(ruled({ firstRoundRatio: 0.35 }), ruled({ firstRoundRatio: 0.5 }))).toBe(true);
    expect(smaller(ruled({ firstRoundRatio: 0.5 }), ruled({ firstRoundRatio: 0.25 }))).toBe(true);
  });

  it("has fewer different numbers, then smaller ones", () => {
    const costs = (a: number, b: number) => marketOf(worker(0, { cost: a }), worker(1, { cost: b }));
    expect(smaller(costs(0.3, 0.3), costs(0.1, 0.2))).toBe(true);
    expect(smaller(costs(0.1, 0.2), costs(0.1, 0.3))).toBe(true);
    const trusts = (a: number, b: number) =>
      marketOf(worker(0, { reputation: a }), worker(1, { reputation: b }));
    expect(smaller(trusts(0.3, 0.3), trusts(0.1, 0.2))).toBe(true);
    expect(smaller(ruled({ budget: 1 }), ruled({ budget: 2 }))).toBe(true);
  });
});
