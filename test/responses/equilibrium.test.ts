/** Equilibria that are known beforehand. */

import { describe, expect, it } from "vitest";
import { defineMechanism } from "../../src/auction/define-mechanism.js";
import { stream } from "../../src/lib/random.js";
import { paperRules, type Rules, type Worker } from "../../src/market/market.js";
import type { Belief } from "../../src/responses/belief.js";
import { type EquilibriumOptions, interimEquilibrium, strategyOf } from "../../src/responses/equilibrium.js";

const rules: Rules = { budget: 10, rounds: 1, ...paperRules };

const payYourBid = defineMechanism({
  name: "pay-your-bid",
  about: "The lowest price wins and is paid.",
  offline: true,
  program(auction) {
    const [first] = auction.byPrice();
    if (first) auction.hire(first, { round: 1, buys: 1, threshold: null }, first.price);
  },
});

const secondPrice = defineMechanism({
  name: "second-price",
  about: "The lowest price wins and is paid the second lowest.",
  offline: true,
  program(auction) {
    const [first, second] = auction.byPrice();
    if (first && second) auction.hire(first, { round: 1, buys: 1, threshold: null }, second.price);
  },
});

const worker = (id: number, cost: number): Worker => ({ id, reputation: 1, cost, arrival: 1 });

/** Two workers with costs uniform on [0, 1], spread evenly over each thousand draws: less luck, the same distribution. */
const DRAWS = 1000;
const uniform: Belief = {
  about: "costs uniform on [0, 1]",
  draw: (k) => [worker(0, 0.5), worker(1, ((k % DRAWS) + 0.5 + 0.2 * Math.floor(k / DRAWS)) / (DRAWS + 0.4))],
};

const costs = Array.from({ length: 21 }, (_, k) => k / 20);

const options = (mechanism: EquilibriumOptions["mechanism"] & object): EquilibriumOptions => ({
  rules,
  mechanism,
  belief: uniform,
  reputations: [1],
  costs,
  draws: DRAWS,
  types: [0.03, 0.28, 0.53, 0.78].map((cost) => worker(0, cost)),
  damping: 1,
  iterations: 30,
  tolerance: 1e-3,
  stream: stream("multipliers"),
});

describe("two workers with costs uniform on [0, 1], the lowest price wins", () => {
  it("paid its bid, everybody asks (1 + c)/2", () => {
    const { strategy, end, epsilon } = interimEquilibrium(options(payYourBid));
    expect(end.kind).toBe("settled");
    const bid = strategyOf(strategy);
    for (const cost of [0, 0.07, 0.33, 0.5, 0.81, 0.95])
      expect(Math.abs(bid(worker(0, cost)).price - (1 + cost) / 2), `cost ${cost}`).toBeLessThanOrEqual(0.01);
    expect(epsilon.chosenGain).toBeLessThanOrEqual(0.005);
    expect(epsilon.gain).toBeLessThanOrEqual(0.005);
    expect(epsilon.high).toBeGreaterThanOrEqual(epsilon.chosenGain);
  });

  it("paid the second price, the truth is an equilibrium", () => {
    const { strategy, end, iterations, epsilon, effects } = interimEquilibrium(options(secondPrice));
    expect(end.kind).toBe("settled");
    expect(iterations).toEqual([{ largestGain: 0, moved: 0, rearranged: 0 }]);
    expect(strategy.bids[0]![0]!.map(({ price }) => price)).toEqual(costs);
    expect(epsilon.gain).toBe(0);
    expect(effects.change.spent.mean).toBe(0);
  });
});

/** Cheap ones spoil each other's chance: one price of at most 1/2 is paid 1, two are paid nothing, others 1/5 in any case. */
const congestion = defineMechanism({
  name: "congestion",
  about: "The only cheap one is paid well, two cheap ones nothing, dear ones a little.",
  offline: true,
  program(auction) {
    const { math } = auction;
    const half = math.known(0.5);
    const cheap = auction.workers.filter(({ price }) => math.atMost(price, half));
    for (const worker of auction.workers) {
      const pay = !cheap.includes(worker) ? 0.2 : cheap.length === 1 ? 1 : 0;
      auction.hire(worker, { round: 1, buys: 1, threshold: null }, math.known(pay));
    }
  },
});

it("best responses that go round are told as a cycle, with its length", () => {
  const free: Belief = { about: "no costs", draw: () => [worker(0, 0), worker(1, 0)] };
  const { end, epsilon, effects } = interimEquilibrium({
    ...options(congestion),
    belief: free,
    costs: [0, 1],
    draws: 10,
    types: [worker(0, 0)],
    iterations: 8,
  });
  expect(end).toEqual({ kind: "cycle", length: 2 });
  expect([0.2, 0.8]).toContainEqual(Number(epsilon.gain.toFixed(9)));
  expect([0, 0.4]).toContainEqual(Number(effects.strategy.workersUtility.mean.toFixed(9)));
});

/** Whoever is cheap is paid 1, and others nothing: one undamped response is enough, and half a step never gets there. */
const cheapOnly = defineMechanism({
  name: "cheap-only",
  about: "Prices of at most 1/2 are paid 1.",
  offline: true,
  program(auction) {
    const { math } = auction;
    for (const worker of auction.workers)
      if (math.atMost(worker.price, math.known(0.5)))
        auction.hire(worker, { round: 1, buys: 1, threshold: null }, math.known(1));
  },
});

it("a table that is its own best response is taken, though damped steps have not come to it", () => {
  const one: Belief = { about: "a cost of 0.9", draw: () => [worker(0, 0.9), worker(1, 0.9)] };
  const { end, epsilon, strategy, iterations } = interimEquilibrium({
    ...options(cheapOnly),
    belief: one,
    costs: [0.9],
    draws: 10,
    types: [worker(0, 0.9)],
    damping: 0.1,
    iterations: 3,
  });
  expect(iterations.every(({ largestGain }) => Math.abs(largestGain - 0.1) < 1e-9)).toBe(true);
  expect(end).toEqual({ kind: "settled" });
  expect(strategy.bids[0]![0]![0]!.price).toBeLessThanOrEqual(0.5);
  expect(epsilon).toMatchObject({ gain: 0, chosenGain: 0 });
});

it("between the types of its table a strategy is in proportion, and beyond them as much more as the cost", () => {
  const bid = (price: number, arrival = 1) => ({ price, arrival });
  const strategy = strategyOf({
    reputations: [0.2, 0.8],
    costs: [0.1, 0.2, 0.3],
    bids: [[[bid(0.1), bid(0.2), bid(0.3)]], [[bid(0.2), bid(0.25), bid(0.1)]]],
  });
  const at = (reputation: number, cost: number) => strategy({ id: 0, reputation, cost, arrival: 1 }).price;
  expect(at(0.1, 0.16)).toBeCloseTo(0.16, 12);
  expect(at(0.9, 0.15)).toBeCloseTo(0.225, 12);
  expect(at(0.9, 0.05)).toBeCloseTo(0.15, 12);
  expect(at(0.9, 0.5)).toBeCloseTo(0.3, 12);
  expect(at(0.9, 0.24)).toBe(0.25);
  expect(at(0.9, 0.26)).toBe(0.1);
});
