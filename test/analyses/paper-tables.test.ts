import { describe, expect, it } from "vitest";
import { paperTables } from "../../analyses/paper-tables.js";
import { comparedEverywhere } from "../../src/mechanisms/index.js";
import { online } from "../../src/mechanisms/online/online.js";
import type { ChosenText } from "../../src/report/result.js";
import { recordedHistory, recordedTables } from "../../src/training/recordings.js";
import { isLong } from "../long.js";
import { contextFor, expectWellFormed, resultWith, rowsOf } from "./context.js";
import { testWholeResult } from "./whole-result.js";

/** As printed, MNIST and Fashion-MNIST. */
const table1 = `
  online           1.0000 0.9411
  fixed-threshold  1.0000 0.9175
  rrafl            1.0000 0.8956
  vanilla          0.4770 0.4770
  bid-greedy       0.3296 0.3296`;
const table2 = `
  online           0.4393 1.1162
  fixed-threshold  0.4993 1.4971
  rrafl            0.4389 1.1376
  vanilla          0.5022 1.4566
  bid-greedy       0.5452 1.6925`;

const settings = { seeds: 5, tasks: 7, live: 0, again: 0 };
const result = await resultWith(paperTables, contextFor(1), settings);

testWholeResult(result);

const measured = rowsOf(result, "measured");

it.each([
  [1, /^Share of good workers/, table1],
  [2, /loss/i, table2],
])("has the paper's Table %i as printed", (_, label, text) => {
  const printed = measured.filter(
    ({ source, measure }) => source === "the paper" && label.test(String(measure)),
  );
  for (const line of text.trim().split("\n")) {
    const [mechanism, ...values] = line.trim().split(/ +/);
    for (const [k, dataset] of ["MNIST", "Fashion-MNIST"].entries()) {
      const own = printed.filter((row) => row.mechanism === mechanism && row.dataset === dataset);
      expect(own.map(({ mean }) => mean)).toEqual([Number(values[k]), Number(values[k])]);
    }
  }
  expect(printed).toHaveLength(2 * 2 * 5);
});

it("is well formed: two charts, at most four findings", () => {
  expectWellFormed(result);
  expect(result.charts.map(({ name }) => name)).toEqual(["measured", "reputation"]);
  expect(result.findings.length).toBeLessThanOrEqual(4);
});

it.each([...new Set(measured.map(({ measure }) => measure))])(
  "%s: has the surrogate for every mechanism, every recorded run and the paper's five",
  (label) => {
    for (const dataset of ["mnist", "fashion"] as const) {
      const title = dataset === "mnist" ? "MNIST" : "Fashion-MNIST";
      const rows = measured.filter((row) => row.dataset === title && row.measure === label);
      const of = (source: string) => rows.filter((row) => row.source === source).map((row) => row.mechanism);
      expect(of("surrogate")).toEqual(comparedEverywhere.map(({ name }) => name));
      expect(of("the paper")).toHaveLength(5);
      expect(of("surrogate, first reputation 1")).toEqual(["online", "fixed-threshold", "rrafl"]);
      expect(of("surrogate, own history")).toEqual(["online", "fixed-threshold", "rrafl"]);
      expect(of("real training, own history")).toEqual(dataset === "mnist" ? ["online", "rrafl"] : []);
      expect(of("real training")).toEqual(recordedTables[dataset].runs.map(({ mechanism }) => mechanism));
    }
  },
);

it("offers both readings of each table, and says that the paper leaves open which loss it averages", () => {
  expect(result.charts[0]!.choices![0]!.values).toEqual([
    "Share of good workers among the selected",
    "Share of good workers in the rounds worked",
    "Mean loss over all rounds",
    "Loss after the last round",
  ]);
  expect(result.findings.some(({ text }) => text.includes("does not say which loss"))).toBe(true);
});

it("with a first reputation of 0.5 a fixed threshold of 0.75 never admits a worker of accuracy 1, with 1 it does", () => {
  const rows = measured.filter(
    ({ mechanism, measure }) => mechanism === "fixed-threshold" && /^Share/.test(String(measure)),
  );
  const of = (source: string) => rows.filter((row) => row.source === source).map(({ mean }) => Number(mean));
  expect(Math.max(...of("surrogate"))).toBe(0);
  expect(Math.min(...of("surrogate, first reputation 1"))).toBeGreaterThan(0.8);
  expect(result.findings.some(({ text }) => text.includes("decides what fixed-threshold selects"))).toBe(
    true,
  );
});

it("captions follow what is chosen", () => {
  for (const { summary } of result.charts)
    for (const { chosen, text } of summary as ChosenText[])
      for (const value of Object.values(chosen)) expect(text).toContain(value);
});

it("judges each pair from the interval it shows, and says when and how runs were recorded", () => {
  const seen = new Set<string>();
  for (const { low, high, verdict, units } of rowsOf(result, "order")) {
    seen.add(String(verdict));
    if ((units as number) < 5) expect([low, high, verdict]).toEqual([null, null, "too few to tell"]);
    else if ((low as number) > 0) expect(verdict).toBe("as in the paper");
    else expect(verdict).toBe((high as number) < 0 ? "the other way round" : "undecided");
  }
  expect(seen.size).toBeGreaterThan(1);
  const runs = [...Object.values(recordedTables), recordedHistory].flatMap((table) => table.runs);
  expect(rowsOf(result, "recordings").map(({ command }) => command)).toEqual(
    runs.map(({ command }) => command),
  );
  for (const { finished } of runs) expect(result.methods.join(" ")).toContain(finished);
});

describe("real training", () => {
  it.runIf(isLong)(
    "gives the recorded losses again, and what is trained now stands beside it without an interval",
    async () => {
      const alone = contextFor(1, online, [online]);
      const again = await resultWith(paperTables, alone, { ...settings, seeds: 2, tasks: 1, again: 1 });
      const [said] = again.methods.filter((text) => text.includes("was trained again in this run"));
      expect(said).toMatch(/gave (exactly the recorded losses|losses within [1-9]e-[4-9] of)/);
      expectWellFormed(again);
    },
    60_000,
  );

  it("says beforehand how long it will take, and the less the more threads there are", () => {
    const full = paperTables.settings({ ...contextFor(1), profile: "full" });
    expect([full.live, full.tasks]).toEqual([70, 70]);
    expect(paperTables.duration!(settings, 2)).toBeNull();
    const hours = [1, 4].map((threads) =>
      Number(/about (\d+) hours/.exec(paperTables.duration!(full, threads)!)![1]),
    );
    expect(hours[0]).toBeGreaterThan(hours[1]!);
  });
});
