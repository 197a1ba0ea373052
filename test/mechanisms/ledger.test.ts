import { beforeEach, describe, expect, it } from "vitest";
import { type Bidder, paperRules } from "../../src/market/market.js";
import { Ledger, type Purse, type Terms } from "../../src/mechanisms/ledger.js";
import { byDensity, sampleOf } from "../../src/mechanisms/ranking.js";
import type { RulingEvent, TraceEvent } from "../../src/mechanisms/trace.js";

const rules = { ...paperRules, budget: 10, rounds: 4 };

/** Rows follow ids: row 0 is worker 3, row 1 is worker 5, row 2 is worker 8. Densities 0.5, 0.25 and 2. */
const bids: Bidder[] = [
  { id: 5, reputation: 2, price: 0.5, arrival: 2 },
  { id: 3, reputation: 1, price: 0.5, arrival: 1 },
  { id: 8, reputation: 1, price: 2, arrival: 1 },
];

let events: TraceEvent[];
let ledger: Ledger;
let purse: Purse;

beforeEach(() => {
  events = [];
  ledger = new Ledger(rules, bids, (event) => events.push(event));
  purse = { limit: 10, spent: 0 };
});

const terms = (threshold: number | null, more: Partial<Terms> = {}) => ({
  round: 2,
  buys: 3,
  purse,
  threshold,
  ...more,
});
const raising = (threshold: number, more: Partial<Terms> = {}) => ({ ...terms(threshold, more), threshold });
const last = () => events.at(-1) as RulingEvent;
const workers = () => ledger.outcome().workers;
const kinds = () => ledger.outcome().budgetEvents.map(({ kind }) => kind);

describe("[M9] an offer", () => {
  it("without a threshold pays what is asked for each round bought", () => {
    ledger.offer(0, terms(null));
    expect(workers()[0]).toEqual({ id: 3, selectedAt: 2, rounds: 3, payment: 1.5 });
    expect(purse.spent).toBe(1.5);
    expect(last()).toEqual({
      kind: "ruling",
      ruling: "admitted",
      round: 2,
      worker: 3,
      group: null,
      density: 0.5,
      threshold: null,
      promised: null,
      need: 1.5,
      left: 10,
      payment: 1.5,
      knifeEdge: false,
    });
  });

  it("at a threshold pays the threshold, and tells whose group it was made to", () => {
    ledger.offer(1, terms(0.75, { group: 1 }));
    expect(workers()[1]).toEqual({ id: 5, selectedAt: 2, rounds: 3, payment: 4.5 });
    expect(last()).toMatchObject({ group: 1, worker: 5, threshold: 0.75, need: 4.5, left: 10 });
  });

  it("that does not fit is refused: a budget event, and nothing else", () => {
    purse.spent = 9;
    ledger.offer(0, terms(0.5));
    expect(workers()[0]).toEqual({ id: 3, selectedAt: null, rounds: 0, payment: 0 });
    expect(ledger.outcome().budgetEvents).toEqual([{ round: 2, worker: 3, kind: "refused" }]);
    expect(last()).toMatchObject({ ruling: "refused", need: 1.5, left: 1, payment: 0 });
    expect(purse.spent).toBe(9);
  });

  it("is not made to whoever asks more than the threshold, and money has no say in that", () => {
    purse.spent = 10;
    ledger.offer(2, terms(0.75));
    expect(last()).toMatchObject({ ruling: "dear", density: 2, need: 0, left: 0, knifeEdge: false });
    expect(kinds()).toEqual([]);
    expect(workers()[2]!.selectedAt).toBeNull();
  });

  it("made for several rounds one by one adds up, from the first of them on", () => {
    for (const round of [2, 3]) ledger.offer(0, terms(0.5, { round, buys: 1 }));
    expect(workers()[0]).toEqual({ id: 3, selectedAt: 2, rounds: 2, payment: 1 });
  });
});

