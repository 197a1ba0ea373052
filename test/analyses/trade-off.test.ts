import { deviation } from "d3-array";
import { describe, expect, it } from "vitest";
import { marketAt } from "../../analyses/shared/auctions/accounts.js";
import { runTradeOff } from "../../analyses/trade-off.js";
import { bestResponses } from "../../src/best-response/index.js";
import { stream } from "../../src/lib/random.js";
import { bidGreedy } from "../../src/mechanisms/bid-greedy.js";
import { mechanismNamed, mechanisms } from "../../src/mechanisms/index.js";
import { hold } from "../../src/mechanisms/mechanism.js";
import { publisherAccount, workerUtility } from "../../src/mechanisms/outcome.js";
import { withoutText } from "../searched.js";
import { contextFor, rowsOf } from "./context.js";
import { testWholeResult } from "./whole-result.js";

const size = { workers: 8, budget: 10, markets: 40, searched: 10, effort: 500 };
const large = { workers: 12, budget: 15, markets: 4, searched: 0, effort: 0 };
const small = await runTradeOff(contextFor(1), [size, large]);
const rows = rowsOf(small, "trade-off");
const rowOf = (auction: string) =>
  rows.find((row) => row.auction === auction && row.size === "8 workers, budget 10")!;
const markets = Array.from({ length: size.markets }, (_, k) => marketAt(size, k, stream(1)));

/** An auction of somebody's own, of which only decisions are known. */
const mine = { ...withoutText(bidGreedy), name: "mine" };
const searched = await runTradeOff(contextFor(1, mine, [mine, ...Object.values(mechanisms)]), [size, large]);

testWholeResult(small);

describe("the meter", () => {
  it("reads nothing where nobody can gain, exactly, and bounds what other markets may hold", () => {
    for (const name of ["rrafl", "proportional-share", "fixed-threshold", "posted-rounds", "falling-price"]) {
      expect(rowOf(name)).toMatchObject({ share: 0, gain: 0, most: 0, certainty: "exact" });
      expect(rowOf(name).shareHigh).toBeGreaterThan(0);
    }
  });

  it("reads large gains where the bid is paid", () => {
    for (const name of ["vanilla", "bid-greedy"]) {
      const { share, most, certainty, workers } = rowOf(name);
      expect(share).toBeGreaterThan(0.1);
      expect(most).toBeGreaterThan(0.3);
      expect([certainty, workers]).toEqual(["exact", size.markets * size.workers]);
    }
  });

  it("calls what a search finds a lower bound, with the number of lies tried, and bounds nothing by it", async () => {
    const { share, shareHigh, gainHigh, certainty, workers, evaluations } = rowsOf(
      searched,
      "trade-off",
    ).find((row) => row.auction === mine.name && row.size === "8 workers, budget 10")!;
    expect([shareHigh, gainHigh]).toEqual([null, null]);
    expect(share).toBeGreaterThan(0.1);
    expect([certainty, workers]).toEqual(["lower bound", size.searched]);
    expect(evaluations).toBeGreaterThan(100 * size.searched);
  });

  it("reads of the paper's mechanism what its exact best responses say, in the same markets", () => {
    const gains = markets.flatMap((market) => bestResponses(market).workers.map(({ gain }) => gain));
    const units = markets.map((market) =>
      publisherAccount(market.workers, hold(mechanismNamed("online"), market)),
    );
    const paid = units.flatMap(({ utilityPerUnitPaid }) => utilityPerUnitPaid ?? []);
    const { share, gain, most, certainty, workers, mean } = rowOf("online");
    expect(gains.some((one) => one > 0)).toBe(true);
    expect(share).toBeCloseTo(gains.filter((one) => one > 0).length / gains.length, 9);
    expect(gain).toBeCloseTo(gains.reduce((sum, one) => sum + one, 0) / gains.length, 9);
    expect(most).toBe(Math.max(...gains));
    expect([certainty, workers]).toEqual(["exact", gains.length]);
    expect(mean).toBeCloseTo(paid.reduce((sum, one) => sum + one, 0) / paid.length, 9);
  });

  it("leaves out auctions of which nobody was looked at, and says so", () => {
    const here = rowsOf(searched, "trade-off")
      .filter((row) => row.size === "12 workers, budget 15")
      .map(({ auction }) => auction);
    expect(here).toContain("online");
    expect(here).not.toContain(mine.name);
    expect(searched.methods[1]).toContain(`Nobody's best lie was looked for in ${mine.name}`);
  });
});

