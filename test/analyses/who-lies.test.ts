import { mean } from "d3-array";
import { describe, expect, it } from "vitest";
import type { SurveySettings } from "../../analyses/shared/survey.js";
import { whoLies } from "../../analyses/who-lies.js";
import { runAuction } from "../../src/auction/mechanism.js";
import { atRelativeBudget, surveyed } from "../../src/market/draw.js";
import type { Bid, Market } from "../../src/market/market.js";
import { bidGreedy } from "../../src/mechanisms/bid-greedy.js";
import { online } from "../../src/mechanisms/online/online.js";
import { bestResponses } from "../../src/responses/index.js";
import { explain } from "../../src/verdicts/explain.js";
import { withoutText } from "../searched.js";
import {
  contextFor,
  expectExhibitsReplay,
  expectIntervals,
  expectWellFormed,
  resultWith,
  rowsOf,
  searchedShare,
  summariesOf,
} from "./context.js";

const tiny: SurveySettings = {
  rounds: 6,
  sizes: [5, 10],
  ratios: [0.3, 0.7, 1.4],
  markets: 12,
  asked: null,
};

const searched = { ...tiny, rounds: 3, sizes: [4], ratios: [0.5], markets: 3, asked: 2 };

/** The kind of a lie, read off the two outcomes. */
function changeOf(market: Market, bid: Bid): string {
  const runs = [runAuction(online, market), runAuction(online, market, [bid])];
  const [before, after] = runs.map(({ startDelay }) => startDelay ?? 99) as [number, number];
  const [honest, lying] = runs.map(
    ({ workers }) => workers.find(({ id }) => id === bid.worker)!.selectedAt ?? 99,
  ) as [number, number];
  const { arrival } = market.workers.find(({ id }) => id === bid.worker)!;
  if (after !== before) return after < before ? "force" : bid.arrival > arrival ? "delay" : "block";
  if (lying === honest) return "squeeze";
  return lying < honest ? "reserve" : lying === 99 ? "withdraw" : "wait";
}

