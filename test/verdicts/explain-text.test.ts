/** What is said of a lie: which of the things it could say fits what the two runs show. */

import { describe, expect, it } from "vitest";
import type { RulingEvent, Share, StartEvent } from "../../src/auction/trace.js";
import {
  type Account,
  causesText,
  decisionIn,
  differenceText,
  type Explanation,
  gainText,
  whenText,
} from "../../src/verdicts/explain.js";

const truth: Account = {
  bid: { worker: 0, price: 1, arrival: 1 },
  startDelay: 0,
  selectedAt: 1,
  rounds: 2,
  payment: 3,
  utility: 1,
};

const explained = (change: Partial<Explanation> = {}, lie: Partial<Account> = {}): Explanation => ({
  worker: { id: 0, reputation: 1, cost: 1, arrival: 1 },
  truth,
  lie: { ...truth, bid: { worker: 0, price: 2, arrival: 1 }, ...lie },
  gain: 0,
  kind: null,
  causes: null,
  difference: null,
  decisions: 3,
  ...change,
});

describe("what a lie gains", () => {
  it("is nothing to ask of the truth: neither another price nor another arrival", () => {
    const told = (price: number, arrival: number) =>
      gainText(explained({}, { bid: { worker: 0, price, arrival } }));
    expect(told(1, 1)).toContain("is the truth");
    for (const lie of [told(2, 1), told(1, 2), told(2, 2)]) expect(lie).toBe("The lie gains nothing.");
  });

  it("is a gain with its kind, a loss, or nothing", () => {
    expect(gainText(explained({ gain: 0.5, kind: "wait" }))).toMatch(/gains 0\.5\. Kind: wait/);
    expect(gainText(explained({ gain: -0.5 }, { payment: 2.5 }))).toBe("The lie costs 0.5.");
  });

  it("is nothing where all is as before or the worker is as well off, whatever rounding says", () => {
    expect(gainText(explained({ gain: -1e-16 }))).toBe("The lie gains nothing.");
    expect(gainText(explained({ gain: 1e-16 }, { selectedAt: 2 }))).toBe("The lie gains nothing.");
    expect(gainText(explained({ gain: 0 }, { selectedAt: 2 }))).toBe("The lie gains nothing.");
  });
});

describe("where a difference comes from", () => {
  const amounts = (text: string) =>
    text
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/)[0]);

  it("is told by amounts with their signs, one below the other, and rounding is no cause", () => {
    const text = causesText({ rounds: 1.25, price: -10, start: 1e-15, budget: 0 }, -8.75);
    expect(amounts(text)).toEqual(["+1.25", "-10", "0", "0", "-8.75"]);
    const words = text
      .split("\n")
      .slice(1)
      .map((line) => line.search(/[a-z]/));
    expect(new Set(words).size).toBe(1);
    const points = text.split("\n").map((line) => line.search(/\d\.\d/));
    expect(points[1]).toBe(points[5]);
  });

  it("names each cause on its own line", () => {
    const [, rounds, price, start, budget, all] = causesText(
      { rounds: 1, price: 2, start: 3, budget: 4 },
      10,
    ).split("\n");
    expect(rounds).toMatch(/\+1 +rounds that only one/);
    expect(price).toMatch(/\+2 +a different price/);
    expect(start).toMatch(/\+3 +another start/);
    expect(budget).toMatch(/\+4 +the budget/);
    expect(all).toMatch(/\+10 +in all/);
  });
});

const shareOf = (change: Partial<Share> = {}): Share => ({
  budget: 4,
  roundsBought: 2,
  pool: [0, 1],
  taken: [0],
  reputation: 1,
  byBudget: 2,
  next: null,
  density: 2,
  knifeEdge: false,
  ...change,
});

const start = (share: Partial<Share>, enough = true): StartEvent => ({
  kind: "start",
  clock: 3,
  share: shareOf(share),
  minWorkers: 2,
  enough,
  payments: [],
});

const ruling = (change: Partial<RulingEvent>): RulingEvent => ({
  kind: "ruling",
  ruling: "kept",
  round: 2,
  worker: 5,
  group: 1,
  density: 3,
  threshold: 2,
  promised: 2,
  need: 1,
  left: 4,
  payment: 1.5,
  knifeEdge: false,
  ...change,
});

const said = (decision: StartEvent | RulingEvent) =>
  decisionIn({ round: 2, clock: null, truth: decision, lie: null }, "truth");

