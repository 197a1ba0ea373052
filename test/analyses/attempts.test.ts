import { describe, expect, it } from "vitest";
import { attempts } from "../../analyses/frontier/attempts.js";
import type { Mechanism } from "../../src/auction/mechanism.js";
import type { Market } from "../../src/market/market.js";
import { bestResponses } from "../../src/responses/index.js";
import { mechanismContract } from "../../src/verdicts/contracts.js";
import { confirm } from "../../src/verdicts/counterexamples/violations.js";

it.each(attempts.map((attempt) => [attempt.mechanism.name, attempt] as const))(
  "%s is an auction that keeps its budget, and no lie gains unless it says in which market",
  (_, { mechanism, breaksIn }) => {
    const honest = breaksIn ? mechanism : { ...mechanism, truthful: "Held to it here." };
    for (const { run } of mechanismContract(honest, { runs: 60 })) run();
  },
);

const broken = attempts.flatMap(({ mechanism, breaksIn }): [string, Mechanism, Market][] =>
  breaksIn ? [[mechanism.name, mechanism, breaksIn]] : [],
);

describe("attempts that break", () => {
  it.each(broken)("%s: a lie gains in its market, also in exact fractions", (_, mechanism, market) => {
    const { workers, exact } = bestResponses(market, { mechanism });
    const { id, gain, regime, best } = workers.reduce((a, b) => (b.gain > a.gain ? b : a));
    expect(exact).toBe(true);
    expect(gain).toBeGreaterThan(0.05 * market.rules.budget);
    const lie = { worker: id, price: best.price, arrival: best.arrival };
    const violation = {
      property: "joint",
      worker: id,
      regime,
      lie,
      amount: gain,
      startMoved: false,
    } as const;
    expect(confirm(mechanism, market, violation)).toBe(true);
  });
});
