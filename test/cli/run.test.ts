import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { answerPairs } from "../../src/cli/joint-lies.js";
import { demandSize } from "../../src/cli/sizes.js";
import { stream } from "../../src/lib/random.js";
import { drawMarket } from "../../src/market/draw.js";
import { type Market, paperRules } from "../../src/market/market.js";
import { online } from "../../src/mechanisms/online/online.js";
import { candor, ended, fileWith, root, start, temporaryFolder } from "./candor.js";

const example = "test/golden/example-market.json";
const rules = { budget: 125, rounds: 10, ...paperRules };
const drawn = (workers: number, seed = 1) => drawMarket({ rules, workers }, stream(seed));
const lineOf = (value: unknown) => `${JSON.stringify(value)}\n`;

describe("candor run", () => {
  it("prints the trace a person follows with the paper in hand", async () => {
    const { code, stdout, stderr } = await candor(["run", example, "--trace"]);
    await expect(stdout).toMatchFileSnapshot("../golden/example-trace.txt");
    expect([code, stderr]).toEqual([0, ""]);
  });

  it("prints a table per market", async () => {
    const { stdout } = await candor(["run", example, example]);
    await expect(stdout).toMatchFileSnapshot("../golden/example-run.txt");
  });

  it("--json prints the contract's object", async () => {
    const { stdout } = await candor(["run", example, "--json"]);
    const record = JSON.parse(stdout);
    expect(Object.keys(record)).toEqual([
      "mechanism",
      "started",
      "startDelay",
      "spent",
      "publisherUtility",
      "utilityPerUnitPaid",
      "workers",
      "thresholds",
      "budgetEvents",
      "market",
      "file",
      "line",
      "id",
    ]);
    expect(record.market).toBe(example);
    expect(record).toMatchObject({ mechanism: "online", started: true, startDelay: 1 });
    const { payment, utility, ...fifth } = record.workers[5];
    expect(fifth).toEqual({ id: 5, price: 0.25, arrival: 4, selectedAt: 3, rounds: 2 });
    expect(utility).toBe(payment - 0.25 * 2);
    expect(record.workers[1]).toEqual({
      id: 1,
      price: 0.49,
      arrival: 2,
      selectedAt: null,
      rounds: 0,
      payment: 0,
      utility: 0,
    });
    expect(record.thresholds.map(({ round }: { round: number }) => round)).toEqual([2, 3, 4]);
    expect(record.budgetEvents).toEqual([
      { round: 2, worker: 0, kind: "refused" },
      { round: 4, worker: 0, kind: "capped" },
    ]);
  });

  it("--trace --json adds the events", async () => {
    const { stdout } = await candor(["run", example, "--json", "--trace"]);
    const { trace } = JSON.parse(stdout);
    expect(trace[0]).toMatchObject({ kind: "start", clock: 1, enough: false });
    expect(trace.filter(({ kind }: { kind: string }) => kind === "round")).toHaveLength(3);
  });

  it("takes bids, and says where they differ from the truth", async () => {
    const bids = fileWith(
      "bids.json",
      JSON.stringify([
        { worker: 2, price: 0.2 },
        { worker: 4, arrival: 3 },
      ]),
    );
    const { stdout } = await candor(["run", example, "--bids", bids]);
    expect(stdout).toContain("price bid");
    expect(stdout).toContain("arrival bid");
    const json = await candor(["run", example, "--bids", bids, "--json"]);
    const { workers } = JSON.parse(json.stdout);
    expect(workers[2]).toMatchObject({ id: 2, price: 0.2, arrival: 1 });
    expect(workers[4]).toMatchObject({ id: 4, price: 0.26, arrival: 3 });
    expect(workers[2].utility).toBeCloseTo(workers[2].payment - 0.53 * workers[2].rounds, 12);
  });

  it("reads files and lines in the order given, one object per line", async () => {
    const lines = fileWith("two.jsonl", `${lineOf(drawn(3))}\n\r\n${JSON.stringify(drawn(4))}`);
    const { stdout } = await candor(["run", lines, example, "-", "--json"], lineOf(drawn(5)));
    const counts = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).workers.length);
    expect(counts).toEqual([3, 4, 7, 5]);
  });

  it("keeps a line separator of Unicode inside of a string where it is", async () => {
    const { stderr } = await candor(["run", "-"], '{"a\u2028b": 1}\n');
    expect(stderr).toMatch(/^candor: stdin:1: .*unknown field/);
  });
});

