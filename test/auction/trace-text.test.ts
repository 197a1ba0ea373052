import { describe, expect, it } from "vitest";
import { type AnyMechanism, runAuction } from "../../src/auction/mechanism.js";
import { type TraceEvent, traceText } from "../../src/auction/trace.js";
import { bidders, type Market, paperRules, type Rules } from "../../src/market/market.js";
import { mechanisms } from "../../src/mechanisms/index.js";

/** Workers as [id, reputation, cost, arrival]. */
function market(
  workers: readonly (readonly [number, number, number, number])[],
  rules: Partial<Rules> = {},
): Market {
  return {
    rules: { budget: 10, rounds: 3, ...paperRules, ...rules },
    workers: workers.map(([id, reputation, cost, arrival]) => ({ id, reputation, cost, arrival })),
  };
}

function trace(of: Market, mechanism: AnyMechanism = mechanisms.online): string {
  const events: TraceEvent[] = [];
  runAuction(mechanism, of, [], (event) => events.push(event));
  return traceText(events, { rules: of.rules, bidders: bidders(of.workers) });
}

describe("the trace in words", () => {
  it("[M3] tells who is taken, who is not, and which term sets the density", () => {
    const text = trace(
      market(
        [
          [0, 1, 0.5, 1],
          [1, 1, 0.6, 1],
          [2, 1, 3, 1],
        ],
        { budget: 12 },
      ),
    );
    expect(text.split("\n\n")[0]).toBe(`Start at clock 1: B1 = 0.35 · 12 = 4.2 for 3 rounds [M5]
  taken      0 (0.5), 1 (0.6)
             Σ Re = 2; the last is 1: 3 · 0.6 · 2 = 3.6 ≤ 4.2
  not taken  2 (3)
             the first is 2: 3 · 3 · (1 + 2) = 27 > 4.2
  ρ*         min(4.2 / (3 · 2) = 0.7, ρ of 2 = 3) = 0.7, set by the budget
  selected   0 gets 3 · 1 · 0.7 = 2.1, 1 gets 3 · 1 · 0.7 = 2.1
  spent      4.2`);
  });

  it("[M3] names the worker that sets the density, also when nobody is taken", () => {
    expect(
      trace(
        market([
          [0, 1, 0.5, 1],
          [1, 1, 0.9, 1],
        ]),
      ),
    ).toContain("ρ*         min(3.5 / (3 · 1) = 1.1667, ρ of 1 = 0.9) = 0.9, set by worker 1");
    expect(trace(market([[0, 1, 9, 1]], { minWorkers: 0 }))).toContain(
      "ρ*         ρ of 0 = 9, for nobody is taken",
    );
  });

  it("[M4] tells that there is no threshold", () => {
    const text = trace(
      market([
        [0, 1, 0.5, 1],
        [2, 1, 0.5, 3],
      ]),
    );
    expect(text).toContain("Sample of group 1: 1.125 for one round [M3]\n    nobody has arrived");
    expect(text).toContain("Group 0: no threshold from group 1, nobody is judged [M4]");
  });

  it("[M6] tells of a start that moves, and of a task that never starts", () => {
    const text = trace(
      market(
        [
          [0, 1, 0.5, 1],
          [1, 1, 9, 2],
        ],
        { minWorkers: 2 },
      ),
    );
    expect(text).toContain("1 taken, 2 needed: nobody is selected; the start moves to clock 2 [M6]");
    expect(text).toContain(
      "1 taken, 2 needed: nobody is selected; there is nobody left to wait for: the task never starts [M6]",
    );
    expect(text).not.toContain("Round");
  });

  it("[M6] shows the clock beside the round when the start was late", () => {
    const text = trace(
      market([
        [0, 1, 0.1, 2],
        [1, 1, 0.1, 3],
      ]),
    );
    expect(text).toContain("Start at clock 1: B1 = 0.35 · 10 = 3.5 for 3 rounds [M5]\n  nobody has arrived");
    expect(text).toContain("Round 2, clock 3: B' = (3.5 + 6.5 · 1/2) / 3 = 2.25 [M7]\n  arrived: 1");
  });

  it("[M10] tells of a raise that is denied because nothing is left", () => {
    const text = trace(
      market(
        [
          [0, 1, 0.1, 1],
          [2, 0.1, 0.01, 1],
          [1, 1, 0.2, 1],
          [3, 1, 2.9, 1],
        ],
        { budget: 6, firstRoundRatio: 0.9, rounds: 2 },
      ),
    );
    expect(text).toMatch(/denied a raise, for nothing is left \[M10\]: \d/);
  });

  it("[M11] lowers a payment under the pseudocode when the group has overspent", () => {
    const text = trace(
      market(
        [
          [0, 1, 0.1, 1],
          [2, 1, 0.2, 1],
          [1, 0.1, 0.4, 2],
        ],
        {
          budget: 6,
          firstRoundRatio: 0.9,
          rounds: 2,
          reading: "pseudocode",
        },
      ),
    );
    expect(text).toMatch(/capped \[M10\] .* > -2.4 left: 2.7 → 0.3\d*, 0 left/);
  });

  it("[M13] shows every digit where a decision hangs, and marks it", () => {
    const text = trace(
      market(
        [
          [0, 1, 1 / 3, 1],
          [1, 1, 1 / 3 + 1e-13, 2],
        ],
        { budget: 20 },
      ),
    );
    expect(text).not.toContain("knife edge");
    const edge = trace(
      market([
        [0, 1, 7 / 6, 1],
        [1, 1, 5, 1],
      ]),
    );
    expect(edge).toContain("the last is 0: 3 · 1.1666666666666667 · 1 = 3.5 ≤ 3.5");
    expect(edge).toMatch(/set by the budget {2}◄ knife edge \[M13\]/);
  });

  it("wraps long lists", () => {
    const many = market(
      Array.from({ length: 60 }, (_, id) => [id, 0.5, 0.1 + id / 1000, 1] as const),
      { budget: 100 },
    );
    for (const line of trace(many).split("\n")) expect(line.length).toBeLessThanOrEqual(125);
  });

  it("cites the rules of judging groups only where groups judge", () => {
    const text = trace(
      market([
        [0, 1, 0.5, 1],
        [1, 0.5, 2, 1],
      ]),
      mechanisms["fixed-threshold"],
    );
    expect(text).toContain(
      "Round 1\n    0 admitted        3 · 1 · 0.75 = 2.25 ≤ 10 left: gets 2.25, 7.75 left\n    too dear: 1 (4)",
    );
    expect(text).not.toMatch(/\[M([89]|10|11)\]/);
  });

  it.each(Object.entries(mechanisms))("follows %s without a gap", (_, mechanism) => {
    const text = trace(
      market([
        [0, 0.9, 0.4, 1],
        [1, 0.8, 0.2, 1],
        [2, 0, 0.1, 1],
        [3, 0.4, 0.5, 2],
        [4, 0.7, 0.1, 2],
      ]),
      mechanism,
    );
    expect(text).not.toMatch(/undefined|NaN|null|\[object/);
    expect(text.length).toBeGreaterThan(50);
  });
});
