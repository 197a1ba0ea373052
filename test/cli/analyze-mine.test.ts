import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { candor, fileWith, root, temporaryFolder } from "./candor.js";

const contributing = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
const [, mine = ""] = /## Add an analysis[\s\S]*?```ts\n([\s\S]*?)```/.exec(contributing) ?? [];

it("an analysis of one's own, as CONTRIBUTING has it, runs without a fork or a build", async () => {
  const out = temporaryFolder();
  const { code, stdout } = await candor(["analyze", fileWith("mine.ts", mine), "--out", out]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/In \d+ of 50 markets somebody can gain\./);
  const csv = readFileSync(join(out, "gainers.gainers.csv"), "utf8").trim().split(/\r?\n/);
  expect(csv).toHaveLength(51);
});
