import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { responseVectors } from "../golden.js";
import { candor, ended, fileWith, main, start, temporaryFolder } from "./candor.js";

const example = "test/golden/example-market.json";

/** Worker 3 gains by coming a tick later; nobody else can gain. */
const forced = responseVectors[1]!.market;
const line = `${JSON.stringify(forced)}\n`;

/** A replay command as a shell would run it, with the program under test in place of the installed one. */
const replayed = (command: string) =>
  candor(/candor (.*)$/.exec(command)![1]!.replaceAll("'", "").split(" "), line);

describe("candor best-response", () => {
  it("--json prints the contract's object, one per line and in input order", async () => {
    const { stdout, code } = await candor(["best-response", "-", "--json"], line.repeat(2));
    const [first, second] = stdout
      .trim()
      .split("\n")
      .map((record) => JSON.parse(record));
    expect(second).toEqual({ ...first, market: "stdin:2", line: 2 });
    const { workers, ...about } = first;
    expect(about).toMatchObject({ mechanism: "online", method: "exact", exact: true });
    expect(workers.map(({ id }: { id: number }) => id)).toEqual([0, 3, 6]);
    expect(workers[1]).toMatchObject({
      id: 3,
      truthful: 0,
      gain: expect.closeTo(0.108233046, 6),
      priceGain: 0,
      timeGain: expect.closeTo(0.108233046, 6),
      best: { price: 0.452744, arrival: 2, attained: true },
      regime: "late and tight",
      pivotal: true,
    });
    expect(code).toBe(0);
  });

  it("--worker asks for one, --pieces for its utility piece by piece, --method pieces for the second way", async () => {
    const ask = async (...more: string[]) =>
      JSON.parse((await candor(["best-response", "-", "--worker", "3", "--json", ...more], line)).stdout);
    const { workers } = await ask("--pieces");
    expect(workers).toHaveLength(1);
    expect(workers[0].pieces[0]).toMatchObject({ arrival: 1, from: 0, fromIncluded: true });
    expect(workers[0].pieces.at(-1).to).toBeNull();
    const read = await ask("--method", "pieces");
    expect(read).toMatchObject({ method: "computed", exact: true });
    expect(read.workers[0].gain).toBeCloseTo(workers[0].gain, 6);
  });

  it("--pairs and --coalition show what workers gain together, --false-names what one does under several names", async () => {
    const ask = async (...more: string[]) =>
      JSON.parse((await candor(["best-response", "-", "--json", ...more], line)).stdout);
    const all = await ask("--pairs");
    expect(all).toMatchObject({ mechanism: "online", method: "computed", exact: true });
    expect(all.pairs.map(({ workers }: { workers: number[] }) => workers)).toEqual([
      [0, 3],
      [0, 6],
      [3, 6],
    ]);
    const { pairs } = await ask("--coalition", "0,3");
    expect(pairs).toEqual(all.pairs.slice(0, 1));
    expect(pairs[0]).toMatchObject({
      truthful: expect.any(Number),
      alone: [0, expect.closeTo(0.108233046, 6)],
    });
    expect(pairs[0].best.map(({ worker }: { worker: number }) => worker)).toEqual([0, 3]);
    const fractions = await ask("--coalition", "0,3", "--method", "fractions");
    expect(fractions.pairs[0].gain).toBeCloseTo(pairs[0].gain, 9);
    const named = await ask("--false-names", "1", "--new-reputation", "0", "--worker", "3");
    expect(named).toMatchObject({ falseNames: 1, newReputation: 0 });
    expect(named.workers[0]).toMatchObject({
      id: 3,
      gain: expect.closeTo(0.108233046, 6),
      best: { names: [] },
    });
    const { stdout } = await candor(["best-response", "-", "--pairs"], line);
    expect(stdout).toContain("each alone");
  });

  it.each([
    [["--coalition", "3"], "candor: --coalition: must be two or three different workers, such as 3,7, got 3"],
    [
      ["--coalition", "3,3"],
      "candor: --coalition: must be two or three different workers, such as 3,7, got 3,3",
    ],
    [["--coalition", "3,9"], "candor: --coalition: must be the id of a worker in stdin:1, got 9"],
    [["--pairs", "--false-names", "1"], "candor: --false-names: cannot be given with --pairs"],
    [["--new-reputation", "0.3"], "candor: --new-reputation: can only be given with --false-names"],
    [["--pairs", "--pieces"], "candor: --pieces: cannot be given with --pairs"],
    [["--pieces"], "candor: --pieces: can only be given with --json"],
    [["--pairs", "--interim"], "candor: --pairs: cannot be given with --interim"],
    [["--coalition", "0,3", "--worker", "0"], "candor: --worker: cannot be given with --coalition"],
    [["--false-names", "3"], "candor: --false-names: must be an integer from 1 to 2, got 3"],
  ])("%j is refused in one line", async (flags, said) => {
    const { stdout, stderr, code } = await candor(["best-response", "-", ...flags], line);
    expect({ stdout, code }).toEqual({ stdout: "", code: 2 });
    expect(stderr.trim()).toBe(said);
  });

  it("says of a searched mechanism that its gains are lower bounds", async () => {
    const asked = ["best-response", example, "--mechanism", fileWith("mine.mjs", payTheBid)];
    const { stdout } = await candor(asked);
    expect(stdout).toMatch(/search, \d+ evaluations: gains are lower bounds/);
    expect(stdout).toContain("write it as a program");
    const joint = await candor([...asked, "--coalition", "0,1"]);
    expect(joint.stdout).toMatch(/search, \d+ evaluations: gains are lower bounds/);
  });

  it("keeps at Ctrl-C the workers it has searched, and exits with 130", async () => {
    // Each worker is searched in a moment, and all of them in seconds, on a busy machine too.
    const market = await candor(["draw", "--workers", "40", "--budget", "40"]);
    const saysWhen = payTheBid.replace(
      "decide(rules, bids) {",
      "decide(rules, bids) { globalThis.n = (globalThis.n ?? 0) + 1; if (globalThis.n === 3000) process.stderr.write('soon');",
    );
    const child = start([
      "best-response",
      fileWith("market.jsonl", market.stdout),
      "--mechanism",
      fileWith("mine.mjs", saysWhen),
      ...["--effort", "100", "--json"],
    ]);
    const end = ended(child);
    child.stderr.once("data", () => child.kill("SIGINT"));
    const { code, stdout } = await end;
    expect(code).toBe(130);
    const { workers } = JSON.parse(stdout);
    expect(workers.length).toBeGreaterThan(0);
    expect(workers.length).toBeLessThan(40);
  });

  it.each([
    [
      ["best-response", example, "--worker", "77"],
      `--worker: must be the id of a worker in ${example}, got 77`,
    ],
    [
      ["best-response", example, "--mechanism", "critical(approximate-optimal)"],
      "critical(approximate-optimal): a mechanism that is shown the costs has no critical payments",
    ],
    [["explain", example], "--worker: missing, must be the id of a worker"],
    [
      ["explain", example, "--worker", "2", "--worker", "3"],
      "--worker: may be given once; --coalition 3,7 explains",
    ],
    [["explain", example, "--coalition", "0,2", "--price", "1"], "--price: cannot be given with --coalition"],
    [["explain", example, "--worker", "2", "--price", "-1"], "--price: must be a number ≥ 0, got -1"],
    [
      ["explain", example, "--worker", "4", "--arrival", "1"],
      "--arrival: must be an integer from 2 (the true arrival) to 4, got 1",
    ],
    [["check", example, "--property", "P9"], '--property: must be "P1", "P2"'],
  ])("candor %j is refused in one line", async (args, message) => {
    const { code, stdout, stderr } = await candor(args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});

describe("candor explain", () => {
  it("explains the best lie where none is given", async () => {
    const { stdout } = await candor(["explain", "-", "--worker", "3"], line);
    expect(stdout).toContain("This is its best lie. The lie gains 0.10823. Kind: force the start");
    expect(stdout).toContain("The first decision that differs, at clock 1:");
  });

  it("says that no lie gains only where all were looked at", async () => {
    const truth = await candor(["explain", "-", "--worker", "3", "--price", "0.452744"], line);
    expect(truth.stdout).toContain("\n\nThis bid is the truth.\n");
    const best = await candor(["explain", "-", "--worker", "0"], line);
    expect(best.stdout).toContain("No lie gains anything. This bid is the truth.");
    const searched = await candor(
      ["explain", "-", "--worker", "0", "--mechanism", fileWith("mine.mjs", fixedPay)],
      line,
    );
    expect(searched.stdout).toContain("A search found no lie that gains. This bid is the truth.");
  });

  it("prints a text that diffs well", async () => {
    const { stdout } = await candor(["explain", example, "--worker", "0", "--price", "0.2"]);
    await expect(stdout).toMatchFileSnapshot("../golden/example-explanation.txt");
  });

  it("--json holds the causes, and they add up", async () => {
    const { stdout } = await candor(["explain", "-", "--worker", "3", "--json"], line);
    const { gain, causes } = JSON.parse(stdout);
    expect(causes.rounds + causes.price + causes.budget + causes.start).toBeCloseTo(gain, 9);
  });
});

/** Pays everybody the same, whatever it bids: no lie gains. */
const fixedPay = `export default { name: "fixed-pay", about: "Pays everybody the same.", decide(rules, bids) {
  const workers = bids.map(({ id }) => ({ id, selectedAt: 1, rounds: rules.rounds, payment: 1 })).sort((a, b) => a.id - b.id);
  return { started: true, startDelay: 0, workers, thresholds: [], budgetEvents: [] };
} };`;

/** Pays everybody a little less than its bid: P1, P5 and the joint claim break. */
const payTheBid = `export default { name: "named-otherwise", about: "Pays a little less than the bid, whatever the budget.", decide(rules, bids) {
  const workers = bids.map(({ id, price }) => ({ id, selectedAt: 1, rounds: rules.rounds, payment: rules.rounds * price - 0.1 })).sort((a, b) => a.id - b.id);
  return { started: true, startDelay: 0, workers, thresholds: [], budgetEvents: [] };
} };`;

describe("candor check", () => {
  it("exits with 1 if a property breaks, and every witness replays by the command it prints", async () => {
    const { stdout, code } = await candor(["check", "-", "--json"], line);
    expect(code).toBe(1);
    const { verdicts } = JSON.parse(stdout);
    const judged = Object.fromEntries(
      verdicts.map(({ property, verdict }: { property: string; verdict: string }) => [property, verdict]),
    );
    expect(judged).toEqual({
      P1: "holds",
      P2: "holds",
      P3: "not proved",
      P4: "holds",
      P5: "holds",
      P6: "breaks",
      joint: "breaks",
    });
    const [witness] = verdicts.find(({ property }: { property: string }) => property === "P6").witnesses;
    expect(witness).toMatchObject({ worker: 3, regime: "late and tight", certified: true });
    expect((await replayed(witness.replay)).stdout).toContain("The lie gains 0.10823");
  });

  it("on standard input with a mechanism from a file, prints replays that a shell runs", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "mine.mjs"), payTheBid);
    const asked = { cwd: folder };
    const market = {
      rules: { budget: 4, rounds: 2 },
      workers: [{ id: 0, reputation: 1, cost: 0.5, arrival: 1 }],
    };
    const args = ["check", "-", "--mechanism", "./mine.mjs", "--json"];
    const { verdicts } = JSON.parse((await candor(args, JSON.stringify(market), asked)).stdout);
    const replays = verdicts.flatMap(({ witnesses }: { witnesses: { replay: string }[] }) => witnesses);
    expect(replays.length).toBeGreaterThan(1);
    for (const { replay } of replays) {
      const shell = `candor() { '${process.execPath}' '${main}' "$@"; }; ${replay}`;
      const { stdout } = await promisify(execFile)("sh", ["-c", shell], asked);
      expect(stdout).toContain("mechanism named-otherwise");
    }
  });

  it("exits with 0 if none does", async () => {
    const market = { rules: { budget: 4, rounds: 2, firstRoundRatio: 0.5 }, workers: [] };
    expect((await candor(["check", "-"], JSON.stringify(market))).code).toBe(0);
  });
});
