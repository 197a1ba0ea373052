import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { simplest } from "../../src/auction/best-price.js";
import type { AnyMechanism } from "../../src/auction/mechanism.js";
import type { BestLie, Response } from "../../src/auction/response.js";
import { type Market, paperRules, workerOf } from "../../src/market/market.js";
import { mechanismNamed, mechanisms } from "../../src/mechanisms/index.js";
import { bestResponses, isExact } from "../../src/responses/index.js";
import { Deviation } from "../../src/responses/search.js";
import { tiedMarkets } from "../tied-markets.js";

const exactMechanisms: AnyMechanism[] = [
  // Gains without a bound are tested where bounds are.
  ...Object.values(mechanisms).filter((one) => isExact(one) && !/first-(price|score)$/.test(one.name)),
  mechanismNamed("online:reading=pseudocode,firstRoundRatio=0.7"),
  mechanismNamed("online:minWorkers=3"),
];

/** Told to the mechanism, the lie brings what it is said to bring, and is not the truth. */
function expectReplay(mechanism: AnyMechanism, market: Market, response: Response, lie: BestLie): void {
  const { id, truthful } = response;
  const { cost, arrival } = workerOf(market, id);
  const told = new Deviation(mechanism, market, workerOf(market, id)).utility(lie.price, lie.arrival);
  const within = lie.attained ? 1e-12 * market.rules.budget : 1e-9 * size(lie.utility, truthful);
  expect(Math.abs(told - lie.utility)).toBeLessThanOrEqual(within);
  expect([lie.price, lie.arrival]).not.toEqual([cost, arrival]);
}

const size = (...amounts: number[]): number => Math.max(...amounts.map(Math.abs));

function expectAllReplay(mechanism: AnyMechanism, market: Market): void {
  for (const response of bestResponses(market, { mechanism }).workers) {
    const { gain, priceGain, timeGain, truthful, best, bestPrice, bestTime } = response;
    if (gain > 0) expectReplay(mechanism, market, response, best);
    for (const [lie, part] of [
      [bestPrice, priceGain],
      [bestTime, timeGain],
    ] as const) {
      expect(lie === null).toBe(part === 0);
      if (lie === null) continue;
      expectReplay(mechanism, market, response, lie);
      expect(lie.utility - truthful).toBeCloseTo(part, 12);
      expect(gain).toBeGreaterThanOrEqual(part * (1 - 1e-12));
    }
  }
}

describe("[M13] whatever lie is named replays, in markets full of ties and decimals", () => {
  it.each(exactMechanisms.map((mechanism) => [mechanism.name, mechanism] as const))("%s", (_, mechanism) => {
    const numRuns = mechanism === mechanisms.online ? 12_000 : 1_500;
    fc.assert(
      fc.property(tiedMarkets(), (market) => expectAllReplay(mechanism, market)),
      { numRuns },
    );
  });

  it("a best price that the true one ties with is another one: 0.3 · 3 is less than 0.9 in floating point", () => {
    const rules = { budget: 6, rounds: 2, ...paperRules, firstRoundRatio: 0.5 } as const;
    const workers = [
      { id: 0, reputation: 3, cost: 0.9, arrival: 2 },
      { id: 1, reputation: 2, cost: 0, arrival: 2 },
    ];
    const [{ gain, best }] = bestResponses({ rules, workers }).workers as [Response];
    expect(gain).toBeCloseTo(0.15, 12);
    expect(best.price).toBeGreaterThan(0.9);
    expectAllReplay(mechanisms.online, { rules, workers });
  });
});

describe("the price with the fewest digits inside a stretch", () => {
  it.each([
    [0.12, 0.9, 0.2],
    [0.051, 0.2, 0.1],
    [0, 0.37, 0.1],
    [0.3, 0.3004, 0.3001],
    [3.7, Number.POSITIVE_INFINITY, 4],
    [4, Number.POSITIVE_INFINITY, 5],
  ])("of (%d, %d) is %d", (low, high, price) => {
    expect(simplest(low, high)).toBe(price);
  });

  it("scales with the stretch, and is well inside it", () => {
    const decimal = fc.integer({ min: 1, max: 9999 });
    fc.assert(
      fc.property(decimal, decimal, fc.integer({ min: -12, max: 9 }), (a, b, power) => {
        fc.pre(a !== b);
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        const scaled = (k: number) => Number(`${k}e${power}`);
        expect(simplest(scaled(low), scaled(high))).toBe(Number(`${simplest(low, high)}e${power}`));
        expect(simplest(low, high)).toBeGreaterThan(low);
        expect(simplest(low, high)).toBeLessThan(high);
      }),
    );
  });
});