describe("a try to start is told by", () => {
  it.each<[Partial<Share>, string]>([
    [{ taken: [0] }, "worker 0 is selected at ρ* = 2"],
    [{ taken: [0, 4] }, "workers 0, 4 are selected at ρ* = 2"],
    [{ taken: [0], density: null }, "worker 0 is selected"],
    [{ taken: [] }, "nobody is selected"],
    [
      { next: { worker: 1, density: 3, cost: 6 } },
      "worker 0 is selected at ρ* = 2; worker 1 does not fit, 6 > 4",
    ],
  ])("%o: %s", (share, words) => {
    expect(said(start(share))).toBe(words);
  });

  it("how many it lacks, where they are not enough", () => {
    expect(said(start({ taken: [0] }, false))).toBe(
      "the first step would take worker 0; 2 needed, so nobody is selected at clock 3",
    );
  });
});

describe("a ruling is told by the round, the worker, the numbers that decided it and the payment", () => {
  it.each<[Partial<RulingEvent>, string]>([
    [{ ruling: "dear" }, "too dear, 3 > 2"],
    [{ ruling: "dear", threshold: null }, "left out because of its price"],
    [{ ruling: "admitted" }, "admitted, 1 ≤ 4 left"],
    [{ ruling: "refused", need: 5 }, "refused, 5 > 4 left"],
    [{ ruling: "raised" }, "raised, 1 ≤ 4 left"],
    [{ ruling: "capped", need: 5 }, "raised by the 4 left instead of 5"],
    [{ ruling: "capped", left: -0.5 }, "lowered by the 0.5 overspent"],
    [{ ruling: "capped", left: 0 }, "not raised, nothing is left"],
    [{ ruling: "kept" }, "keeps its payment, 2 ≤ 2 promised"],
    [{ ruling: "kept", threshold: null }, "keeps its payment"],
    [{ ruling: "kept", promised: null }, "keeps its payment"],
    [{ ruling: "denied" }, "denied a raise, for nothing is left"],
  ])("%o: %s", (change, words) => {
    expect(said(ruling(change))).toBe(`round 2: worker 5 ${words}; payment 1.5`);
  });

  it("[M13] a comparison reads true: in all digits where a few look equal, as a tie where only rounding tells", () => {
    const dear = (density: number, threshold: number) => said(ruling({ ruling: "dear", density, threshold }));
    expect(dear(2.0000001, 2)).toContain("2.0000001 > 2;");
    expect(dear(2, 2)).toContain("2 ≈ 2;");
    expect(dear(2, 2.0000000000001)).toContain("2 ≈ 2;");
    const admitted = (need: number, left: number) => said(ruling({ ruling: "admitted", need, left }));
    expect(admitted(2, 2.0000001)).toContain("2 ≤ 2.0000001 left");
    expect(admitted(2, 2)).toContain("2 ≤ 2 left");
    expect(admitted(2.123456, 2.123456)).toContain("2.1235 ≤ 2.1235 left");
    expect(admitted(2.0000000000001, 2)).toContain("2 ≈ 2 left");
  });
});

describe("a decision that only one of two runs takes", () => {
  it("is told as missing in the other", () => {
    const ruled = { round: 2, clock: 4, truth: null, lie: ruling({}) };
    expect(decisionIn(ruled, "truth")).toBe("no decision about worker 5 in round 2");
    expect(decisionIn({ ...ruled, truth: start({}), lie: null }, "lie")).toBe("no try to start at clock 3");
  });
});

describe("what the traces show", () => {
  it("is the first difference, by the clock where it is known", () => {
    const difference = { round: 2, clock: 4, truth: ruling({}), lie: null };
    const [when, honest, lying] = differenceText(explained({ difference })).split("\n");
    expect(when).toMatch(/differs, at clock 4:$/);
    expect(honest).toBe(`  truth: ${decisionIn(difference, "truth")}`);
    expect(lying).toBe(`  lie:   ${decisionIn(difference, "lie")}`);
    expect(whenText({ ...difference, clock: null })).toBe("in round 2");
  });

  it("or how many decisions are the same, and whether the outcome is", () => {
    const [same, other] = [explained(), explained({}, { payment: 2 })];
    expect(differenceText(same)).toMatch(
      /^Each of the 3 traced decisions .* is the same in both runs, and the outcome .* is the same\.$/,
    );
    expect(differenceText(other)).toMatch(
      /is the same in both runs, but the outcome for worker 0 differs\.$/,
    );
    expect(differenceText(explained({ decisions: 1 }))).toMatch(/^The one traced decision/);
    expect(differenceText(explained({ decisions: 0 }))).toMatch(/traces no decisions.*is the same\.$/);
  });

  it.each([{ startDelay: 1 }, { selectedAt: 2 }, { rounds: 1 }, { payment: 2 }])(
    "the outcome differs by %o alone",
    (change) => {
      expect(differenceText(explained({}, change))).toMatch(/outcome for worker 0 differs\.$/);
    },
  );

  it("the outcome is the same whatever was bid for it, rounding aside", () => {
    expect(differenceText(explained({}, { payment: 3 + 1e-12, utility: 1 + 1e-12 }))).toMatch(
      /is the same\.$/,
    );
  });
});
