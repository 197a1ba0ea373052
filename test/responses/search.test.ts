/** Where the search looks: mechanisms that pay at one price only, of which nothing is known but what they decide. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Mechanism, TraceSink } from "../../src/auction/mechanism.js";
import type { Share } from "../../src/auction/trace.js";
import { type Market, paperRules } from "../../src/market/market.js";
import { searchResponses } from "../../src/responses/search.js";

const BUDGET = 10;

const market: Market = {
  rules: { ...paperRules, budget: BUDGET, rounds: 3 },
  workers: [
    { id: 4, reputation: 0.5, cost: 0.35, arrival: 1 },
    { id: 0, reputation: 0.7, cost: 0.2, arrival: 2 },
    { id: 2, reputation: 0, cost: 0.77, arrival: 1 },
  ],
};
const self = market.workers[1]!;

/** Pays the worker `utility(price)` on top of its cost for one round, wherever it is not null. */
const paying = (
  utility: (price: number, arrival: number) => number | null,
  tell?: (sink: TraceSink) => void,
): Mechanism => ({
  name: "by-price",
  about: "Pays by the price alone.",
  decide: (_, bids, trace) => {
    if (trace) tell?.(trace);
    return {
      started: true,
      startDelay: 0,
      workers: [...bids]
        .sort((a, b) => a.id - b.id)
        .map(({ id, price, arrival }) => {
          const earned = id === self.id ? utility(price, arrival) : null;
          return earned === null
            ? { id, selectedAt: null, rounds: 0, payment: 0 }
            : { id, selectedAt: 1, rounds: 1, payment: self.cost + earned };
        }),
      thresholds: [],
      budgetEvents: [],
    };
  },
});

const respond = (mechanism: Mechanism, effort?: number) =>
  searchResponses(market, { mechanism, workers: [self.id], ...(effort !== undefined && { effort }) });

/** What the search finds where one narrow stretch of prices pays 1. */
const found = (low: number, high: number, tell?: (sink: TraceSink) => void): number =>
  respond(paying((price) => (price >= low && price <= high ? 1 : null), tell)).workers[0]!.gain;

/** Just this price, up to rounding. */
const only = (price: number, tell?: (sink: TraceSink) => void) =>
  found(price * (1 - 1e-14), price * (1 + 1e-14), tell);

const share = (density: number | null, byBudget: number | null): Share => ({
  budget: 1,
  roundsBought: 1,
  pool: [],
  taken: [],
  reputation: 1,
  byBudget,
  next: null,
  density,
  knifeEdge: false,
});

const ruling = (threshold: number | null, left: number, round: number) => (sink: TraceSink) =>
  sink({
    kind: "ruling",
    ruling: "dear",
    round,
    worker: 4,
    group: null,
    density: 1,
    threshold,
    promised: null,
    need: 0,
    left,
    payment: 0,
    knifeEdge: false,
  });

describe("a price that alone gains is found", () => {
  it("at the price of another, and at its density ([M2])", () => {
    expect(only(0.35)).toBeCloseTo(1, 9);
    expect(only((0.35 / 0.5) * 0.7)).toBeCloseTo(1, 9);
    expect(only(0.77)).toBeCloseTo(1, 9);
  });

  it("just below and just above a tie", () => {
    expect(found(0.35 * (1 - 2e-9), 0.35 * (1 - 0.5e-9))).toBeCloseTo(1, 9);
    expect(found(0.35 * (1 + 0.5e-9), 0.35 * (1 + 2e-9))).toBeCloseTo(1, 9);
  });

  it("at 0, and above everything", () => {
    expect(found(0, 0)).toBeCloseTo(1, 9);
    expect(found(BUDGET + 1, 100)).toBeCloseTo(1, 9);
  });

  it("at a threshold of a ruling, and where a need uses up what is left", () => {
    expect(only(0.413 * 0.7, ruling(0.413, 0, 2))).toBeCloseTo(1, 9);
    expect(only(0.917 / 2, ruling(null, 0.917, 2))).toBeCloseTo(1, 9);
    expect(only(0.917 / 3, ruling(null, 0.917, 1))).toBeCloseTo(1, 9);
  });

  it("at what a sample sets, in a round, at the start or on its own", () => {
    const [one, two] = [share(0.511, 0.633), share(null, 0.871)];
    const round = (sink: TraceSink) =>
      sink({ kind: "round", round: 2, clock: 2, sampleBudget: 1, shares: [one, two], left: [1, 1] });
    for (const density of [0.511, 0.633, 0.871]) expect(only(density * 0.7, round)).toBeCloseTo(1, 9);
    const sample = (sink: TraceSink) => sink({ kind: "sample", round: 1, share: one });
    for (const density of [0.511, 0.633]) expect(only(density * 0.7, sample)).toBeCloseTo(1, 9);
  });

  it("and not where nothing points at it", () => {
    expect(only(0.4231)).toBe(0);
    expect(only(0.413 * 0.7)).toBe(0);
  });
});

