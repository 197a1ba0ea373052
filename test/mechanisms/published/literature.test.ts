/** Markets worked out by hand for the mechanisms from the literature. */

import { describe, expect, it } from "vitest";
import { badanidiyuru } from "../../../src/mechanisms/published/badanidiyuru.js";
import { chenGravinLu } from "../../../src/mechanisms/published/chen-gravin-lu.js";
import { flim } from "../../../src/mechanisms/published/flim.js";
import { fmoreFirstScore } from "../../../src/mechanisms/published/fmore-first-score.js";
import { fmoreSecondScore } from "../../../src/mechanisms/published/fmore-second-score.js";
import { singer } from "../../../src/mechanisms/published/singer.js";
import { zhaoOmz } from "../../../src/mechanisms/published/zhao-omz.js";
import { allotments, marketOf, rulings, unselected } from "../hand-solved.js";

const types = [
  [1, 1, 1],
  [2, 1.5, 1],
  [1, 2, 1],
  [1, 4, 2],
] as const;
const market = marketOf(12, 2, types);

describe("singer", () => {
  it("hires the best worker alone where the others' share has no more reputation", () => {
    // Without worker 1: 2 · 1 · 1 and 2 · 2 · 2 fit in 12, 2 · 4 · 3 does not: Σ Re = 2, no more than its 2.
    expect(allotments(singer, market)).toEqual([unselected, [1, 2, 12], unselected, unselected]);
  });

  it("hires the share of everybody where the others' share has more", () => {
    // A fifth worker like worker 2 makes the others' share 3 > 2. Of all: 2 · 1 · 3 fits, 2 · 2 · 4 does not; ρ* = min(12 / 6, 2).
    expect(allotments(singer, marketOf(12, 2, [...types, types[2]]))).toEqual([
      [1, 2, 4],
      [1, 2, 8],
      unselected,
      unselected,
      unselected,
    ]);
  });

  it("leaves out who asks more than the budget", () => {
    expect(allotments(singer, marketOf(2.5, 2, types))).toEqual([
      [1, 2, 2.5],
      ...types.slice(1).map(() => unselected),
    ]);
  });
});

describe("chen-gravin-lu", () => {
  it("hires the best worker alone unless the others could supply more than 1 + √2 times its value", () => {
    // 2.4142 · 2 = 4.8284 is more than the others' 3.
    expect(allotments(chenGravinLu, market)).toEqual([unselected, [1, 2, 12], unselected, unselected]);
  });

  it("pays the share where the others supply enough at any price of the winner", () => {
    // T = 1, B = 5. The others of worker 0 supply 2.4142 for 2.4142. The share takes four, ρ* = min(5 / 4, 4).
    const five = marketOf(5, 1, [
      [1, 0.5, 1],
      [1, 1, 1],
      [1, 1, 1],
      [1, 1, 1],
      [1, 4, 1],
    ]);
    const hired = [1, 1, 1.25];
    expect(allotments(chenGravinLu, five)).toEqual([hired, hired, hired, hired, unselected]);
  });

  // T = 1, B = 4. The others of worker 0 supply 2.4142 for 1 + 1 + 0.4142 · 3.9 = 3.61538. The share takes 1 and 2 at ρ* = 2.
  // Worker 1 is hired only as long as c + 1 + 0.4142 · 3.9 < 4.
  const four = marketOf(4, 1, [
    [1, 4, 1],
    [1, 1, 1],
    [1, 1, 1],
    [1, 3.9, 1],
  ]);

  it("pays no more than the price at which the best worker would be hired instead", () => {
    expect(allotments(chenGravinLu, four)).toEqual([
      unselected,
      [1, 1, 1.38462],
      [1, 1, 1.38462],
      unselected,
    ]);
  });

  it.each([
    [1.3846, [unselected, [1, 1, 1.38462]]],
    [1.3847, [[1, 1, 4], unselected]],
  ])("and that price is critical: %d", (price, expected) => {
    expect(allotments(chenGravinLu, four, [{ worker: 1, price, arrival: 1 }]).slice(0, 2)).toEqual(expected);
  });
});

