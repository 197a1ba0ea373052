import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { named, resolveAnalyses, resolveMechanism } from "../../src/cli/resolve.js";
import { inMemory, inProcess } from "../../src/study/compute.js";
import { runStudy } from "../../src/study/run-study.js";
import { candor, candorProcess, fileWith, temporaryFolder } from "./candor.js";
import { studyFile } from "./study.js";

const myMechanism = `
import { type Mechanism, mechanisms } from "candor";
const { online } = mechanisms;
export default {
  name: "generous",
  about: "The paper's, with a fifth more to spend.",
  decide: (rules, bids, trace) => online.decide({ ...rules, budget: 1.2 * rules.budget }, bids, trace),
} satisfies Mechanism;
`;

/** What becomes of an analysis in this thread. */
async function here(spec: string, mechanismSpec: string): Promise<unknown> {
  const names = {
    program: "",
    analyses: [],
    mechanism: named(mechanismSpec),
    agents: [],
    markets: [],
    seed: "1",
    profile: "quick",
    rows: false,
  } as const;
  const [analyses, mechanism] = [await resolveAnalyses([spec]), await resolveMechanism(mechanismSpec)];
  const request = { names, analyses, mechanism, agents: [], markets: [] };
  const terminal = {
    signal: new AbortController().signal,
    goesOn: async () => true,
    warn: () => {},
    keeps: () => {},
    line: { show: () => {}, clear: () => {} },
  };
  const runs = await runStudy(request, { executor: inProcess(), archive: inMemory() }, terminal);
  return runs.map(({ section }) => section);
}

async function onThreads(count: number, args: readonly string[]): Promise<string> {
  const out = temporaryFolder();
  const { stderr } = await candor(["analyze", ...args, "--threads", String(count), "--out", out]);
  expect(stderr).toBe("");
  return readFileSync(join(out, "data.json"), "utf8");
}

describe("threads", () => {
  it.each([
    ["a variant", () => "online:reading=pseudocode"],
    ["one's own", () => fileWith("generous.ts", myMechanism)],
  ])(
    "give the same bytes on any number, and the same as none: one's own analysis, %s as mechanism",
    async (_, of) => {
      const { path } = studyFile({ markets: 6 });
      const mechanism = of();
      const args = [path, "--mechanism", mechanism];
      const one = await onThreads(1, args);
      expect(await onThreads(3, args)).toBe(one);
      expect(JSON.parse(one).analyses).toEqual(await here(path, mechanism));
    },
  );

  it("give the same bytes on any number in the map of truthfulness", async () => {
    const map = ["truthfulness-map:markets=20"];
    expect(await onThreads(3, map)).toBe(await onThreads(1, map));
  });

  it("do the work, not the thread that waits for them", async () => {
    const { path, looked } = studyFile({
      before: 'if (isMainThread) throw new Error("in the main thread");',
    });
    const out = temporaryFolder();
    expect((await candor(["analyze", path, "--out", out])).code).toBe(0);
    expect(looked().sort((a, b) => a - b)).toEqual([...Array(40).keys()]);
    expect(readdirSync(out).sort()).toEqual(["data.json", "mine.gains.csv", "report.html"]);
  });

  it("a chunk that fails fails its analysis with its number, the same on any number of threads, and no other", async () => {
    const { path } = studyFile({
      before: 'if (k === 32 || k === 38) throw new TypeError("no market " + k);',
    });
    for (const count of ["1", "2"]) {
      const out = temporaryFolder();
      const args = ["analyze", path, "test/report/fixture.ts", "--threads", count, "--out", out];
      const { code, stdout } = await candorProcess(args);
      expect(code).toBe(1);
      expect(stdout).toContain("  failed: chunk 6: TypeError: no market 32 (mine.ts:10)\n");
      const { analyses } = JSON.parse(readFileSync(join(out, "data.json"), "utf8"));
      expect(analyses.map(({ state }: { state: string }) => state)).toEqual(["failed", "done"]);
    }
  });

  it.each([
    ["that leaves", "process.exit(0);", "chunk 6: process.exit was called (mine.ts:10)"],
    [
      "that is lost",
      'setTimeout(() => { throw new Error("too late"); }); return new Promise(() => {});',
      "mine.ts: throws where nothing waits for it: too late (mine.ts:10)",
    ],
  ])("a chunk %s fails its analysis too", async (_, doing, message) => {
    const { path } = studyFile({ before: `if (k === 32) { ${doing} }` });
    const { code, stdout } = await candorProcess(["analyze", path, "--out", temporaryFolder()]);
    expect([code, stdout]).toEqual([1, expect.stringContaining(`${message}\n`)]);
    expect(stdout).toContain("  failed: ");
  });

  it("refuse a file that has changed since it was loaded", async () => {
    const { path } = studyFile({ first: 'appendFileSync(import.meta.filename, "// more\\n");' });
    const { stdout } = await candor(["analyze", path, "--out", temporaryFolder()]);
    expect(stdout).toContain(`failed: ${path}: is not the same file as the one the study was begun with`);
  });

  it.each(["0", "257", "1.5", "many"])("--threads %s is refused in one line", async (count) => {
    const { code, stderr } = await candor(["analyze", "landscape", "--threads", count]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^candor: --threads: must be an integer from 1 to 256, got .*\n$/),
    ]);
  });
});
