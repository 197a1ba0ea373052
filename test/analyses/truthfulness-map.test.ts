import { mean } from "d3-array";
import { describe, expect, it } from "vitest";
import { workerColumns } from "../../analyses/shared/gains/worker-row.js";
import { findingsOf } from "../../analyses/truthfulness-map/findings.js";
import { mapJob } from "../../analyses/truthfulness-map/survey.js";
import {
  type MapSettings,
  mapTruthfulness,
  settings,
  truthfulnessMap,
} from "../../analyses/truthfulness-map.js";
import { bestResponses } from "../../src/best-response/index.js";
import { many, percent } from "../../src/lib/format.js";
import { countsOf, mergeCounts } from "../../src/lib/summaries.js";
import { atRelativeBudget, drawForSurvey, surveyed } from "../../src/market/draw.js";
import { bidGreedy } from "../../src/mechanisms/bid-greedy.js";
import { online } from "../../src/mechanisms/online.js";
import { proportionalShare } from "../../src/mechanisms/proportional-share.js";
import type { DataRow } from "../../src/study/job.js";
import { withoutText } from "../searched.js";
import {
  contextFor,
  expectExhibitsReplay,
  expectIntervals,
  expectWellFormed,
  rowsOf,
  searchedShare,
} from "./context.js";

const tiny: MapSettings = { rounds: 6, sizes: [5, 12], ratios: [0.2, 0.7, 2], markets: 12, asked: null };
const searched: MapSettings = { rounds: 3, sizes: [4], ratios: [0.3, 1], markets: 2, asked: 2 };

