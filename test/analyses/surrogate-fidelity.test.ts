import { describe, expect, it } from "vitest";
import { analyses } from "../../analyses/index.js";
import { pairsOf, type Run } from "../../analyses/surrogate-fidelity/mechanisms.js";
import { fidelityOf, surrogateFidelity } from "../../analyses/surrogate-fidelity.js";
import { kendall } from "../../src/lib/statistics.js";
import { recordedCurves } from "../../src/training/recordings.js";
import { parameters } from "../../src/training/surrogate.js";
import { replay } from "../../src/training/surrogate-fit.js";
import { contextFor, expectWellFormed, rowsOf } from "./context.js";

const none = { recorded: [], surrogate: [] };
const result = await surrogateFidelity.run(contextFor("fidelity"));

describe("surrogate-fidelity", () => {
  it("is well formed and registered", () => {
    expectWellFormed(result);
    expect(analyses["surrogate-fidelity"]).toBe(surrogateFidelity);
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  it("draws loss, accuracy and gains of both data sets", () => {
    const names = ["mnist", "fashion"].flatMap((name) => [
      `loss-${name}`,
      `accuracy-${name}`,
      `gains-${name}`,
    ]);
    expect(result.charts.map(({ name }) => name)).toEqual(names);
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

  it("says nothing is off where the recordings are the surrogate's own", () => {
    const { mnist } = recordedCurves;
    const tasks = mnist.tasks.map((task) => ({
      ...task,
      rounds: replay(task, mnist.settings, parameters.mnist).map(({ surrogate }) => surrogate),
    }));
    const perfect = fidelityOf({ recordings: { mnist: { ...mnist, tasks } }, parameters, runs: none });
    expectWellFormed(perfect);
    for (const row of rowsOf(perfect, "residuals")) {
      expect([row.loss, row.worst, row.cosine]).toEqual([0, 0, 0]);
      expect([row.same, row.order]).toEqual([1, 1]);
    }
    expect(perfect.findings.some(({ text }) => text.includes("furthest off"))).toBe(false);
  });

  it("names the region where real training went another way", () => {
    const { mnist } = recordedCurves;
    const tasks = mnist.tasks.map((task) => ({
      ...task,
      rounds: task.rounds.map((round, k) => (k === 0 ? { ...round, loss: round.loss + 3 } : round)),
    }));
    const odd = fidelityOf({ recordings: { mnist: { ...mnist, tasks } }, parameters, runs: none });
    const doubt = odd.findings.find(({ text }) => text.includes("least"))!;
    expect(doubt.text).toMatch(/furthest off with .*round 1 \(3\.\d+\)/);
    expect(doubt.text).not.toMatch(/furthest off with .*(rounds 2 to 4|round 5 and later) .*overall; its/);
  });
});

describe("the order of mechanisms", () => {
  const run = (mechanism: string, ...losses: number[]): Run => ({ dataset: "mnist", mechanism, losses });
  const recorded = [run("online", 0.4, 0.5), run("vanilla", 0.6), run("bid-greedy", 0.9, 0.7)];

  it("is left out where no runs are given, and mechanisms without a partner are", () => {
    const bare = fidelityOf({ recordings: recordedCurves, parameters, runs: none });
    expect(bare.tables.map(({ name }) => name)).not.toContain("mechanisms");
    expect(bare.methods.some((text) => text.includes("order of mechanisms"))).toBe(true);
    expect(pairsOf({ recorded, surrogate: [run("online", 1)] }).map(({ mechanism }) => mechanism)).toEqual([
      "online",
    ]);
  });

  it("is the same where both trainers agree", () => {
    const surrogate = [run("bid-greedy", 0.75), run("online", 0.3), run("vanilla", 0.5), run("vanilla", 0.6)];
    const same = fidelityOf({ recordings: recordedCurves, parameters, runs: { recorded, surrogate } });
    expectWellFormed(same);
    expect(same.findings[0]!.text).toBe(
      "MNIST: the same order of mechanisms by mean loss, online < vanilla < bid-greedy (Kendall's tau 1.00, 3 mechanisms).",
    );
    const rows = rowsOf(same, "mechanisms");
    expect(rows.map(({ auction, recordedPlace }) => [auction, recordedPlace])).toEqual([
      ["online", 1],
      ["vanilla", 2],
      ["bid-greedy", 3],
    ]);
    expect(rows[1]).toMatchObject({ recorded: 0.6, surrogate: 0.55, tasks: 1 });
  });

  it("is told in both versions where they do not", () => {
    const surrogate = [run("bid-greedy", 0.75), run("online", 0.6), run("vanilla", 0.5)];
    const [finding] = fidelityOf({
      recordings: recordedCurves,
      parameters,
      runs: { recorded, surrogate },
    }).findings;
    expect(finding!.text).toContain(
      "online < vanilla < bid-greedy in real training, vanilla < online < bid-greedy",
    );
    expect(finding!.text).toContain("tau 0.33");
  });
});

it("Kendall's tau, by hand", () => {
  const xs = [1, 2, 3, 4];
  const with_ = (ys: readonly number[]) => kendall(xs.map((x, k) => [x, ys[k]!]));
  expect(with_([1, 2, 3, 4])).toBe(1);
  expect(with_([4, 3, 2, 1])).toBe(-1);
  expect(with_([1, 2, 4, 3])).toBeCloseTo(4 / 6, 12);
  expect(with_([1, 1, 1, 1])).toBe(0);
});
