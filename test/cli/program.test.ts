import { closeSync, existsSync, openSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { candor, commandsIn, exitOf } from "./candor.js";

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
    [[], "no command: there are run, "],
    [["rnu"], 'unknown command "rnu": did you mean "run"?'],
    [["frobnicate"], 'unknown command "frobnicate": there are run, '],
    [["help", "dra"], 'unknown command "dra": did you mean "draw"?'],
    [["--frobnicate"], "unknown option '--frobnicate'"],
    [["run"], "run: missing required argument 'market'"],
    [["run", "--trce", "x"], "run: unknown option '--trce' (did you mean --trace?)"],
    [["list", "agents", "x"], "list: too many arguments"],
    [["draw", "--workers", "3"], "--budget: missing, must be a number ≥ 0"],
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

describe.runIf(existsSync("/dev/full"))("a fault that is not the input's", () => {
  const list = async (debug: string) => {
    const full = openSync("/dev/full", "w");
    try {
      return await exitOf(["list"], { stdout: full, env: { ...process.env, CANDOR_DEBUG: debug } });
    } finally {
      closeSync(full);
    }
  };

  it("gets one line and exit code 70", async () => {
    const { code, stderr } = await list("");
    expect(code).toBe(70);
    expect(stderr).toMatch(/^candor: internal error: ENOSPC[^\n]*\n$/);
  });

  it("shows where it happened only with CANDOR_DEBUG=1", async () => {
    const { code, stderr } = await list("1");
    expect(code).toBe(70);
    expect(stderr).toMatch(/\n +at .*output\.js/);
  });
});
