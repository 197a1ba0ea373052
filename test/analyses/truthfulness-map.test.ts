import { mean, quantile } from "d3-array";
import { beforeAll, describe, expect, it } from "vitest";
import { type SurveySettings, workerColumns } from "../../analyses/shared/survey.js";
import { truthfulnessMap } from "../../analyses/truthfulness-map.js";
import { type StochasticMechanism, withSeed } from "../../src/auction/mechanism.js";
import type { Regime } from "../../src/auction/outcome.js";
import { percent, percents, whole } from "../../src/lib/format.js";
import { atRelativeBudget, drawForSurvey, surveyed } from "../../src/market/draw.js";
import { bidGreedy } from "../../src/mechanisms/bid-greedy.js";
import { online } from "../../src/mechanisms/online/online.js";
import { proportionalShare } from "../../src/mechanisms/proportional-share.js";
import type { AnalysisResult, ChosenText, Row } from "../../src/report/result.js";
import { regimeWords } from "../../src/report/vocabulary.js";
import { bestResponses } from "../../src/responses/index.js";
import type { DataRow } from "../../src/study/job.js";
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

/** "lateAndTight" of "late and tight". */
const columnOf = (regime: unknown): string =>
  String(regime).replace(/ (.)/g, (_, letter: string) => letter.toUpperCase());

const tiny: SurveySettings = { rounds: 6, sizes: [5, 12], ratios: [0.2, 0.7, 2], markets: 25, asked: null };
const searched: SurveySettings = { rounds: 3, sizes: [4], ratios: [0.3, 1], markets: 2, asked: 2 };

const context = contextFor("map");
let result: AnalysisResult;
beforeAll(async () => {
  result = await resultWith(truthfulnessMap, context, tiny);
});

/** Everybody of the drawn markets at every budget, asked one by one. */
const everybody = tiny.sizes.flatMap((workers) =>
  Array.from({ length: tiny.markets }, (_, k) =>
    surveyed({ workers, rounds: tiny.rounds }, k, context.stream),
  ).flatMap((drawn) =>
    tiny.ratios.flatMap((ratio) => {
      const market = atRelativeBudget(drawn, ratio);
      const perWorker = market.rules.budget / workers;
      return bestResponses(market).workers.map((one) => ({ ...one, workers, ratio, perWorker }));
    }),
  ),
);

const gainOf = { price: "priceGain", time: "timeGain", joint: "gain" } as const;

const gainsIn = ({ regime, lie, workers, ratio }: Row) => {
  const there = everybody
    .filter((one) => one.regime === regime && (workers === undefined || one.workers === workers))
    .filter((one) => ratio === undefined || one.ratio === ratio);
  const gains = there.map((one) => ({ gain: one[gainOf[lie as "joint"]], perWorker: one.perWorker }));
  return { there, gains: gains.filter(({ gain }) => gain > 0) };
};

