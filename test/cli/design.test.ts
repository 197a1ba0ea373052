import { describe, expect, it } from "vitest";
import { candor, fileWith } from "./candor.js";

const small = ["--workers", "8", "--budget", "10", "--rounds", "4", "--count", "8", "--lies", "4"];

const designed = async (...args: string[]) => {
  const { code, stdout, stderr } = await candor(["design", ...small, "--json", ...args]);
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
};

describe("candor design", () => {
  it("finds the value with most of the goal among those that meet the demand, and measures it on new markets", async () => {
    const found = await designed(
      "--family",
      "fixed-threshold:density",
      "--values",
      "0.4,0.6,0.9",
      "--at-least",
      "utility>=0.9",
    );
    const fit = found.points.filter(
      ({ utility, lies }: { utility: { mean: number }; lies: { gainers: number } }) =>
        utility.mean >= 0.9 && lies.gainers === 0,
    );
    expect(found.best.utilityPerUnitPaid.mean).toBe(
      Math.max(
        ...fit.map((point: { utilityPerUnitPaid: { mean: number } }) => point.utilityPerUnitPaid.mean),
      ),
    );
    expect(found.best.lies).toMatchObject({ exact: true, markets: 4, workers: 32, gainers: 0 });
    expect(found.best.onNewMarkets.utility.mean).not.toBe(found.best.utility.mean);
    // Three values, and those between the best and its neighbours, three times.
    expect(found.points.length).toBeGreaterThan(5);
    expect(
      await designed(
        "--family",
        "fixed-threshold:density",
        "--values",
        "0.4,0.6,0.9",
        "--at-least",
        "utility>=0.9",
      ),
    ).toEqual(found);
  });

  it("takes the rules as options, and says where every value has a lie that gains", async () => {
    const args = ["--family", "bid-greedy:reading", "--workers", "8", "--budget", "10", "--count", "4"];
    const { stdout } = await candor(["design", ...args]);
    expect(stdout).toMatch(/prose .*one gains/);
    expect(stdout).toMatch(/No value tried is without a lie that gains\./);
  });

  it("takes markets and a mechanism of one's own", async () => {
    const mine = fileWith(
      "mine.ts",
      `import { defineMechanism, withOptions } from "candor";
export default withOptions({ share: { default: 1, from: 0.1, to: 1 } }, ({ share }) => defineMechanism({
  name: "mine", about: "Offers a share of the budget.", offline: true,
  program(auction) {
    const { math, rules } = auction;
    const price = math.times(math.known(share), math.over(rules.budget, math.known(rules.rounds)));
    const purse = auction.purse(rules.budget);
    for (const worker of auction.byReputation()) auction.offer(worker, { round: 1, buys: rules.rounds, purse, threshold: price });
  },
}));`,
    );
    const { stdout: markets } = await candor(["draw", "--workers", "6", "--budget", "10", "--count", "6"]);
    const { code, stdout, stderr } = await candor([
      "design",
      fileWith("m.jsonl", markets),
      "--family",
      `${mine}:share`,
      "--goal",
      "utility",
      "--steps",
      "3",
      "--json",
    ]);
    expect([code, stderr]).toEqual([0, ""]);
    const { points, best, markets: count } = JSON.parse(stdout);
    expect(count).toBe(6);
    expect(points[0].value).toBe(0.1);
    expect(points.at(-1).value).toBe(1);
    expect(best.mechanism).toMatch(/:share=/);
    expect(best.onNewMarkets).toBeUndefined();
  });

  it.each([
    [
      ["--family", "posted-rounds"],
      '--family: must be a mechanism and one of its options, as in round-auctions:share, got "posted-rounds"',
    ],
    [
      ["--family", "online:ratio"],
      '--family online: no option "ratio"; it has reading, firstStep, delay, firstRoundRatio, minWorkers',
    ],
    [
      ["--family", "online:minWorkers"],
      "--family: online:minWorkers has no largest value: say with --values which to try",
    ],
    [
      ["--family", "fixed-threshold:density", "--values", "0.5,x"],
      '--values: density: must be a number ≥ 0, got "x"',
    ],
    [
      ["--family", "online:reading", "--at-least", "utility"],
      '--at-least: must be MEASURE>=NUMBER, as in "utility>=0.98", got "utility"',
    ],
    [
      ["--family", "online:reading", "--at-least", "utilty>=1"],
      '--at-least: no measure "utilty"; did you mean "utility"? there are utility, utilityPerUnitPaid, spent',
    ],
    [
      ["--family", "online:reading", "--goal", "welfare"],
      '--goal: must be "utility", "utilityPerUnitPaid" or "spent", got "welfare"',
    ],
    [[], "--family: missing, must be a mechanism and one of its options, as in round-auctions:share"],
  ])("refuses %j in one line", async (args, message) => {
    expect(await candor(["design", ...args])).toEqual({
      code: 2,
      stdout: "",
      stderr: `candor: ${message}\n`,
    });
  });

  it.each(["--family", "--reference"])("names %s where its mechanism is unknown", async (flag) => {
    const args = ["--family", "online:reading", "--reference", "online"];
    args[args.indexOf(flag) + 1] = "onlin:reading";
    const { code, stdout, stderr } = await candor(["design", ...args]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(new RegExp(`^candor: ${flag}: no "onlin"; did you mean "online"`));
  });
});