describe("truthfulness-map", () => {
  it("is well formed, and the same for the same seed", async () => {
    const result = await mapTruthfulness(contextFor("map"), tiny);
    expectWellFormed(result);
    expect(await mapTruthfulness(contextFor("map"), tiny)).toEqual(result);
    expect(await mapTruthfulness(contextFor("another"), tiny)).not.toEqual(result);
  });

  it("gives every cell a share with an interval that contains it", async () => {
    const result = await mapTruthfulness(contextFor("map"), tiny);
    expectIntervals(rowsOf(result, "map"));
    expectIntervals(rowsOf(result, "situations"));
    for (const { share, moving, maxGain, meanGain } of rowsOf(result, "map")) {
      expect(moving as number).toBeLessThanOrEqual(share as number);
      expect(share === 0).toBe(maxGain === 0);
      if (meanGain !== null) expect(meanGain as number).toBeLessThanOrEqual((maxGain as number) * (1 + 1e-5));
    }
  });

  it("counts every worker once in its regime, and a joint lie gains whatever a simpler one does", async () => {
    const rows = rowsOf(await mapTruthfulness(contextFor("map"), tiny), "map");
    for (const all of rows.filter(({ regime, lie }) => regime === "all" && lie === "all")) {
      const there = rows.filter(({ workers, ratio }) => workers === all.workers && ratio === all.ratio);
      const inRegimes = there.filter(({ regime, lie }) => regime !== "all" && lie === "joint");
      expect(inRegimes.reduce((sum, { seen }) => sum + (seen as number), 0)).toBe(all.seen);
      for (const { share, maxGain, regime } of there)
        if (regime === "all") {
          expect(share as number).toBeLessThanOrEqual(all.share as number);
          expect(maxGain as number).toBeLessThanOrEqual(all.maxGain as number);
        }
    }
  });

  it("shows a witness for every cell in which somebody gains, and each replays", async () => {
    const result = await mapTruthfulness(contextFor("map"), tiny);
    expectExhibitsReplay(result);
    const names = new Set(result.exhibits!.map(({ name }) => name));
    expect(names.size).toBe(result.exhibits!.length);
    const cells = rowsOf(result, "map").filter(({ regime, lie }) => regime === "all" && lie === "all");
    expect(cells.some(({ share }) => (share as number) > 0)).toBe(true);
    for (const { share, witness } of cells) expect(names.has(String(witness))).toBe((share as number) > 0);
  });

  it("says in words what the table says in numbers", async () => {
    const result = await mapTruthfulness(contextFor("map"), tiny);
    const headline = result.findings[0]!.text;
    for (const { situation, told, gained, seen } of rowsOf(result, "situations")) {
      if (situation === "all" || told !== "joint") continue;
      const counts = gained === 0 ? `no worker of ${seen}` : `${gained} of ${seen} workers`;
      expect(headline).toContain(counts);
    }
    expect(result.methods.join(" ")).toContain("exact");
  });

  it("searches where nothing is exact: finds that paying the bid invites lies, and calls it a lower bound", async () => {
    const result = await mapTruthfulness(contextFor("map", withoutText(bidGreedy)), searched);
    expectWellFormed(result);
    expectExhibitsReplay(result, bidGreedy);
    const text = [...result.findings.map((finding) => finding.text), ...result.methods].join(" ");
    expect(text).toContain("lower bound");
    expect(text).not.toContain("exact");
    expect(rowsOf(result, "map").some(({ maxGain }) => (maxGain as number) > 0)).toBe(true);
  });

  it("finds nothing where critical prices are paid, and has words for it", async () => {
    const result = await mapTruthfulness(contextFor("map", searchedShare), searched);
    expectWellFormed(result);
    expect(result.exhibits).toEqual([]);
    expect(result.findings.map(({ text }) => text)).toContain(
      "No lie about price, arrival or both was found to gain anything.",
    );
    for (const { share, low, high } of rowsOf(result, "map"))
      expect([share, low, high]).toEqual([0, 0, null]);
  });

  it("calls it exact where the mechanism is written as a text", async () => {
    const result = await mapTruthfulness(contextFor("map", proportionalShare), searched);
    expect(result.findings.map(({ text }) => text)).toContain(
      "No lie about price, arrival or both gains anything.",
    );
    expect(result.methods.join(" ")).toContain("exact");
  });

  it("looks at one size, one budget and as many markets as are asked for, and says so", async () => {
    const context = { ...contextFor("map"), options: { markets: 7, workers: 6, ratio: 0.35 } };
    const result = await truthfulnessMap.run(context);
    expectWellFormed(result);
    const [all] = rowsOf(result, "map").filter(({ regime, lie }) => regime === "all" && lie === "all");
    expect(all).toMatchObject({ workers: 6, ratio: 0.35, markets: 7, seen: 42 });
    expect(new Set(rowsOf(result, "map").map(({ workers, ratio }) => `${workers} ${ratio}`)).size).toBe(1);
    expect(result.methods[0]).toContain("7 markets drawn of 6 workers");
    expect(result.methods[0]).toContain("a relative budget of 0.35: 42 workers asked");
  });

  it("has quantiles of gains between nothing and the largest, in order", async () => {
    const many = { ...tiny, sizes: [12], ratios: [0.2, 0.7], markets: 60 };
    const rows = rowsOf(await mapTruthfulness(contextFor("map"), many), "map");
    expect(rows.filter(({ medianGain }) => medianGain !== null).length).toBeGreaterThan(0);
    for (const { share, seen, medianGain, gain95, maxGain } of rows) {
      const few = Math.round(Number(share) * Number(seen)) < 20;
      expect([medianGain === null, gain95 === null]).toEqual([few, few]);
      if (few) continue;
      expect(Number(medianGain)).toBeLessThanOrEqual(Number(gain95));
      expect(Number(gain95)).toBeLessThanOrEqual(Number(maxGain) * 1.02);
    }
  });

  it("keeps summaries that do not grow with the number of markets", async () => {
    const size = async (markets: number) => {
      const cell = { workers: 8, rounds: 6, ratios: [0.2, 0.5], asked: null };
      return JSON.stringify(await contextFor("map").pool.gather(mapJob, [{ cell, markets }])).length;
    };
    expect(await size(400)).toBeLessThan(1.5 * (await size(200)));
  });
});