describe("truthfulness-map", () => {
  it("is well formed, and the same for the same seed", async () => {
    expectWellFormed(result);
    expect(await resultWith(truthfulnessMap, context, tiny)).toEqual(result);
    expect(await resultWith(truthfulnessMap, contextFor("another"), tiny)).not.toEqual(result);
  });

  it("has shares of all workers of a regime, and means and medians of those who gain", () => {
    for (const table of ["regimes", "map"])
      for (const row of rowsOf(result, table)) {
        const { there, gains } = gainsIn(row);
        expect(row.seen).toBe(there.length);
        expect(row.share).toBeCloseTo(gains.length / there.length, 5);
        if (gains.length > 0) expect(row.meanGain).toBeCloseTo(mean(gains, ({ gain }) => gain)!, 4);
        else expect(row.meanGain).toBeNull();
        expect(row.medianGain === null).toBe(gains.length < 20);
      }
    expectIntervals(rowsOf(result, "map"));
    expectIntervals(rowsOf(result, "regimes"));
  });

  it("tells typical gains as shares of the budget per worker, within the error of a sketch", () => {
    const known = rowsOf(result, "regimes").filter(({ part50 }) => part50 !== null);
    expect(known.length).toBeGreaterThan(1);
    for (const row of known) {
      const parts = gainsIn(row)
        .gains.map(({ gain, perWorker }) => gain / perWorker)
        .sort((a, b) => a - b);
      const lower = parts[Math.floor(0.5 * (parts.length - 1))]!;
      expect(Math.abs((row.part50 as number) / lower - 1)).toBeLessThan(0.02);
      expect(row.part95 as number).toBeLessThan(1.02 * quantile(parts, 1)!);
    }
  });

  it("pools no regimes: every row is of one, and a joint lie gains whatever a simpler one does", () => {
    const rows = rowsOf(result, "map");
    for (const { regime, lie } of rows) expect([regime, lie]).not.toContain("all");
    for (const { regime, workers, ratio, share } of rows) {
      const joint = rows.find(
        (row) =>
          row.lie === "joint" && row.regime === regime && row.workers === workers && row.ratio === ratio,
      )!;
      expect(share as number).toBeLessThanOrEqual(joint.share as number);
    }
  });

  it("opens the report with one picture, whose points open their largest gain", () => {
    expect(result.charts.filter(({ firstScreen }) => firstScreen).map(({ name }) => name)).toEqual([
      "regimes",
    ]);
    const names = new Set(result.exhibits!.map(({ name }) => name));
    for (const { gained, witness } of rowsOf(result, "regimes"))
      expect(names.has(String(witness))).toBe((gained as number) > 0);
    for (const { share, lie, witness } of rowsOf(result, "map"))
      expect(names.has(String(witness))).toBe((share as number) > 0 && lie === "joint");
    expect(names.size).toBe(result.exhibits!.length);
    expectExhibitsReplay(result);
  });

  it("has the verdicts of the first screen from the same numbers as its picture, each break with its witness", () => {
    const [table, ...others] = result.tables.filter(({ firstScreen }) => firstScreen);
    expect([table!.name, others]).toEqual(["truthfulness", []]);
    const labels = { price: "P5 cost truthfulness", time: "P6 time truthfulness", joint: "joint P5×P6" };
    expect(table!.rows.map(({ claim }) => claim)).toEqual(Object.values(labels));
    const exhibits = new Map(result.exhibits!.map((exhibit) => [exhibit.name, exhibit]));
    for (const { regime, lie, gained, seen, high, share, markets } of rowsOf(result, "regimes")) {
      const column = columnOf(regime);
      const cells = table!.rows.find(({ claim }) => claim === labels[lie as "joint"])!;
      const witness = exhibits.get(String(cells[`${column}Witness`]));
      expect(witness !== undefined).toBe((gained as number) > 0);
      // The paper claims truthfulness of a sufficient budget only.
      expect(String(cells[column]).endsWith("(outside the claim)")).toBe(regime !== "sufficient");
      const told = Number(gained) < 5 ? gained : percent(share as number);
      if (witness)
        expect(cells[column]).toMatch(new RegExp(`^breaks: ${told} of ${whole(Number(seen))} workers`));
      else
        expect(String(cells[column]).replace(" (outside the claim)", "")).toBe(
          Number(markets) < 5
            ? `not judged: only ${markets} markets`
            : `none found among ${whole(Number(seen))} workers (95 %: at most ${percent(Number(high))})`,
        );
      const self = witness?.market.workers.find(({ id }) => id === witness.lie!.worker);
      if (lie === "price") expect(witness?.lie?.arrival).toBe(self?.arrival);
      if (lie === "time") expect(witness?.lie?.price).toBe(self?.cost);
    }
    const words = table!.rows.flatMap(({ sufficient, tight }) => [sufficient, tight].map(String));
    expect(new Set(words.map((text) => /^(breaks|none found)/.exec(text)?.[0]))).toEqual(
      new Set(["none found", "breaks"]),
    );
  });

  it("says that all move the start only where the best lies of all who gain do", () => {
    for (const { regime, lie, gained, moving, share } of rowsOf(result, "regimes")) {
      const row = ["price", "time", "joint"].indexOf(String(lie));
      const cell = rowsOf(result, "truthfulness")[row]![columnOf(regime)];
      expect(/by moving the start( \(outside the claim\))?$/.test(String(cell))).toBe(
        Number(gained) > 0 && moving === share,
      );
    }
  });

  it("says in words what the tables say in numbers, on the first screen in few", () => {
    const texts = result.findings.map(({ text }) => text);
    expect(texts.length).toBeLessThanOrEqual(4);
    for (const { regime, lie, share, low, high, gained, part50 } of rowsOf(result, "regimes")) {
      if (lie !== "joint" || (gained as number) < 5) continue;
      const text = texts.find((one) => one.includes(regimeWords[regime as Regime].slice(1)))!;
      const [mean, from, to] = percents({ mean: Number(share), low: Number(low), high: Number(high) });
      expect(text).toMatch(new RegExp(`${mean}(?: of workers)? can[^(]*\\(95 %: ${from} to ${to}\\)`));
      if (part50 !== null) expect(text).toContain(`half of them more than ${percent(Number(part50))}`);
    }
    const tight = (lie: string) => gainsIn({ regime: "tight", lie }).gains.length;
    const by = (lie: string) => percent(tight(lie) / tight("joint"));
    expect(texts.join(" ")).toContain(
      `the price alone is enough for ${by("price")} of those who gain, the arrival alone for ${by("time")}`,
    );
    const words = (text: string) => text.replaceAll(" %", "%").split(" ").length;
    for (const { text, weight } of result.findings)
      if (weight > 90) expect(words(text)).toBeLessThanOrEqual(45);
    const { summary, howToRead } = result.charts.find(({ firstScreen }) => firstScreen)!;
    for (const text of [summary as string, howToRead]) expect(words(text)).toBeLessThanOrEqual(30);
  });

  it("lets a reader choose what is misstated in the words of the caption", () => {
    const { choices, summary } = result.charts.find(({ name }) => name === "map")!;
    const { words, values } = choices!.find(({ field }) => field === "lie")!;
    for (const { chosen, text } of summary as readonly ChosenText[])
      expect(text).toContain(`, ${words![chosen.lie!]}: `);
    expect(values).toEqual(["joint", "price", "time"]);
  });

  it("has a caption for every choice, with the numbers of that choice", () => {
    const { summary } = result.charts.find(({ name }) => name === "map")!;
    expect(summary).toHaveLength(3 * new Set(rowsOf(result, "map").map(({ regime }) => regime)).size);
    for (const { chosen, text } of summary as Exclude<typeof summary, string>) {
      const rows = rowsOf(result, "map").filter(
        ({ regime, lie }) => regime === chosen.regime && lie === chosen.lie,
      );
      const top = Math.max(...rows.map(({ share }) => share as number));
      expect(text).toContain(top > 0 ? `${percent(top)} of workers` : "nobody can gain");
    }
  });

  it("gives the largest of several cells an interval that holds for all of them together", () => {
    const cells = rowsOf(result, "map").filter(({ regime, lie }) => regime === "tight" && lie === "joint");
    const top = cells.reduce((a, b) => (Number(b.share) > Number(a.share) ? b : a));
    const { summary } = result.charts.find(({ name }) => name === "map")!;
    const { text } = (summary as Exclude<typeof summary, string>)[0]!;
    const [, low, high] = new RegExp(
      `for all ${cells.length} cells together: ([\\d.]+) %? ?to ([\\d.]+) %`,
    ).exec(text.replace(/ % to/, " to"))!;
    expect(Number(high) - Number(low)).toBeGreaterThan(105 * (Number(top.high) - Number(top.low)));
  });

  it("looks at one size, one budget and as many markets as are asked for, and says so", async () => {
    const options = { markets: 7, workers: 6, ratio: 0.35 };
    const few = await resultWith(truthfulnessMap, { ...context, options });
    expectWellFormed(few);
    const joint = rowsOf(few, "regimes").filter(({ lie }) => lie === "joint");
    expect(joint.reduce((sum, { seen }) => sum + (seen as number), 0)).toBe(42);
    expect(few.methods[0]).toContain("7 markets drawn of 6 workers");
    expect(few.methods[0]).toContain("at a relative budget of 0.35: 42 workers asked");
  });
});

