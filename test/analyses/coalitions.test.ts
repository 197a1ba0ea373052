import { describe, expect, it } from "vitest";
import { type CoalitionSettings, coalitions } from "../../analyses/coalitions.js";
import { runAuction } from "../../src/auction/mechanism.js";
import { allotmentOf, workerUtility } from "../../src/auction/outcome.js";
import { approximateOptimal } from "../../src/mechanisms/approximate-optimal.js";
import { bidGreedy } from "../../src/mechanisms/bid-greedy.js";
import { fixedThreshold } from "../../src/mechanisms/fixed-threshold.js";
import { online } from "../../src/mechanisms/online/online.js";
import { contextFor, expectWellFormed, resultWith, rowsOf, searchedShare } from "./context.js";

const settings: CoalitionSettings = {
  ...{ workers: 4, rounds: 2, relativeBudgets: [0.5, 5] },
  ...{ markets: 20, otherMarkets: 10, pairs: 3 },
};
const compared = [online, bidGreedy, fixedThreshold, approximateOptimal, searchedShare];
const result = await resultWith(coalitions, contextFor("pairs", online, compared), settings);
const share = (mechanism: string, kind: string) =>
  rowsOf(result, "shares").find((row) => row.mechanism === mechanism && row.who === kind)!.share as number;

describe("coalitions", () => {
  it("is well formed: one chart, at most four findings", () => {
    expectWellFormed(result);
    expect(result.charts).toHaveLength(1);
    expect(result.findings.length).toBeLessThanOrEqual(4);
  });

  it("asks those alone whose joint lies are exact and that are not shown the costs", () => {
    const names = new Set(rowsOf(result, "shares").map(({ mechanism }) => mechanism));
    expect([...names]).toEqual(["online", "bid-greedy", "fixed-threshold"]);
  });

  it("counts a pair that gains together wherever a member gains alone in a rule that pays the bid", () => {
    expect(share("bid-greedy", "the two together")).toBeGreaterThanOrEqual(
      share("bid-greedy", "somebody alone"),
    );
    expect(share("bid-greedy", "somebody alone")).toBeGreaterThan(0.3);
  });

  it("finds pairs of the paper's auction that gain though neither could alone", () => {
    const [only, together] = ["the two, neither alone", "the two together"].map((kind) =>
      share("online", kind),
    );
    expect(only).toBeGreaterThan(0);
    expect(together).toBeGreaterThanOrEqual(only!);
  });

  it("splits ours by regime and groups, all pairs once", () => {
    const rows = rowsOf(result, "by-regime").filter(({ who }) => who === "the two together");
    const pairs = rows.reduce((sum, row) => sum + (row.pairs as number), 0);
    expect(pairs).toBe(2 * 20 * 3);
  });

  it("shows the pair that gains most, whose bids replay with that gain", () => {
    const exhibit = result.exhibits!.find(({ mechanism }) => mechanism === "online")!;
    const bids = [exhibit.lie!, ...exhibit.others!];
    const sum = (said: typeof bids) =>
      bids.reduce((total, { worker }) => {
        const self = exhibit.market.workers.find(({ id }) => id === worker)!;
        return total + workerUtility(self, allotmentOf(runAuction(online, exhibit.market, said), worker));
      }, 0);
    const most = rowsOf(result, "gains").find(({ mechanism }) => mechanism === "online")!.most as number;
    expect((sum(bids) - sum([])) / exhibit.market.rules.budget).toBeCloseTo(most, 5);
  });
});
