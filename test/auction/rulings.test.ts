/** What every mechanism that tells rulings tells: numbers that agree with each other and with the outcome. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AnyMechanism, type Outcome, runAuction } from "../../src/auction/mechanism.js";
import type { RulingEvent, SampleEvent, TraceEvent } from "../../src/auction/trace.js";
import { marketArbitrary } from "../../src/market/generators.js";
import type { Market } from "../../src/market/market.js";
import { mechanisms } from "../../src/mechanisms/index.js";
import { marketOf } from "../mechanisms/hand-solved.js";

interface Traced {
  readonly outcome: Outcome;
  readonly events: readonly TraceEvent[];
  readonly rulings: readonly RulingEvent[];
}

function traced(mechanism: AnyMechanism, market: Market): Traced {
  const events: TraceEvent[] = [];
  const outcome = runAuction(mechanism, market, [], (event) => events.push(event));
  return { outcome, events, rulings: events.filter((event) => event.kind === "ruling") };
}

const markets = marketArbitrary({ minWorkers: 1, maxWorkers: 8, maxRounds: 5, maxRatio: 0.5 });

const all = Object.values<AnyMechanism>(mechanisms).map((mechanism) => [mechanism.name, mechanism] as const);

describe.each(all)("%s", (_, mechanism) => {
  it("tells rulings that lead to the outcome: the last one on a worker says what it is paid", () => {
    fc.assert(
      fc.property(markets, (market) => {
        const { outcome, events, rulings } = traced(mechanism, market);
        const starts = events.flatMap((event) => (event.kind === "start" ? event.payments : []));
        const first = new Map(starts.map(({ worker }) => [worker, 1]));
        const paid = new Map(starts.map(({ worker, payment }) => [worker, payment]));
        for (const { worker, round, ruling, payment } of rulings) {
          if ((ruling === "admitted" || ruling === "hired") && !first.has(worker)) first.set(worker, round);
          paid.set(worker, payment);
        }
        for (const { id, payment, selectedAt } of outcome.workers) {
          expect(payment).toBeCloseTo(paid.get(id) ?? 0, 9);
          expect(selectedAt).toBe(first.get(id) ?? null);
        }
      }),
    );
  });

  it("[M9] [M10] records a budget event for every ruling that money made, in their order", () => {
    fc.assert(
      fc.property(markets, (market) => {
        const { outcome, rulings } = traced(mechanism, market);
        const byMoney = (kinds: readonly string[]) => (one: { kind: string }) => kinds.includes(one.kind);
        const told = rulings.map(({ ruling, round, worker }) => ({ round, worker, kind: ruling }));
        const kinds = ["refused", "capped"];
        expect(outcome.budgetEvents.filter(byMoney(kinds))).toEqual(told.filter(byMoney(kinds)));
      }),
    );
  });

  it("[M8]–[M10] rules as the numbers it tells say", () => {
    fc.assert(
      fc.property(markets, (market) => {
        const slack = 1e-9 * market.rules.budget;
        for (const event of traced(mechanism, market).rulings) expectConsistent(event, slack);
      }),
    );
  });

  it("[M13] marks a knife edge where a comparison is equal, and none where all are far from it", () => {
    fc.assert(
      fc.property(markets, (market) => {
        const { budget } = market.rules;
        for (const event of traced(mechanism, market).rulings) {
          const { density, threshold, promised, need, left, knifeEdge, ruling } = event;
          const [by, fit] = [promised ?? density, Math.abs(need - left)];
          const far = (a: number, b: number) => Math.abs(a - b) > 1e-6 * (a + b);
          const priced = threshold === null || (far(by, threshold) && far(density, threshold));
          if (priced && fit > 1e-6 * budget && Math.abs(left) > 1e-6 * budget) expect(knifeEdge).toBe(false);
          if (by === threshold && ruling !== "dear") expect(knifeEdge).toBe(true);
          if (fit === 0 && need > 0) expect(knifeEdge).toBe(true);
        }
      }),
    );
  });
});

function expectConsistent(event: RulingEvent, slack: number): void {
  const { ruling, density, threshold, promised, need, left, payment } = event;
  const most = threshold ?? Number.POSITIVE_INFINITY;
  if (ruling === "dear") {
    if (threshold !== null) expect(density).toBeGreaterThan(threshold);
    expect(need).toBe(0);
    return;
  }
  if (ruling === "hired") {
    expect([left, promised, payment]).toEqual([0, null, need]);
    return;
  }
  if (ruling === "admitted" || ruling === "refused") {
    expect(density).toBeLessThanOrEqual(most * (1 + 1e-9));
    expect(promised).toBeNull();
    expect(ruling === "admitted" ? need - left : left - need).toBeLessThanOrEqual(slack);
    if (ruling === "admitted") expect(payment).toBeGreaterThanOrEqual(need - slack);
    return;
  }
  expect(promised).not.toBeNull();
  if (ruling === "kept") expect(most).toBeLessThanOrEqual(promised! * (1 + 1e-9));
  else expect(most).toBeGreaterThan(promised!);
  if (ruling === "raised") expect(need).toBeLessThanOrEqual(left + slack);
  if (ruling === "capped") expect(need).toBeGreaterThan(left - slack);
}

const numbers = ({ rulings }: Traced) =>
  rulings.map(({ round, worker, ruling, need, left, payment, promised }) => ({
    round,
    worker,
    ruling,
    need: expect.closeTo(need, 12) as number,
    left: expect.closeTo(left, 12) as number,
    payment: expect.closeTo(payment, 12) as number,
    promised,
  }));

describe("numbers worked out by hand", () => {
  it("fixed-threshold: 0.75 per unit of reputation and remaining round, out of the whole budget", () => {
    // B = 4, T = 2. By reputation: worker 1 (2) takes 2 · 2 · 0.75 = 3; worker 0 (1) would take 1.5 of the 1 left; worker 2
    // asks a density of 1. In round 2 worker 0 takes 0.75 of the 1 left.
    const market = marketOf(4, 2, [
      [1, 0.5, 1],
      [2, 0.5, 1],
      [0.5, 0.5, 1],
    ]);
    const expected = [
      { round: 1, worker: 1, ruling: "admitted", need: 3, left: 4, payment: 3, promised: null },
      { round: 1, worker: 0, ruling: "refused", need: 1.5, left: 1, payment: 0, promised: null },
      { round: 1, worker: 2, ruling: "dear", need: 0, left: 1, payment: 0, promised: null },
      { round: 2, worker: 1, ruling: "kept", need: 0, left: 1, payment: 3, promised: 0.75 },
      { round: 2, worker: 0, ruling: "admitted", need: 0.75, left: 1, payment: 0.75, promised: null },
      { round: 2, worker: 2, ruling: "dear", need: 0, left: 0.25, payment: 0, promised: null },
    ];
    expect(expected).toEqual(numbers(traced(mechanisms["fixed-threshold"], market)));
  });

  it("bid-greedy: the price for all rounds, out of the whole budget, at no threshold", () => {
    const market = marketOf(4, 2, [
      [1, 0.5, 2],
      [2, 1.6, 1],
      [1, 1.5, 1],
    ]);
    const { rulings } = traced(mechanisms["bid-greedy"], market);
    expect(rulings.map(({ threshold, group, knifeEdge }) => [threshold, group, knifeEdge])).toEqual([
      [null, null, false],
      [null, null, true],
      [null, null, false],
    ]);
    const expected = [
      { round: 1, worker: 0, ruling: "admitted", need: 1, left: 4, payment: 1, promised: null },
      { round: 1, worker: 2, ruling: "admitted", need: 3, left: 3, payment: 3, promised: null },
      { round: 1, worker: 1, ruling: "refused", need: 3.2, left: 0, payment: 0, promised: null },
    ];
    expect(expected).toEqual(numbers({ rulings } as Traced));
  });

  it("two-stage: one sample of the first half, β = B/T for one round ([M3])", () => {
    // T = 4: workers 0 and 1 are the sample, β = 8/4 = 2. Densities 0.5 and 1: 0.5 · 2 ≤ 2, then 1 · (1 + 2) > 2. ρ* = min(2/2, 1).
    const market = marketOf(8, 4, [
      [2, 1, 1],
      [1, 1, 2],
      [1, 0.6, 3],
    ]);
    const { events, outcome } = traced(mechanisms["two-stage"], market);
    const [sample] = events.filter((event): event is SampleEvent => event.kind === "sample");
    expect(sample).toMatchObject({
      round: 2,
      share: {
        budget: 2,
        roundsBought: 1,
        pool: [0, 1],
        taken: [0],
        reputation: 2,
        byBudget: 1,
        next: { worker: 1, density: 1, cost: 3 },
        density: 1,
      },
    });
    // Worker 2 comes in round 3 and works two rounds at 1.
    expect(outcome.workers[2]).toMatchObject({ selectedAt: 3, rounds: 2, payment: 2 });
  });
});
