import { describe, expect, it } from "vitest";
import { type Market, paperRules } from "../../../src/market/market.js";
import {
  choicesText,
  readingChoices,
  readingText,
  usualReading,
} from "../../../src/verdicts/ledger/readings.js";
import { contradictedBy, lookAtSteps } from "../../../src/verdicts/ledger/steps.js";
import { aboveHalf, settleShape, smallShapes } from "../../../src/verdicts/ledger/theorems.js";
import { combinedVerdict, sampleVerdict } from "../../../src/verdicts/ledger/verdicts.js";

/** Worker 0 alone at the start; the only one of the other group comes in the last round. */
const delayed: Market = {
  rules: { ...paperRules, budget: 30, rounds: 3, firstRoundRatio: 0.1 },
  workers: [
    { id: 0, reputation: 1, cost: 0, arrival: 1 },
    { id: 1, reputation: 1, cost: 7, arrival: 3 },
  ],
};

describe("the sentences that a lie contradicts", () => {
  it("are those of Theorem 6 where delaying the start pays, though both are selected in round 1", () => {
    const lie = { worker: 0, price: 0, arrival: 2 };
    expect(contradictedBy({ market: delayed, worker: 0, lie })).toEqual([
      "same round, later pays no more",
      "later brings no more",
    ]);
  });

  it("[M6] are none where the rounds that passed are lost", () => {
    const market = { ...delayed, rules: { ...delayed.rules, delay: "shorten" as const } };
    const lie = { worker: 0, price: 0, arrival: 2 };
    expect(contradictedBy({ market, worker: 0, lie })).toEqual([]);
  });

  it("are none outside of a sufficient budget, where the paper claims nothing", () => {
    // Nobody is there at clock 1: the truth starts late.
    const market = { ...delayed, workers: delayed.workers.map((worker) => ({ ...worker, arrival: 3 })) };
    expect(contradictedBy({ market, worker: 0, lie: { worker: 0, price: 5, arrival: 3 } })).toEqual([]);
  });
});

describe("drawn markets", () => {
  it("are counted once, with their cases, and a witness is one of them", () => {
    const records = lookAtSteps([delayed, delayed]);
    const record = records.get("later brings no more")!;
    expect(record).toMatchObject({ markets: 2, broken: 2, witness: { worker: 0 } });
    expect(record.cases).toBeGreaterThanOrEqual(4);
    expect(records.get("not selected brings no more")!.broken).toBe(0);
  });

  it("[M4] a bid of 0 is not selected where the other group is empty", () => {
    const market = {
      rules: { ...paperRules, budget: 12, rounds: 3 },
      workers: [
        { id: 0, reputation: 1, cost: 0.1, arrival: 1 },
        { id: 2, reputation: 1, cost: 0.1, arrival: 2 },
      ],
    };
    const { broken, witness } = lookAtSteps([market]).get("low bid wins")!;
    expect([broken, witness!.worker]).toEqual([1, 2]);
  });
});

describe("theorems in small shapes", () => {
  const [, twoByThree, scarce] = smallShapes;
  const settle = (theorem: "P1" | "P2" | "P5" | "P6", shape = twoByThree!, reading = usualReading) =>
    settleShape(shape, reading, [theorem]).get(theorem)!;

  it("Theorem 6 breaks by delaying the start, and Theorem 5 where the ratio is low", () => {
    expect(settle("P6")).toMatchObject({ broken: true, worst: "3/40" });
    expect(settle("P5").broken).toBe(false);
    const { worst, witness } = settle("P5", scarce);
    expect([worst, witness!.contradicts]).toEqual([
      "7/120",
      ["threshold unaffected", "higher and later brings no more"],
    ]);
  });

  it("[M6] delay: shorten makes both true, with the first step of Algorithm 3", () => {
    for (const shape of smallShapes)
      for (const theorem of ["P5", "P6"] as const)
        expect(settle(theorem, shape, { ...usualReading, delay: "shorten" }).broken).toBe(false);
    expect(settle("P5", twoByThree, { ...usualReading, delay: "shorten", firstStep: "prose" }).broken).toBe(
      true,
    );
  });

  it("[M11] Theorems 1 and 2 break above one half, and say at which sentence", () => {
    expect(settle("P2", aboveHalf).witness!.contradicts).toEqual(["half budgets"]);
    const read = { ...usualReading, reading: "pseudocode" as const };
    expect(settle("P1", aboveHalf, read).witness!.contradicts).toEqual(["final reward"]);
    expect(settle("P1", aboveHalf).broken).toBe(false);
  });
});

describe("words", () => {
  it("choices are stated in the fewest words", () => {
    expect(readingChoices).toHaveLength(12);
    expect(readingText(readingChoices[0]!)).toBe("as usual");
    expect(choicesText(readingChoices.filter(({ delay }) => delay === "shorten"))).toEqual([
      "delay: shorten",
    ]);
    const some = readingChoices.filter((one) => one.delay === "shorten" && one.firstStep === "algorithm");
    expect(choicesText(some)).toEqual(["firstStep: algorithm, delay: shorten"]);
  });

  it("a sample decides where the whole interval lies on one side", () => {
    expect(sampleVerdict({ low: 0, high: 1 }, 0)).toBe("agrees in the sample");
    expect(sampleVerdict({ low: 0, high: 1 }, 0, true)).toBe("the sample does not decide");
    expect(sampleVerdict({ low: -2, high: 0 }, 0)).toBe("the sample does not decide");
    expect(sampleVerdict({ low: -2, high: 0 }, 0, true)).toBe("disagrees in the sample");
    expect(sampleVerdict({ low: Number.NaN, high: Number.NaN }, 0)).toBe("the sample does not decide");
    expect(combinedVerdict(["agrees in the sample", "disagrees in the sample"])).toBe(
      "agrees in part of the sample",
    );
    expect(combinedVerdict([])).toBe("the sample does not decide");
  });
});
