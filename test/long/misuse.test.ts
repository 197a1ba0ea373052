/** Every program of the registry of misuse through every command that takes a mechanism, each in a process of its own. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { candorProcess, type Ended } from "../cli/candor.js";
import { type Command, commands, gateConfig } from "../misuse/commands.js";
import { market, pair } from "../misuse/markets.js";
import { bruteForce } from "../misuse/oracle.js";
import { type Misuse, misuses } from "../misuse/programs.js";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "candor-misuse-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function called({ args, after }: Command, { source }: Misuse): Promise<Ended> {
  const cwd = mkdtempSync(join(folder, "case-"));
  writeFileSync(join(cwd, "mine.ts"), source);
  writeFileSync(join(cwd, "market.json"), JSON.stringify(market));
  writeFileSync(join(cwd, "candor.config.mjs"), gateConfig);
  if (after !== undefined) await candorProcess(after, "", { cwd });
  return candorProcess(args, "", { cwd });
}

const linesOf = ({ stderr }: Ended): string[] =>
  stderr.split("\n").filter((line) => line.startsWith("candor: "));

describe.each(commands)("$name", (command) => {
  it.each(misuses)("$name", async (misuse) => {
    const { refused, source } = misuse;
    const ended = await called(command, misuse);
    const said = linesOf(ended);
    expect(ended.stderr).not.toMatch(/internal error|^\s+at /m);
    expect([0, 1, 2]).toContain(ended.code);
    expect(ended.stdout).not.toContain("noise");
    if (refused !== null) {
      expect(ended.code).toBe(expectedCode(command, ended));
      expect(`${ended.stderr}${ended.stdout}`).toMatch(command.after === undefined ? refused : /./);
      return;
    }
    if (ended.code === 2) expect(said).toHaveLength(1);
    else if (!source.includes("stochastic")) compareWithBruteForce(command, source, ended);
  });
});

/** A module that fails when it is loaded is bad usage also of an analysis. */
const expectedCode = ({ refusal = 2 }: Command, { stdout }: Ended): number => (stdout === "" ? 2 : refusal);

interface Verdict {
  readonly property: string;
  readonly verdict: string;
}

/** No strong word is wrong: what brute force finds is not said to be absent. */
function compareWithBruteForce({ name }: Command, source: string, { stdout }: Ended): void {
  if (name === "best-response") {
    const { exact, workers } = JSON.parse(stdout);
    for (const { worker, truthful, gain } of bruteForce(source, market)) {
      const said = workers.find(({ id }: { id: number }) => id === worker);
      expect(said.truthful).toBeCloseTo(truthful, 9);
      if (exact && said.gain !== "unbounded") expect(said.gain).toBeGreaterThanOrEqual(gain - 1e-9);
    }
  }
  if (name === "check") {
    const verdicts: Verdict[] = JSON.parse(stdout).verdicts;
    const holds = (property: string) =>
      verdicts.find((one) => one.property === property)?.verdict === "holds";
    const truth = bruteForce(source, market);
    if (holds("joint")) for (const { gain } of truth) expect(gain).toBeLessThanOrEqual(1e-9);
    if (holds("P1")) for (const { truthful } of truth) expect(truthful).toBeGreaterThanOrEqual(-1e-9);
  }
  if (name === "prove") {
    const claims: Verdict[] = JSON.parse(stdout).claims;
    const proved = (property: string) =>
      claims.filter((one) => one.property === property).every(({ verdict }) => verdict === "proved");
    const truth = bruteForce(source, pair);
    if (proved("joint")) for (const { gain } of truth) expect(gain).toBeLessThanOrEqual(1e-9);
    if (proved("P1")) for (const { truthful } of truth) expect(truthful).toBeGreaterThanOrEqual(-1e-9);
  }
}
