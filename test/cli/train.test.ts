import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codeOn } from "../pages.js";
import { candor, ended, fileWith, root, start, temporaryFolder } from "./candor.js";

/** A few seconds' worth of real training. */
const small = [
  "train",
  "--workers=6",
  "--samples=200",
  "--rounds=2",
  "--budget=12",
  "--trainer=tfjs:validation=200,test=200",
];

const [headCount = ""] = codeOn("src/training/README.md", "ts", "Add a trainer");

/** Training that takes no time, by the example on the page on training. */
const fast = () => ["train", "--workers=12", `--trainer=${fileWith("mine.ts", headCount)}`];

describe("candor train", () => {
  it("prints a row per task and the means in the end", async () => {
    const { code, stdout } = await candor([...small, "--tasks=2", "--threads=1"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^2 tasks: mechanism online, trainer tfjs:validation=200,test=200 on mnist, seed 1\n/,
    );
    expect(stdout).toMatch(
      /^task +loss +accuracy +good +selected +spent\n +1 +\d\.\d{4} .*\n +2 +\d\.\d{4} /m,
    );
    expect(stdout).toMatch(
      /Mean over tasks 1 to 2 \(2 tasks: too few for intervals\):\n {2}loss +\d\.\d{4}\n/,
    );
  });

  it("--json prints a task per line, the same on any number of threads", async () => {
    const run = [...small, "--workers=20", "--samples=50", "--budget=80", "--tasks=2", "--json"];
    const [one, three] = await Promise.all([1, 3].map((threads) => candor([...run, `--threads=${threads}`])));
    expect(three).toEqual(one);
    expect([one!.code, one!.stderr]).toEqual([0, ""]);
    const tasks = one!.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(tasks).toMatchObject([{ task: 1, mechanism: "online", dataset: "mnist", seed: "1" }, { task: 2 }]);
    expect(tasks[1].rounds[1].loss).toBe(tasks[1].loss);
    expect(tasks[1].selected[0].reputation).toBe(tasks[0].reputations[tasks[1].selected[0].id]);
  });

  it("takes a trainer of one's own, as its page has it, and counts from the sixth task on", async () => {
    const { code, stdout } = await candor([...fast(), "--tasks=8"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Mean over tasks 6 to 8 \(3 tasks: too few for intervals\):\n {2}loss +[\d.]+\n/m,
    );
    const more = await candor([...fast(), "--tasks=10"]);
    expect(more.stdout).toMatch(
      /^Mean over tasks 6 to 10, with 95 % intervals .*:\n {2}loss +[\d.]+ {2}\[[\d.]+, [\d.]+\]\n/m,
    );
  });

  it("has agents play, and reputation as it is told", async () => {
    const mine = fast();
    const told = async (...args: string[]) => {
      const { stdout } = await candor([...mine, ...args, "--tasks=3", "--json"]);
      return stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
    };
    const losses = (tasks: readonly { loss: number }[]) => tasks.map(({ loss }) => loss);
    const plain = await told();
    const truthful = await told("--agent=truthful");
    expect(truthful).toEqual(plain.map((task) => ({ ...task, agent: "truthful" })));
    expect(losses(await told("--agent=overbid"))).not.toEqual(losses(plain));
    expect(losses(await told("--reputation=up=0,down=0"))).not.toEqual(losses(plain));
  });

  it("has several agents play, and says what became of the workers of each", async () => {
    const mine = ["train", "--tasks=8", "--agent=shirker@0,2", "--agent=whitewasher:effort=0@20%"];
    const { code, stdout } = await candor(mine);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^8 tasks: mechanism online, agent shirker@0,2 \| whitewasher:effort=0@20%, trainer/,
    );
    const rows = new Map(
      [...stdout.matchAll(/^ *(shirker\S+|whitewasher\S+|truthful) +(.*)$/gm)].map(([, name, cells]) => [
        name,
        cells!.trim().split(/ +/).map(Number),
      ]),
    );
    expect([...rows.values()].map(([workers]) => workers).sort()).toEqual([2, 22, 6]);
    const [, , payment, utility, , names] = rows.get("whitewasher:effort=0@20%")!;
    expect(utility).toBe(payment);
    expect(names).toBeGreaterThan(0);
    expect(rows.get("shirker@0,2")!.at(-1)).toBe(0);
    expect((await candor(["train", "--tasks=8"])).stdout).not.toContain("new names");
  });

  it.each([
    [["--trainer", "tfsj"], '--trainer: no "tfsj"; did you mean "tfjs"?'],
    [["--trainer", "./absent.ts"], "./absent.ts: no such file"],
    [["--mechanism", "onlin"], '--mechanism: no "onlin"; did you mean "online"?'],
    [
      ["--dataset", "minst"],
      '--dataset: must be "mnist" or "fashion", or a folder such as ./mine, got "minst"',
    ],
    [["--tasks", "0"], "--tasks: must be an integer ≥ 1, got 0"],
    [["--threads", "two"], '--threads: must be an integer ≥ 1, got "two"'],
    [["--reputation", "upp=1"], '--reputation: no option "upp"; did you mean "up"?'],
    [["--reputation", "up=0.9"], "reputation: up: must be a number from 0 to 0.5, got 0.9"],
    [["--agent", "shirker@6"], "--agent shirker@6: there is no worker 6"],
    [["--agent", "learnr"], '--agent: no "learnr"; did you mean "learner"?'],
    [["--data", "/nowhere"], "/nowhere/train-images-idx3-ubyte: no such file"],
    [["--samples", "60000"], "data: workers need 360000 pictures"],
    [["--resume"], "--resume: goes on with what --out holds, so there must be an --out"],
    [["--task", "3"], "train: unknown option '--task'"],
  ])("%j gets one line, and no output", async (args, line) => {
    const out = args[0] === "--resume" ? [] : ["--out", join(temporaryFolder(), "run")];
    const { code, stdout, stderr } = await candor([...small, ...args, ...out]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr.startsWith(`candor: ${line}`)).toBe(true);
    expect(stderr).toMatch(/^[^\n]*\n$/);
    if (out[1] !== undefined) expect(existsSync(out[1])).toBe(false);
  });

  it.each([
    ["start() { throw new Error('no\\nway'); }", "start failed: no"],
    ["async start() {}", "start: must be a training: an object with round and end, got undefined"],
    [
      "async start() { return { async round() { return { loss: NaN }; }, end() {} }; }",
      "round 1: loss: must be a number ≥ 0, got NaN",
    ],
    [
      "async start() { return { async round() { return { loss: 1, accuracy: 50, worths: [] }; }, end() {} }; }",
      "round 1: accuracy: must be a number from 0 to 1, got 50",
    ],
    [
      "async start() { return { async round() { return { loss: 1, accuracy: 0, worths: [] }; }, end() {} }; }",
      "round 1: worths: must be one for each of the workers [",
    ],
  ])("a trainer that fails says so in one line that names its file: %s", async (body, line) => {
    const path = fileWith("mine.mjs", `export default { name: "a", about: "A.", ${body} };`);
    const { code, stdout, stderr } = await candor(["train", "--trainer", path, "--tasks=1"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr.startsWith(`candor: ${path}: ${line}`)).toBe(true);
  });
});

describe("a training that goes on from a recording", () => {
  const run = ["train", "--mechanism=vanilla", "--budget=40", "--json"];
  const printed = async (...args: string[]) => candor([...run, ...args]);

  it("prints what the uninterrupted one would have printed next, from what was printed or packed, new names and all", async () => {
    const agents = ["--agent=whitewasher:effort=0@30%", "--agent=overbid@0"];
    const printed = (...args: string[]) => candor([...run, ...agents, ...args]);
    const whole = (await printed("--tasks=5")).stdout;
    expect(JSON.parse(whole.trim().split("\n")[2]!)).toHaveProperty("names");
    const lines = whole.split(/(?<=\n)/);
    const file = fileWith("tasks.jsonl", lines.slice(0, 3).join(""));
    const packed = file.replace(/l$/, "");
    execFileSync(process.execPath, [
      join(root, "dist/src/training/scripts/pack-runs.js"),
      "--out",
      packed,
      file,
    ]);
    for (const path of [file, packed]) {
      const { code, stdout, stderr } = await printed("--tasks=5", "--continue", path);
      expect([code, stderr, stdout]).toEqual([0, "", lines.slice(3).join("")]);
    }
    const out = temporaryFolder();
    await printed("--tasks=4", "--continue", file, "--out", out);
    const resumed = await printed("--tasks=5", "--continue", file, "--out", out, "--resume");
    expect(resumed.stdout).toBe(lines.slice(3).join(""));
    const { stdout } = await candor([...run.slice(0, -1), ...agents, "--tasks=5", "--continue", file]);
    expect(stdout).toMatch(/^Mean over tasks 4 to 5 /m);
  });

  it("refuses a recording of something else, in one line", async () => {
    const file = fileWith("tasks.jsonl", (await printed("--tasks=2")).stdout);
    const refused = async (...args: string[]) => {
      const { code, stdout, stderr } = await printed("--continue", file, ...args);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(/^[^\n]*\n$/);
      return stderr;
    };
    const other = 'holds no such run: seed is "1" there, "2" here\n';
    expect(await refused("--seed=2")).toBe(`candor: ${file}: ${other}`);
    expect(await refused("--budget=41")).toContain("budget is 40 there, 41 here");
    expect(await refused("--tasks=2")).toContain("holds 2 tasks already");
    expect(await refused("--agent=learner")).toContain(
      "--continue: learner learns from all earlier auctions",
    );
    expect(await refused("--continue", "absent.jsonl")).toBe("candor: absent.jsonl: no such file\n");
    const bad = fileWith("bad.jsonl", '{"task":0}\n');
    expect(await refused("--continue", bad)).toMatch(
      /bad\.jsonl:1: task: must be a whole number from 1 on, got 0/,
    );
  });
});

describe("a training that is kept", () => {
  it("goes on after kill -9 as if nothing had happened, and a torn last line is dropped", async () => {
    const run = [...small, "--tasks=3", "--threads=1", "--json"];
    const whole = await candor(run);
    const out = temporaryFolder();
    const path = join(out, "train.jsonl");
    const child = start([...run, "--out", out]);
    const killed = ended(child);
    child.stdout.once("data", () => child.kill("SIGKILL"));
    expect((await killed).code).toBe(null);
    expect(readFileSync(path, "utf8").split("\n").length).toBeGreaterThan(2);
    writeFileSync(path, readFileSync(path, "utf8").slice(0, -20));
    const resumed = await candor([...run, "--out", out, "--resume"]);
    expect([resumed.code, resumed.stdout]).toEqual([0, whole.stdout]);
    expect((await candor([...run, "--out", out, "--resume"])).stdout).toBe(whole.stdout);
  });

  it("keeps what learners remember, and new names", async () => {
    const run = [...fast(), "--agent=learner@0,1", "--agent=whitewasher", "--json"];
    const out = temporaryFolder();
    const part = await candor([...run, "--tasks=3", "--out", out]);
    const rest = await candor([...run, "--tasks=6", "--out", out, "--resume"]);
    expect(rest.stdout).toBe((await candor([...run, "--tasks=6"])).stdout);
    expect(rest.stdout.startsWith(part.stdout)).toBe(true);
  });

  it("ends soon after Ctrl-C, shows what there is, and says how to go on", async () => {
    const out = temporaryFolder();
    const child = start([...small, "--tasks=500", "--out", out]);
    const closing = ended(child);
    child.stdout.once("data", () => child.kill("SIGINT"));
    const { code, stdout, stderr } = await closing;
    expect(code).toBe(130);
    expect(stdout).toMatch(/Interrupted after \d+ of 500 tasks\./);
    expect(stderr).toBe(
      `candor: interrupted; the same command with --resume goes on from ${join(out, "train.jsonl")}\n`,
    );
  });

  it("is written by one program at a time", async () => {
    const out = join(temporaryFolder(), "run");
    const child = start([...small, "--tasks=500", "--out", out]);
    const end = ended(child);
    await once(child.stdout, "data");
    const { code, stdout, stderr } = await candor([...small, "--tasks=500", "--out", out, "--resume"]);
    expect([code, stdout, stderr]).toEqual([
      2,
      "",
      `candor: ${join(out, "train.jsonl")}: process ${child.pid} is writing it; if not, remove ${join(out, "train.lock")}\n`,
    ]);
    child.kill("SIGKILL");
    await end;
    expect((await candor([...small, "--tasks=1", "--out", out, "--resume"])).code).toBe(0);
    expect(readdirSync(out)).toEqual(["train.jsonl"]);
  });

  it("is not mixed up with another, nor overwritten, nor trusted where it is damaged", async () => {
    const run = [...fast(), "--tasks=3"];
    const out = temporaryFolder();
    const path = join(out, "train.jsonl");
    await candor([...run, "--out", out]);
    const text = readFileSync(path, "utf8");
    const refused = async (...args: string[]) => {
      const { code, stdout, stderr } = await candor([...run, ...args, "--out", out]);
      expect([code, stdout, readFileSync(path, "utf8")]).toEqual([2, "", text]);
      return stderr;
    };
    expect(await refused()).toBe(
      `candor: ${path}: holds a training already; --resume goes on with it, or name another --out\n`,
    );
    expect(await refused("--resume", "--seed=2")).toBe(
      `candor: ${path}: belongs to another training: seed is "1" there, "2" here\n`,
    );
    expect(await refused("--resume", "--agent=learner")).toContain('agent is "none" there, "learner" here');
    const damaged = text.replace('"task":1,', '"task":7,');
    writeFileSync(path, damaged);
    const { code, stderr } = await candor([...run, "--out", out, "--resume"]);
    expect([code, stderr]).toEqual([2, `candor: ${path}:2: is damaged: its checksum does not match\n`]);
  });
});
