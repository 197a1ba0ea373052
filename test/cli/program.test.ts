import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  candor,
  candorProcess,
  commandsIn,
  ended,
  exitOf,
  fileWith,
  main,
  root,
  start,
  temporaryFolder,
} from "./candor.js";

const overview = await candor(["--help"]);
const commands = commandsIn(overview.stdout);

describe("help", () => {
  it("lists the commands", async () => {
    expect([overview.code, overview.stderr]).toEqual([0, ""]);
    expect(commands).toEqual(expect.arrayContaining(["run", "draw", "list"]));
    expect((await candor(["help"])).stdout).toBe(overview.stdout);
  });

  it.each(commands)("candor %s --help shows an example", async (name) => {
    const { code, stdout, stderr } = await candor([name, "--help"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`Usage: candor ${name}`);
    expect(stdout).toMatch(new RegExp(`Examples?:\n(.*\n)* +candor ${name}`));
  });

  it("is also to be had by its name", async () => {
    const [{ stdout }, asked] = await Promise.all([candor(["help", "run"]), candor(["run", "--help"])]);
    expect(stdout).toBe(asked.stdout);
  });
});

describe("bad usage", () => {
  it.each([
    [[], "no command: there are audit, run, "],
    [["rnu"], 'unknown command "rnu": did you mean "run"?'],
    [["frobnicate"], 'unknown command "frobnicate": there are audit, run, '],
    [["help", "dra"], 'unknown command "dra": did you mean "draw"?'],
    [["--frobnicate"], "unknown option '--frobnicate'"],
    [["run"], "run: missing required argument 'market'"],
    [["run", "--trce", "x"], "run: unknown option '--trce' (did you mean --trace?)"],
    [["list", "online", "x"], "list: too many arguments"],
    [["draw", "--workers", "3"], "--budget: missing, must be a number ≥ 0"],
    [["run", "--mechanism", "online", "x", "--mechanism", "vanilla"], "--mechanism: may be given once"],
    [["analyze", "who-lis"], 'analyze: no "who-lis"; did you mean "who-lies"? there are truthfulness-map, '],
    [
      ["analyze", "tournament", "--agent", "overbod"],
      '--agent: no "overbod"; did you mean "overbid"? there are ',
    ],
    [["try", "x.json"], "--agent: missing, must be a name, a file or a formula"],
    [["draw", "--worker", "3"], "draw: unknown option '--worker' (did you mean --workers?)"],
    [
      ["draw", "--workers", "abc", "--budget", "1"],
      '--workers: must be an integer from 1 to 10000000, got "abc"',
    ],
    [
      ["draw", "--workers", "0x10", "--budget", "1"],
      '--workers: must be an integer from 1 to 10000000, got "0x10"',
    ],
    [
      ["draw", "--workers", "2.5", "--budget", "1"],
      "--workers: must be an integer from 1 to 10000000, got 2.5",
    ],
    [["draw", "--workers", "3", "--budget", "-1"], "--budget: must be a number ≥ 0, got -1"],
    [
      ["draw", "--workers", "3", "--budget", "1e308"],
      "--budget: must be 0 or a number from 1e-12 to 1e12, got 1e+308",
    ],
    [["draw", "--workers", "3", "--budget", "1e999"], "--budget: must be a number ≥ 0, got Infinity"],
    [["draw", "--workers", "3", "--budget", ""], '--budget: must be a number ≥ 0, got ""'],
    [
      ["draw", "--workers", "3", "--budget", "1", "--reading", "verse"],
      '--reading: must be "prose" or "pseudocode"',
    ],
  ])("candor %j", async (args, message) => {
    const { code, stdout, stderr } = await candor(args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr.startsWith(`candor: ${message}`)).toBe(true);
    expect(stderr).toMatch(/^[^\n]*\n$/);
  });
});

describe("candor list", () => {
  it("names every mechanism with a sentence", async () => {
    const { stdout } = await candor(["list"]);
    expect(stdout).toMatch(/^mechanisms\n/);
    expect(stdout).toMatch(/^ {2}online +The paper's/m);
  });

  it("--json prints one object", async () => {
    const { mechanisms } = JSON.parse((await candor(["list", "--json"])).stdout);
    expect(Object.keys(mechanisms[0])).toEqual(["name", "about"]);
    expect(mechanisms[0].name).toBe("online");
  });
});

describe.runIf(existsSync("/dev/full"))("standard output that is full", () => {
  it.each([["list"], ["run", "test/golden/example-market.json"]])(
    "gets one line: candor %s",
    async (...args) => {
      const full = openSync("/dev/full", "w");
      const { code, stderr } = await exitOf(args, { stdout: full, env: process.env });
      closeSync(full);
      expect([code, stderr]).toEqual([
        2,
        "candor: standard output: cannot be written: no space left (ENOSPC)\n",
      ]);
    },
  );
});

it.each([
  "draw --workers 20 --budget 30 --count 100000 | head -1",
  "draw --workers 20 --budget 30 --count 500 | $CANDOR run - --json | head -1",
  "list --json | true",
])("a reader that goes away is no error: candor %s", (line) => {
  const program = `"${process.execPath}" "${main}"`;
  const script = `set -o pipefail; ${program} ${line.replace("$CANDOR", program)}`;
  const { status, stderr } = spawnSync("bash", ["-c", script], { cwd: root, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
});

describe("a fault that is not the input's", () => {
  const broken = `import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module";
    fs.write = (...args) => args.at(-1)(new Error("odd"));
    Object.defineProperty(fs.write, Symbol.for("nodejs.util.promisify.custom"), { value: () => { throw new TypeError("odd"); } });
    syncBuiltinESMExports();`;
  const node = ["--import", `data:text/javascript,${encodeURIComponent(broken)}`];
  const list = (debug: string) =>
    candorProcess(["list"], "", { node, env: { ...process.env, CANDOR_DEBUG: debug } });

  it("gets one line and exit code 70", async () => {
    const { code, stderr } = await list("");
    expect(code).toBe(70);
    expect(stderr).toMatch(/^candor: internal error: odd[^\n]*\n$/);
  });

  it("shows where it happened only with CANDOR_DEBUG=1", async () => {
    const { code, stderr } = await list("1");
    expect(code).toBe(70);
    expect(stderr).toMatch(/\n +at .*session\.js/);
  });
});

describe("Ctrl-C", () => {
  const loops = 'process.stderr.write("begun"); while (true);';
  const mechanism = () =>
    fileWith("loops.mjs", `export default { name: "loops", about: "Loops.", decide() { ${loops} } };`);
  const analysis = () =>
    fileWith(
      "loops.mjs",
      `const nothing = () => [];
      export default { name: "loops", question: "When?", settings: nothing, plan() { ${loops} }, job: {},
        conclude: nothing, tables: nothing, charts: nothing, findings: nothing, methods: nothing };`,
    );
  const market = "test/golden/example-market.json";

  it.each<[string, () => string[]]>([
    ["run", () => ["run", market, "--mechanism", mechanism()]],
    ["check", () => ["check", market, "--mechanism", mechanism()]],
    ["best-response", () => ["best-response", market, "--mechanism", mechanism()]],
    ["hunt", () => ["hunt", "--mechanism", mechanism(), "--remember", join(temporaryFolder(), "w.jsonl")]],
    ["train", () => ["train", "--mechanism", mechanism(), "--out", join(temporaryFolder(), "run")]],
    ["analyze", () => ["analyze", analysis(), "--out", temporaryFolder()]],
  ])("ends %s in code of the user's that never ends", async (_, args) => {
    const child = start(args());
    onTestFinished(() => void child.kill("SIGKILL"));
    const end = ended(child);
    child.stderr.once("data", () => child.kill("SIGINT"));
    expect(await end).toEqual({ code: 130, stdout: "", stderr: "begun" });
  });

  it("ends what waits for a server that does not answer", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as { port: number };
    const child = start(["status", "--redis", `redis://127.0.0.1:${port}`]);
    const end = ended(child);
    const [socket] = await once(silent, "connection");
    child.kill("SIGINT");
    expect(await end).toEqual({ code: 130, stdout: "", stderr: "" });
    socket.destroy();
  });
});
