import { describe, expect, it } from "vitest";
import { readings } from "../../analyses/readings.js";
import { readingChoices, readingText } from "../../src/verdicts/ledger/readings.js";
import { contextFor, expectWellFormed, rowsOf, summariesOf } from "./context.js";

const context = contextFor("readings");
const cells = readings
  .plan(null, context)
  .map(({ cell, markets }) => ({ cell, markets: Math.min(markets, 24) }));
const summaries = await summariesOf(readings.job, cells, context);
const gathered = cells.map((one, k) => ({ ...one, summary: summaries[k]! }));
const result = await readings.conclude(gathered, null, context);

describe("readings", () => {
  it("is well formed, and looks at every choice in proofs and in drawn markets", () => {
    expectWellFormed(result);
    const proved = new Set(rowsOf(result, "proved").map(({ choice }) => choice));
    expect([...proved]).toEqual(readingChoices.map(readingText));
    // Alternating groups under all twelve, groups as by a hash under one order.
    expect(rowsOf(result, "publisher")).toHaveLength(18);
    for (const { markets } of rowsOf(result, "publisher")) expect(markets).toBe(24);
  });

  it("[M5] [M6] only delay: shorten with the first step of Algorithm 3 lets no lie gain with a sufficient budget", () => {
    const breaking = rowsOf(result, "proved").filter(({ worst }) => (worst as number) > 0);
    const kept = rowsOf(result, "proved").filter(
      ({ choice }) => !breaking.some((row) => row.choice === choice),
    );
    expect([...new Set(kept.map(({ choice }) => choice))]).toEqual([
      "delay: shorten",
      "reading: pseudocode, delay: shorten",
    ]);
    // With the start kept only the prose's first step lets a lie gain, and by the price alone.
    const atStart = breaking.filter(({ start }) => start === "kept");
    expect(atStart.length).toBeGreaterThan(0);
    for (const row of atStart) expect([row.firstStep, row.lie]).not.toContain("algorithm");
    for (const row of atStart) expect(row.lie).not.toBe("time");
    expect(result.findings[0]!.text).toContain("firstStep: algorithm, delay: shorten");
  });

  it("[M6] gives the publisher no more rounds where those that passed are lost", () => {
    const at = (delay: string) =>
      rowsOf(result, "publisher").find(
        (row) =>
          row.delay === delay &&
          row.groups === "alternate" &&
          row.reading === "prose" &&
          row.firstStep === "algorithm",
      )!;
    expect(at("shorten").late).toBe(at("postpone").late);
    expect(at("shorten").lateUtility as number).toBeLessThan(at("postpone").lateUtility as number);
  });
});
