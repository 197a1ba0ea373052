import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { workerColumns } from "../analyses/shared/survey.js";
import { candor, commandsIn, main, root, temporaryFolder } from "./cli/candor.js";

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const readme = read("README.md");

it("CI runs the README's test command and nothing else", () => {
  const command = /^(npm ci && npm test) +#/m.exec(readme)?.[1];
  const lines = read(".ci/run")
    .split("\n")
    .filter((line) => line !== "" && !/^(#|set |cd )/.test(line));
  expect(lines).toEqual([command]);
});

/** The lines of the README's three ways in, run by a shell in a folder like that of a user. */
it("the README's three ways in work as they stand, in three lines each", async () => {
  const [, section = ""] = /## Three ways in\n([\s\S]*?)\n## /.exec(readme) ?? [];
  const ways = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, lines]) =>
    lines!.trimEnd().split("\n"),
  );
  expect(ways.map((lines) => lines.length)).toEqual([3, 3, 3]);
  const folder = temporaryFolder();
  mkdirSync(join(folder, "test"));
  symlinkSync(join(root, "test/golden"), join(folder, "test/golden"));
  const [, mine = ""] = /## Add a mechanism[\s\S]*?```ts\n([\s\S]*?)```/.exec(read("CONTRIBUTING.md")) ?? [];
  writeFileSync(join(folder, "mine.ts"), mine);
  const said = ways.flat().map((line) => {
    const script = `candor() { "${process.execPath}" "${main}" "$@"; }\n${line}`;
    return { line, ...shell(script, folder) };
  });
  // audit, check and prove end with 1 where a claim breaks; hunt and the others with 0.
  expect(said.filter(({ line, status }) => status !== 0 && !/candor (prove|check|audit)/.test(line))).toEqual(
    [],
  );
  expect(said.filter(({ status }) => status !== 0 && status !== 1)).toEqual([]);
  const words = said.map(({ stdout }) => stdout);
  expect(words[0]).toContain("breaks");
  expect(words[1]).toMatch(/^Broken: P5 in regime late and tight/);
  expect(words[2]).toBe(read("test/golden/example-trace.txt"));
  expect(words[3]).toMatch(/^best-only: \d of \d+ rows break\n/);
  expect(words[5]).toContain("mechanism best-only");
  expect(words[8]).toContain("The lie gains");
});

const shellLines = (section: string): string[] =>
  [...section.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, lines]) => lines!.trimEnd().split("\n"));

it("the README's questions to one market work as they stand", () => {
  const [, section = ""] = /## Ask one market\n([\s\S]*?)\n## /.exec(readme) ?? [];
  const lines = shellLines(section).filter((line) => line.startsWith("candor "));
  expect(lines.length).toBeGreaterThan(7);
  const folder = temporaryFolder();
  for (const line of lines) {
    const { status, stderr } = shell(`candor() { "${process.execPath}" "${main}" "$@"; }\n${line}`, folder);
    // check and prove end with 1 where a claim breaks.
    expect([line, /^candor (check|prove)/.test(line) ? Math.max(1, status!) : status, stderr]).toEqual([
      line,
      /^candor (check|prove)/.test(line) ? 1 : 0,
      "",
    ]);
  }
});

it("all that the README's other lines ask of a command is in its help", async () => {
  const lines = shellLines(readme).flatMap((line) => line.match(/candor [a-z][^#|]*/g) ?? []);
  const asked = new Map<string, Set<string>>();
  for (const line of lines) {
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

function shell(script: string, cwd: string): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync("bash", ["-c", script], { cwd, encoding: "utf8" });
  return { status, stdout, stderr };
}

it("the README's table holds the commands there are", async () => {
  const told = [...readme.matchAll(/^\| `([a-z-]+)(?: [^|]*)?` \|/gm)].map(([, name]) => name);
  const { stdout } = await candor(["--help"]);
  expect([...new Set(told)]).toEqual(commandsIn(stdout));
  expect(told).toContain("run");
});

it("the README explains every rule a trace or a test may cite", () => {
  const told = [...readme.matchAll(/^\| (M\d+) \|/gm)].map(([, id]) => id);
  expect(told).toEqual(Array.from({ length: 13 }, (_, k) => `M${k + 1}`));
});

it("the README's table of row-level data is the schema of the rows that are written", () => {
  const [, section = ""] = /## Data for notebooks\n([\s\S]*?)\n## /.exec(readme) ?? [];
  const told = [...section.matchAll(/^\| (\w+) \| (\w+) \| (.*) \|$/gm)].map(([, ...cells]) => cells);
  expect(told).toEqual([
    ["column", "type", "holds"],
    ...workerColumns.map(({ name, type, about }) => [name, type, about]),
  ]);
});
