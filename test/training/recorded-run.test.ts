import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { stream } from "../../src/lib/random.js";
import { online } from "../../src/mechanisms/online/online.js";
import { accuracyClasses, paperPopulation, paperTaskRules } from "../../src/training/population.js";
import {
  lineOf,
  POPULATION_CONTENTS,
  type PrintedTask,
  recordedHistory,
  recordedLies,
  recordedTables,
  seriesOf,
  stateOf,
} from "../../src/training/recordings.js";
import { surrogate } from "../../src/training/surrogate.js";
import { runTasks, type TaskStep } from "../../src/training/tasks.js";

const workers = paperPopulation();
const setting = { workers, rules: paperTaskRules, mechanism: online, stream: stream(1) };
const steps: TaskStep[] = [];
for await (const step of runTasks({ ...setting, trainer: surrogate({ dataset: "mnist" }) }, 3))
  steps.push(step);
const printed = steps.map(
  ({ record }): PrintedTask => ({
    mechanism: "online",
    trainer: "tfjs",
    dataset: "mnist",
    seed: "1",
    ...record,
  }),
);
const times = { finished: "2026-01-01", seconds: 12, source: "f" };

describe("a task in a line", () => {
  it("keeps losses, accuracies, shares and spending to five digits", () => {
    const [record, line] = [printed[0]!, lineOf(printed[0]!)];
    expect(line.losses).toHaveLength(paperTaskRules.rounds);
    expect(line.losses.at(-1)).toBeCloseTo(record.loss!, 5);
    expect(line.accuracies.at(-1)).toBeCloseTo(record.accuracy!, 5);
    expect(line.goodShare).toBeCloseTo(record.goodShare!, 5);
    expect([line.selected, line.task]).toEqual([record.selected.length, 1]);
  });

  it("means reputations by label accuracy over everybody, selected or not", () => {
    const { reputations } = printed[0]!;
    const good = workers.filter(({ accuracy }) => accuracy === 1).map(({ id }) => reputations[id]!);
    expect(lineOf(printed[0]!).reputations[0]).toBeCloseTo(good.reduce((a, b) => a + b) / good.length, 5);
    expect(accuracyClasses).toHaveLength(new Set(workers.map(({ accuracy }) => accuracy)).size);
  });

  it("has no share, no loss and still a reputation where nobody was selected", () => {
    const nobody = { ...printed[0]!, selected: [], goodShare: null, goodRoundShare: null, rounds: [] };
    expect(lineOf(nobody)).toMatchObject({
      selected: 0,
      goodShare: null,
      losses: [],
      reputations: { length: 4 },
    });
  });
});

describe("a series", () => {
  it("says with which command it is made again", () => {
    expect(seriesOf(printed, times).command).toBe(
      "candor train --tasks 3 --workers 30 --mechanism online --trainer tfjs --dataset mnist --seed 1 --json",
    );
    const played = printed.map((line) => ({ ...line, agent: "overbid" }));
    expect(seriesOf(played, times)).toMatchObject({
      agent: "overbid",
      command: expect.stringContaining("--agent overbid"),
    });
  });

  it("names in its command whatever was not as usual", () => {
    const settings = { budget: 40, reputation: "start=1" };
    const { command } = seriesOf(
      printed.map((line) => ({ ...line, settings })),
      times,
    );
    expect(command).toMatch(/--seed 1 --budget 40 --reputation start=1 --json$/);
  });

  it("names the file of workers in place of their number, and not the checksum of what it held", () => {
    const settings = { population: "six.csv", [POPULATION_CONTENTS]: "6e1caafde70a942f" };
    const { command } = seriesOf(
      printed.map((line) => ({ ...line, settings })),
      times,
    );
    expect(command).toBe(
      "candor train --tasks 3 --mechanism online --trainer tfjs --dataset mnist --seed 1 --population six.csv --json",
    );
  });

  it("of which a part was recorded before is the same as if it had been recorded at once", () => {
    const whole = seriesOf(printed, times);
    const earlier = [seriesOf(printed.slice(0, 2), { ...times, seconds: 10 })];
    const rest = { ...times, seconds: 2 };
    expect(seriesOf(printed.slice(2), { ...rest, earlier })).toEqual(whole);
    expect(() => seriesOf(printed.slice(2), rest)).toThrow("f:1: expected task 1, got 3");
    const other = earlier.map((run) => ({ ...run, seed: "2" }));
    expect(() => seriesOf(printed.slice(2), { ...rest, earlier: other })).toThrow("expected task 1, got 3");
  });

  it("goes on, packed or printed, as the uninterrupted run does", async () => {
    const two = seriesOf(printed.slice(0, 2), times);
    const { reputations } = JSON.parse(JSON.stringify(two)) as typeof two;
    const state = stateOf({ ...two, reputations: reputations! }, "f");
    const rest: TaskStep[] = [];
    for await (const step of runTasks({ ...setting, trainer: surrogate({ dataset: "mnist" }) }, 3, state))
      rest.push(step);
    expect(rest).toEqual(steps.slice(2));
    const { reputations: _, ...old } = two;
    expect(() => stateOf(old, "f")).toThrow("f: does not hold each worker's reputation");
  });

  it("refuses lines of two runs, gaps, and nothing at all, in one line that names the file", () => {
    const [one, two, three] = printed as [PrintedTask, PrintedTask, PrintedTask];
    expect(() => seriesOf([one, three], times)).toThrow("f:2: expected task 2, got 3");
    expect(() => seriesOf([one, { ...two, mechanism: "rrafl" }], times)).toThrow(
      'f:2: mechanism: expected "online" as before, got "rrafl"',
    );
    expect(() => seriesOf([], times)).toThrow("f: holds no finished task");
  });
});

