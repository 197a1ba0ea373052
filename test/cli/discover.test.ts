import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fitted } from "../../src/lib/format.js";
import { candor, fileWith, main, root, temporaryFolder } from "./candor.js";

const market = JSON.stringify({
  rules: { budget: 6, rounds: 3 },
  workers: [
    { id: 0, reputation: 0.6, cost: 0.4, arrival: 1 },
    { id: 1, reputation: 0.9, cost: 0.7, arrival: 2 },
    { id: 2, reputation: 0.5, cost: 1.2, arrival: 1 },
  ],
});

const json = async (...args: string[]) =>
  (await candor([...args, "--json"], market)).stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

const ids = ({ workers }: { workers: readonly { id: number }[] }) => workers.map(({ id }) => id);

describe("candor list", () => {
  it("shows options with their ranges and defaults", async () => {
    const { stdout } = await candor(["list"]);
    expect(stdout).toMatch(/^ {2}fixed-threshold .*\n(?: {9}.*\n)* +density \(0\.75\): a number ≥ 0$/m);
    expect(stdout).toMatch(/^ {2}overbid .*\n +factor \(1\.2\): a number ≥ 1$/m);
    expect(stdout).toMatch(/firstRoundRatio \(0\.35\):\s+a\s+number\s+from 0 to 1/);
  });

  it("shows one in full, with an example that runs", async () => {
    const { stdout } = await candor(["list", "fixed-threshold"]);
    for (const part of [
      "fixed-threshold (mechanism)",
      "\nRule ",
      "\nPromise ",
      "\nSource ",
      "\nOption    density (0.75)",
    ])
      expect(stdout).toContain(part);
    const [, example = ""] = /Example {3}candor (.*)/.exec(stdout) ?? [];
    const path = fileWith("market.json", market);
    expect((await candor(example.replace("market.json", path).split(" "))).stderr).toBe("");
    expect(await json("list", "overbid")).toEqual([
      {
        agents: [
          expect.objectContaining({
            options: { factor: { default: 1.2, from: 1 } },
            example: expect.any(String),
          }),
        ],
      },
    ]);
    const { code, stderr } = await candor(["list", "onlin"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('list: no "onlin"; did you mean "online"?')]);
  });
});

describe("an option that is repeated means several", () => {
  it("--worker and --agent, in every command", async () => {
    const both = ["--worker", "2", "--worker", "0"];
    const agents = ["--agent", "overbid", "--agent", "underbid"];
    const [best, interim, tried, runs] = await Promise.all([
      json("best-response", "-", ...both),
      json("best-response", "-", ...both, "--interim", "--draws", "10"),
      json("try", "-", ...both, ...agents),
      json("run", "-", ...both, "--agent", "overbid"),
    ]);
    expect([...best, ...interim].map(ids)).toEqual([
      [0, 2],
      [0, 2],
    ]);
    expect(tried.map((one) => [one.agent, ids(one)])).toEqual([
      ["overbid", [0, 2]],
      ["underbid", [0, 2]],
    ]);
    expect(
      runs.map(({ agent, workers }) => [agent, workers.map(({ price }: { price: number }) => price)]),
    ).toEqual([["overbid", [0.48, 0.7, 1.44]]]);
  });

  it("each worker must be there", async () => {
    expect(
      (await candor(["try", "-", "--agent", "overbid", "--worker", "0", "--worker", "7"], market)).stderr,
    ).toBe("candor: --worker: must be the id of a worker in stdin:1, got 7\n");
  });
});

describe("candor completion", () => {
  it("completes commands, options, names and words in bash", async () => {
    const script = fileWith("candor.bash", (await candor(["completion", "bash"])).stdout);
    const complete = (line: string) =>
      `COMP_WORDS=(${line}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _candor; echo "\${COMPREPLY[@]}"`;
    const lines = [
      "candor ana",
      "candor run --mech",
      "candor run --mechanism fix",
      "candor check --reading p",
      "candor analyze own",
      "candor init a",
    ];
    const { stdout, stderr } = spawnSync(
      "bash",
      ["-c", `source ${script}; ${lines.map(complete).join("; ")}`],
      { encoding: "utf8" },
    );
    expect([stderr, stdout.trim().split("\n")]).toEqual([
      "",
      ["analyze", "--mechanism", "fixed-threshold", "prose pseudocode", "own-markets", "agent analysis"],
    ]);
  });

  it("knows zsh and fish, and no other shell", async () => {
    const [zsh, fish, other] = await Promise.all(
      ["zsh", "fish", "tcsh"].map((shell) => candor(["completion", shell])),
    );
    expect(zsh!.stdout).toMatch(/^#compdef candor\n[\s\S]*\("run --mechanism"\) compadd -- online /);
    expect(fish!.stdout).toMatch(/seen_subcommand_from run" -l mechanism -x -a 'online /);
    expect([other!.code, other!.stderr]).toEqual([
      2,
      expect.stringContaining('must be "bash", "zsh" or "fish"'),
    ]);
  });
});

describe("candor init", () => {
  it("writes files that work, with tests that pass", async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, "node_modules/.bin"), { recursive: true });
    for (const [name, at] of [
      ["vitest", join(root, "node_modules/vitest")],
      ["candor", root],
    ] as const)
      symlinkSync(at, join(cwd, "node_modules", name));
    const command = join(cwd, "node_modules/.bin/candor");
    writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
    chmodSync(command, 0o755);
    for (const kind of ["mechanism", "agent", "analysis"]) {
      const { code, stdout } = await candor(["init", kind, `my-${kind}`], "", { cwd });
      expect([code, stdout]).toEqual([
        0,
        expect.stringContaining(`Wrote my-${kind}.ts and my-${kind}.test.ts.`),
      ]);
      expect(readFileSync(join(cwd, `my-${kind}.ts`), "utf8")).toContain(`name: "my-${kind}"`);
    }
    const runner = join(root, "node_modules/vitest/vitest.mjs");
    const { status, stdout } = spawnSync(
      process.execPath,
      [runner, "run", "--root", cwd, "--reporter", "json"],
      {
        cwd,
        encoding: "utf8",
      },
    );
    expect(status, stdout).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      numTotalTestSuites: expect.any(Number),
      numFailedTests: 0,
      success: true,
    });
  });

  it.each([
    [["agent"], "mine.test.ts: is there already; name another"],
    [["agents"], 'init: must be "mechanism", "agent" or "analysis", got "agents"'],
    [["agent", "my agent"], "init: a name has letters, digits and hyphens"],
    [["agent", "none/mine"], "none: no such folder"],
  ])("%j is refused, and nothing is written", async (args, message) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "mine.test.ts"), "");
    const { code, stdout, stderr } = await candor(["init", ...args], "", { cwd });
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(message)]);
    expect(readFileSync(join(cwd, "mine.test.ts"), "utf8")).toBe("");
  });
});

it("on a narrow terminal sentences are wrapped; tables, JSON and commands to copy are not", () => {
  const command = "  replay: candor explain market.json --worker 0 --price 0.1 --arrival 1";
  const row = "     0  0.31      0.372        1            1          0.012917   0";
  const line = `{"mechanism": "online", "workers": [{"id": 0, "price": 0.31, "arrival": 1}]}`;
  expect(fitted(`  ${"word ".repeat(12).trim()}\n${command}\n${row}\n${line}\nshort`, 50)).toBe(
    `  ${"word ".repeat(9).trim()}\n  word word word\n${command}\n${row}\n${line}\nshort`,
  );
});
