import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeFiles } from "../../src/cli/files.js";
import { candor, candorProcess, ended, fileWith, start, temporaryFolder } from "./candor.js";

const fixture = "test/report/fixture.ts";
const read = (folder: string, name: string) => readFileSync(join(folder, name), "utf8");

/** An analysis in a user's own file; `more` replaces some of its fields. */
const userAnalysis = (name: string, more: string) =>
  fileWith(
    `${name}.ts`,
    `const nothing = () => [];
    export default { name: "${name}", question: "What of ${name}?", settings: () => ({}), plan: nothing,
      job: { look: () => 1, merge: (a, b) => a + b, cost: () => 100 },
      conclude: nothing, tables: nothing, charts: nothing, findings: nothing, methods: nothing, ${more} };`,
  );

describe("candor analyze", () => {
  it("writes the page, the data and a CSV for each table, and tells the findings", async () => {
    const out = temporaryFolder();
    const { code, stdout, stderr } = await candor(["analyze", fixture, "--out", out]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(
      /could gain by a lie\.[\s\S]*Wrote .*report\.html, and 6 more files beside it\.\n$/,
    );
    expect(readdirSync(out).sort()).toEqual([
      "data.json",
      "report.html",
      "truthfulness-map.map.csv",
      "truthfulness-map.points.csv",
      "truthfulness-map.sizes.csv",
      "truthfulness-map.trend.csv",
      "truthfulness-map.verdicts.csv",
    ]);
    expect(read(out, "report.html")).toContain(
      "analyze test/report/fixture.ts --seed 1 --profile quick --mechanism online",
    );
  });

  it("the same seed gives the same data, byte for byte; another seed other data", async () => {
    const [a, b, c] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
    await Promise.all([
      candor(["analyze", fixture, "--out", a!]),
      candor(["analyze", fixture, "--out", b!]),
      candor(["analyze", fixture, "--out", c!, "--seed", "2"]),
    ]);
    expect(read(a!, "data.json")).toBe(read(b!, "data.json"));
    expect(read(a!, "data.json")).not.toBe(read(c!, "data.json"));
  });

  it("--json prints the data and nothing else", async () => {
    const out = temporaryFolder();
    const { stdout } = await candor(["analyze", fixture, "--out", out, "--json"]);
    expect(stdout).toBe(read(out, "data.json"));
  });

  it("--format svg writes the charts alone", async () => {
    const out = temporaryFolder();
    // Vega's expressions are interpreted: no text becomes code.
    const node = ["--disallow-code-generation-from-strings"];
    const args = ["analyze", fixture, "--out", out, "--format", "svg"];
    expect((await candorProcess(args, "", { node })).code).toBe(0);
    const names = ["map", "pair", "points", "trend"].map((chart) => `truthfulness-map.${chart}.svg`);
    expect(readdirSync(out).sort()).toEqual(names);
    for (const name of names)
      expect(read(out, name)).toMatch(/^<svg[\s\S]*aria-roledescription[\s\S]*<\/svg>$/);
  });

  it("a failed analysis does not lose the others: it is shown as failed, and the exit code is 1", async () => {
    const out = temporaryFolder();
    const { code, stdout } = await candor(["analyze", "test/report/broken.ts", fixture, "--out", out]);
    expect(code).toBe(1);
    expect(stdout).toContain("failed: <b>no market</b> was found");
    const { analyses } = JSON.parse(read(out, "data.json"));
    expect(analyses.map(({ state }: { state: string }) => state)).toEqual(["failed", "done"]);
  });

  it("a chart of the first screen that cannot be drawn costs the chart, and not the report", async () => {
    const out = temporaryFolder();
    const mine = userAnalysis(
      "mine",
      `tables: () => [{ name: "t", title: "T", columns: [{ name: "n", label: "N", kind: "count" }], rows: [{ n: 1 }] }],
      charts: () => [{ name: "c", title: "C", table: "t", summary: "S.", howToRead: "H.", firstScreen: true,
        spec: { mark: "bar", encoding: { href: { value: "https://example.org" } } } }],
      findings: () => [{ text: "What was \\u001b[2Jfound.", weight: 1 }],`,
    );
    const { code, stdout, stderr } = await candor(["analyze", mine, "--out", out]);
    const flaw = "chart c: href: charts load nothing and link to nothing";
    expect([code, stderr]).toEqual([1, `candor: ${mine}: ${flaw}\n`]);
    expect(stdout).toContain("What was \\u001b[2Jfound.");
    expect(read(out, "report.html")).toContain(`This figure cannot be shown: ${flaw}`);
    expect(read(out, "report.html")).not.toContain("example.org");
    expect(read(out, "report.html")).toContain("What was \\u001b[2Jfound.");
    expect(JSON.parse(read(out, "data.json")).analyses[0].state).toBe("done");
  });

  it("what a user's analysis returns is checked", async () => {
    const mine = userAnalysis("mine", "charts: () => {},");
    const { code, stdout } = await candor(["analyze", mine, "--out", temporaryFolder()]);
    expect(code).toBe(1);
    expect(stdout).toContain("charts: missing, must be a list");
  });

  it("Ctrl-C writes what is finished and exits with 130", async () => {
    const out = temporaryFolder();
    const look = 'process.stderr.write("begun"); const end = Date.now() + 20; while (Date.now() < end);';
    const slow = userAnalysis(
      "slow",
      `plan: () => [{ cell: 0, markets: 1e5 }], job: { look() { ${look} }, merge() {}, cost: () => 100 },`,
    );
    const child = start(["analyze", fixture, slow, "--out", out]);
    child.stderr.once("data", () => child.kill("SIGINT"));
    expect((await ended(child)).code).toBe(130);
    const { analyses } = JSON.parse(read(out, "data.json"));
    expect(analyses.map(({ state }: { state: string }) => state)).toEqual(["done", "interrupted"]);
  });

  it.each([
    ["an unknown name", ["nonsense"], 'candor: analyze: no "nonsense"; there are '],
    [
      "an unknown profile",
      [fixture, "--profile", "slow"],
      'candor: --profile: must be "quick" or "full", got "slow"',
    ],
    [
      "a file that is no earlier data",
      [fixture, "--diff", "package.json"],
      "candor: package.json: must be the data.json of a report",
    ],
    [
      "a file that is no analysis",
      ["agents/truthful.ts"],
      "candor: agents/truthful.ts: is not an analysis: question must be a text",
    ],
  ])("%s is one line on stderr, and nothing is written", async (_, args, message) => {
    const out = join(temporaryFolder(), "new");
    const { code, stdout, stderr } = await candor(["analyze", ...args, "--out", out]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(existsSync(out)).toBe(false);
  });

  it("--diff says in the page what changed since an earlier run", async () => {
    const [old, now] = [temporaryFolder(), temporaryFolder()];
    await candor(["analyze", fixture, "--out", old]);
    await candor(["analyze", fixture, "--out", now, "--seed", "2", "--diff", join(old, "data.json")]);
    const page = read(now, "report.html");
    expect(page).toContain("What changed since the earlier run");
    expect(page).toMatch(/\d of 5 tables that both have\s+changed/);
    expect(page).toMatch(
      /truthfulness-map: trend <span class="size">\d+ changed cells in 8 rows that both have/,
    );
  });
});

describe("the files of a report", () => {
  it("replace what a run that was killed had begun to write, and nobody else's", async () => {
    const out = temporaryFolder();
    const part = (pid: number, host: string) => `.report.html.${pid}@${host}.part`;
    const dead = part(spawnSync("true").pid, hostname());
    const others = [part(process.ppid, hostname()), part(1, "elsewhere")];
    for (const name of [dead, ...others]) writeFileSync(join(out, name), "");
    await writeFiles(out, []);
    expect(readdirSync(out).sort()).toEqual(others.sort());
  });
});
