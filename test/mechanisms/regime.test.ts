import { describe, expect, it } from "vitest";
import { bestResponses, pieceResponses } from "../../src/best-response/index.js";
import { bidders, type Market, type Rules } from "../../src/market/market.js";
import { exactOutcome } from "../../src/mechanisms/exact.js";
import { hold } from "../../src/mechanisms/mechanism.js";
import { online } from "../../src/mechanisms/online.js";
import { regimeOf } from "../../src/mechanisms/outcome.js";
import { explain } from "../../src/verdicts/explain.js";

const rulesOf = (budget: number, rounds: number, firstRoundRatio: number): Rules => ({
  budget,
  rounds,
  firstRoundRatio,
  minWorkers: 1,
  reading: "prose",
});

const worker = (id: number, reputation: number, cost: number, arrival: number) => ({
  id,
  reputation,
  cost,
  arrival,
});

describe("[M10] a worker whose group was denied a raise because nothing was left", () => {
  /*
   * First: B1 = 2 goes to worker 1, all of its group's half; worker 0 then sets 1 / 0.5 = 2 for it.
   * Second: B1 = 0.9 buys workers 0 and 2 at ρ* = 0.9 / (4 · 1.8) = 0.125, so that group 0 has 1 − 0.9 = 0.1 left. In
   * round 2 worker 1 sets 19/120, and raising worker 2 costs (19/120 − 0.125) · 1 · 3 = 0.1: exactly what is left.
   */
  const cases: { market: Market; liar: number; price: number; gain: number }[] = [
    {
      market: { rules: rulesOf(4, 2, 0.5), workers: [worker(0, 0.5, 1, 1), worker(1, 1, 1, 1)] },
      liar: 1,
      price: 2,
      gain: 1,
    },
    {
      market: {
        rules: rulesOf(2, 4, 0.45),
        workers: [worker(0, 0.8, 0.1, 1), worker(1, 1, 0, 2), worker(2, 1, 0, 1)],
      },
      liar: 0,
      price: 0.12,
      gain: 0.1,
    },
  ];

  it.each(cases)(
    "is in a tight market, and may gain by a lie that keeps the start (worker $liar)",
    ({ market, liar, price, gain }) => {
      const { budgetEvents } = hold(online, market);
      expect(budgetEvents.some(({ kind }) => kind === "denied")).toBe(true);
      expect(exactOutcome(online, market.rules, bidders(market.workers)).budgetEvents).toEqual(budgetEvents);
      expect(regimeOf(hold(online, market), liar)).toBe("tight");
      for (const { workers } of [bestResponses(market), pieceResponses(market, online)])
        expect(workers.find(({ id }) => id === liar)!.regime).toBe("tight");
      expect(explain(market, { worker: liar, price, arrival: 1 }).gain).toBeCloseTo(gain, 12);
    },
  );
});
