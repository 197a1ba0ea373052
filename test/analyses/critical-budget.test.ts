import { describe, expect, it } from "vitest";
import { type CriticalSettings, changeBetween, criticalBudget } from "../../analyses/critical-budget.js";
import type { Outcome } from "../../src/auction/mechanism.js";
import { atRelativeBudget, costOnOffer, surveyed } from "../../src/market/draw.js";
import { paperRules } from "../../src/market/market.js";
import { bestResponses } from "../../src/responses/index.js";
import {
  contextFor,
  expectExhibitsReplay,
  expectIntervals,
  expectWellFormed,
  resultWith,
  rowsOf,
  searchedShare,
} from "./context.js";

const tiny: CriticalSettings = {
  rounds: 5,
  sizes: [4, 8],
  ratios: [0.1, 0.3, 0.9, 2.8],
  markets: 6,
  scanned: 6,
  more: [0.05, 0.17, 0.5, 1.6, 5],
  width: 0.01,
  asked: null,
};

describe("critical-budget", () => {
  it("is well formed, and the same for the same seed", async () => {
    const result = await resultWith(criticalBudget, contextFor("critical"), tiny);
    expectWellFormed(result);
    for (const table of ["curve", "changes", "states"]) expectIntervals(rowsOf(result, table));
    expect(await resultWith(criticalBudget, contextFor("critical"), tiny)).toEqual(result);
  });

  it("narrows each change down to two near budgets, at exactly one of which a lie pays", async () => {
    const cell = { workers: 8, rounds: 5, ratios: [0.1, 1], more: [0.3, 3], width: 0.01, asked: null };
    const pays = ({ most }: { readonly most: unknown }) => most !== null;
    for (let k = 0; k < 6; k++) {
      const context = contextFor("crossings");
      const drawn = surveyed(cell, k, context.stream);
      const [{ budgets, crossings } = { budgets: [], crossings: [] }] = await criticalBudget.job.look(
        cell,
        k,
        context,
      );
      const signs = budgets.map(pays);
      expect(crossings.length).toBe(signs.slice(1).filter((sign, k) => sign !== signs[k]).length);
      for (const { below, above } of crossings) {
        expect(above.ratio / below.ratio).toBeLessThanOrEqual(1.01);
        const gains = [below, above].map(({ ratio }) =>
          bestResponses(atRelativeBudget(drawn, ratio)).workers.some(({ gain }) => gain > 0),
        );
        expect(gains).toEqual([pays(below), pays(above)]);
        expect(gains[0]).not.toBe(gains[1]);
      }
    }
  });

  it("tells a budget relative to the true cost of the rounds on offer", () => {
    const workers = [
      { id: 0, reputation: 1, cost: 0.5, arrival: 1 },
      { id: 1, reputation: 1, cost: 0.2, arrival: 4 },
    ];
    const rules = { budget: 1, rounds: 4, ...paperRules };
    expect(costOnOffer({ rules, workers })).toBeCloseTo(2.2, 12);
    expect(atRelativeBudget({ rules, workers }, 0.5).rules.budget).toBe(1.1);
  });

  it("the shares of what changes at a crossing add up to 1", async () => {
    const rows = rowsOf(await resultWith(criticalBudget, contextFor("critical"), tiny), "changes");
    expect(rows.length).toBeGreaterThan(0);
    for (const when of new Set(rows.map((row) => row.when))) {
      const there = rows.filter((row) => row.when === when);
      const sum = (column: string) => there.reduce((total, row) => total + (row[column] as number), 0);
      expect(sum("share")).toBeCloseTo(1, 5);
      expect(sum("chance")).toBeCloseTo(1, 5);
      expect(sum("count")).toBe(there[0]!.crossings);
    }
  });

  it("names the start before budget events, and those before hires", () => {
    const run: Outcome = { started: true, startDelay: 0, workers: [], thresholds: [], budgetEvents: [] };
    const budgetEvents = [{ round: 2, worker: 0, kind: "refused" as const }];
    const others = [{ round: 3, worker: 0, kind: "refused" as const }];
    const workers = [{ id: 0, selectedAt: 1, rounds: 1, payment: 1 }];
    const change = (a: Partial<Outcome>, b: Partial<Outcome>) =>
      changeBetween({ ...run, ...a }, { ...run, ...b });
    expect(change({}, {})).toBe("nothing in the truthful run");
    expect(change({}, { workers })).toBe("other workers are hired");
    expect(change({ budgetEvents }, { workers, budgetEvents: others })).toBe("other budget events");
    expect(change({}, { workers, budgetEvents })).toBe("budget events begin or end");
    expect(change({ budgetEvents }, { startDelay: 1 })).toBe("the start moves");
  });

  it("says in words what the tables say, and its exhibits replay", async () => {
    const result = await resultWith(criticalBudget, contextFor("critical"), tiny);
    expectExhibitsReplay(result);
    expect(result.exhibits!.length).toBeGreaterThan(0);
    for (const { paying, points } of rowsOf(result, "states"))
      expect(result.findings[0]!.text).toContain(`at ${paying} of ${points} budgets`);
  });

  it("has words for a mechanism whose lies never pay, and calls nothing exact there", async () => {
    const searched = {
      ...tiny,
      rounds: 2,
      sizes: [3],
      ratios: [0.1, 2],
      more: [0.45],
      markets: 2,
      asked: 2,
    };
    const result = await resultWith(criticalBudget, contextFor("critical", searchedShare), searched);
    expect(result.findings.map(({ text }) => text)).toEqual([
      "In none of 2 markets was a lie that pays found at any budget scanned.",
    ]);
    expect(result.methods.join(" ")).not.toContain("best lie is computed");
  });
});
