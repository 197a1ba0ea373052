import { describe, expect, it } from "vitest";
import { type InterimLiesSettings, interimLies } from "../../analyses/interim-lies.js";
import { runAuction } from "../../src/auction/mechanism.js";
import { workerUtility } from "../../src/auction/outcome.js";
import { percent, percents } from "../../src/lib/format.js";
import { stream } from "../../src/lib/random.js";
import { estimate } from "../../src/lib/statistics.js";
import { costOnOffer, drawMarkets } from "../../src/market/draw.js";
import { paperRules } from "../../src/market/market.js";
import { bidGreedy } from "../../src/mechanisms/bid-greedy.js";
import { online } from "../../src/mechanisms/online/online.js";
import { postedRounds } from "../../src/mechanisms/posted-rounds.js";
import type { Row } from "../../src/report/result.js";
import { contextFor, expectWellFormed, resultWith, rowsOf, searchedShare } from "./context.js";

const sample = { types: 12, draws: 60, omniscientDraws: 6 };
const settings: InterimLiesSettings = {
  rounds: 10,
  sizes: [6, 10],
  budgetsPerWorker: [0.2, 1.2],
  sample,
  places: [{ workers: 10, budget: 12, sample, epsilon: { draws: 200, replicates: 40 } }],
  grid: { reputations: [0.9], costs: [0.3, 0.7], arrivals: [1] },
  others: { types: 12, draws: 12, omniscientDraws: 3 },
};

const compared = [online, bidGreedy, postedRounds];
const result = await resultWith(interimLies, contextFor("interim", online, compared), settings);
const mechanisms = rowsOf(result, "mechanisms");
const rulesOf = (budget: number) => ({ ...paperRules, budget, rounds: 10 });

describe("interim-lies", () => {
  it("is well formed: one chart, at most four findings, one of which opens the report in few words", () => {
    expectWellFormed(result);
    expect(result.charts).toHaveLength(1);
    expect(result.findings.length).toBeLessThanOrEqual(4);
    const { text } = result.findings.find(({ weight }) => weight === 93)!;
    expect(text.replaceAll(" %", "%").split(" ").length).toBeLessThanOrEqual(45);
  });

  it("says in words what the tables say in numbers", () => {
    const text = result.findings.map((finding) => finding.text).join(" ");
    const told = rowsOf(result, "by-budget").filter(({ budget }) => budget === 12);
    for (const { measure, share, low, high } of told) {
      const [mean, from, to] = percents({ mean: Number(share), low: Number(low), high: Number(high) });
      const unit = String(measure).includes("budget per worker") ? "the budget per worker" : "12 types";
      const interval = low === null ? "too few for an interval" : `95 %: ${from} to ${to}`;
      if (!String(measure).includes("sees all")) expect(text).toContain(`${mean} of ${unit} (${interval})`);
    }
    const { pays } = mechanisms.find(({ mechanism }) => mechanism === "bid-greedy")!;
    expect(text).toContain(`for some of 12 types under bid-greedy (${percent(Number(pays))})`);
    expect(text).toContain("under 1 other mechanism the truth was best for every type drawn");
  });

  it("has every size at every budget, with what was measured of each", () => {
    const rows = rowsOf(result, "by-budget").filter(({ measure }) => measure === "types for whom a lie pays");
    expect(rows.map(({ size, budget }) => `${size} ${budget}`)).toEqual([
      ...["6 workers 1.2", "6 workers 7.2", "10 workers 2", "10 workers 12"],
    ]);
    for (const { share, low, high } of rows) {
      expect(low as number).toBeLessThanOrEqual(share as number);
      expect(high as number).toBeGreaterThanOrEqual(share as number);
    }
  });

  it("finds nothing under posted-rounds, seeing bids or not, and much where bids are paid", () => {
    const of = (mechanism: string) => mechanisms.filter((row) => row.mechanism === mechanism);
    // Of types that none of which gains no interval of the mean is known.
    for (const { share, low, high } of of("posted-rounds"))
      expect([share, low, high]).toEqual([0, null, null]);
    for (const { share } of of("bid-greedy")) expect(share as number).toBeGreaterThan(0.05);
  });

  it("splits the mean gain by kind of lie without a rest", () => {
    const total = mechanisms.find(({ mechanism }) => mechanism === "bid-greedy")!.share as number;
    const parts = rowsOf(result, "kinds").filter(({ mechanism }) => mechanism === "bid-greedy");
    const sum = parts.reduce((all, { gain }) => all + (gain as number), 0);
    expect(sum / 1.2).toBeCloseTo(total, 4);
  });

  it("names a strongest case that plain runs on other draws confirm", () => {
    const [row] = rowsOf(result, "largest");
    const { gain, low, high, reputation, cost, arrival, price } = row as Record<string, number>;
    expect(gain!).toBeGreaterThan(0.5);
    expect(low!).toBeLessThan(gain!);
    expect(high!).toBeGreaterThan(low!);
    const self = { id: 0, reputation: reputation!, cost: cost!, arrival: arrival! };
    const gains = [...drawMarkets({ rules: rulesOf(12), workers: 10 }, 400, stream("fresh"))].map((drawn) => {
      const market = { ...drawn, workers: [self, ...drawn.workers.slice(1)] };
      const utility = (asked: number) =>
        workerUtility(
          self,
          runAuction(online, market, [{ worker: 0, price: asked, arrival: self.arrival }]).workers[0]!,
        );
      return utility(price!) - utility(self.cost);
    });
    expect(Math.abs(estimate(gains).mean - gain!)).toBeLessThan(0.2);
    const { text } = result.findings.find(({ weight }) => weight === 61)!;
    expect(text).toContain("forces the start");
    expect(text).toContain("below B1/T = 0.42");
  });

  it("searches where no pieces are known, and then bounds nothing", async () => {
    const context = contextFor("searched", searchedShare, [searchedShare]);
    const few = { types: 5, draws: 5, omniscientDraws: 1 };
    const place = { workers: 4, budget: 5, sample: few, epsilon: { draws: 5, replicates: 5 } };
    const sizes = { rounds: 2, sizes: [4], budgetsPerWorker: [1], sample: few, others: few };
    const searched = await resultWith(interimLies, context, { ...settings, ...sizes, places: [place] });
    expectWellFormed(searched);
    expect(rowsOf(searched, "largest")).toEqual([] as Row[]);
    expect(searched.methods.join(" ")).toContain("searched for");
  });
});

it("takes for the relative budget what the paper's distributions have workers offer on average", () => {
  const markets = [...drawMarkets({ rules: rulesOf(1), workers: 10 }, 3000, stream("offered"))];
  const { mean, low, high } = estimate(markets.map(costOnOffer));
  const half = 2 * (high - low);
  const told = rowsOf(result, "by-budget").filter(({ size }) => size === "10 workers");
  for (const { budget, ratio } of told)
    expect(Math.abs(mean - Number(budget) / Number(ratio))).toBeLessThan(half);
});