describe("bad input", () => {
  const bad = {
    ...drawn(4),
    workers: drawn(4).workers.map((w) => (w.id === 3 ? { ...w, reputation: -0.2 } : w)),
  };

  it("gets one line that names file, field and value, and exit code 2", async () => {
    const file = fileWith("m.json", JSON.stringify(bad));
    const said = await candor(["run", basename(file)], "", { cwd: dirname(file) });
    expect(said).toEqual({
      code: 2,
      stdout: "",
      stderr: "candor: m.json: workers[3].reputation: must be a number ≥ 0, got -0.2\n",
    });
  });

  it("names the line of a stream", async () => {
    const { stderr } = await candor(["run", "-"], `${lineOf(drawn(2))}\n${lineOf(bad)}`);
    expect(stderr).toBe("candor: stdin:3: workers[3].reputation: must be a number ≥ 0, got -0.2\n");
  });

  it("leaves standard output empty, and no file behind, however late it comes", async () => {
    const TMPDIR = temporaryFolder();
    const good = lineOf(drawn(30)).repeat(3000);
    const said = await candor(["run", "-", "--json"], `${good}{"rules"`, { env: { ...process.env, TMPDIR } });
    expect(said).toEqual({
      code: 2,
      stdout: "",
      stderr: "candor: stdin:3001: not valid JSON at column 9: the text ends too early\n",
    });
    expect(readdirSync(TMPDIR)).toEqual([]);
  });

  it.each([
    [["run", "no-such-file.json"], "no-such-file.json: no such file"],
    [["run", "no-such-file.jsonl"], "no-such-file.jsonl: no such file"],
    [["run", "src"], "src: is a folder, not a file"],
    [["run", "-"], "stdin: empty, must hold a market per line"],
    [["run", "-", "-"], "-: standard input can be read only once"],
    [["run", example, "--bids", "nowhere"], "nowhere: no such file"],
    [["run", example, "--bids", "LICENSE"], /^LICENSE: not valid JSON/],
    [["run", example, "--mechanism", "onlin"], /did you mean "online"\?/],
    [["run", "package.json"], "package.json: name: unknown field; known are rules, workers, id"],
  ])("candor %j is refused", async (args, message) => {
    const { code, stdout, stderr } = await candor(args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^candor: [^\n]*\n$/);
    const rest = stderr.trim().replace(/^candor: /, "");
    if (typeof message === "string") expect(rest).toBe(message);
    else expect(rest).toMatch(message);
  });

  it("names the bid that does not fit the market", async () => {
    const bids = fileWith("b.json", JSON.stringify([{ worker: 5, arrival: 3 }]));
    const { stderr } = await candor(["run", example, "--bids", bids]);
    expect(stderr).toContain(
      "b.json: [0].arrival: must be an integer from 4 (the true arrival of worker 5) to 4, got 3",
    );
  });
});

