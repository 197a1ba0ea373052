import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { candor, fileWith, temporaryFolder } from "./candor.js";

const six = `samples,accuracy,cost
500,1,0.3
200,0.9,0.2
800,0.5,0.1
500,1,0.35
100,0.1,0.05
1000,1,0.4
`;

interface Selected {
  readonly id: number;
  readonly accuracy: number;
  readonly rounds: number;
  readonly payment: number;
  readonly utility: number;
}

const tasksIn = (stdout: string) =>
  stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("candor train --population", () => {
  it("auctions among the workers of a file, CSV or JSON, at the costs it says", async () => {
    const rows = six
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(",").map(Number));
    const asJson = JSON.stringify(rows.map(([samples, accuracy, cost]) => ({ samples, accuracy, cost })));
    const run = (file: string) =>
      candor(["train", "--tasks=3", "--budget=10", `--population=${file}`, "--json"]);
    const csv = tasksIn((await run(fileWith("six.csv", six))).stdout);
    const json = tasksIn((await run(fileWith("six.json", asJson))).stdout);
    const told: Selected[] = csv.flatMap(({ selected }) => selected);
    expect(told.length).toBeGreaterThan(3);
    for (const { id, accuracy, rounds, payment, utility } of told) {
      expect(accuracy).toBe(rows[id]![1]);
      expect((payment - utility) / rounds).toBeCloseTo(rows[id]![2]!, 9);
    }
    expect(Object.keys(csv[0].reputations)).toHaveLength(6);
    expect(json.map(({ settings: _, ...task }) => task)).toEqual(csv.map(({ settings: _, ...task }) => task));
  });

  const flaws: readonly [string, string, RegExp][] = [
    ["a.csv", six.replace("0.9", "1.5"), /line 3, accuracy: must be a number from 0 to 1, got 1\.5$/],
    [
      "a.csv",
      six.replace("accuracy", "acuracy"),
      /line 1: unknown column "acuracy"; did you mean "accuracy"\?$/,
    ],
    ["a.csv", six.replace(",0.2", ","), /line 3, cost: must be a number ≥ 0, got ""$/],
    ["a.json", "[]", /must be a list of at least one worker, got \[\]$/],
    [
      "a.json",
      '[{"samples":5.5,"accuracy":1,"cost":1}]',
      /\[0\]\.samples: must be an integer from 1 to 60000, got 5\.5$/,
    ],
    ["a.json", '[{"samples":5,"accuracy":1}]', /\[0\]\.cost: missing, must be a number ≥ 0$/],
  ];
  it.each(flaws)("a flaw in %s gets one line", async (name, text, line) => {
    const { code, stdout, stderr } = await candor(["train", `--population=${fileWith(name, text)}`]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr.trimEnd()).toMatch(line);
    expect(stderr.trimEnd()).not.toContain("\n");
  });

  it("--resume and --continue refuse a file that has changed since", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "six.csv");
    writeFileSync(file, six);
    const run = ["train", `--population=${file}`, "--json"];
    const first = await candor([...run, "--tasks=2", `--out=${folder}/run`]);
    writeFileSync(`${folder}/two.jsonl`, first.stdout);
    const more = [
      [...run, "--tasks=3", `--out=${folder}/run`, "--resume"],
      [...run, "--tasks=3", `--continue=${folder}/two.jsonl`],
    ];
    const whole = tasksIn((await candor([...run, "--tasks=3"])).stdout);
    expect(tasksIn((await candor(more[1]!)).stdout)).toEqual(whole.slice(2));
    writeFileSync(file, six.replace("0.35", "0.36"));
    for (const args of more) {
      const { code, stdout, stderr } = await candor(args);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(/^candor: .*contents of the population.*\n$/);
    }
    writeFileSync(file, six);
    expect(tasksIn((await candor(more[0]!)).stdout)).toEqual(whole);
  });
});

describe("candor train with data of one's own", () => {
  const mine = "export default { name: 'mine', about: '.', start: async () => ({}) };";
  const refused: readonly [readonly string[], RegExp][] = [
    [
      ["--split=dirichlet:0.5"],
      /^candor: --split: the surrogate was fitted to workers with alike pictures; /,
    ],
    [["--split=dirichlet:0.5", "--trainer=OWN"], /^candor: --split: is for --trainer tfjs$/],
    [["--data=/tmp"], /^candor: --data: the surrogate reads no pictures; --trainer tfjs takes a folder$/],
    [["--data=/tmp", "--trainer=OWN"], /^candor: --data: is for --trainer tfjs$/],
    [
      ["--split=dirichlett:1", "--trainer=tfjs"],
      /^candor: --split: must be "even" or "dirichlet:" and .* got "dirichlett:1"$/,
    ],
    [["--split=dirichlet:0", "--trainer=tfjs"], /^candor: --split: must be .* got "dirichlet:0"$/],
    [["--dataset=./none"], /^candor: --dataset: the surrogate was fitted to mnist and fashion only; /],
    [["--dataset=./none", "--trainer=OWN"], /^candor: --dataset: a folder is for --trainer tfjs$/],
    [["--dataset=./none", "--trainer=tfjs"], /none\/train-images-idx3-ubyte: no such file/],
    [
      ["--dataset=mnst"],
      /^candor: --dataset: must be "mnist" or "fashion", or a folder such as \.\/mine, got "mnst"$/,
    ],
    [
      ["--population=a.csv", "--workers=3"],
      /^candor: --workers: is given by the file of --population: leave it out$/,
    ],
  ];
  it.each(refused)("%j gets one line", async (args, line) => {
    const own = fileWith("mine.mjs", mine);
    const { code, stdout, stderr } = await candor(["train", ...args.map((arg) => arg.replace("OWN", own))]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr.trimEnd()).toMatch(line);
    expect(stderr.trimEnd()).not.toContain("\n");
  });

  it("trains on a folder of IDX files under any name, split by label, the same on any number of threads", async () => {
    const folder = temporaryFolder();
    for (const [count, pictures, labels] of [
      [120, "digits", "classes"],
      [40, "more-digits", "more-classes"],
    ] as const) {
      const pixels = Uint8Array.from({ length: count * 784 }, (_, k) => (Math.floor(k / 784) * 25 + k) % 256);
      writeFileSync(join(folder, pictures), Buffer.concat([words(0x803, count, 28, 28), pixels]));
      const classes = Uint8Array.from({ length: count }, (_, k) => k % 10);
      writeFileSync(join(folder, labels), Buffer.concat([words(0x801, count), classes]));
    }
    const four = fileWith("four.csv", "samples,accuracy,cost\n30,1,0.3\n20,0.9,0.2\n40,0.5,0.1\n30,1,0.35\n");
    const run = [
      "train",
      "--tasks=1",
      "--rounds=2",
      "--budget=8",
      `--population=${four}`,
      `--dataset=${folder}`,
    ];
    const trained = async (...args: string[]) =>
      (await candor([...run, "--trainer=tfjs:validation=20,test=20", "--json", ...args])).stdout;
    const [even, one, two] = await Promise.all([
      trained("--threads=1"),
      trained("--split=dirichlet:0.5", "--threads=1"),
      trained("--split=dirichlet:0.5", "--threads=2"),
    ]);
    expect(two).toBe(one);
    expect(tasksIn(one)[0]).toMatchObject({
      dataset: folder,
      settings: { split: "dirichlet:0.5", population: four },
    });
    expect(tasksIn(one)[0].loss).not.toBe(tasksIn(even)[0].loss);
  });
});

function words(...values: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, k) => {
    bytes.writeUInt32BE(value, 4 * k);
  });
  return bytes;
}
