import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { whyNot } from "../../src/cli/worker.js";
import { candor, fileWith, root, temporaryFolder } from "./candor.js";

const { program }: { program: () => string } = await import(join(root, "dist/src/cli/program.js"));

/** Says which markets and which agents it knows, on whatever thread it runs. */
const knowing = (before = "") =>
  fileWith(
    "knowing.mjs",
    `import { existsSync } from "node:fs";
    const none = () => [];
    export default {
      name: "knowing", question: "What is known?", takesMarkets: true, settings: () => ({}),
      plan: (_, { markets }) => [{ cell: 0, markets: markets.length }],
      job: {
        look(_, k, { markets, agents }) {
          ${before}
          const { source, market } = markets[k];
          return [{ source, workers: market.workers.length, agents: agents.slice(-2).map(({ name }) => name).join(" ") }];
        },
        merge: (a, b) => [...a, ...b],
        cost: () => 500,
      },
      conclude: ([{ summary }]) => summary,
      tables: (rows) => [{ name: "known", title: "Known", rows,
        columns: ["source", "workers", "agents"].map((name) => ({ name, label: name, kind: "text" })) }],
      charts: none, findings: none, methods: none,
    };`,
  );

const agent = `export default { name: "mine", about: "Bids its cost.", bid: ({ self }) => ({ price: self.cost, arrival: self.arrival }),
  traits: { stochastic: false, lies: [], sees: "own", learns: false } };`;

const drawn = async (count: number) =>
  (await candor(["draw", "--workers", "5", "--budget", "6", "--rounds", "3", "--count", String(count)]))
    .stdout;

describe("--markets and --agent", () => {
  it("reach an analysis on every thread, and are part of the command that the report names", async () => {
    const out = temporaryFolder();
    const [lines, one] = [fileWith("m.jsonl", await drawn(2)), fileWith("one.json", await drawn(1))];
    const own = ["--markets", lines, "--markets", one, "--agent", fileWith("mine.mjs", agent)];
    const args = [...own, "--agent", "price = 1.2*cost", "--threads", "2", "--out", out];
    const { code, stderr } = await candor(["analyze", knowing(), ...args]);
    expect([code, stderr]).toEqual([0, ""]);
    const { analyses } = JSON.parse(readFileSync(join(out, "data.json"), "utf8"));
    const agents = "mine price = 1.2*cost";
    expect(analyses[0].result.tables[0].rows).toEqual(
      [`${lines}:1`, `${lines}:2`, one].map((source) => ({ source, workers: 5, agents })),
    );
    expect(readFileSync(join(out, "report.html"), "utf8")).toContain(`--markets ${lines} --markets ${one}`);
  });

  it("must be the same files when a run goes on", async () => {
    const stone = fileWith("stone", "");
    const path = knowing(`if (k === 1 && existsSync(${JSON.stringify(stone)})) throw new Error("a stone");`);
    const [markets, mine] = [fileWith("m.jsonl", await drawn(2)), fileWith("mine.mjs", agent)];
    const out = temporaryFolder();
    const args = ["analyze", path, "--markets", markets, "--agent", mine, "--threads", "1", "--out", out];
    expect((await candor(args)).code).toBe(1);
    rmSync(stone);
    for (const file of [markets, mine]) {
      const text = readFileSync(file, "utf8");
      writeFileSync(file, `${text}\n`);
      const { code, stderr } = await candor([...args, "--resume"]);
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/belongs to another study: \S+ has changed since/),
      ]);
      writeFileSync(file, text);
    }
    expect((await candor([...args, "--resume"])).code).toBe(0);
  });

  it.each([
    [
      ["landscape", "--markets", "test/golden/example-market.json"],
      '--markets: analysis "landscape" draws its own markets; those that take yours: own-markets',
    ],
    [
      ["landscape", "--agent", "price = 2*cost"],
      '--agent: analysis "landscape" looks at no agents; those that do: tournament, lies-and-models',
    ],
    [["own-markets"], "analysis own-markets: looks at markets of your own: name a file with --markets"],
    [["own-markets", "--markets", "none.json"], "none.json: no such file"],
    [
      ["own-markets", "--markets", "-"],
      "--markets: must be a file: every thread reads it, and --resume reads it again",
    ],
    [["own-markets", "--markets", "package.json"], "package.json: name: unknown field"],
    [["tournament", "--agent", "overbid"], '--agent: there is already an agent called "overbid"'],
    [["tournament", "--agent", "nobody"], '--agent: no "nobody"; there are '],
  ])("%j is refused in one line, and nothing is written", async (args, message) => {
    const out = join(temporaryFolder(), "new");
    const { code, stdout, stderr } = await candor(["analyze", ...args, "--out", out]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^candor: [^\n]*\n$/);
    expect(stderr).toContain(message);
  });

  it("a worker elsewhere takes them only from its own folder, and only the same", async () => {
    const study = {
      program: program(),
      analysis: { spec: "own-markets", checksum: null },
      mechanism: { spec: "online", checksum: null },
      agents: [],
      seed: "1",
      profile: "quick",
      cells: [],
      rows: false,
    } as const;
    const markets = (spec: string) => ({ ...study, markets: [{ spec, checksum: "0" }] });
    expect(await whyNot(markets("../m.jsonl"), program())).toMatch(/not in the folder/);
    expect(await whyNot(markets("package.json"), program())).toMatch(/not the same file/);
  });
});
