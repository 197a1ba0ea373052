/** Prices that a person can say, from stretches of densities. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BestStretch, priceOf, simplest } from "../../src/auction/best-price.js";
import { runAuction } from "../../src/auction/mechanism.js";
import { workerUtility } from "../../src/auction/outcome.js";
import { marketArbitrary } from "../../src/market/generators.js";
import type { Worker } from "../../src/market/market.js";
import { online } from "../../src/mechanisms/online/online.js";
import { bestResponses } from "../../src/responses/index.js";

const worker = (reputation: number, cost: number): Worker => ({ id: 0, reputation, cost, arrival: 1 });

const stretch = (part: Partial<BestStretch>): BestStretch => ({
  arrival: 2,
  utility: 3,
  attained: true,
  low: 1,
  high: 2,
  x: 1.5,
  density: 1,
  slope: 0,
  ...part,
});

const priced = (part: Partial<BestStretch>, reputation = 1, cost = 100): number =>
  priceOf(stretch(part), worker(reputation, cost)).price;

describe("a price on a stretch that is attained", () => {
  it("comes with the arrival, the utility and the flag of the stretch", () => {
    expect(priceOf(stretch({}), worker(1, 1.25))).toEqual({
      price: 1.25,
      arrival: 2,
      utility: 3,
      attained: true,
    });
    expect(priceOf(stretch({ attained: false, slope: 1 }), worker(1, 1.25)).attained).toBe(false);
  });

  it("of a single density is the decimal that it was meant to be", () => {
    expect(priced({ low: 0.2, high: 0.2 }, 3)).toBe(0.6);
    expect(priced({ low: 0.1, high: 0.1 }, 7)).toBe(0.7);
  });

  it("is the cost where the cost lies inside, and not where it ties with an end ([M13])", () => {
    expect(priced({ low: 0.3, high: 1 }, 3, 2.7)).toBe(2.7);
    expect(priced({ low: 0.3, high: 1 }, 3, 0.9)).not.toBe(0.9);
    expect(priced({ low: 0.1, high: 0.3 }, 3, 0.9)).not.toBe(0.9);
    expect(priced({ low: 0.3, high: 1 }, 3, 0.5)).not.toBe(0.5);
    expect(priced({ low: 0.3, high: 1 }, 3, 3.5)).not.toBe(3.5);
  });

  it("is else the number of the fewest digits inside", () => {
    expect(priced({ low: 0.123, high: 0.391 })).toBe(0.2);
    expect(priced({ low: 0.123, high: 0.391 }, 10)).toBe(2);
    expect(priced({ low: 2, high: Number.POSITIVE_INFINITY, x: 4 }, 1, 0)).toBe(3);
  });

  it("is the middle where no number of few digits lies between two that tie", () => {
    const [low, high] = [1, 1 + 1.5e-12];
    expect(priced({ low, high, x: low + 0.75e-12 }, 2)).toBe(2 * (low + 0.75e-12));
  });
});

describe("a price near an open end that is not attained", () => {
  const near = (part: Partial<BestStretch>, reputation = 1) =>
    priced({ attained: false, ...part }, reputation);

  it("lies inside: below the end where utility rises, above it where it falls", () => {
    const rising = near({ slope: 1, density: 2 });
    expect(rising).toBeLessThan(2);
    expect(2 - rising).toBeCloseTo(1e-9, 12);
    const falling = near({ slope: -1, density: 1 });
    expect(falling).toBeGreaterThan(1);
    expect(falling - 1).toBeCloseTo(0.5e-9, 12);
  });

  it("comes the closer the steeper the slope: utility misses the supremum by half a billionth at most", () => {
    for (const [slope, reputation] of [
      [50, 1],
      [-50, 1],
      [50, 4],
      [-8, 0.5],
    ] as const) {
      const density = slope > 0 ? 2 : 1;
      const price = near({ slope, density, utility: 3 }, reputation);
      const missed = Math.abs(density - price / reputation) * Math.abs(slope);
      expect(missed).toBeGreaterThan(0);
      expect(missed).toBeLessThanOrEqual(0.51e-9 * 3 * (1 + 1e-3));
    }
  });

  it("keeps clear of a tie with the end ([M13]), where utility is next to nothing too", () => {
    const price = near({ slope: 1, density: 2, utility: 1e-9 });
    expect(2 - price).toBeGreaterThan(2e-12);
    expect(2 - price).toBeLessThan(2e-11);
  });

  it("at density 0 is measured by the other end", () => {
    const price = near({ slope: -1, density: 0, low: 0, high: 2, utility: 5 });
    expect(price).toBeGreaterThan(0);
    expect(price).toBeCloseTo(1e-9, 12);
    expect(near({ slope: -1, density: 0, low: 0, high: 2, utility: 5 }, 3)).toBeCloseTo(3e-9, 12);
  });

  it("is the middle of a stretch that is narrower", () => {
    const width = 4e-10;
    const price = near({ slope: 1, low: 2 - width, high: 2, density: 2 });
    expect(2 - price).toBeCloseTo(width / 2, 13);
  });
});

describe("the simplest number between two", () => {
  it.each([
    [0, 1, 0.1],
    [0.31, 0.39, 0.32],
    [0.299, 0.311, 0.3],
    [17, 93, 20],
    [95, 105, 100],
    [99.5, 100, 99.6],
    [0, Number.POSITIVE_INFINITY, 1],
    [7, Number.POSITIVE_INFINITY, 8],
    [70, Number.POSITIVE_INFINITY, 80],
    [0.045, Number.POSITIVE_INFINITY, 0.05],
  ])("%d and %d is %d", (low, high, expected) => {
    expect(simplest(low, high)).toBe(expected);
  });

  it("lies strictly between them, however near they are, and away from both where there is room", () => {
    const positive = fc.double({ min: 1e-6, max: 1e6, noNaN: true });
    const width = fc.constantFrom(1e-11, 1e-9, 1e-6, 1e-3, 1);
    fc.assert(
      fc.property(positive, width, (low, relative) => {
        const high = low * (1 + relative);
        const value = simplest(low, high);
        expect(value > low && value < high).toBe(true);
        if (relative >= 1e-6) {
          expect(value - low).toBeGreaterThanOrEqual(0.99e-9 * high);
          expect(high - value).toBeGreaterThanOrEqual(0.99e-9 * high);
        }
        expect(simplest(low, Number.POSITIVE_INFINITY)).toBeGreaterThan(low);
      }),
      { numRuns: 300 },
    );
  });

  it("lies between them even where they are a few steps of floating point apart", () => {
    const steps = fc.integer({ min: 1, max: 8 });
    fc.assert(
      fc.property(fc.double({ min: 1, max: 1e9, noNaN: true }), steps, (low, count) => {
        const high = low + count * 2 ** (Math.floor(Math.log2(low)) - 52);
        const value = simplest(low, high);
        expect(value >= low && value <= high, JSON.stringify([low, high, value])).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

it("a price for a supremum that no price attains brings all but a billionth of it, from the end where it lies", () => {
  let unattained = 0;
  const markets = marketArbitrary({ minWorkers: 2, maxWorkers: 8, maxRounds: 5, numbers: "both" });
  fc.assert(
    fc.property(markets, (market) => {
      for (const { id, best } of bestResponses(market).workers) {
        if (best.attained) continue;
        unattained++;
        const bid = { worker: id, price: best.price, arrival: best.arrival };
        const allotment = runAuction(online, market, [bid]).workers.find((one) => one.id === id)!;
        const utility = workerUtility(market.workers.find((one) => one.id === id)!, allotment);
        expect(Math.abs(utility - best.utility)).toBeLessThanOrEqual(1e-8 * Math.max(1, market.rules.budget));
      }
    }),
    { numRuns: 1500 },
  );
  expect(unattained).toBeGreaterThan(5);
});
