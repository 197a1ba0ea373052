import { describe, expect, it } from "vitest";
import type { Ledgers } from "../../analyses/shared/auctions/accounts.js";
import { claimFindings } from "../../analyses/shared/auctions/claim-text.js";
import { type Claim, claimsOf, judge } from "../../analyses/shared/auctions/claims.js";
import { budgetAxis, by, places, workersAxis } from "../../analyses/shared/auctions/words.js";
import { meanRatio } from "../../src/lib/statistics.js";

/** Auctions by what they give per unit paid in each market; null where they pay nothing. */
const ledgers = (units: Readonly<Record<string, readonly (number | null)[]>>): Ledgers =>
  new Map(
    Object.entries(units).map(([name, values]) => [
      name,
      values.map((unit) => ({
        spent: unit === null ? 0 : 1,
        publisherUtility: unit ?? 0,
        utilityPerUnitPaid: unit,
      })),
    ]),
  );

const claim = (kind: Claim["kind"]): Claim => ({ kind, pair: ["a", "b"] });
const verdict = (kind: Claim["kind"], a: readonly (number | null)[], b: readonly (number | null)[]) =>
  judge(claim(kind), { at: 0, together: 1 }, ledgers({ a, b })).verdict;

describe("a claim at one place", () => {
  it("is decided only where the whole interval lies on one side", () => {
    expect(verdict("above", [2, 2.1, 2.2, 2, 2.1], [1, 1.1, 1.15, 1, 1.1])).toBe("holds");
    expect(verdict("above", [1, 1.1, 1.15, 1, 1.1], [2, 2.1, 2.2, 2, 2.1])).toBe("breaks");
    expect(verdict("above", [1, 2, 3, 1, 2], [2, 2, 1.9, 2, 2])).toBe("undecided");
  });

  it("compares market by market: a small gap in every market outweighs how markets differ", () => {
    expect(verdict("above", [1.01, 5.01, 9.011, 2.01, 7.01], [1, 5, 9, 2, 7])).toBe("holds");
  });

  it("takes a tie in all markets as best, but not as above", () => {
    expect(verdict("best", [1, 2, 3, 4, 5], [1, 2, 3, 4, 5])).toBe("holds");
    expect(verdict("above", [1, 2, 3, 4, 5], [1 - 1e-15, 2, 3, 4, 5])).toBe("breaks");
  });

  it("counts as close what is no more than 5 % below, or above", () => {
    expect(verdict("close", [0.96, 0.97, 0.965, 0.96, 0.97], [1, 1, 1, 1, 1])).toBe("holds");
    expect(verdict("close", [3, 3.1, 3.2, 3, 3.1], [1, 1, 1, 1, 1])).toBe("holds");
    expect(verdict("close", [0.9, 0.91, 0.905, 0.9, 0.91], [1, 1, 1, 1, 1])).toBe("breaks");
    expect(verdict("close", [0.9, 1, 0.95, 0.9, 1], [1, 1, 1, 1, 1])).toBe("undecided");
  });

  it("leaves out markets in which either pays nothing, and decides nothing without five", () => {
    expect(verdict("above", [2, 2.1, 2.2, 2, 2.1, null], [1, 1.1, 1.15, 1, 1.1, 9])).toBe("holds");
    expect(verdict("above", [2, 2, 2, 2, null], [1, 1, 1, 1, 1])).toBe("undecided");
  });
});

it("claims only against benchmarks that are there, and never of an auction against itself", () => {
  expect(claimsOf("online", ["online", "vanilla"])).toEqual([{ kind: "above", pair: ["online", "vanilla"] }]);
  const pairs = claimsOf("rrafl", ["rrafl", "proportional-share", "approximate-optimal"]).map(
    ({ pair }) => pair,
  );
  expect(pairs).toEqual([
    ["approximate-optimal", "rrafl"],
    ["approximate-optimal", "proportional-share"],
    ["rrafl", "proportional-share"],
  ]);
});

it("a claim that holds on its own need not hold among many that are to hold together", () => {
  const given = ledgers({ a: [1.2, 1.1, 1.4, 1.3, 1.2], b: [1, 1, 1.1, 1.2, 1.1] });
  const among = (together: number) => judge(claim("above"), { at: 0, together }, given).verdict;
  expect([among(1), among(72)]).toEqual(["holds", "undecided"]);
});

describe("sentences", () => {
  const scale = { axis: budgetAxis, values: [10, 20, 30] };
  const at = (value: number, units: Readonly<Record<string, readonly number[]>>, about: Claim) =>
    judge(about, { at: value, together: 1 }, ledgers(units));

  it("name where a claim holds, where it breaks and by how much", () => {
    const above = claim("above");
    const judged = [
      at(10, { a: [3, 3.3], b: [2, 2.2] }, above),
      at(20, { a: [1, 1.1], b: [2, 2.2] }, above),
      at(30, { a: [1, 2], b: [2, 1] }, above),
    ].map((one) => ({
      ...one,
      verdict: one.at === 10 ? ("holds" as const) : one.at === 20 ? ("breaks" as const) : one.verdict,
    }));
    expect(claimFindings(judged, scale).map(({ text }) => text)).toEqual([
      "Per unit paid a gives more than b at budget 10 (by 50 %), less at budget 20 (by 50 %) and an amount not shown to differ at budget 30 (the interval contains 0).",
    ]);
  });

  it("name who is better than the best", () => {
    const best = claim("best");
    const even = { a: [2, 2, 2, 2, 2], b: [1, 1.1, 1.05, 1, 1.1] };
    const judged = [
      at(10, even, best),
      at(20, even, best),
      at(30, { a: [1, 1, 1, 1, 1], b: [2, 2.01, 2.02, 2, 2.01] }, best),
    ];
    expect(claimFindings(judged, scale).map(({ text }) => text)).toEqual([
      "At budgets up to 20 no auction of the paper's figure gives more per unit paid than a; at budget 30 b gives more than a (by 50 %).",
    ]);
  });
});

describe("words", () => {
  const all = [10, 20, 30, 40, 50];

  it("name places in the fewest words", () => {
    expect(places([10], all, workersAxis)).toBe("with 10 workers");
    expect(places([10, 20], all, workersAxis)).toBe("with up to 20 workers");
    expect(places([40, 50], all, budgetAxis)).toBe("at budgets from 40 on");
    expect(places([20, 30, 40], all, workersAxis)).toBe("with 20 to 40 workers");
    expect(places([10, 30, 50], all, budgetAxis)).toBe("at budgets 10, 30 and 50");
    expect(places(all, all, budgetAxis)).toBe("at every budget from 10 to 50");
  });

  it("tell the size of a range of numbers, whatever their sign", () => {
    expect([by([0.04]), by([-0.04, -0.091])]).toEqual(["by 4 %", "by 4 % to 9.1 %"]);
  });
});

describe("the ratio of paired means", () => {
  it("is certain where every pair has the same ratio", () => {
    const { mean, low, high } = meanRatio([
      [2, 1],
      [10, 5],
      [6, 3],
      [4, 2],
      [8, 4],
    ]);
    for (const value of [mean, low, high]) expect(value).toBeCloseTo(2, 12);
  });

  it("weighs pairs by size, and contains its mean", () => {
    const { mean, low, high, n } = meanRatio([
      [1, 1],
      [30, 10],
      [2, 2],
      [3, 3],
      [4, 4],
    ]);
    expect(mean).toBeCloseTo(40 / 20, 12);
    expect(low).toBeLessThan(mean);
    expect(high).toBeGreaterThan(mean);
    expect(n).toBe(5);
  });
});
