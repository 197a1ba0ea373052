import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { paperLoss, paperLossQuestion } from "../../analyses/paper-loss.js";
import { paperQuality, paperQualityQuestion } from "../../analyses/paper-quality.js";
import { verdictOf } from "../../analyses/shared/paper-tables/against-paper.js";
import { runTable, type TableQuestion } from "../../analyses/shared/paper-tables/paper-table.js";
import { paperLosses, paperQualities, printedOf } from "../../analyses/shared/paper-tables/paper-tables.js";
import { differenceOf, readTasks } from "../../analyses/shared/paper-tables/readings.js";
import { twinsOf } from "../../analyses/shared/paper-tables/twins.js";
import { estimate } from "../../src/lib/statistics.js";
import { mechanisms } from "../../src/mechanisms/index.js";
import { online } from "../../src/mechanisms/online.js";
import { recordedTables } from "../../src/training/recordings.js";
import { missingFor } from "../../src/training/trainers.js";
import { contextFor, expectWellFormed, rowsOf } from "./context.js";
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

it.each([
  [1, paperQualities, table1],
  [2, paperLosses, table2],
] as const)("holds the paper's Table %i", (number, table, text) => {
  expect(table.number).toBe(number);
  for (const line of text.trim().split("\n")) {
    const [name, mnist, fashion] = line.trim().split(/ +/);
    expect(printedOf(table, name!, "mnist")).toBe(Number(mnist));
    expect(printedOf(table, name!, "fashion")).toBe(Number(fashion));
  }
  expect(printedOf(table, "two-stage", "mnist")).toBeNull();
});

const sizes = { seeds: 5, tasks: 7, live: 0, again: 0 };
const small = (question: TableQuestion, seed: number | string) => runTable(question, contextFor(seed), sizes);

describe.each([paperQualityQuestion, paperLossQuestion])("$name", async (question) => {
  const result = await small(question, 1);
  const readings = rowsOf(result, "readings");

  testWholeResult(result);

  it("is well formed", () => expectWellFormed(result));

  it("has the surrogate for every mechanism on both data sets, and the paper's figure beside its five", () => {
    for (const { measures } of [question.table])
      for (const { label } of measures)
        for (const dataset of ["MNIST", "Fashion-MNIST"]) {
          const rows = readings.filter(
            (row) => row.source === "surrogate" && row.dataset === dataset && row.measure === label,
          );
          expect(rows.map(({ auction }) => auction)).toEqual(Object.keys(mechanisms));
          expect(rows.filter(({ paper }) => paper !== null)).toHaveLength(5);
        }
  });

  it("shows every recorded run, and when and how it was made", () => {
    const runs = Object.values(recordedTables).flatMap((table) => table.runs);
    const recorded = readings.filter(({ source }) => source === "recorded");
    expect(recorded).toHaveLength(runs.length * question.table.measures.length);
    expect(rowsOf(result, "recordings").map(({ command }) => command)).toEqual(
      runs.map(({ command }) => command),
    );
    for (const day of new Set(runs.map(({ finished }) => finished)))
      expect(result.methods.some((text) => text.includes(day))).toBe(true);
  });

  it("judges each pair from the interval it shows", () => {
    const seen = new Set<string>();
    for (const { low, high, verdict, units } of rowsOf(result, "order")) {
      seen.add(String(verdict));
      if ((units as number) < 5) expect([low, high, verdict]).toEqual([null, null, "too few to tell"]);
      else if ((low as number) > 0) expect(verdict).toBe("as in the paper");
      else expect(verdict).toBe((high as number) < 0 ? "the other way round" : "not told apart");
    }
    expect(seen.size).toBeGreaterThan(1);
  });

  it("replays: the same seed gives the same, another seed another", async () => {
    expect(await small(question, 1)).toEqual(result);
    expect((await small(question, 2)).tables[0]).not.toEqual(result.tables[0]);
  });
});

it("an order is judged only where the whole interval lies on one side", () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 2, maxLength: 9 }),
      (values) => {
        const gap = estimate(values);
        const verdict = verdictOf(gap);
        expect(verdict === "too few to tell").toBe(values.length < 5);
        expect(verdict === "as in the paper").toBe(gap.low > 0);
        expect(verdict === "the other way round").toBe(gap.high < 0);
      },
    ),
  );
  expect(verdictOf(estimate([1, 1, 1, 1]))).toBe("too few to tell");
});

describe("surrogate and tfjs in the recorded runs", async () => {
  const { recorded, surrogate } = await twinsOf(recordedTables, contextFor(1));
  const losses = (runs: typeof recorded) =>
    new Map(
      runs.map((lines) => [
        `${lines.dataset} ${lines.auction}`,
        readTasks(paperLosses, "recorded", lines)[0]!,
      ]),
    );
  const [real, model] = [losses(recorded), losses(surrogate)];
  const pairs = [...real.keys()].flatMap((one) =>
    [...real.keys()]
      .filter((other) => one < other && one.split(" ")[0] === other.split(" ")[0])
      .map((other) => [one, other] as const),
  );

  it("give the same order of mechanisms by loss, wherever both tell two of them apart", () => {
    const verdicts = pairs.map(([one, other]) => {
      const [a, b] = [real, model].map((runs) => verdictOf(differenceOf(runs.get(one)!, runs.get(other)!)));
      return { pair: `${one}, ${other}`, a, b };
    });
    const isDecided = (verdict?: string) =>
      verdict === "as in the paper" || verdict === "the other way round";
    const decided = verdicts.filter(({ a, b }) => isDecided(a) && isDecided(b));
    expect(decided.filter(({ a, b }) => a !== b)).toEqual([]);
    const shared = pairs.filter(([one, other]) => differenceOf(real.get(one)!, real.get(other)!).n >= 5);
    expect(decided.length).toBeGreaterThan(shared.length / 2);
  });
});

describe("real training", () => {
  it("gives the recorded losses again", async () => {
    const alone = contextFor(1, online, [online]);
    const { findings } = await runTable(paperLossQuestion, alone, { ...sizes, tasks: 1, again: 1 });
    const [said] = findings.filter(({ text }) => text.includes("trained again for real"));
    expect(said!.text).toMatch(/the very losses that were recorded|within [1-9]e-[4-9] of/);
  }, 60_000);

  it("says what to install where something is missing", async () => {
    expect(await missingFor("tfjs", { dataset: "mnist", folder: "/no/such/folder" })).toMatch("no such file");
    expect(await missingFor("tfjs", { dataset: "mnist" })).toBeNull();
  });

  it("says beforehand how long it will take, and the less the more threads there are", () => {
    const options = {};
    expect(paperLoss.duration!({ profile: "quick", options, threads: 2 })).toBeNull();
    expect(paperQuality.duration!({ profile: "full", options: { live: 0 }, threads: 2 })).toBeNull();
    const hours = [1, 4].map((threads) =>
      Number(/about (\d+) hours/.exec(paperLoss.duration!({ profile: "full", options, threads })!)![1]),
    );
    expect(hours[0]).toBeGreaterThan(hours[1]!);
  });

  it("is the paper's 70 tasks in the full profile", () => {
    for (const { sizes } of [paperLossQuestion, paperQualityQuestion])
      expect([sizes.full.live, sizes.full.tasks]).toEqual([70, 70]);
  });
});