describe("who-lies", () => {
  it("is well formed, and the same for the same seed", async () => {
    const result = await resultWith(whoLies, contextFor("who"), tiny);
    expectWellFormed(result);
    expectIntervals(rowsOf(result, "kinds"));
    expectIntervals(rowsOf(result, "reputations"));
    expect(await resultWith(whoLies, contextFor("who"), tiny)).toEqual(result);
  });

  it("shows one exhibit of each kind found, of that kind", async () => {
    const result = await resultWith(whoLies, contextFor("who"), tiny);
    expectExhibitsReplay(result);
    const kinds = new Set(rowsOf(result, "kinds").map(({ kind }) => kind));
    expect(new Set(result.exhibits!.map(({ name }) => name))).toEqual(kinds);
    for (const { market, lie, name } of result.exhibits!) expect(explain(market, lie!).kind).toBe(name);
  });

  it("pools no regimes: in each the parts of the kinds add up to all that is gained, and to all lies that pay", async () => {
    const result = await resultWith(whoLies, contextFor("who"), tiny);
    const rows = rowsOf(result, "kinds");
    expect(rows.map(({ regime }) => regime)).not.toContain("all");
    for (const regime of new Set(rows.map((row) => row.regime))) {
      const mine = rows.filter((row) => row.regime === regime);
      const sum = (column: string) => mine.reduce((total, row) => total + (row[column] as number), 0);
      expect(sum("part")).toBeCloseTo(1, 4);
      expect(sum("share")).toBeCloseTo(1, 4);
    }
  });

  it("the causes add up to the gains of a regime, and without budget and start nothing is gained", async () => {
    const result = await resultWith(whoLies, contextFor("who"), tiny);
    const all = rowsOf(result, "causes").filter(({ kind }) => kind === "all");
    const regimes = new Set(all.map(({ regime }) => regime));
    expect(regimes.size).toBeGreaterThan(1);
    for (const regime of regimes) {
      const mine = all.filter((row) => row.regime === regime);
      expect(mine.reduce((total, { part }) => total + (part as number), 0)).toBeCloseTo(1, 4);
      const [rounds, price] = mine;
      expect((rounds!.sum as number) + (price!.sum as number)).toBeLessThanOrEqual(1e-6);
    }
  });

  it("asks everybody, once at each budget", async () => {
    const result = await resultWith(whoLies, contextFor("who"), tiny);
    const seen = rowsOf(result, "reputations").reduce((total, row) => total + (row.seen as number), 0);
    expect(seen).toBe((5 + 10) * 12 * 3);
  });

  it("has the share of all workers of a band who gain, and the mean of what they gain", async () => {
    const context = contextFor("who");
    const rows = rowsOf(await resultWith(whoLies, context, tiny), "reputations");
    const people = tiny.sizes.flatMap((workers) =>
      Array.from({ length: tiny.markets }, (_, k) =>
        surveyed({ workers, rounds: tiny.rounds }, k, context.stream),
      ).flatMap((drawn) =>
        tiny.ratios.flatMap((ratio) => {
          const market = atRelativeBudget(drawn, ratio);
          const responses = new Map(bestResponses(market).workers.map((one) => [one.id, one]));
          return market.workers.map(({ id, reputation }) => ({ ...responses.get(id)!, reputation }));
        }),
      ),
    );
    for (const { regime, from, to, share, meanGain } of rows) {
      const there = people
        .filter((one) => one.regime === regime)
        .filter(({ reputation }) => reputation >= Number(from) && reputation < Number(to));
      const gains = there.map(({ gain }) => gain).filter((gain) => gain > 0);
      expect(share).toBeCloseTo(gains.length / there.length, 5);
      if (gains.length > 0) expect(meanGain).toBeCloseTo(mean(gains)!, 4);
    }
    expect(rows.filter(({ meanGain }) => meanGain !== null).length).toBeGreaterThan(2);
  });

  it("counts every worker's best lie by what it changes: the start, or else the round of selection", async () => {
    const context = contextFor("who");
    const result = await resultWith(whoLies, context, tiny);
    const counts = new Map<string, number>();
    for (const workers of tiny.sizes)
      for (let k = 0; k < tiny.markets; k++)
        for (const ratio of tiny.ratios) {
          const market = atRelativeBudget(
            surveyed({ workers, rounds: tiny.rounds }, k, context.stream),
            ratio,
          );
          for (const { id, gain, best, regime } of bestResponses(market).workers) {
            if (gain === 0) continue;
            const kind = changeOf(market, { worker: id, price: best.price, arrival: best.arrival });
            counts.set(`${regime} ${kind}`, (counts.get(`${regime} ${kind}`) ?? 0) + 1);
          }
        }
    const rows = rowsOf(result, "kinds");
    expect(new Map(rows.map(({ regime, kind, count }) => [`${regime} ${kind}`, count]))).toEqual(counts);
  });

  it("keeps summaries that do not grow with the number of markets", async () => {
    const { rounds, asked } = tiny;
    const cell = { workers: 6, rounds, ratios: [0.3, 0.7], asked };
    const size = async (markets: number) =>
      JSON.stringify(await summariesOf(whoLies.job, [{ cell, markets }], contextFor("who"))).length;
    expect(await size(400)).toBeLessThan(1.5 * (await size(200)));
  });

  it("works by search for another mechanism, without causes, as a lower bound", async () => {
    const result = await resultWith(whoLies, contextFor("who", withoutText(bidGreedy)), searched);
    expectWellFormed(result);
    expectExhibitsReplay(result, bidGreedy);
    expect(rowsOf(result, "causes")).toEqual([]);
    expect(result.charts.map(({ name }) => name)).not.toContain("causes");
    expect(result.methods.join(" ")).toContain("lower bound");
    for (const { high } of [...rowsOf(result, "reputations"), ...rowsOf(result, "kinds")])
      expect(high).toBeNull();
  });

  it("has words for nobody", async () => {
    const result = await resultWith(whoLies, contextFor("who", searchedShare), searched);
    expectWellFormed(result);
    expect(result.findings[0]!.text).toContain("Of 6 workers none was found to gain by any lie.");
  });
});