describe("truthfulness-map of other mechanisms", () => {
  it("searches where nothing is exact: finds that paying the bid invites lies, and calls it a lower bound", async () => {
    const found = await resultWith(truthfulnessMap, contextFor("map", withoutText(bidGreedy)), searched);
    expectWellFormed(found);
    expectExhibitsReplay(found, bidGreedy);
    const text = [...found.findings.map((finding) => finding.text), ...found.methods].join(" ");
    expect(text).toContain("lower bound");
    expect(text).not.toMatch(/best lie is computed/);
    expect(rowsOf(found, "map").some(({ maxGain }) => (maxGain as number) > 0)).toBe(true);
    const cells = rowsOf(found, "truthfulness").flatMap(({ sufficient, tight }) => [sufficient, tight]);
    expect(cells.join()).toMatch(/breaks: found for [\d %.]+of \d+ workers/);
    expect(cells.join()).not.toMatch(/holds/);
  });

  it("says of a mechanism that draws that nothing holds", async () => {
    const nobody: StochasticMechanism = {
      ...{ name: "nobody", about: "Hires nobody, whatever it draws.", offline: true, stochastic: true },
      decide: (_, bids) => ({
        ...{ started: true, startDelay: 0, thresholds: [], budgetEvents: [] },
        workers: bids.map(({ id }) => ({ id, selectedAt: null, rounds: 0, payment: 0 })),
      }),
    };
    const found = await resultWith(truthfulnessMap, contextFor("map", withSeed(nobody)), searched);
    expectWellFormed(found);
    for (const { sufficient } of rowsOf(found, "truthfulness"))
      expect(sufficient).toMatch(/^none found by a search/);
  });

  it("finds nothing where critical prices are paid, and says whether that is exact", async () => {
    const nothing = await resultWith(truthfulnessMap, contextFor("map", searchedShare), searched);
    expectWellFormed(nothing);
    expect(nothing.exhibits).toEqual([]);
    for (const { sufficient, tight } of rowsOf(nothing, "truthfulness"))
      expect([sufficient, tight]).toEqual(
        expect.arrayContaining([expect.stringMatching(/^none found by a search among \d+ workers$/)]),
      );
    expect(nothing.findings[0]!.text).toContain("No lie about price, arrival or both was found to gain");
    for (const { share, low, high } of rowsOf(nothing, "map"))
      expect([share, low, high]).toEqual([0, 0, null]);
    const exact = await resultWith(truthfulnessMap, contextFor("map", proportionalShare), searched);
    expect(exact.findings[0]!.text).toContain("No lie about price, arrival or both gains anything");
    expect(exact.methods.join(" ")).toContain("best lie is computed");
  });
});

