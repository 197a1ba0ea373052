import { describe, expect, it } from "vitest";
import { paperTables } from "../../analyses/paper-tables.js";
import { comparedEverywhere } from "../../src/mechanisms/index.js";
import { online } from "../../src/mechanisms/online.js";
import { recordedTables } from "../../src/training/recordings.js";
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

it.each([
  ["good-workers", table1],
  ["loss", table2],
])("%s has the paper's table as printed", (name, text) => {
  const printed = rowsOf(result, name).filter(({ source }) => source === "the paper");
  for (const line of text.trim().split("\n")) {
    const [mechanism, ...values] = line.trim().split(/ +/);
    for (const [k, dataset] of ["MNIST", "Fashion-MNIST"].entries()) {
      const own = printed.filter((row) => row.mechanism === mechanism && row.dataset === dataset);
      expect(own.map(({ mean }) => mean)).toEqual([Number(values[k]), Number(values[k])]);
    }
  }
  expect(printed).toHaveLength(2 * 2 * 5);
});

it("is well formed, with few findings", () => {
  expectWellFormed(result);
  expect(result.findings.length).toBeLessThanOrEqual(5);
});

it.each(["good-workers", "loss"])(
  "%s has the surrogate for every mechanism, every recorded run and the paper's five",
  (name) => {
    for (const label of new Set(rowsOf(result, name).map(({ measure }) => measure)))
      for (const dataset of ["mnist", "fashion"] as const) {
        const title = dataset === "mnist" ? "MNIST" : "Fashion-MNIST";
        const rows = rowsOf(result, name).filter((row) => row.dataset === title && row.measure === label);
        const of = (source: string) =>
          rows.filter((row) => row.source === source).map((row) => row.mechanism);
        expect(of("surrogate")).toEqual(comparedEverywhere.map(({ name }) => name));
        expect(of("the paper")).toHaveLength(5);
        expect(of("surrogate, first reputation 1")).toEqual(["online", "fixed-threshold", "rrafl"]);
        expect(of("real training")).toEqual(recordedTables[dataset].runs.map(({ mechanism }) => mechanism));
      }
  },
);

it("shows the mean loss over all rounds first and the loss after the last round beside it, and says that the paper leaves it open", () => {
  const chart = result.charts.find(({ name }) => name === "loss")!;
  expect(chart.howToRead).toMatch(
    /filled mark is the mean loss over all rounds, a hollow one the loss after/,
  );
  expect(result.findings.some(({ text }) => text.includes("does not say which loss it averages"))).toBe(true);
});

it("with a first reputation of 0.5 a fixed threshold of 0.75 never admits a worker of accuracy 1, with 1 it does", () => {
  const rows = rowsOf(result, "good-workers").filter(({ mechanism }) => mechanism === "fixed-threshold");
  const of = (source: string) => rows.filter((row) => row.source === source).map(({ mean }) => Number(mean));
  expect(Math.max(...of("surrogate"))).toBe(0);
  expect(Math.min(...of("surrogate, first reputation 1"))).toBeGreaterThan(0.8);
  expect(result.findings.some(({ text }) => text.includes("decides what fixed-threshold selects"))).toBe(
    true,
  );
});

it("captions follow the data set that is chosen", () => {
  for (const { summary, choices } of result.charts) {
    expect(choices).toHaveLength(1);
    expect(
      Array.isArray(summary) &&
        summary.map(({ text }) => text).every((text, k) => text.includes(choices![0]!.values[k]!)),
    ).toBe(true);
  }
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
  const runs = Object.values(recordedTables).flatMap((table) => table.runs);
  expect(rowsOf(result, "recordings").map(({ command }) => command)).toEqual(
    runs.map(({ command }) => command),
  );
  for (const { finished } of runs) expect(result.methods.join(" ")).toContain(finished);
});

describe("real training", () => {
  it("gives the recorded losses again, and what is trained now stands beside it without an interval", async () => {
    const alone = contextFor(1, online, [online]);
    const again = await resultWith(paperTables, alone, { ...settings, seeds: 2, tasks: 1, again: 1 });
    const [said] = again.methods.filter((text) => text.includes("was trained again in this run"));
    expect(said).toMatch(/gave (exactly the recorded losses|losses within [1-9]e-[4-9] of)/);
    expectWellFormed(again);
  }, 60_000);

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
