/** A violation is confirmed in exact fractions only as it is claimed: its amount, its regime, and what its lie does to the start. */

import { describe, expect, it } from "vitest";
import { runAuction } from "../../../src/auction/mechanism.js";
import { type Regime, regimeOf } from "../../../src/auction/outcome.js";
import { type Market, paperRules } from "../../../src/market/market.js";
import { online } from "../../../src/mechanisms/online/online.js";
import { confirm, type Violation, violations } from "../../../src/verdicts/counterexamples/violations.js";
import { withoutText } from "../../searched.js";

describe("a lie", () => {
  // Worker 0 prices itself out of an early start.
  const market: Market = {
    rules: { budget: 1, rounds: 3, ...paperRules },
    workers: [
      { id: 0, reputation: 1, cost: 0.1, arrival: 1 },
      { id: 1, reputation: 0.7, cost: 0, arrival: 3 },
    ],
  };
  const [largest] = violations(market, {
    property: "P5",
    regime: "sufficient",
    start: "moved",
    mechanism: online,
  });
  const confirmed = (claim: Partial<Violation>) => confirm(online, market, { ...largest!, ...claim });

  it("is confirmed as it is", () => {
    expect(confirmed({})).toBe(true);
  });

  it("is not where it gains nothing, whatever else is true of it", () => {
    expect(confirmed({ lie: { worker: 0, price: 0.1, arrival: 1 }, startMoved: false })).toBe(false);
  });

  it("is not in another regime", () => {
    expect(confirmed({ regime: "tight" })).toBe(false);
    expect(confirmed({ regime: "late start" })).toBe(false);
  });

  it("is not where it is said to keep the start that it moves, or to move the one that it keeps", () => {
    expect(confirmed({ startMoved: false })).toBe(false);
    // With a rival there from the start, worker 1 gains by a tie with it and the task starts all the same.
    const tied: Market = {
      rules: { budget: 4, rounds: 2, ...paperRules, firstRoundRatio: 0.5 },
      workers: [
        { id: 0, reputation: 0.5, cost: 1, arrival: 1 },
        { id: 1, reputation: 1, cost: 1, arrival: 1 },
      ],
    };
    const [kept] = violations(tied, { property: "P5", regime: "tight", start: "kept", mechanism: online });
    expect(confirm(online, tied, kept!)).toBe(true);
    expect(confirm(online, tied, { ...kept!, startMoved: true })).toBe(false);
    // Money ran out for worker 1's group, not for worker 0's.
    expect(confirm(online, tied, { ...kept!, regime: "sufficient" })).toBe(false);
  });

  it("is neither confirmed nor refuted where the mechanism has no exact form", () => {
    expect(confirm(withoutText(online), market, largest!)).toBeNull();
  });
});

describe("overspending", () => {
  // B1 = 3.6 all goes to worker 0; in round 2 worker 1 is judged by worker 0's threshold, and 1 more fits in its half.
  const market = (...more: Market["workers"]): Market => ({
    rules: { budget: 4, rounds: 2, ...paperRules, firstRoundRatio: 0.9 },
    workers: [
      { id: 0, reputation: 1, cost: 0, arrival: 1 },
      { id: 1, reputation: 1, cost: 0.5, arrival: 2 },
      ...more,
    ],
  });
  const confirmed = (where: Market, regime: Regime) =>
    confirm(online, where, { property: "P2", worker: null, regime, lie: null, amount: 1, startMoved: false });

  it("is confirmed in the regime of anybody who is there", () => {
    expect(confirmed(market(), "sufficient")).toBe(true);
    expect(confirmed(market(), "tight")).toBe(false);
    expect(confirmed(market(), "late start")).toBe(false);
  });

  it("[M9] also where the money ran out for one worker only", () => {
    const refused = market(
      { id: 3, reputation: 1, cost: 0.9, arrival: 2 },
      { id: 5, reputation: 1, cost: 0.9, arrival: 2 },
    );
    const outcome = runAuction(online, refused);
    expect([0, 1, 3, 5].map((id) => regimeOf(outcome, id))).toEqual([
      "sufficient",
      "sufficient",
      "sufficient",
      "tight",
    ]);
    expect(["sufficient", "tight"].map((regime) => confirmed(refused, regime as Regime))).toEqual([
      true,
      true,
    ]);
    expect(confirmed(refused, "late start")).toBe(false);
  });

  it("is not where the budget is kept", () => {
    const cheap = { ...market(), rules: { ...market().rules, firstRoundRatio: 0.5 } };
    expect(confirmed(cheap, "sufficient")).toBe(false);
  });
});