describe("the work of the truthfulness map", () => {
  const cell = { workers: 6, rounds: 5, ratios: [0.2, 0.8], asked: null };
  const { look } = truthfulnessMap.job;

  it("keeps summaries that do not grow with the number of markets", async () => {
    const size = async (markets: number) =>
      JSON.stringify(await summariesOf(truthfulnessMap.job, [{ cell, markets }], context)).length;
    expect(await size(400)).toBeLessThan(1.7 * (await size(200)));
  });

  it("keeps a row of every worker at every budget, as best-response tells it, and changes nothing else", () => {
    const rows: DataRow[] = [];
    const summary = look(cell, 3, { ...context, keep: (row) => void rows.push(row) });
    const drawn = drawForSurvey(cell, context.stream.fork(6).fork(3));
    const told = cell.ratios.flatMap((ratio) => {
      const market = atRelativeBudget(drawn, ratio);
      return bestResponses(market).workers.map(({ id, gain, best, regime }) => ({
        ...{ market: "6/3", relativeBudget: ratio, budget: market.rules.budget, worker: id },
        ...{ gain, regime, bestPrice: best.price, bestArrival: best.arrival, mechanism: online.name },
      }));
    });
    expect(rows).toMatchObject(told);
    for (const row of rows) expect(Object.keys(row)).toEqual(workerColumns.map(({ name }) => name));
    expect(look(cell, 3, context)).toEqual(summary);
  });
});
