import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { candor, fileWith, main, temporaryFolder } from "./candor.js";

const table = "arrival,id,reputation,cost\n1,0,0.62,0.31\n1,1,0.5,0.2\n2,2,0.9,0.4\n3,3,0.7,0.3\n";
const rules = ["--budget", "5", "--rounds", "4"];
const market = {
  rules: { budget: 5, rounds: 4 },
  workers: [
    { id: 0, reputation: 0.62, cost: 0.31, arrival: 1 },
    { id: 1, reputation: 0.5, cost: 0.2, arrival: 1 },
    { id: 2, reputation: 0.9, cost: 0.4, arrival: 2 },
    { id: 3, reputation: 0.7, cost: 0.3, arrival: 3 },
  ],
};

/** Of one line of JSON, all but where the market was. */
function withoutPlace(stdout: string): object {
  const { market: _market, file: _file, line: _line, id: _id, ...rest } = JSON.parse(stdout);
  return rest;
}

describe("a CSV file of workers", () => {
  it.each([
    ["run"],
    ["try", "--agent", "overbid"],
    ["best-response"],
    ["best-response", "--interim", "--draws", "10"],
    ["explain", "--worker", "0"],
  ])("%j gives what the same market as JSON does", async (command, ...options) => {
    const [csv, json] = [fileWith("bids.csv", table), fileWith("m.json", JSON.stringify(market))];
    const args = [...options, "--json"];
    const [fromCsv, fromJson] = await Promise.all([
      candor([command, csv, ...rules, ...args]),
      candor([command, json, ...args]),
    ]);
    expect([fromCsv.code, fromCsv.stderr]).toEqual([0, ""]);
    expect(withoutPlace(fromCsv.stdout)).toEqual(withoutPlace(fromJson.stdout));
    expect(JSON.parse(fromCsv.stdout)).toMatchObject({ file: csv, line: null, id: null });
  });

  it("all rules can be given, behind the name as well, and on standard input", async () => {
    const more = ["--ratio", "0.6", "--min-workers", "2", "--reading", "pseudocode"];
    const path = fileWith("bids.csv", table);
    const short = `${path}:budget=5,rounds=4,ratio=0.6,min-workers=2,reading=pseudocode`;
    const full = {
      ...market,
      rules: { ...market.rules, firstRoundRatio: 0.6, minWorkers: 2, reading: "pseudocode" },
    };
    const [json, ...tables] = await Promise.all([
      candor(["run", "-", "--json"], JSON.stringify(full)),
      candor(["run", path, ...rules, ...more, "--json"]),
      candor(["run", short, "--json"]),
      candor(["run", "-", ...rules, ...more, "--json"], `\ufeff${table.replaceAll("\n", "\r\n")}`),
    ]);
    for (const { stdout } of tables) expect(withoutPlace(stdout)).toEqual(withoutPlace(json.stdout));
  });

  it("check prints replays that work", async () => {
    const cwd = temporaryFolder();
    const path = fileWith("bids.csv", table);
    const { code, stdout } = await candor(["check", path, ...rules, "--ratio", "0.36"], "", { cwd });
    expect(code).toBe(1);
    const [, replay = ""] = /replay: candor (.*)/.exec(stdout) ?? [];
    expect(replay).toContain("--budget 5 --rounds 4 --ratio 0.36 --worker");
    const shown = execFileSync("sh", ["-c", `'${process.execPath}' '${main}' ${replay}`], {
      cwd,
      encoding: "utf8",
    });
    expect(shown).toMatch(/gains/);
  });

  it("reaches analyses on threads, under its rules", async () => {
    const out = temporaryFolder();
    const path = fileWith("bids.csv", table);
    const args = ["analyze", "own-markets", "--markets", path, ...rules, "--threads", "2", "--out", out];
    const { code, stderr } = await candor(args);
    expect([code, stderr]).toEqual([0, ""]);
    const { analyses } = JSON.parse(readFileSync(join(out, "data.json"), "utf8"));
    expect(analyses[0].result.tables[0].rows).toMatchObject([
      { market: path, workers: 4, budget: 5, rounds: 4 },
    ]);
  });

  it.each([
    [table.replace("0.62", "x"), rules, 'bids.csv: line 2, reputation: must be a number ≥ 0, got "x"'],
    [
      table,
      [],
      "bids.csv: holds workers only: give their rules with --budget B --rounds T (--budget and --rounds missing)",
    ],
    [
      table,
      ["--budget", "5"],
      "bids.csv: holds workers only: give their rules with --budget B --rounds T (--rounds missing)",
    ],
    [
      table,
      ["--budget", "5", "--rounds", "2"],
      "bids.csv: line 5, arrival: must be an integer from 1 to 2, got 3",
    ],
    [table, ["--budget", "-5", "--rounds", "4"], "--budget: must be a number ≥ 0, got -5"],
    [
      JSON.stringify(market),
      rules,
      "bids.csv: has rules of its own; --budget and the like are for CSV files",
    ],
    ["", rules, "bids.csv: empty, must hold the header"],
  ])("%j under %j is refused in one line", async (text, given, message) => {
    const path = fileWith("bids.csv", text);
    const { code, stdout, stderr } = await candor(["check", path, ...given]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^candor: [^\n]*\n$/);
    expect(stderr.replaceAll(path, "bids.csv")).toContain(message);
  });

  it("rules beside a market that has its own are refused, and so are rules for nothing", async () => {
    const path = fileWith("m.json", JSON.stringify(market));
    for (const args of [
      ["run", path, "--budget", "5"],
      ["run", "-", "--rounds", "5"],
    ])
      expect(await candor(args, JSON.stringify(market))).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining("has rules of its own"),
      });
    expect((await candor(["report", "--budget", "5"])).stderr).toBe(
      "candor: --budget: is for the CSV files of --markets\n",
    );
  });
});

