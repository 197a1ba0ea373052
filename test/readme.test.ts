import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { workerColumns } from "../analyses/shared/gains.js";
import { candor, commandsIn } from "./cli/candor.js";

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const readme = read("README.md");

it("CI runs the README's test command and nothing else", () => {
  const command = /^(npm ci && npm test) +#/m.exec(readme)?.[1];
  const lines = read(".ci/run")
    .split("\n")
    .filter((line) => line !== "" && !/^(#|set |cd )/.test(line));
  expect(lines).toEqual([command]);
});

it("the README's trace of one auction works as it stands", async () => {
  const [, args = ""] = /^npm run --silent candor -- (run .*)$/m.exec(readme) ?? [];
  const { code, stdout } = await candor(args.split(" "));
  expect([code, stdout]).toEqual([0, read("test/golden/example-trace.txt")]);
});

it("the README's table holds the commands there are", async () => {
  const told = [...readme.matchAll(/^\| `([a-z-]+)[^|]*` \|/gm)].map(([, name]) => name);
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
