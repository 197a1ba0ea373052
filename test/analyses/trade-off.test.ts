import { deviation } from "d3-array";
import { describe, expect, it } from "vitest";
import { marketAt } from "../../analyses/shared/publisher.js";
import { tradeOff } from "../../analyses/trade-off.js";
import { runAuction } from "../../src/auction/mechanism.js";
import { publisherAccount, workerUtility } from "../../src/auction/outcome.js";
import { stream } from "../../src/lib/random.js";
import { estimate } from "../../src/lib/statistics.js";
import { bidGreedy } from "../../src/mechanisms/bid-greedy.js";
import { mechanismNamed, mechanisms } from "../../src/mechanisms/index.js";
import { bestResponses } from "../../src/responses/index.js";
import { withoutText } from "../searched.js";
import { contextFor, expectWellFormed, resultWith, rowsOf } from "./context.js";

const size = { workers: 8, budget: 10, markets: 40, searched: 10, effort: 500 };
const large = { workers: 12, budget: 15, markets: 4, searched: 0, effort: 0 };
/** An auction of somebody's own, of which only decisions are known. */
const mine = { ...withoutText(bidGreedy), name: "mine" };
const result = await resultWith(
  tradeOff,
  contextFor(1, mechanisms.online, [...Object.values(mechanisms), mine]),
  [size, large],
);
const rowOf = (auction: string, market = "8 workers, budget 10") =>
  rowsOf(result, "trade-off").find((row) => row.auction === auction && row.size === market)!;
const markets = Array.from({ length: size.markets }, (_, k) => marketAt(size, k, stream(1)));

describe("the trade-off", () => {
  it("is well formed: one chart, at most four findings", () => {
    expectWellFormed(result);
    expect(result.charts).toHaveLength(1);
    expect(result.findings.length).toBeLessThanOrEqual(4);
  });

  it("finds nothing where nobody can gain, exactly, and bounds what other markets may hold", () => {
    for (const name of ["rrafl", "proportional-share", "fixed-threshold", "posted-rounds", "falling-price"]) {
      expect(rowOf(name)).toMatchObject({ share: 0, gain: 0, most: 0, certainty: "exact" });
      expect(rowOf(name).shareHigh).toBeGreaterThan(0);
    }
  });

  it("finds large gains where the bid is paid", () => {
    for (const name of ["vanilla", "bid-greedy"]) {
      const { share, most, certainty, workers } = rowOf(name);
      expect(share).toBeGreaterThan(0.1);
      expect(most).toBeGreaterThan(0.3);
      expect([certainty, workers]).toEqual(["exact", size.markets * size.workers]);
    }
  });

  it("calls what a search finds a lower bound, with the number of lies tried, and bounds nothing by it", () => {
    const { share, shareHigh, gainHigh, certainty, workers, evaluations } = rowOf("mine");
    expect([shareHigh, gainHigh]).toEqual([null, null]);
    expect(share).toBeGreaterThan(0.1);
    expect([certainty, workers]).toEqual(["lower bound", size.searched]);
    expect(evaluations).toBeGreaterThan(100 * size.searched);
  });

  it("leaves out auctions of which nobody was asked, and says so", () => {
    expect(rowOf("online", "12 workers, budget 15")).toBeDefined();
    expect(rowOf("mine", "12 workers, budget 15")).toBeUndefined();
    expect(result.methods[1]).toContain("Nobody's best lie was looked for in mine");
  });

  it("states no interval from fewer than five markets", () => {
    const { low, high, shareLow, shareHigh, gainLow, gainHigh } = rowOf("online", "12 workers, budget 15");
    expect([low, high, shareLow, shareHigh, gainHigh]).toEqual([null, null, null, null, null]);
    expect(gainLow).toBeNull();
  });

  it("says of the paper's mechanism what its exact best responses say, in the same markets", () => {
    const responses = markets.map((market) => bestResponses(market).workers);
    const gains = responses.flat().map(({ gain }) => gain);
    const { share, shareLow, shareHigh, gain, most, mean } = rowOf("online");
    expect(gains.some((one) => one > 0)).toBe(true);
    expect(share).toBeCloseTo(gains.filter((one) => one > 0).length / gains.length, 5);
    expect(gain).toBeCloseTo(gains.reduce((sum, one) => sum + one, 0) / gains.length, 5);
    expect(most).toBeCloseTo(Math.max(...gains), 4);
    const paid = accountsOf("online").flatMap(({ utilityPerUnitPaid }) => utilityPerUnitPaid ?? []);
    expect(mean).toBeCloseTo(estimate(paid).mean, 4);
    // Workers of one market are alike: its markets are the sample.
    const gainers = responses.map((some) => some.filter(({ gain }) => gain > 0).length);
    const half = (2.0227 * deviation(gainers)!) / size.workers / Math.sqrt(size.markets);
    expect(Number(shareHigh) - Number(share)).toBeCloseTo(half, 4);
    expect(Number(shareLow)).toBeCloseTo(Math.max(0, Number(share) - half), 4);
  });

  it("splits workers by regime without losing any", () => {
    for (const { auction, size, workers, most } of rowsOf(result, "trade-off")) {
      const parts = rowsOf(result, "by-regime").filter((row) => row.auction === auction && row.size === size);
      expect(parts.reduce((sum, row) => sum + Number(row.workers), 0)).toBe(workers);
      expect(Math.max(...parts.map((row) => Number(row.most)))).toBe(most);
    }
  });

  it("exhibits the largest gain of each auction, and it replays", () => {
    expect(result.exhibits!.map(({ mechanism }) => mechanism)).toEqual(
      expect.arrayContaining(["online", "vanilla"]),
    );
    for (const { market, mechanism, lie } of result.exhibits!.filter((one) => one.mechanism !== "mine")) {
      const worker = market.workers.find(({ id }) => id === lie!.worker)!;
      const utility = (bids: readonly (typeof lie & object)[]) =>
        workerUtility(
          worker,
          runAuction(mechanismNamed(mechanism), market, bids).workers.find(({ id }) => id === worker.id)!,
        );
      expect(utility([lie!]) - utility([])).toBeCloseTo(rowOf(mechanism).most as number, 4);
    }
  });

  it("says what the table says", () => {
    const texts = result.findings.map(({ text }) => text);
    const { share, workers } = rowOf("online");
    const own = texts.find((text) => text.includes("can gain by lying in online"))!;
    expect(own).toContain(`${Number((100 * (share as number)).toPrecision(2))} % (`);
    expect(own).toContain(`of ${workers} workers in 40 markets can gain by lying`);
    const safe = rowsOf(result, "trade-off").filter(
      (row) => row.size === "8 workers, budget 10" && row.most === 0 && row.certainty === "exact",
    );
    const none = texts.find((text) => text.includes("none of the workers asked can gain in"))!;
    for (const { auction } of safe) expect(none).toContain(auction);
  });
});

it("tells each mechanism's card how many can gain, and how that was found", () => {
  const noteOf = (name: string) => result.mechanismNotes!.find(({ mechanism }) => mechanism === name)!.text;
  expect(noteOf("rrafl")).toMatch(
    /^Computed: none of 320 workers in 40 markets can gain by lying \(at most [\d.]+ % with 95 %\)/,
  );
  expect(noteOf("mine")).toMatch(/^Searched: a gain was found for \d+ of 10 workers/);
});

function accountsOf(name: string) {
  return markets.map((market) => publisherAccount(market.workers, runAuction(mechanismNamed(name), market)));
}