it("lines of JSON say the file, the line and the id of their market", async () => {
  const lines = [market, { id: "second", ...market }, { id: 3, ...market }].map((one) => JSON.stringify(one));
  const path = fileWith("m.jsonl", lines.join("\n"));
  for (const args of [
    ["run"],
    ["try", "--agent", "overbid"],
    ["best-response"],
    ["explain", "--worker", "1"],
    ["check"],
  ]) {
    const { stdout } = await candor([args[0]!, path, ...args.slice(1), "--json"]);
    const places = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(places).toMatchObject([
      { market: `${path}:1`, file: path, line: 1, id: null },
      { market: `${path}:2`, file: path, line: 2, id: "second" },
      { market: `${path}:3`, file: path, line: 3, id: 3 },
    ]);
  }
});

it("check of several markets ends with how many broke what, and keeps that out of JSON", async () => {
  const rich = { ...market, rules: { budget: 500, rounds: 4 } };
  const input = [market, rich, market].map((one) => JSON.stringify(one)).join("\n");
  const said = "2 of 3 markets break a property: P5 in 2, joint in 2.";
  expect((await candor(["check", "-"], input)).stdout).toMatch(new RegExp(`\n\n${said}\n$`));
  const { stdout, stderr } = await candor(["check", "-", "--json"], input);
  expect(stdout.trim().split("\n")).toHaveLength(3);
  expect(stderr).toBe(`candor: ${said}\n`);
  expect((await candor(["check", "-"], JSON.stringify(market))).stdout).not.toContain("markets break");
});

it("a reputation that looks like a percentage is warned of, once", async () => {
  const path = fileWith("bids.csv", table.replace("0.62", "62").replace("0.9", "90"));
  const { code, stderr } = await candor(["run", path, ...rules]);
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/^candor: warning: \S+: worker 0 has reputation 62;[^\n]*\n$/),
  ]);
});