describe("zhao-omz", () => {
  // T = 4, B = 8. Round 2 may spend 4: ρ* = 4 / 1 of worker 0. From round 3 on 8: of workers 0 to 2 two are taken, ρ* = min(8 / 2, 3).
  const arriving = marketOf(8, 4, [
    [1, 1, 1],
    [1, 2, 2],
    [1, 3, 2],
    [1, 2, 3],
    [1, 1, 4],
  ]);

  it("decides on each worker when it arrives, at the price learned by the last stage, for one round", () => {
    expect(allotments(zhaoOmz, arriving)).toEqual([unselected, [2, 1, 4], unselected, [3, 1, 3], unselected]);
    expect(rulings(zhaoOmz, arriving)).toEqual([
      "2:1 admitted",
      "2:2 refused",
      "3:3 admitted",
      "4:4 refused",
    ]);
  });

  it("pays a worker that comes late on purpose: the sample does not stay the sample", () => {
    expect(allotments(zhaoOmz, arriving, [{ worker: 0, price: 1, arrival: 3 }])[0]![2]).toBeGreaterThan(1);
  });
});

it("badanidiyuru offers at most what would buy half of the sample's value", () => {
  // T = 2, B = 12: the early workers cost 2 · 3 + 2 · 2 = 10 and are worth 3, so ρ* = 12 / (2 · 3/2) = 4.
  const halves = marketOf(12, 2, [
    [1, 2, 1],
    [2, 3, 1],
    [1, 4, 2],
    [2, 9, 2],
    [3, 3, 2],
    [2, 1, 2],
  ]);
  expect(allotments(badanidiyuru, halves)).toEqual([
    unselected,
    unselected,
    [2, 1, 4],
    unselected,
    unselected,
    [2, 1, 8],
  ]);
  expect(rulings(badanidiyuru, halves)).toEqual(["2:2 admitted", "2:3 dear", "2:4 refused", "2:5 admitted"]);
  // B = 9 buys worker 1 alone, worth 2: ρ* = 9 / 2.
  expect(allotments(badanidiyuru, { ...halves, rules: { ...halves.rules, budget: 9 } })[2]).toEqual([
    2, 1, 4.5,
  ]);
});

describe("fmore", () => {
  // Scores: 0, 0.5, −1 and −3.
  it("pays bids by the first score", () => {
    expect(allotments(fmoreFirstScore, market)).toEqual([[1, 2, 2], [1, 2, 3], unselected, unselected]);
  });

  it("pays down to the best losing score by the second", () => {
    // Worker 0: 1 + 1 = 2 a round; worker 1: 2 + 1 = 3.
    expect(allotments(fmoreSecondScore, market)).toEqual([[1, 2, 4], [1, 2, 6], unselected, unselected]);
    expect(allotments(fmoreSecondScore, marketOf(12, 2, types.slice(0, 2)))).toEqual([
      unselected,
      unselected,
    ]);
  });
});

describe("flim", () => {
  it("pays the next price where it is below the equal share", () => {
    // 12 / 2 = 6 per round: 1.5 < 6 / 2, and 2 is not below 6 / 3. The next price is 2.
    expect(allotments(flim, market)).toEqual([[1, 2, 4], [1, 2, 4], unselected, unselected]);
  });

  it("pays the equal share where the next price is above it", () => {
    expect(allotments(flim, marketOf(7, 2, types))[0]).toEqual([1, 2, 3.5]);
    expect(allotments(flim, marketOf(7, 2, [types[0], types[3]]))).toEqual([[1, 2, 7], unselected]);
  });

  it("pays the dearest worker's own price where everybody is hired", () => {
    const two = marketOf(12, 2, types.slice(0, 2));
    expect(allotments(flim, two)).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect(allotments(flim, two, [{ worker: 1, price: 2.9, arrival: 1 }])).toEqual([
      [1, 2, 5.8],
      [1, 2, 5.8],
    ]);
  });

  it("hires nobody whose price only equals the share", () => {
    expect(allotments(flim, marketOf(2, 2, types))).toEqual(types.map(() => unselected));
  });
});