describe("[M10] a raise", () => {
  beforeEach(() => ledger.offer(1, terms(0.5)));

  it("pays the difference for the rounds that are left", () => {
    ledger.raise(1, raising(0.75, { round: 3, buys: 2 }));
    expect(workers()[1]).toEqual({ id: 5, selectedAt: 2, rounds: 3, payment: 3 + 1 });
    expect(purse.spent).toBe(4);
    expect(last()).toMatchObject({ ruling: "raised", promised: 0.5, need: 1, left: 7, payment: 4 });
    expect(kinds()).toEqual([]);
  });

  it("is cut to what is left, and counts as made", () => {
    purse.spent = 9.5;
    ledger.raise(1, raising(0.75, { round: 3, buys: 2 }));
    expect(last()).toMatchObject({ ruling: "capped", need: 1, left: 0.5, payment: 3.5 });
    expect(ledger.outcome().budgetEvents).toEqual([{ round: 3, worker: 5, kind: "capped" }]);
    expect(purse.spent).toBe(10);
    purse.limit = 20;
    ledger.raise(1, raising(0.75, { round: 3, buys: 2 }));
    expect(last()).toMatchObject({ ruling: "kept", need: 0, payment: 3.5 });
  });

  it("that uses up exactly what is left is not cut", () => {
    purse.spent = 9;
    ledger.raise(1, raising(0.75, { round: 3, buys: 2 }));
    expect(last()).toMatchObject({ ruling: "raised", payment: 4, knifeEdge: true });
  });

  it("is not made where nothing is left, and is still to be made once there is", () => {
    purse.spent = 10;
    ledger.raise(1, raising(0.75, { round: 3, buys: 2 }));
    expect(last()).toMatchObject({ promised: 0.5, need: 1, left: 0, payment: 3, knifeEdge: true });
    purse.limit = 20;
    ledger.raise(1, raising(0.75, { round: 4, buys: 1 }));
    expect(last()).toMatchObject({ ruling: "raised", promised: 0.5, need: 0.5, payment: 3.5 });
  });

  it("needs a higher threshold than any before", () => {
    for (const threshold of [0.5, 0.3]) {
      ledger.raise(1, raising(threshold));
      expect(last()).toMatchObject({ ruling: "kept", promised: 0.5, need: 0, payment: 3 });
    }
    expect([purse.spent, kinds()]).toEqual([3, []]);
  });
});

describe("[M13] a ruling is a knife edge", () => {
  it.each([
    ["where the price is the threshold", 0.5, 0, true],
    ["not where it is well below", 0.75, 0, false],
    ["where the offer just fits", 0.75, 10 - 2.25, true],
    ["where it just does not", 0.75, 10 - 2.25 + 1e-9, true],
    ["not where it does not by far", 0.75, 9, false],
  ])("%s", (_, threshold, spent, edge) => {
    purse.spent = spent;
    ledger.offer(0, terms(threshold));
    expect(last().knifeEdge).toBe(edge);
  });

  it("by what is promised, once selected: the own price no longer decides", () => {
    ledger.offer(0, terms(0.75));
    ledger.raise(0, raising(0.75));
    expect(last().knifeEdge).toBe(true);
    ledger.raise(0, raising(0.5));
    expect(last()).toMatchObject({ density: 0.5, threshold: 0.5, knifeEdge: false });
  });

  it("not by money that a kept promise does not ask for", () => {
    ledger.offer(0, terms(0.75));
    purse.spent = 10;
    ledger.raise(0, raising(0.5));
    expect(last()).toMatchObject({ ruling: "kept", left: 0, knifeEdge: false });
  });
});

describe("[M3] [M4] a threshold", () => {
  it("is learned from those of a sample who have arrived, for one round", () => {
    const sample = sampleOf(ledger.columns, byDensity(ledger.columns));
    // Round 1: worker 3 is taken (0.5 ≤ 0.6), worker 8 is not (2 · 2 > 0.6): min(0.6 / 1, 2). Round 2: worker 5 comes first.
    expect(ledger.learn(sample, 1, 0.6)).toBe(0.6);
    expect(events.at(-1)).toMatchObject({
      kind: "sample",
      round: 1,
      share: {
        roundsBought: 1,
        budget: 0.6,
        pool: [3, 8],
        taken: [3],
        next: { worker: 8, density: 2, cost: 4 },
      },
    });
    expect(ledger.learn(sample, 2, 0.6)).toBeCloseTo(0.3, 12);
    expect(events.at(-1)).toMatchObject({ share: { pool: [5, 3, 8], taken: [5], density: 0.3 } });
  });

  it("is none without a sample", () => {
    expect(ledger.learn(sampleOf(ledger.columns, new Int32Array(0)), 1, 0.6)).toBeNull();
    expect(events.at(-1)).toMatchObject({ share: { pool: [], byBudget: null, next: null, density: null } });
  });
});
