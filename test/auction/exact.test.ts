/** Every mechanism that has a program decides the same in numbers and in exact fractions. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exactOutcome, exactUtility, hasTwin } from "../../src/auction/exact.js";
import { type AnyMechanism, runAuction } from "../../src/auction/mechanism.js";
import { exactly } from "../../src/lib/fraction.js";
import { bidders, type Market, paperRules, type Rules } from "../../src/market/market.js";
import { critical } from "../../src/mechanisms/critical.js";
import { mechanisms } from "../../src/mechanisms/index.js";
import { withoutText } from "../searched.js";
import { tiedMarkets } from "../tied-markets.js";

const written = Object.values(mechanisms)
  .filter(hasTwin)
  .map((mechanism): [string, AnyMechanism] => [mechanism.name, mechanism]);

/** Now and then somebody has no reputation. */
const coarse = fc.tuple(tiedMarkets(), fc.integer({ min: 0, max: 9 })).map(([market, dull]) => ({
  ...market,
  workers: market.workers.map((one, k) => (k === dull ? { ...one, reputation: 0 } : one)),
}));

const twinOf = (mechanism: AnyMechanism, { rules, workers }: Market) =>
  exactOutcome(mechanism, rules, bidders(workers));

describe.each(written)("%s", (_, mechanism) => {
  it("[M13] decides in fractions what it decides in numbers, where decimals tie", () => {
    fc.assert(
      fc.property(coarse, (market) => {
        const noise = 1e-9 * market.rules.budget;
        const [plain, twin] = [runAuction(mechanism, market), twinOf(mechanism, market)];
        expect(twin.startDelay).toBe(plain.startDelay);
        expect(twin.budgetEvents).toEqual(plain.budgetEvents);
        for (const [k, { payment, ...decided }] of twin.workers.entries()) {
          const { payment: paid, ...expected } = plain.workers[k]!;
          expect(decided).toEqual(expected);
          expect(Math.abs(payment.valueOf() - paid)).toBeLessThanOrEqual(noise);
        }
        expect(twin.thresholds).toHaveLength(plain.thresholds.length);
        for (const [k, { round, group0, group1 }] of twin.thresholds.entries()) {
          const expected = plain.thresholds[k]!;
          expect(round).toBe(expected.round);
          expect(group0 === null).toBe(expected.group0 === null);
          expect(group1 === null).toBe(expected.group1 === null);
          expect(Math.abs((group0?.valueOf() ?? 0) - (expected.group0 ?? 0))).toBeLessThanOrEqual(noise);
          expect(Math.abs((group1?.valueOf() ?? 0) - (expected.group1 ?? 0))).toBeLessThanOrEqual(noise);
        }
      }),
      { numRuns: 150 },
    );
  });
});

describe("the narrowest gap", () => {
  const rules: Rules = { budget: 10, rounds: 1, ...paperRules, firstRoundRatio: 0.5 };
  const gap = (budget: number, ...costs: number[]): number => {
    const workers = costs.map((cost, id) => ({ id, reputation: 1, cost, arrival: 1 }));
    return twinOf(mechanisms["bid-greedy"], { rules: { ...rules, budget }, workers }).narrowestGap;
  };

  it("is relative to the larger of the two sides, whichever that is", () => {
    expect(gap(10, 8)).toBeCloseTo(0.2, 12);
    expect(gap(8, 10)).toBeCloseTo(0.2, 12);
  });

  it("is that of the closest comparison, and a tie is none", () => {
    expect(gap(100, 4, 5)).toBeCloseTo(0.2, 12);
    expect(gap(10, 10)).toBe(Number.POSITIVE_INFINITY);
    expect(gap(10, 5, 5)).toBeCloseTo(0.5, 12);
  });

  it("sees what floating point takes for a tie ([M13])", () => {
    expect(gap(10, 10 * (1 + 2 ** -45))).toBeLessThan(1e-12);
    expect(gap(10, 10 * (1 + 2 ** -45))).toBeGreaterThan(0);
  });
});

it("a price may be a fraction that no decimal writes", () => {
  const rules: Rules = { budget: 1, rounds: 1, ...paperRules, firstRoundRatio: 0.5 };
  const third = exactly(1).div(3);
  const bids = [2, 0, 1].map((id) => ({ id, reputation: 1, price: third, arrival: 1 }));
  const { workers } = exactOutcome(mechanisms["bid-greedy"], rules, bids);
  expect(workers.map(({ id, payment }) => [id, payment.toFraction()])).toEqual([
    [0, "1/3"],
    [1, "1/3"],
    [2, "1/3"],
  ]);
  expect(exactUtility(0.1, workers[0]!).toFraction()).toBe("7/30");
  expect(exactUtility(0.1, { ...workers[0]!, rounds: 3 }).toFraction()).toBe("1/30");
});

it("there is a twin of what has a program, and pays by it", () => {
  const plain = withoutText(mechanisms["bid-greedy"]) as AnyMechanism;
  expect([mechanisms["bid-greedy"], critical(mechanisms["bid-greedy"]), plain].map(hasTwin)).toEqual([
    true,
    false,
    false,
  ]);
  expect(() => exactOutcome(plain, {} as Rules, [])).toThrow("bid-greedy has no program");
});