describe("what the map says of every worker", () => {
  const context = contextFor("map");
  const told = tiny.sizes.flatMap((workers) =>
    Array.from({ length: tiny.markets }, (_, k) =>
      surveyed({ workers, rounds: tiny.rounds }, k, context.stream),
    ).flatMap((drawn, market) =>
      tiny.ratios.flatMap((ratio) =>
        bestResponses(atRelativeBudget(drawn, ratio)).workers.map((response) => ({
          ...response,
          workers,
          ratio,
          market,
        })),
      ),
    ),
  );
  const gaining = told.filter(({ gain }) => gain > 0);

  it("has shares of all workers, and mean gains of those who gain", async () => {
    const rows = rowsOf(await mapTruthfulness(context, tiny), "map");
    for (const { regime, lie, workers, ratio, share, meanGain, seen } of rows) {
      if (lie !== "all") continue;
      const there = told.filter(
        (one) =>
          one.workers === workers && one.ratio === ratio && (regime === "all" || one.regime === regime),
      );
      const gains = there.map(({ gain }) => gain).filter((gain) => gain > 0);
      expect(seen).toBe(there.length);
      expect(share).toBeCloseTo(gains.length / there.length, 5);
      if (gains.length === 0) expect(meanGain).toBeNull();
      else expect(meanGain).toBeCloseTo(mean(gains)!, 4);
    }
  });

  it("says how many can gain by one lie alone, and how many only by both", async () => {
    const { findings } = await mapTruthfulness(context, tiny);
    const both = gaining.filter(({ priceGain, timeGain }) => priceGain === 0 && timeGain === 0).length;
    const text = findings.map((finding) => finding.text).find((one) => one.startsWith("Of "))!;
    expect(gaining.length).toBeGreaterThan(0);
    expect(text).toContain(`Of ${many(gaining.length, "worker")} who can gain`);
    expect(text).toContain(
      `and ${many(both, "worker")} (${percent(both / gaining.length)}) only by misstating both`,
    );
  });

  it("gives the largest of several cells an interval that holds for all of them together", async () => {
    const result = await mapTruthfulness(context, tiny);
    const cells = rowsOf(result, "map").filter(({ regime, lie }) => regime === "all" && lie === "all");
    const top = cells.reduce((a, b) => (Number(b.share) > Number(a.share) ? b : a));
    const { text } = result.findings.find((finding) => finding.text.startsWith("Lying pays most often"))!;
    const [, low, high] = /for all 6 cells together: ([\d.]+) % to ([\d.]+) %/.exec(text)!;
    expect(Number(high) - Number(low)).toBeGreaterThan(110 * (Number(top.high) - Number(top.low)));
  });
});

describe("the trend with the size of markets", () => {
  const sized = (workers: number, gained: number) => {
    const share = Array.from({ length: 50 }, (_, k) => countsOf(gained + (k % 3), 10)).reduce(mergeCounts);
    const part = { share, moving: 0, onlyBoth: 0, total: share.hits, gains: {}, most: null };
    return {
      workers,
      ratios: [1],
      summary: { "all all joint": part, "all all price": part, "all all time": part },
    };
  };
  const trend = (small: number, large: number) =>
    findingsOf([sized(5, small), sized(80, large)], [], true)
      .map(({ text }) => text)
      .filter((text) => text.includes("as markets grow"));

  it("is rarer where fewer can gain in large markets, more frequent where more can, and nothing where nobody can tell", () => {
    expect(trend(5, 1)[0]).toMatch(
      /^Lies that pay get rarer as markets grow: 60 % of workers with 5, 20 % with 80/,
    );
    expect(trend(1, 5)[0]).toMatch(/^Lies that pay get more frequent as markets grow: 20 % .* 60 % with 80/);
    expect(trend(3, 3)).toEqual([]);
  });
});

describe("rows of the truthfulness map", () => {
  const cell = { workers: 6, rounds: 5, ratios: [0.2, 0.8], asked: null };
  const context = contextFor("rows");
  const rows: DataRow[] = [];
  const summary = mapJob.look(cell, 3, { ...context, keep: (row) => void rows.push(row) });

  it("hold every worker at every budget, as best-response tells it", () => {
    const drawn = drawForSurvey(cell, context.stream.fork(6).fork(3));
    const told = cell.ratios.flatMap((ratio) => {
      const market = atRelativeBudget(drawn, ratio);
      return bestResponses(market).workers.map(({ id, gain, best, regime }) => ({
        market: "6/3",
        relativeBudget: ratio,
        budget: market.rules.budget,
        worker: id,
        ...{ gain, regime, bestPrice: best.price, bestArrival: best.arrival, mechanism: online.name },
      }));
    });
    expect(rows).toMatchObject(told);
  });

  it("have the columns of the schema in their order, and change nothing else", () => {
    for (const row of rows) expect(Object.keys(row)).toEqual(workerColumns.map(({ name }) => name));
    expect(mapJob.look(cell, 3, context)).toEqual(summary);
  });
});

describe("registered", () => {
  it("is registered under its name, with more markets in the full profile", () => {
    expect(truthfulnessMap.name).toBe("truthfulness-map");
    expect(settings.full.fast.markets).toBeGreaterThan(settings.quick.fast.markets);
  });
});
