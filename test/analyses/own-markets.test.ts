import { describe, expect, it } from "vitest";
import { ownMarkets } from "../../analyses/own-markets.js";
import { rounded } from "../../src/lib/format.js";
import { stream } from "../../src/lib/random.js";
import { drawMarket } from "../../src/market/draw.js";
import { paperRules } from "../../src/market/market.js";
import { bestResponses } from "../../src/responses/index.js";
import {
  contextFor,
  expectExhibitsReplay,
  expectWellFormed,
  resultWith,
  rowsOf,
  searchedShare,
} from "./context.js";

const budgets = [0, 2, 4, 8, 200];
const own = budgets.map((budget, k) => ({
  source: `m.jsonl:${k + 1}`,
  market: drawMarket({ rules: { ...paperRules, budget, rounds: 4 }, workers: 6 }, stream("own").fork(k)),
}));

describe("own markets", () => {
  it("each has a row with what its workers can gain, and a verdict that says the same", async () => {
    const result = await resultWith(ownMarkets, contextFor(1, undefined, undefined, own));
    expectWellFormed(result);
    expectExhibitsReplay(result);
    const rows = rowsOf(result, "markets");
    expect(rows.map(({ market, budget }) => [market, budget])).toEqual(
      own.map(({ source, market }) => [source, market.rules.budget]),
    );
    for (const [k, row] of rows.entries()) {
      const { workers } = bestResponses(own[k]!.market);
      const gains = workers.map(({ gain }) => gain).filter((gain) => gain > 0);
      expect(row.gainers).toBe(gains.length);
      expect(row.gain).toBe(rounded(Math.max(0, ...gains)));
      expect(row.verdict).toBe(gains.length > 0 ? "breaks" : "holds");
      expect(
        Number(row.sufficient) +
          Number(row.tight) +
          Number(row["late-start"]) +
          Number(row["late-and-tight"]),
      ).toBe(6);
    }
    expect(new Set(rows.map(({ verdict }) => verdict)).size).toBe(2);
  });

  it("of a mechanism whose lies are searched for, nothing holds for sure", async () => {
    const few = own.slice(1, 2);
    const { tables, methods } = await resultWith(ownMarkets, contextFor(1, searchedShare, undefined, few));
    expect(tables[0]!.rows[0]!.verdict).not.toBe("holds");
    expect(methods.join()).toContain("searched for");
  });
});
