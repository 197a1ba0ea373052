import { describe, expect, it } from "vitest";
import { type FrontierSettings, frontier } from "../../analyses/frontier.js";
import { marketAt } from "../../analyses/shared/publisher.js";
import { runAuction } from "../../src/auction/mechanism.js";
import { publisherAccount } from "../../src/auction/outcome.js";
import { approximateOptimal } from "../../src/mechanisms/approximate-optimal.js";
import { bidGreedy } from "../../src/mechanisms/bid-greedy.js";
import { fixedThreshold } from "../../src/mechanisms/fixed-threshold.js";
import { online } from "../../src/mechanisms/online/online.js";
import { postedRounds } from "../../src/mechanisms/posted-rounds.js";
import { rrafl } from "../../src/mechanisms/rrafl.js";
import { contextFor, expectWellFormed, resultWith, rowsOf } from "./context.js";

const settings: FrontierSettings = {
  sizes: [
    { workers: 8, markets: 20, lieMarkets: 3, responses: 40, equilibrium: 20 },
    { workers: 100, markets: 6, lieMarkets: 0, responses: 0, equilibrium: 0, attempts: true },
  ],
  budgets: { "the paper's": 1.25 },
  sweeps: { "posted-rounds": { option: "share", values: [0.6, 1] } },
  priceKnown: ["fixed-threshold"],
};

/** Said to be truthful, and pays the bid. */
const claimed = { ...bidGreedy, name: "claimed", truthful: "None.", offline: false };
const compared = [online, postedRounds, fixedThreshold, rrafl, approximateOptimal, bidGreedy, claimed];
const context = contextFor("frontier", online, compared);
const result = await resultWith(frontier, context, settings);
const rows = (table: string, size = "8 workers, budget 10") =>
  rowsOf(result, table).filter((row) => row.size === size);
const labelled = (label: string) => rows("frontier").find((row) => row.label === label);

describe("frontier", () => {
  it("is well formed: one chart, at most four findings", () => {
    expectWellFormed(result);
    expect(result.charts).toHaveLength(1);
    expect(result.findings.length).toBeLessThanOrEqual(4);
  });

  it("says where a truthful mechanism gives more of both, and among how many comparisons", () => {
    const rows = rowsOf(result, "both").filter((row) => row.comparedWith !== "online, truthful workers");
    const sure = rows.filter((row) => Number(row.utilityLow) >= 1 && Number(row.unitLow) >= 1);
    expect(rows.length).toBeGreaterThan(0);
    const { text } = result.findings.find((one) => one.text.includes("online with strategic workers"))!;
    expect(text).toContain(`in ${sure.length || "none"} of ${rows.length} comparison`);
  });

  it("measures relative to ours with truthful workers, in the same markets", () => {
    expect(labelled("online, truthful workers")).toMatchObject({
      utility: 1,
      utilityLow: 1,
      unit: 1,
      unitHigh: 1,
    });
    const utility = (mechanism: typeof postedRounds) =>
      Array.from({ length: 20 }, (_, k) => marketAt({ workers: 8, budget: 10 }, k, context.stream))
        .map((market) => publisherAccount(market.workers, runAuction(mechanism, market)).publisherUtility)
        .reduce((a, b) => a + b, 0);
    expect(labelled("posted-rounds:share=1")!.utility).toBeCloseTo(
      utility(postedRounds) / utility(online),
      5,
    );
  });

  it("draws what swept options give, what others give, and ours with strategic workers", () => {
    const labels = rows("frontier").map(({ label }) => label);
    for (const label of [
      "posted-rounds:share=0.6",
      "posted-rounds:share=1",
      "fixed-threshold",
      "rrafl",
      "approximate-optimal",
      "online, workers who best respond to the truth",
    ])
      expect(labels).toContain(label);
    expect(labels).not.toContain("bid-greedy");
  });

  it("says what each decides from, and chooses none that sees more than bids as they arrive", () => {
    expect(labelled("fixed-threshold")!.sees).toBe("bids as they arrive, and a price beforehand");
    expect(labelled("rrafl")!.sees).toBe("all bids at once");
    expect(labelled("approximate-optimal")!.sees).toBe("all costs");
    for (const { mechanism } of rowsOf(result, "both")) expect(mechanism).toMatch(/^posted-rounds/);
  });

  it("does not choose what is said to be truthful and is not", () => {
    expect(labelled("claimed")!.lies).toMatch(/can gain in market/);
    expect(labelled("posted-rounds:share=1")!.lies).toBe("none gains for 24 workers");
    expect(result.methods.join(" ")).toContain("claimed had one that gains");
  });

  it("shows what else was tried with the gain of a lie, where one gains", () => {
    const tried = rowsOf(result, "attempts");
    expect(tried.find(({ label }) => label === "carry-round-auctions")!.gain).toBeGreaterThan(0);
    expect(tried.find(({ label }) => label === "circle")).toMatchObject({ gain: null, market: null });
  });

  it("no truthful mechanism gets much more than the bound by virtual costs", () => {
    for (const row of rowsOf(result, "frontier").filter(({ label }) => /posted-rounds/.test(String(label))))
      expect(row.ofLimit).toBeLessThan(1.1);
  });
});