describe("between two prices that are looked at", () => {
  it("a peak is approached from either side", () => {
    for (const peak of [0.05, 0.25, 0.41, 3, 9]) {
      const { gain, best } = respond(paying((price) => 5 - Math.abs(price - peak))).workers[0]!;
      const truthful = 5 - Math.abs(self.cost - peak);
      expect(gain).toBeCloseTo(5 - truthful, 6);
      expect(best.price).toBeCloseTo(peak, 6);
      expect(best.attained).toBe(true);
    }
  });

  it("a jump at the end of a slope is approached", () => {
    const { gain } = respond(paying((price) => (price < 0.3 ? price : null))).workers[0]!;
    expect(gain).toBeCloseTo(0.3 - self.cost, 6);
  });
});

describe("arrivals", () => {
  it("all from the true one on are tried; price and time are told apart", () => {
    const mechanism = paying((price, arrival) => (arrival === 3 ? 2 : price > 0.5 ? 1 : 0));
    expect(respond(mechanism).workers[0]).toMatchObject({
      gain: expect.closeTo(2, 9),
      priceGain: expect.closeTo(1, 9),
      timeGain: expect.closeTo(2, 9),
      bestTime: { price: self.cost, arrival: 3 },
    });
  });
});

describe("the effort", () => {
  const crowd: Market = {
    rules: { ...paperRules, budget: BUDGET, rounds: 2 },
    workers: Array.from({ length: 200 }, (_, id) => ({
      id,
      reputation: 0.5 + id / 400,
      cost: self.cost + id / 300,
      arrival: 1,
    })),
  };

  it("is about how many auctions are held for a worker", () => {
    const mechanism = paying((price) => (price > 0.2 && price < 0.9 ? price : null));
    const spent = [400, 800, 1600].map((effort) =>
      searchResponses(crowd, { mechanism, effort, workers: [0] }),
    );
    for (const [k, effort] of [400, 800, 1600].entries()) {
      expect(spent[k]!.evaluations).toBeLessThanOrEqual(effort + 200);
      expect(spent[k]!.evaluations).toBeGreaterThanOrEqual(effort / 2);
    }
  });

  it("however small, leaves both ends and something between", () => {
    const ends = (low: number, high: number) =>
      searchResponses(crowd, {
        mechanism: paying((price) => (price >= low && price <= high ? 1 : null)),
        effort: 1,
        workers: [0],
      });
    expect(ends(0, 0).workers[0]!.gain).toBeCloseTo(1, 9);
    expect(ends(BUDGET, 1000).workers[0]!.gain).toBeCloseTo(1, 9);
    expect(ends(0, 0).evaluations).toBeLessThan(400);
  });

  it("is counted for everybody who is asked about", () => {
    fc.assert(
      fc.property(fc.subarray([0, 2, 4], { minLength: 1 }), (workers) => {
        const mechanism = paying((price) => price);
        const each = workers.map(
          (id) => searchResponses(market, { mechanism, workers: [id], effort: 300 }).evaluations,
        );
        const together = searchResponses(market, { mechanism, workers, effort: 300 });
        expect(together.evaluations).toBe(each.reduce((a, b) => a + b));
        expect(together.workers.map(({ id }) => id)).toEqual(workers);
      }),
      { numRuns: 25 },
    );
  });
});