const folder = mkdtempSync(join(tmpdir(), "candor-pack-"));
afterAll(() => rmSync(folder, { recursive: true }));
const script = fileURLToPath(new URL("../../dist/src/training/scripts/pack-runs.js", import.meta.url));

const pack = (...args: string[]): Promise<{ code: number; stderr: string }> =>
  new Promise((resolve) =>
    execFile(process.execPath, [script, ...args], (error, _, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stderr }),
    ),
  );

describe("npm run record:pack", () => {
  const [run, out] = [join(folder, "run.jsonl"), join(folder, "out.json")];

  it("packs finished tasks, leaves a line that is not whole yet, and tells how long it took", async () => {
    const lines = printed.map((line) => JSON.stringify(line));
    writeFileSync(run, `${lines.slice(0, 2).join("\n")}\n${lines[2]!.slice(0, 50)}`);
    writeFileSync(join(folder, "run.time"), "61.4 s wall\n");
    expect(await pack("--out", out, "--commit", "abc", run)).toEqual({ code: 0, stderr: "" });
    const packed = JSON.parse(readFileSync(out, "utf8"));
    expect(packed.provenance).toMatchObject({ commit: "abc", tfjs: "4.22.0" });
    expect(packed.runs).toMatchObject([{ seconds: 61, tasks: printed.slice(0, 2).map(lineOf) }]);
  });

  it("adds to what was packed before: a run goes on, another comes in, the others stay", async () => {
    const [first, more, both] = ["first.json", "more.jsonl", "both.json"].map((name) => join(folder, name));
    const textOf = (lines: readonly PrintedTask[]) =>
      lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    const other = printed.map((line) => ({ ...line, mechanism: "rrafl" }));
    writeFileSync(run, textOf(printed.slice(0, 2)));
    writeFileSync(join(folder, "other.jsonl"), textOf(other));
    await pack("--out", first!, run, join(folder, "other.jsonl"));
    writeFileSync(more!, textOf(printed.slice(2)));
    expect(await pack("--out", both!, first!, more!)).toEqual({ code: 0, stderr: "" });
    const { runs } = JSON.parse(readFileSync(both!, "utf8"));
    expect(runs).toMatchObject([
      { mechanism: "online", tasks: printed.map(lineOf) },
      { mechanism: "rrafl", tasks: other.map(lineOf) },
    ]);
    expect(runs[0].reputations).toEqual(Object.values(printed[2]!.reputations));
  });

  it("says in one line what is wrong, and writes nothing", async () => {
    const bad = join(folder, "bad.jsonl");
    writeFileSync(bad, "{}}\n");
    const other = join(folder, "other.json");
    expect(await pack("--out", other, bad)).toEqual({
      code: 2,
      stderr: expect.stringMatching(`^record:pack: ${bad}:1: not valid JSON.*\n$`),
    });
    expect((await pack("--out", other, join(folder, "none.jsonl"))).stderr).toMatch("no such file");
    expect(existsSync(other)).toBe(false);
  });
});

describe.each([
  ["tables-mnist", recordedTables.mnist],
  ["tables-fashion", recordedTables.fashion],
  ["lies-mnist", recordedLies],
  ["history-mnist", recordedHistory],
] as const)("the recorded runs of %s", (name, { dataset, provenance, runs }) => {
  it("are small, and say where they come from", () => {
    const path = new URL(`../../src/training/recorded/${name}.json`, import.meta.url);
    expect(statSync(path).size).toBeLessThan(300_000);
    expect(name.endsWith(dataset)).toBe(true);
    expect(provenance === null).toBe(runs.length === 0);
  });

  it("hold whole tasks one after another, each run once", () => {
    const keys = runs.map(({ mechanism, agent, seed }) => `${mechanism} ${agent} ${seed}`);
    expect(new Set(keys).size).toBe(keys.length);
    for (const { tasks, command } of runs) {
      expect(command).toContain(`--tasks ${tasks.length} `);
      expect(tasks.map(({ task }) => task)).toEqual(tasks.map((_, k) => k + 1));
      for (const { losses, accuracies, selected, goodShare } of tasks) {
        expect([0, paperTaskRules.rounds]).toContain(losses.length);
        expect(accuracies).toHaveLength(losses.length);
        expect(goodShare === null).toBe(selected === 0);
      }
    }
  });
});
