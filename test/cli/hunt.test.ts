import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { candor, ended, fileWith, start, temporaryFolder } from "./candor.js";

/** A hunt in a folder of its own. */
const huntIn = (cwd: string, ...args: string[]) => candor(["hunt", ...args], "", { cwd });

const linesOf = (path: string): string[] => readFileSync(path, "utf8").trimEnd().split("\n");

describe("hunt", () => {
  it("prints both markets, the lie, the gain, and a line that replays it", async () => {
    const { code, stdout, stderr } = await huntIn(temporaryFolder(), "--seed", "1");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^Broken: P5 in regime sufficient, mechanism online\n {2}cost truthfulness: /);
    expect(stdout).toContain("The smallest market found:");
    expect(stdout).toContain("Certified in exact fractions.");
    expect(stdout).toMatch(
      /No single step makes it smaller, and of \d+ markets drawn with fewer workers or rounds none/,
    );
    expect(stdout).toMatch(
      /replay: echo '\{.*\}' \| candor explain - --worker \d+ --price [\d.]+ --arrival \d+\n/,
    );
  });

  it("--json: one object whose witnesses explain confirms", async () => {
    const args = ["--property", "joint", "--regime", "tight", "--start", "kept", "--json"];
    const { stdout, stderr } = await huntIn(temporaryFolder(), ...args);
    expect(stderr).toBe("");
    const record = JSON.parse(stdout);
    expect(record.smallest.proved).toMatchObject({ smallest: true });
    for (const { market, lie, amount, certified, startMoved } of [record.smallest, record.strong]) {
      expect([certified, startMoved]).toEqual([true, false]);
      const told = ["--worker", `${lie.worker}`, "--price", `${lie.price}`, "--arrival", `${lie.arrival}`];
      const explained = await candor(["explain", "-", ...told, "--json"], JSON.stringify(market));
      expect(JSON.parse(explained.stdout).gain).toBeCloseTo(amount, 9);
    }
    expect(record.strong.amount).toBeGreaterThanOrEqual(0.8 * record.found.amount);
  });

  it("is the same for the same seed, byte by byte, and leaves nothing behind", async () => {
    const folder = temporaryFolder();
    const args = ["--property", "P6", "--regime", "tight", "--json"];
    const first = await huntIn(folder, ...args);
    const second = await huntIn(folder, ...args);
    expect(JSON.parse(first.stdout).found.origin).toBe("drawn");
    expect(second.stdout).toBe(first.stdout);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("that finds nothing says how much it searched, what that bounds, and keeps no file", async () => {
    const folder = temporaryFolder();
    const args = ["--property", "P2", "--max-ratio", "0.5", "--markets", "200"];
    const { code, stdout } = await huntIn(folder, ...args);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Nothing found: P2 in regime sufficient/);
    expect(stdout).toMatch(/searched 200 markets of seed 1\n/);
    const [, percent, trials] = /at most ([\d.]+) % .*\n\(rule of three: 3 \/ (\d+)\)/.exec(stdout)!;
    expect(Number(percent)).toBeCloseTo(300 / Number(trials), 2);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("ends when its time is up, which is no error", async () => {
    const { code, stdout } = await huntIn(temporaryFolder(), "--seconds", "0");
    expect(code).toBe(0);
    expect(stdout).toMatch(/searched 0 markets of seed 1\n(.|\n)*Stopped before all markets were drawn\.\n$/);
  });

  it.each([
    [["--property", "P3"], '--property: must be "P1", "P2"'],
    [
      ["--regime", "poor"],
      '--regime: must be "sufficient", "tight", "late-start" or "late-and-tight", got "poor"',
    ],
    [["--start", "maybe"], '--start: must be "any", "moved" or "kept", got "maybe"'],
    [["--property", "P1", "--start", "moved"], "--start: tells lies apart, and P1 is not about lies"],
    [["--markets", "-1"], "--markets: must be an integer ≥ 0, got -1"],
    [["--mechanism", "onlin"], '"onlin"; did you mean "online"'],
  ])("%j is one line on stderr", async (args, words) => {
    const { code, stdout, stderr } = await huntIn(temporaryFolder(), ...args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(words);
    expect(stderr.trimEnd()).not.toContain("\n");
  });
});

/** Found within a few markets. */
const easy = ["--property", "joint", "--regime", "tight"];

describe("witnesses", () => {
  it("are kept where --remember says, in whole lines and once each, and tried first by --known", async () => {
    const folder = temporaryFolder();
    const remember = ["--remember", "kept/witnesses.jsonl"];
    const first = JSON.parse((await huntIn(folder, ...easy, ...remember, "--json")).stdout);
    const file = join(folder, "kept/witnesses.jsonl");
    const markets = [first.found, first.smallest, first.strong].map(({ market }) => JSON.stringify(market));
    const kept = linesOf(file).map((line) => JSON.stringify(JSON.parse(line).market));
    expect(kept).toEqual([...new Set(markets)]);
    const before = readFileSync(file, "utf8");
    const again = JSON.parse((await huntIn(folder, ...easy, ...remember, "--json")).stdout);
    expect(again).toEqual(first);
    const second = JSON.parse(
      (await huntIn(folder, ...easy, "--seed", "another", "--known", "kept/witnesses.jsonl", "--json"))
        .stdout,
    );
    expect(second.found.origin).toBe("known");
    expect(second.searched).toMatchObject({ known: kept.length, markets: 0 });
    expect(readFileSync(file, "utf8")).toBe(before);
    expect(readdirSync(join(folder, "kept"))).toEqual(["witnesses.jsonl"]);
  });

  it("of another property, regime or mechanism are left alone", async () => {
    const folder = temporaryFolder();
    await huntIn(folder, ...easy, "--remember", "kept.jsonl");
    const there = linesOf(join(folder, "kept.jsonl")).length;
    const known = async (change: object = {}) => {
      const named = Object.entries({ property: "joint", regime: "tight", ...change });
      const args = named.flatMap(([name, value]) => [`--${name}`, value]);
      const { stdout } = await huntIn(folder, ...args, "--known", "kept.jsonl", "--markets", "0", "--json");
      return JSON.parse(stdout).searched.known;
    };
    expect(await known({ property: "P6" })).toBe(0);
    expect(await known({ regime: "sufficient" })).toBe(0);
    expect(await known({ mechanism: "online:reading=pseudocode" })).toBe(0);
    expect(await known()).toBe(there);
  });

  const line = '{"property":"P5","regime":"tight","mechanism":"online","market":';
  it.each([
    ["text that is no JSON", `${line}`, /witnesses\.jsonl:1: not valid JSON/],
    [
      "a market that is none",
      `${line}{"rules":{"budget":-1,"rounds":1},"workers":[]}}`,
      /:1: market: rules\.budget: must/,
    ],
    [
      "a word that is unknown",
      `\n${line.replace("P5", "P9")}{}}`,
      /:2: property: must be "P1" or .*, got "P9"/,
    ],
    ["something else", "[]", /:1: not a witness/],
  ])("in a broken file, %s: one line that names it, nothing lost", async (_, text, words) => {
    const file = fileWith("witnesses.jsonl", text);
    for (const option of ["--known", "--remember"]) {
      const { code, stdout, stderr } = await huntIn(temporaryFolder(), option, file);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(words);
      expect(stderr.trimEnd()).not.toContain("\n");
      expect(readFileSync(file, "utf8")).toBe(text);
    }
  });

  it("cannot be read from a file that is not there", async () => {
    const { code, stdout, stderr } = await huntIn(temporaryFolder(), "--known", "none.jsonl");
    expect([code, stdout, stderr]).toEqual([2, "", "candor: none.jsonl: no such file\n"]);
  });

  it("cannot be kept in a folder, or inside of a file", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "a"));
    writeFileSync(join(folder, "b"), "");
    for (const [path, words] of [
      ["a", "is a folder, not a file"],
      ["b/c.jsonl", "is inside of a file"],
    ] as const) {
      const { code, stdout, stderr } = await huntIn(folder, "--remember", path);
      expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(`candor: ${path}: ${words}`)]);
    }
  });
});

describe("Ctrl-C", () => {
  it("ends a hunt with what it has searched so far, and 130", async () => {
    const folder = temporaryFolder();
    const mine = join(folder, "mine.mjs");
    writeFileSync(
      mine,
      `let told = false;
       export const mine = { name: "mine", about: "Hires nobody, and says when it is asked.", decide(rules, bids) {
         if (!told) process.stderr.write("begun");
         told = true;
         const workers = bids.map(({ id }) => ({ id, selectedAt: null, rounds: 0, payment: 0 })).sort((a, b) => a.id - b.id);
         return { started: true, startDelay: 0, workers, thresholds: [], budgetEvents: [] };
       } };
       export default mine;`,
    );
    const args = ["hunt", "--property", "P2", "--mechanism", mine, "--markets", "1000000000"];
    const child = start(args, { cwd: folder });
    const end = ended(child);
    child.stderr.once("data", () => child.kill("SIGINT"));
    const { code, stdout, stderr } = await end;
    expect([code, stderr]).toEqual([130, "begun"]);
    expect(stdout).toMatch(/^Nothing found: P2(.|\n)*Stopped before all markets were drawn\.\n$/);
    expect(readdirSync(folder)).toEqual(["mine.mjs"]);
  });
});
