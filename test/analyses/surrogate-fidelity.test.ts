import { describe, expect, it } from "vitest";
import {
  differenceOf,
  linesOf,
  settingOf,
  taskUnits,
  truthfulUnder,
} from "../../analyses/shared/training.js";
import { surrogateFidelity } from "../../analyses/surrogate-fidelity.js";
import { stream } from "../../src/lib/random.js";
import { kendall } from "../../src/lib/statistics.js";
import { type RecordedRuns, recordedCurves, recordedTables } from "../../src/training/recordings.js";
import { parameters, surrogate } from "../../src/training/surrogate.js";
import { replay } from "../../src/training/surrogate-fit.js";
import { contextFor, expectWellFormed, resultWith, rowsOf } from "./context.js";

const context = contextFor("fidelity");
const result = await resultWith(surrogateFidelity, context);
const settings = { recordings: recordedCurves, parameters, tables: {} };

describe("surrogate-fidelity", () => {
  it("is well formed: one chart, two findings, plain JSON", () => {
    expectWellFormed(result);
    expect(result.charts.map(({ name }) => name)).toEqual(["loss"]);
    expect(result.findings).toHaveLength(2);
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  it("counts every recorded round once in each way to tell them apart", () => {
    for (const [title, recording] of [
      ["MNIST", recordedCurves.mnist],
      ["Fashion-MNIST", recordedCurves.fashion],
    ] as const) {
      const total = recording.tasks.reduce((sum, { rounds }) => sum + rounds.length, 0);
      const rows = rowsOf(result, "regions").filter(({ dataset }) => dataset === title);
      for (const by of new Set(rows.map((row) => row.by))) {
        const counted = rows.filter((row) => row.by === by).map(({ rounds }) => rounds as number);
        expect(counted.reduce((sum, n) => sum + n, 0)).toBe(total);
      }
    }
  });

  it("puts every task on one curve, whole", () => {
    const rows = rowsOf(result, "curves");
    const last = (title: string) => rows.filter(({ dataset, round }) => dataset === title && round === 10);
    const tasks = (title: string) => last(title).reduce((sum, row) => sum + (row.tasks as number), 0);
    expect([tasks("MNIST"), tasks("Fashion-MNIST")]).toEqual([
      recordedCurves.mnist.tasks.length,
      recordedCurves.fashion.tasks.length,
    ]);
    expect(rows.length).toBe(10 * (last("MNIST").length + last("Fashion-MNIST").length));
  });

  it("says nothing is off where the recordings are the surrogate's own", async () => {
    const { mnist } = recordedCurves;
    const tasks = mnist.tasks.map((task) => ({
      ...task,
      rounds: replay(task, mnist.settings, parameters.mnist).map((round) => round.surrogate),
    }));
    const recordings = { mnist: { ...mnist, tasks } };
    const perfect = await resultWith(surrogateFidelity, context, { ...settings, recordings });
    expectWellFormed(perfect);
    for (const row of rowsOf(perfect, "residuals")) {
      expect([row.loss, row.worst, row.cosine]).toEqual([0, 0, 0]);
      expect([row.same, row.order]).toEqual([1, 1]);
    }
    expect(perfect.findings.some(({ text }) => text.includes("furthest off"))).toBe(false);
  });

  it("names the region where real training went another way", async () => {
    const { mnist } = recordedCurves;
    const tasks = mnist.tasks.map((task) => ({
      ...task,
      rounds: task.rounds.map((round, k) => (k === 0 ? { ...round, loss: round.loss + 3 } : round)),
    }));
    const recordings = { mnist: { ...mnist, tasks } };
    const odd = await resultWith(surrogateFidelity, context, { ...settings, recordings });
    const doubt = odd.findings.find(({ text }) => text.includes("furthest off"))!;
    expect(doubt.text).toMatch(/furthest off in round 1 on MNIST \(3\.\d+, overall/);
  });
});

describe("the order of mechanisms", () => {
  /** Runs of the surrogate itself, as if they had been recorded, with some losses raised. */
  async function recordedAs(
    names: readonly string[],
    raised: Readonly<Record<string, number>> = {},
    count = 10,
  ) {
    const runs = await Promise.all(
      names.map(async (mechanism) => {
        const setting = settingOf(truthfulUnder(mechanism), context, stream("1"));
        const lines = await linesOf({ ...setting, trainer: surrogate({ dataset: "mnist" }) }, count);
        const up = raised[mechanism] ?? 0;
        const tasks = lines.map((line) => ({ ...line, losses: line.losses.map((loss) => loss + up) }));
        return { ...recordedTables.mnist.runs[0]!, mechanism, tasks };
      }),
    );
    const mnist: RecordedRuns = { ...recordedTables.mnist, runs };
    return resultWith(surrogateFidelity, context, { ...settings, tables: { mnist } });
  }
  const three = ["online", "vanilla", "bid-greedy"];

  it("is the same where both trainers agree", async () => {
    const same = await recordedAs(three);
    expect(same.findings[0]!.text).toMatch(/mechanisms by mean loss is 1\.00 on MNIST\.$/);
    for (const { recorded, surrogate, recordedPlace, surrogatePlace } of rowsOf(same, "mechanisms"))
      expect([recorded, recordedPlace]).toEqual([surrogate, surrogatePlace]);
  });

  it("is given for both where they do not", async () => {
    const other = await recordedAs(three, { online: 2 });
    expect(other.findings[0]!.text).toContain("by mean loss is −0.33 on MNIST");
    const places = rowsOf(other, "mechanisms").map((row) => [
      row.mechanism,
      row.recordedPlace,
      row.surrogatePlace,
    ]);
    expect(places).toEqual([
      ["online", 3, 1],
      ["vanilla", 1, 2],
      ["bid-greedy", 2, 3],
    ]);
  });

  it("is not stated from fewer than five counted tasks, nor without runs", async () => {
    const few = await recordedAs(three, {}, 9);
    expect(few.findings.some(({ text }) => text.includes("Kendall"))).toBe(false);
    const none = await resultWith(surrogateFidelity, context, settings);
    expect(none.tables.map(({ name }) => name)).not.toContain("mechanisms");
    expect(none.methods.some((text) => text.includes("order of mechanisms is not compared"))).toBe(true);
  });

  it("by loss is the same in the recorded runs and the surrogate's of the same seeds, wherever both decide", async () => {
    for (const [dataset, { runs }] of Object.entries(recordedTables) as [
      "mnist" | "fashion",
      RecordedRuns,
    ][]) {
      const both = await Promise.all(
        runs.map(async ({ mechanism, seed, tasks }) => {
          const setting = settingOf(truthfulUnder(mechanism), context, stream(seed));
          const model = await linesOf({ ...setting, trainer: surrogate({ dataset }) }, tasks.length);
          return { mechanism, units: [tasks, model].map((lines) => taskUnits(lines, "loss")) };
        }),
      );
      const pairs = both.flatMap((one, k) => both.slice(k + 1).map((other) => [one, other] as const));
      const verdicts = pairs.map(([one, other]) =>
        [0, 1].map((at) => signOf(differenceOf(one.units[at]!, other.units[at]!))),
      );
      const isDecided = (verdict: number) => verdict !== 0;
      const decided = verdicts.filter((some) => some.every(isDecided));
      expect(decided.filter(([real, model]) => real !== model)).toEqual([]);
    }
  });
});

/** Decided only where the whole interval lies on one side. */
function signOf({ low, high }: { readonly low: number; readonly high: number }): number {
  return low > 0 ? 1 : high < 0 ? -1 : 0;
}

it("Kendall's tau, by hand", () => {
  const xs = [1, 2, 3, 4];
  const with_ = (ys: readonly number[]) => kendall(xs.map((x, k) => [x, ys[k]!]));
  expect(with_([1, 2, 3, 4])).toBe(1);
  expect(with_([4, 3, 2, 1])).toBe(-1);
  expect(with_([1, 2, 4, 3])).toBeCloseTo(4 / 6, 12);
  expect(with_([1, 1, 1, 1])).toBe(0);
});