describe("a stream", () => {
  const report = `import { isMainThread } from "node:worker_threads";
    if (isMainThread) process.on("exit", () => process.stderr.write("peak " + process.resourceUsage().maxRSS));`;
  const preload = `data:text/javascript,${encodeURIComponent(report)}`;

  it("of 20,000 markets passes in memory that could not hold it", async () => {
    const line = lineOf(drawn(20));
    const node = ["--max-old-space-size=40", "--import", preload];
    const child = start(["run", "-", "--json"], { node });
    let outcomes = 0;
    child.stdout.on("data", (bytes: Buffer) => {
      for (const byte of bytes) if (byte === 10) outcomes++;
    });
    let stderr = "";
    child.stderr.on("data", (bytes: Buffer) => {
      stderr += bytes;
    });
    child.stdin.end(line.repeat(20_000));
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect([code, outcomes]).toEqual([0, 20_000]);
    expect(Number(/^peak (\d+)$/.exec(stderr)?.[1])).toBeLessThan(250_000);
  });

  it("that is interrupted prints what was computed, and ends with 130", async () => {
    const child = start(["run", "-", "--json"]);
    const end = ended(child);
    const line = lineOf(drawn(20));
    // Pipes hold far less than this: once it is written, most of it has been read.
    await new Promise((resolve) => child.stdin.write(line.repeat(3000), resolve));
    child.kill("SIGINT");
    const { code, stdout, stderr } = await end;
    expect([code, stderr]).toEqual([130, ""]);
    const records = stdout.trim().split("\n");
    expect(records.length).toBeGreaterThan(0);
    expect(records.length).toBeLessThanOrEqual(3000);
    const { market, ...first } = JSON.parse(records[0]!);
    expect([market, first.workers.length]).toEqual(["stdin:1", 20]);
    for (const [k, record] of records.entries())
      expect(JSON.parse(record)).toEqual({ ...first, market: `stdin:${k + 1}`, line: k + 1 });
  });

  it.each([
    ["run", ["run", "-", "--json"]],
    ["draw", ["draw", "--workers", "20", "--budget", "30", "--count", "5000"]],
  ])("of %s whose reader goes away ends quietly", async (_, args) => {
    const child = start(args);
    child.stdin.on("error", () => {});
    child.stdin.end(lineOf(drawn(20)).repeat(2000));
    let stderr = "";
    child.stderr.on("data", (bytes: Buffer) => {
      stderr += bytes;
    });
    child.stdout.once("data", () => child.stdout.destroy());
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect([code, stderr]).toEqual([0, ""]);
  });
});

it("the example's golden files tell of every kind of decision", () => {
  const trace = readFileSync(join(root, "test/golden/example-trace.txt"), "utf8");
  for (const word of [
    "admitted",
    "refused",
    "raised",
    "capped",
    "promised as much",
    "too dear",
    "the start moves",
  ])
    expect(trace).toContain(word);
});

it.each([
  ["explain", ["explain", "-", "--worker", "0"]],
  ["check", ["check", "-"]],
  ["--pairs", ["best-response", "-", "--pairs"]],
  ["--coalition", ["best-response", "-", "--coalition", "0,1"]],
])("%s refuses in one line what it would work on for days", async (what, args) => {
  const workers = Array.from({ length: 20 }, (_, id) => ({ id, reputation: 1, cost: 1, arrival: 1 }));
  const market = JSON.stringify({ rules: { budget: 2, rounds: 10_000 }, workers });
  const { code, stdout, stderr } = await candor(args, market);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toBe(
    `candor: stdin:1: 20 workers × 10000 rounds are too many for ${what}: workers × rounds may be at most 2000000, workers × rounds² at most 200000000\n`,
  );
});

it("questions about lies are refused by size before they begin", async () => {
  const of = (count: number, rounds: number): Market => ({
    rules: { ...paperRules, budget: 2, rounds },
    workers: Array.from({ length: count }, (_, id) => ({ id, reputation: 1, cost: 1, arrival: 1 })),
  });
  expect(() => demandSize(of(199_999, 10), "m", "--false-names", 1)).not.toThrow();
  expect(() => demandSize(of(200_000, 10), "m", "--false-names", 1)).toThrow(
    "m: 200001 workers × 10 rounds are too many for --false-names: workers × rounds may be at most 2000000,",
  );
  const question = { mechanism: online, arithmetic: undefined };
  const asked = (ids?: number[]) =>
    answerPairs({ market: of(1_000_000, 1), source: "m", ids }, question, undefined as never);
  await expect(asked()).rejects.toThrow(
    "m: 499999500000 pairs are too many for --pairs: there may be at most 1000000; --worker chooses some",
  );
  await expect(asked([7, 8])).rejects.toThrow("m: 1999997 pairs are too many");
});

it("run --trace refuses in one line what would not fit into memory", async () => {
  const workers = Array.from({ length: 101 }, (_, id) => ({ id, reputation: 1, cost: 1, arrival: 1 }));
  const market = JSON.stringify({ rules: { budget: 2, rounds: 10_000 }, workers });
  const { code, stdout, stderr } = await candor(["run", "-", "--trace"], market);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toBe(
    "candor: stdin:1: 101 workers × 10000 rounds are too many for --trace, which shows at most 1000000\n",
  );
});
