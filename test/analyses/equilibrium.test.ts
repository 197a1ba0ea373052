import { describe, expect, it } from "vitest";
import { type EquilibriumSettings, equilibrium } from "../../analyses/equilibrium.js";
import { bidGreedy } from "../../src/mechanisms/bid-greedy.js";
import { online } from "../../src/mechanisms/online/online.js";
import { postedRounds } from "../../src/mechanisms/posted-rounds.js";
import { twoStage } from "../../src/mechanisms/two-stage.js";
import { contextFor, expectWellFormed, resultWith, rowsOf, searchedShare } from "./context.js";

const settings: EquilibriumSettings = {
  ...{ workers: 6, budget: 6, rounds: 4 },
  mechanisms: ["bid-greedy", "two-stage", "posted-rounds", "searched-share"],
  reputations: [0.25, 0.75],
  costs: [0.1, 0.2, 0.3, 0.4, 0.5],
  fast: { draws: 60, iterations: 6 },
  slow: { draws: 20, iterations: 6 },
  tolerance: 0.02,
  ...{ types: 5, shown: 30, runs: 5, seeds: 1, tasks: 6 },
};

const compared = [online, bidGreedy, twoStage, postedRounds, searchedShare];
const result = await resultWith(equilibrium, contextFor("strategic", online, compared), settings);
const of = (table: string, mechanism: string) =>
  rowsOf(result, table).filter((row) => row.mechanism === mechanism);

describe("equilibrium", () => {
  it("is well formed: one chart, at most four findings", () => {
    expectWellFormed(result);
    expect(result.charts).toHaveLength(1);
    expect(result.findings.length).toBeLessThanOrEqual(4);
  });

  it("looks at ours first, and at those alone whose responses are exact", () => {
    expect(rowsOf(result, "equilibria").map(({ mechanism }) => mechanism)).toEqual([
      ...["online", "bid-greedy", "two-stage", "posted-rounds"],
    ]);
  });

  it("changes nothing where the truth is an equilibrium: markets, workers and noise are the same", () => {
    expect(of("equilibria", "posted-rounds")[0]).toMatchObject({ end: "settled", firstGain: 0, gain: 0 });
    for (const { over, late } of of("strategies", "posted-rounds")) expect([over, late]).toEqual([1, 0]);
    for (const { change, low, high } of of("effects", "posted-rounds"))
      expect([change, low, high]).toEqual([0, 0, 0]);
  });

  it("asks for more where bids are paid, to the publisher's cost and the workers' benefit", () => {
    const asked = of("strategies", "bid-greedy").map(({ over }) => over as number);
    expect(asked.filter((over) => over > 1.01).length).toBeGreaterThan(asked.length / 3);
    const change = (measure: string) =>
      of("effects", "bid-greedy").find((row) => row.measure === measure)!.change as number;
    expect(change("publisher's utility")).toBeLessThan(0);
    expect(change("workers' utilities in all")).toBeGreaterThan(0);
  });

  it("leaves two-stage without a sample: whoever is in it can never win, so all come after it", () => {
    for (const { arrival, late } of of("strategies", "two-stage"))
      expect((arrival as number) + (late as number)).toBeGreaterThan(2);
    const [utility, payments] = of("effects", "two-stage");
    expect([utility!.strategic, payments!.strategic]).toEqual([0, 0]);
    expect(result.findings.map(({ text }) => text).join(" ")).toContain(
      "Under `two-stage` nothing is bought any more",
    );
  });

  it("has intervals over several equilibria, and says nothing of types that were not drawn", () => {
    for (const { n } of rowsOf(result, "effects")) expect(n).toBe(5);
    const [utility] = of("effects", "bid-greedy");
    expect(utility!.low as number).toBeLessThan(utility!.change as number);
    expect(result.findings.map(({ text }) => text).join(" ")).not.toContain("no type");
    for (const row of rowsOf(result, "equilibria")) {
      expect(row.of).toBe(5);
      expect(row.settled as number).toBeLessThanOrEqual(5);
    }
  });

  it("says how it ended, with the bound of what is left to gain", () => {
    for (const { gain, low, high, end } of rowsOf(result, "equilibria")) {
      expect(end).toMatch(/^(settled|unsettled|cycle of \d+)$/);
      expect(low as number).toBeLessThanOrEqual(gain as number);
      expect(high as number).toBeGreaterThanOrEqual(low as number);
    }
  });
});
