import { spawnSync } from "node:child_process";
import { existsSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { workerColumns } from "../analyses/shared/survey.js";
import type { Arithmetic } from "../src/auction/amounts.js";
import { Auction } from "../src/auction/auction.js";
import { candor, commandsIn, fileWith, main, root, temporaryFolder } from "./cli/candor.js";
import { codeOn, pages, read } from "./pages.js";

const readme = read("README.md");

const linesOf = (code: string): string[] => code.trimEnd().split("\n");

/** A line of a page, run by a shell in a folder like that of a user. */
function shell(line: string, cwd: string): { status: number | null; stdout: string; stderr: string } {
  const script = `candor() { "${process.execPath}" "${main}" "$@"; }\n${line}`;
  const { status, stdout, stderr } = spawnSync("bash", ["-c", script], { cwd, encoding: "utf8" });
  return { status, stdout, stderr };
}

it("CI runs the README's test command and nothing else", () => {
  const command = /^(npm ci && npm test) +#/m.exec(readme)?.[1];
  const lines = read(".ci/run")
    .split("\n")
    .filter((line) => line !== "" && !/^(#|set |cd )/.test(line));
  expect(lines).toEqual([command]);
});

it("the README is one page: at most 1,200 words", () => {
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(1200);
});

describe("the README's three ways in", () => {
  const folder = temporaryFolderOfFile();
  const ways = codeOn("README.md", "sh", "Three ways in").map(linesOf);
  const [output = ""] = codeOn("README.md", "text", "Three ways in");

  it("are three", () => {
    expect(ways.map((lines) => lines.length)).toEqual([4, 5, 3]);
  });

  it.each(ways.flat())("%s", (line) => {
    const { status, stdout, stderr } = shell(line, folder);
    // audit, check and prove end with 1 where a claim breaks.
    const breaks = /candor (audit|check|prove)/.test(line);
    expect([breaks && status === 1 ? 0 : status, stderr]).toEqual([0, ""]);
    if (line.includes("--trace")) expect(stdout).toMatch(/clock 1/);
    else if (line.includes("prove")) expect(stdout).toContain("breaks");
    else if (line.includes("tight")) expect(stdout).toMatch(/^Broken: P5 in regime tight/);
    else if (line.includes("./mine.ts")) expect(stdout).toContain("mine");
    else if (line.includes("best-response bids.csv")) expect(`$ ${line}\n${stdout}`).toBe(output);
    else if (line.includes("explain")) expect(stdout).toContain("The lie gains");
  });

  it("the library in six lines says who gains, and by what kind of lie", () => {
    const [code = ""] = codeOn("README.md", "ts", "As a library");
    expect(linesOf(code)).toHaveLength(6);
    const here = temporaryFolder();
    symlinkSync(join(root, "node_modules"), join(here, "node_modules"));
    const path = join(here, "library.mjs");
    const own = code.replace('"candor"', JSON.stringify(join(root, "dist/src/index.js")));
    writeFileSync(path, own);
    const { status, stdout } = spawnSync(process.execPath, [path], { encoding: "utf8" });
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^(\d+ 0\.\d+ .+\n)+$/)]);
  });
});

/** A folder for several tests. */
function temporaryFolderOfFile(): string {
  const folder = spawnSync("mktemp", ["-d"], { encoding: "utf8" }).stdout.trim();
  process.once("exit", () => spawnSync("rm", ["-r", folder]));
  return folder;
}

it("how to cite it names this version", () => {
  const { version } = JSON.parse(read("package.json"));
  expect(codeOn("README.md", "bibtex", "Cite")[0]).toContain(`version = {${version}}`);
  expect(read("CITATION.cff")).toContain(`\nversion: ${version}\n`);
});

it.each(pages)("every link of %s leads somewhere", (page) => {
  const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]*)(#[^)]*)?\)/g)];
  for (const [, path, anchor] of links) {
    const target = path === "" ? page : join(dirname(page), path!);
    expect([page, target, existsSync(join(root, target))]).toEqual([page, target, true]);
    if (!anchor) continue;
    const headings = [...read(target).matchAll(/^#+ (.*)$/gm)].map(([, words]) =>
      words!
        .toLowerCase()
        .replace(/[^\w\s-]/g, "")
        .replaceAll(" ", "-"),
    );
    expect(headings).toContain(anchor.slice(1));
  }
});

it("all that the pages ask of a command is in its help", async () => {
  const lines = pages.flatMap((page) => codeOn(page, "sh")).flatMap(linesOf);
  const asked = new Map<string, Set<string>>();
  for (const line of lines.flatMap((one) => one.match(/candor [a-z][^#|]*/g) ?? [])) {
    const [, command = ""] = /^candor ([a-z-]+)/.exec(line) ?? [];
    const flags = asked.get(command) ?? new Set();
    for (const [flag] of line.matchAll(/--[a-z-]+/g)) flags.add(flag);
    asked.set(command, flags);
  }
  expect(asked.size).toBeGreaterThan(9);
  for (const [command, flags] of asked) {
    const { code, stdout } = await candor([command, "--help"]);
    expect([command, code]).toEqual([command, 0]);
    for (const flag of flags) expect(stdout).toMatch(new RegExp(`${flag}\\b`));
  }
});

describe("src/cli/README.md", () => {
  it("has a table of the commands there are", async () => {
    const named = [...read("src/cli/README.md").matchAll(/^\| `([a-z-]+)(?: [^|]*)?` \|/gm)].map(
      ([, name]) => name,
    );
    const { stdout } = await candor(["--help"]);
    expect([...new Set(named)]).toEqual(commandsIn(stdout));
    expect(named).toContain("run");
  });

  it("shows a market and bids that run takes", async () => {
    const [market = "", bids = ""] = codeOn("src/cli/README.md", "json", "Files");
    const args = ["run", fileWith("market.json", market), "--bids", fileWith("bids.json", bids), "--json"];
    const { code, stdout, stderr } = await candor(args);
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout).workers).toMatchObject([{ id: 0, price: 0.2, arrival: 4 }]);
  });
});

it("src/mechanisms/README.md describes every block of an auction, and every call of its arithmetic", () => {
  const page = read("src/mechanisms/README.md");
  const blocks = Object.getOwnPropertyNames(Auction.prototype).filter((name) => name !== "constructor");
  expect(blocks.length).toBeGreaterThan(15);
  for (const name of blocks) expect(page).toMatch(new RegExp(`auction\\.${name}\\b`));
  for (const name of [
    "known",
    "plus",
    "minus",
    "times",
    "over",
    "atMost",
    "sorted",
  ] satisfies (keyof Arithmetic)[])
    expect(page).toContain(`math.${name}(`);
});

it("src/mechanisms/README.md explains every rule a trace or a test may cite", () => {
  const explained = [...read("src/mechanisms/README.md").matchAll(/^\| (M\d+) \|/gm)].map(([, id]) => id);
  expect(explained).toEqual(Array.from({ length: 13 }, (_, k) => `M${k + 1}`));
});

it("src/study/README.md's table of row-level data is the schema of the rows that are written", () => {
  const [, section = ""] =
    /## Data for notebooks\n([\s\S]*?)(\n## |$)/.exec(read("src/study/README.md")) ?? [];
  const told = [...section.matchAll(/^\| (\w+) \| (\w+) \| (.*) \|$/gm)].map(([, ...cells]) => cells);
  expect(told).toEqual([
    ["column", "type", "holds"],
    ...workerColumns.map(({ name, type, about }) => [name, type, about]),
  ]);
});
