import { describe, expect, it } from "vitest";
import { candor, fileWith } from "./candor.js";

const types = Array.from({ length: 10 }, (_, id) => ({ id, reputation: 0.5, cost: 0.3, arrival: 2 }));
const market = {
  rules: { budget: 12, rounds: 10 },
  workers: [{ id: 0, reputation: 0.8, cost: 0.433, arrival: 1 }, ...types.slice(1)],
};
const line = `${JSON.stringify(market)}\n`;
const few = ["--interim", "--draws", "120"];

describe("candor best-response --interim", () => {
  it("--json prints the contract's object, the same for the same seed", async () => {
    const ask = (...more: string[]) =>
      candor(["best-response", "-", ...few, "--worker", "0", "--json", ...more], line);
    const [first, again, other] = await Promise.all([ask(), ask("--seed", "1"), ask("--seed", "2")]);
    expect(first.stdout).toBe(again.stdout);
    expect(first.stdout).not.toBe(other.stdout);
    const { workers, ...about } = JSON.parse(first.stdout);
    expect(about).toEqual({
      market: "stdin:1",
      file: "stdin",
      line: 1,
      id: null,
      mechanism: "online",
      method: "interim",
      exact: true,
      draws: 120,
      judgedOn: 960,
      belief: "the paper's distributions",
    });
    expect(workers).toHaveLength(1);
    const { id, truthful, gain, low, high, best } = workers[0];
    expect(id).toBe(0);
    expect(low).toBeLessThan(gain);
    expect(gain).toBeLessThan(high);
    expect(low).toBeGreaterThan(0);
    expect(best.utility).toBeCloseTo(truthful + gain, 12);
    expect(best).toEqual({ price: expect.any(Number), arrival: 1, utility: expect.any(Number) });
  });

  it("believes in expressions as in draw, or in the workers of a file", async () => {
    const certain = ["--reputation", "0.5", "--cost", "0.3", "--arrival", "2"];
    const ask = async (...more: string[]) =>
      JSON.parse(
        (await candor(["best-response", "-", ...few, "--worker", "1", "--json", ...more], line)).stdout,
      );
    const drawn = await ask(...certain);
    const { rules } = market;
    const resampled = await ask("--belief", fileWith("seen.json", JSON.stringify({ rules, workers: types })));
    expect(drawn.belief).toBe("the paper's distributions, but for the given reputation, cost and arrival");
    expect(resampled.belief).toMatch(/^the 10 workers of .*seen\.json$/);
    expect(resampled.workers).toEqual(drawn.workers);
    expect(drawn.workers[0].low).toBe(drawn.workers[0].high);
  });

  it("shows people each worker's gain with its interval and how often it gains", async () => {
    const { stdout } = await candor(["best-response", "-", ...few, "--worker", "0"], line);
    expect(stdout).toContain("the others' bids not seen");
    expect(stdout).toContain("judged on 960 other draws of the others, from the paper's distributions");
    expect(stdout).toMatch(/starts the task earlier in \d+ %/);
    expect(stdout).toContain("For 1 of 1 worker a lie pays on average");
  });

  it.each([
    [["--draws", "100"], "candor: --draws: needs --interim"],
    [["--cost", "u"], "candor: --cost: needs --interim"],
    [["--arrival", "1"], "candor: --arrival: needs --interim"],
    [["--interim", "--draws", "3"], "candor: --draws: must be an integer from 10 to 100000, got 3"],
    [["--interim", "--pieces"], "candor: --pieces: cannot be given with --interim"],
    [["--interim", "--belief", "x.json", "--cost", "u"], "candor: --cost: cannot be given with --belief"],
    [["--interim", "--belief", "none.json"], "candor: none.json: no such file"],
    [
      ["--interim", "--arrival", "11"],
      "candor: arrival drawn for worker 0: must be an integer from 1 to 10, got 11",
    ],
  ])("%j is refused in one line", async (flags, message) => {
    const { stdout, stderr, code } = await candor(["best-response", "-", ...flags], line);
    expect({ stdout, stderr, code }).toEqual({ stdout: "", stderr: `${message}\n`, code: 2 });
  });
});

describe("candor explain --interim", () => {
  it("says what the best lie does on average, by what it changes and by cause", async () => {
    const { stdout, code } = await candor(["explain", "-", "--worker", "0", ...few], line);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /Its best lie, price 0\.\d+ at arrival 1 \(lower price\), gains 0\.\d+ on average/,
    );
    expect(stdout).toMatch(/in \d+ % of draws, .* of the gain .*: force the start/);
    expect(stdout).toContain("Where the difference comes from");
  });

  it("explains a bid that is given, as JSON too", async () => {
    const { stdout } = await candor(
      ["explain", "-", "--worker", "0", ...few, "--price", "0.5", "--others-arrival", "1", "--json"],
      line,
    );
    const { best, gain, changes, unchanged, belief } = JSON.parse(stdout);
    expect(best.price).toBe(0.5);
    expect(gain).toBeLessThanOrEqual(0);
    expect(belief).toContain("arrival");
    expect(changes.reduce((sum: number, { share }: { share: number }) => sum + share, unchanged)).toBeCloseTo(
      1,
      9,
    );
  });
});
