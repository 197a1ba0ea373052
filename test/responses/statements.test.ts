/** The statements on any number of workers, on a fixed part of the markets that the long tests draw; and the controls. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exactOutcome, exactUtility } from "../../src/auction/exact.js";
import { allotmentOf } from "../../src/auction/outcome.js";
import { type Fraction, fraction, parseFraction } from "../../src/lib/fraction.js";
import { type Bid, bidders, delays, type Market, paperRules, workerOf } from "../../src/market/market.js";
import { online } from "../../src/mechanisms/online/online.js";
import { prove } from "../../src/proofs/prove.js";
import type { Shape } from "../../src/proofs/shape.js";
import { bestResponses } from "../../src/responses/index.js";
import { holdStatements, type Spoken, statementMarkets } from "./statements.js";

it("[M5]–[M11] hold for a worker whom money never turned down: no lie gains that keeps the start, nor where the paper is read so, one that delays it", () => {
  const spoken: Spoken = { kept: 0, delayed: 0, apart: 0, gaining: 0 };
  for (const { market, worker } of fc.sample(statementMarkets, { seed: 1, numRuns: 900 }))
    holdStatements(market, worker, spoken);
  for (const count of Object.values(spoken)) expect(count).toBeGreaterThan(5);
});

/** What a lie gains, in fractions. */
function exactGain(market: Market, lie: Bid): Fraction {
  const { cost } = workerOf(market, lie.worker);
  const [lying, honest] = [[lie], []].map((bids: readonly Bid[]) => {
    const outcome = exactOutcome(online, market.rules, bidders(market.workers, bids));
    return exactUtility(cost, allotmentOf(outcome, lie.worker));
  });
  return lying!.sub(honest!);
}

describe("the controls gain what is stated, so none of the conditions is idle:", () => {
  const shape = (workers: number, rounds: number, rules: Partial<Shape> = {}): Shape => ({
    ...{ ...paperRules, mechanism: online, rounds, firstRoundRatio: fraction(7, 20) },
    reputations: Array.from({ length: workers }, () => fraction(1)),
    ...rules,
  });
  const worstOf = (about: Shape, start: "kept" | "moved", regime: readonly string[]) =>
    prove(about, ["joint"])
      .filter((claim) => claim.start === start && regime.includes(claim.regime))
      .map(({ worst }) => parseFraction(worst))
      .reduce((a, b) => (b.gt(a) ? b : a))
      .toFraction();

  it("[M9] [M10] 13/40 with the start kept where money turns the worker down, and nothing where it does not", () => {
    const about = shape(3, 2);
    expect(worstOf(about, "kept", ["tight", "late and tight"])).toBe("13/40");
    expect(worstOf(about, "kept", ["sufficient", "late start"])).toBe("0");
  });

  it("[M4] [M6] 3/40 by delaying a start that is postponed, where a sample is empty; nothing where it is shortened", () => {
    expect(worstOf(shape(2, 3), "moved", ["sufficient"])).toBe("3/40");
    expect(worstOf(shape(2, 3, { delay: "shorten" }), "moved", ["sufficient"])).toBe("0");
  });

  it("[M6] 28 % of the budget by delaying a start that is concentrated: all of B1 for the last round alone", () => {
    const market: Market = {
      rules: { ...paperRules, budget: 20, rounds: 5, delay: "concentrate" },
      workers: [{ id: 0, reputation: 1, cost: 1.4, arrival: 1 }],
    };
    expect(exactGain(market, { worker: 0, price: 1.4, arrival: 5 }).toFraction()).toBe("28/5");
    const [best] = bestResponses(market).workers;
    expect(best).toMatchObject({ regime: "sufficient", pivotal: true, gain: expect.closeTo(5.6, 9) });
    const shortened = { ...market, rules: { ...market.rules, delay: "shorten" } as const };
    expect(bestResponses(shortened).workers[0]!.gain).toBe(0);
  });

  it("[M5] by the prose a density of 3/5 is refused, and 1/2 is paid 1", () => {
    const rules = { ...paperRules, budget: 1, rounds: 1, firstRoundRatio: 1 };
    const market = (firstStep: "algorithm" | "prose"): Market => ({
      rules: { ...rules, firstStep },
      workers: [{ id: 0, reputation: 1, cost: 0.6, arrival: 1 }],
    });
    const lie = { worker: 0, price: 0.5, arrival: 1 };
    // It is taken then and paid 1, where the truth is left out: 1 − 3/5.
    expect(exactGain(market("prose"), lie).toFraction()).toBe("2/5");
    expect(exactGain(market("algorithm"), lie).toFraction()).toBe("0");
    const [best] = bestResponses(market("prose")).workers;
    expect(best!.gain).toBeCloseTo(0.4, 12);
  });

  it.each(delays)("[M6] forcing an earlier start gains 3/2, delay %s", (delay) => {
    const types = [
      [0, 1, 2 / 3, 1],
      [2, 3, 1 / 2, 1],
      [5, 3, 1 / 3, 3],
      [7, 1, 3 / 2, 1],
    ] as const;
    // Three times the amounts of the statement, so that all are decimals: gains are three times as large.
    const market: Market = {
      rules: { ...paperRules, budget: 36, rounds: 3, firstRoundRatio: 1 / 3, delay },
      workers: types.map(([id, reputation, density, arrival]) => ({
        id,
        reputation,
        cost: Math.round(3 * density * reputation * 2) / 2,
        arrival,
      })),
    };
    expect(exactGain(market, { worker: 0, price: 0, arrival: 1 }).toFraction()).toBe("9/2");
  });
});
