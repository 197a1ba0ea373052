import { describe, expect, it } from "vitest";
import { candor, ended, start } from "./candor.js";

const draw = async (...args: string[]) => {
  const { code, stdout, stderr } = await candor(["draw", ...args]);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
};

describe("candor draw", () => {
  it("prints one market per line that run reads", async () => {
    const { stdout } = await candor(["draw", "--workers", "12", "--budget", "20", "--count", "3"]);
    const { code, stdout: outcomes } = await candor(["run", "-", "--json"], stdout);
    expect(code).toBe(0);
    expect(outcomes.trim().split("\n")).toHaveLength(3);
  });

  it("draws the same markets from the same seed, and others from another", async () => {
    const [one] = await draw("--workers", "5", "--budget", "9", "--seed", "7");
    const [again, second] = await draw("--workers", "5", "--budget", "9", "--seed", "7", "--count", "2");
    const [other] = await draw("--workers", "5", "--budget", "9", "--seed", "8");
    expect(again).toEqual(one);
    expect(second).not.toEqual(one);
    expect(other).not.toEqual(one);
  });

  it("sets the rules", async () => {
    const rules = ["--rounds", "4", "--ratio", "0.5", "--min-workers", "2", "--reading", "pseudocode"];
    const [market] = await draw("--workers", "2", "--budget", "9.5", ...rules);
    expect(market.rules).toEqual({
      budget: 9.5,
      rounds: 4,
      firstRoundRatio: 0.5,
      minWorkers: 2,
      reading: "pseudocode",
    });
  });

  it("takes --ratio under its earlier name, which the help leaves out", async () => {
    const [market] = await draw("--workers", "2", "--budget", "9", "--first-round-ratio", "0.5");
    expect(market.rules.firstRoundRatio).toBe(0.5);
    expect((await candor(["draw", "--help"])).stdout).not.toContain("first-round-ratio");
    const both = ["--ratio", "0.3", "--first-round-ratio", "0.5"];
    const { code, stdout, stderr } = await candor(["draw", "--workers", "2", "--budget", "9", ...both]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(
      /^candor: draw: option '--first-round-ratio .*' cannot be used with .*--ratio.*\n$/,
    );
  });

  it("takes distributions as expressions, which leave the other draws alone", async () => {
    const [paper] = await draw("--workers", "6", "--budget", "9");
    const [same] = await draw("--workers", "6", "--budget", "9", "--cost", "re/3 + 1/15 + u/5");
    expect(same).toEqual(paper);
    const [late] = await draw("--workers", "6", "--budget", "9", "--arrival", "id mod 2 == 0 ? T : 1");
    expect(late.workers.map((w: { arrival: number }) => w.arrival)).toEqual([10, 1, 10, 1, 10, 1]);
    expect(late.workers[3].cost).toBe(paper.workers[3].cost);
  });

  it.each([
    [["--cost", "exec(1)"], '--cost: the function "exec" is not allowed;'],
    [["--cost", "re/3 +"], '--cost: cannot read "re/3 +": Unexpected end of expression'],
    [["--reputation", "re"], '--reputation: the name "re" is not allowed;'],
    [["--cost", "1/id"], "--cost: 1/id gives Infinity for u = "],
    [["--cost", "1 - id"], "cost drawn for worker 2: must be a number ≥ 0, got -1"],
    [["--arrival", "1 + u"], "arrival drawn for worker 0: must be an integer from 1 to 10, got 1."],
  ])("%j fails with nothing on standard output", async (args, message) => {
    const { code, stdout, stderr } = await candor(["draw", "--workers", "4", "--budget", "1", ...args]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr.startsWith(`candor: ${message}`)).toBe(true);
    expect(stderr).toMatch(/^[^\n]*\n$/);
  });

  it("that is interrupted has printed whole lines, and ends with 130", async () => {
    const child = start(["draw", "--workers", "20", "--budget", "30", "--count", "1000000000"]);
    const end = ended(child);
    child.stdout.once("data", () => child.kill("SIGINT"));
    const { code, stdout, stderr } = await end;
    expect([code, stderr]).toEqual([130, ""]);
    expect(stdout.endsWith("}\n")).toBe(true);
  });
});