it("splits workers by regime without losing any", () => {
  for (const { auction, size: market, workers, share } of rows) {
    const parts = rowsOf(small, "by-regime").filter((row) => row.auction === auction && row.size === market);
    const [all, split] = [
      parts.filter(({ regime }) => regime === "all"),
      parts.filter(({ regime }) => regime !== "all"),
    ];
    expect(all).toHaveLength(1);
    expect(all[0]!.share).toBeCloseTo(share as number, 9);
    for (const column of ["workers", "gainers"] as const)
      expect(split.reduce((sum, row) => sum + (row[column] as number), 0)).toBe(all[0]![column]);
    expect(all[0]!.workers).toBe(workers);
    expect(Math.max(...split.map(({ most }) => most as number))).toBe(all[0]!.most);
  }
});

it("exhibits the largest gain of each auction, and it replays", () => {
  expect(small.exhibits!.map(({ mechanism }) => mechanism)).toEqual(
    expect.arrayContaining(["online", "vanilla"]),
  );
  for (const { market, mechanism, lie } of small.exhibits!) {
    const worker = market.workers.find(({ id }) => id === lie!.worker)!;
    const utility = (bids: readonly (typeof lie & object)[]) =>
      workerUtility(
        worker,
        hold(mechanismNamed(mechanism), market, bids).workers.find(({ id }) => id === worker.id)!,
      );
    expect(utility([lie!]) - utility([])).toBeCloseTo(rowOf(mechanism).most as number, 6);
  }
});

it("says what the table says", () => {
  const texts = small.findings.map(({ text }) => text);
  const { share, workers } = rowOf("online");
  const percent = `${Number((100 * (share as number)).toPrecision(2))} % of ${workers} workers can gain by lying`;
  expect(texts.find((text) => text.startsWith("With 8 workers and budget 10, online gives"))).toContain(
    percent,
  );
  for (const repair of ["posted-rounds", "falling-price"])
    expect(texts.find((text) => text.includes(`the repair ${repair}`))).toContain(
      `(none of ${workers} workers can gain by lying)`,
    );
});

it("keeps labels apart", () => {
  const here = rows.filter((row) => row.size === "8 workers, budget 10" && row.share === 0);
  const heights = here.map(({ labelAt }) => labelAt as number).sort((a, b) => a - b);
  const gaps = heights.slice(1).map((height, k) => height - heights[k]!);
  expect(heights.length).toBeGreaterThan(4);
  expect(Math.min(...gaps)).toBeGreaterThan(0.02);
});

it("replays: the same seed gives the same, another seed another", async () => {
  const tiny = [{ ...size, markets: 3, searched: 1 }];
  const first = await runTradeOff(contextFor(1), tiny);
  expect(await runTradeOff(contextFor(1), tiny)).toEqual(first);
  expect((await runTradeOff(contextFor(2), tiny)).tables).not.toEqual(first.tables);
});

it("pools workers over markets, with an interval that allows for workers of one market being alike", () => {
  const gainers = markets.map(
    (market) => bestResponses(market).workers.filter(({ gain }) => gain > 0).length,
  );
  const { shareLow, shareHigh, share } = rowOf("online");
  const [deviant, n] = [deviation(gainers)! / size.workers, size.markets];
  const half = (2.0227 * deviant) / Math.sqrt(n);
  expect(Number(shareHigh) - Number(share)).toBeCloseTo(half, 4);
  expect(Number(shareLow)).toBeCloseTo(Math.max(0, Number(share) - half), 4);
});
