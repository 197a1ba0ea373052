/** Which decision is said to be the first that differs, of two runs whose traces and outcomes are given. */

import { describe, expect, it } from "vitest";
import type { Mechanism, Outcome } from "../../src/auction/mechanism.js";
import type { RulingEvent, Share, StartEvent, TraceEvent } from "../../src/auction/trace.js";
import { type Market, paperRules } from "../../src/market/market.js";
import { explain } from "../../src/verdicts/explain.js";

const market: Market = {
  rules: { budget: 8, rounds: 4, ...paperRules, firstRoundRatio: 0.5 },
  workers: [0, 1, 2].map((id) => ({ id, reputation: 1, cost: 1, arrival: 1 })),
};

const outcome: Outcome = {
  started: true,
  startDelay: 0,
  workers: market.workers.map(({ id }) => ({ id, selectedAt: null, rounds: 0, payment: 0 })),
  thresholds: [],
  budgetEvents: [],
};

/** A mechanism that tells one trace of the truth of worker 0 and another of its lie. */
const telling = (truth: readonly TraceEvent[], lie: readonly TraceEvent[]): Mechanism => ({
  name: "telling",
  about: "Tells what it is told to tell.",
  decide(_, bids, trace) {
    for (const event of bids[0]!.price === 1 ? truth : lie) trace?.(event);
    return outcome;
  },
});

const compared = (truth: readonly TraceEvent[], lie: readonly TraceEvent[]) => {
  const mechanism = telling(truth, lie);
  const { difference, decisions } = explain(market, { worker: 0, price: 2, arrival: 1 }, { mechanism });
  return { difference, decisions };
};

const shareOf = (taken: readonly number[], density: number | null = 1): Share => ({
  budget: 4,
  roundsBought: 4,
  pool: [0, 1, 2],
  taken,
  reputation: taken.length,
  byBudget: density,
  next: null,
  density,
  knifeEdge: false,
});

const start = (change: Partial<StartEvent> = {}): StartEvent => ({
  kind: "start",
  clock: 1,
  share: shareOf([0]),
  minWorkers: 1,
  enough: true,
  payments: [],
  ...change,
});

const ruling = (change: Partial<RulingEvent> = {}): RulingEvent => ({
  kind: "ruling",
  ruling: "dear",
  round: 2,
  worker: 0,
  group: null,
  density: 2,
  threshold: 1,
  promised: null,
  need: 1,
  left: 4,
  payment: 0,
  knifeEdge: false,
  ...change,
});

const round = (number: number, clock: number): TraceEvent => ({
  kind: "round",
  round: number,
  clock,
  sampleBudget: 4,
  shares: [shareOf([]), shareOf([])],
  left: [4, 4],
});

/** A share learned in a round is no decision about anybody. */
const sampled: TraceEvent = { kind: "sample", round: 1, share: shareOf([0]) };

describe("rulings", () => {
  it.each<[string, Partial<RulingEvent>]>([
    ["another ruling", { ruling: "refused" }],
    ["another payment", { payment: 1 }],
    ["a payment where there was its negative", { payment: -1 }],
  ])("differ by %s", (_, change) => {
    const [truth, lie] = [ruling({ payment: 2 }), ruling({ payment: 2, ...change })];
    expect(compared([truth], [lie])).toEqual({
      difference: { round: 2, clock: null, truth, lie },
      decisions: 1,
    });
  });

  it("do not differ by what they weighed, nor by rounding, however small the payment", () => {
    const alike: [RulingEvent, RulingEvent][] = [
      [ruling(), ruling({ density: 3, threshold: 2, need: 7, left: 1, promised: 1, knifeEdge: true })],
      [ruling({ payment: 1000 }), ruling({ payment: 1000 + 1e-8 })],
    ];
    for (const [truth, lie] of alike) expect(compared([truth], [lie]).difference).toBeNull();
    const tiny = [ruling({ payment: 1e-8 }), ruling({ payment: 1.001e-8 })] as const;
    expect(compared([tiny[0]], [tiny[1]]).difference).not.toBeNull();
  });

  it("of a worker in a round are told apart by their order where there are several", () => {
    const again = ruling({ ruling: "raised", payment: 3 });
    const third = ruling({ ruling: "kept", payment: 3 });
    expect(compared([ruling(), again, third], [ruling(), again, third])).toEqual({
      difference: null,
      decisions: 3,
    });
    expect(compared([ruling(), again], [ruling()])).toEqual({
      difference: { round: 2, clock: null, truth: again, lie: null },
      decisions: 2,
    });
  });

  it("about the other group do not reach a worker; about its own, and where there are no groups, they do", () => {
    const about = (group: 0 | 1 | null) => ruling({ worker: 2, group });
    expect(compared([about(1)], [])).toEqual({ difference: null, decisions: 0 });
    expect(compared([about(0)], []).difference).toMatchObject({ truth: about(0), lie: null });
    expect(compared([], [about(null)]).difference).toMatchObject({ truth: null, lie: about(null) });
  });
});

describe("tries to start", () => {
  it.each<[string, Partial<StartEvent>]>([
    ["who is taken", { share: shareOf([2, 1]) }],
    ["how many are", { share: shareOf([0, 1, 2]) }],
    ["the density", { share: shareOf([0, 2], 1.1) }],
    ["whether there is one", { share: shareOf([0, 2], null) }],
    ["whether they are enough", { enough: false }],
  ])("differ by %s", (_, change) => {
    const [truth, lie] = [start({ share: shareOf([0, 2]) }), start({ share: shareOf([0, 2]), ...change })];
    const difference = { round: 1, clock: 1, truth, lie };
    expect(compared([truth], [lie])).toEqual({ difference, decisions: 1 });
    expect(compared([lie], [truth]).difference).toEqual({ ...difference, truth: lie, lie: truth });
  });

  it("do not differ by the order of who is taken, nor by rounding", () => {
    const [truth, lie] = [start({ share: shareOf([0, 2]) }), start({ share: shareOf([2, 0], 1 + 1e-12) })];
    expect(compared([truth], [lie]).difference).toBeNull();
    expect(
      compared([start({ share: shareOf([], null) })], [start({ share: shareOf([], null) })]).difference,
    ).toBeNull();
  });

  it("that fail do not differ by a density that nobody is paid", () => {
    const failing = (density: number) => start({ enough: false, share: shareOf([0], density) });
    expect(compared([failing(1)], [failing(2)]).difference).toBeNull();
  });
});

describe("the first that differs", () => {
  const [early, late] = [ruling({ round: 2, worker: 1 }), ruling({ round: 3 })];

  it("is that of the earlier round, wherever it stands in the trace", () => {
    expect(compared([late, early], []).difference).toMatchObject({ round: 2, truth: early });
    expect(compared([late], [early]).difference).toMatchObject({ round: 2, truth: null, lie: early });
    expect(compared([early], [late]).difference).toMatchObject({ round: 2, truth: early, lie: null });
  });

  it("is that which comes first in the trace where the round is the same", () => {
    const [one, two] = [ruling({ worker: 2 }), ruling({ worker: 1 })];
    expect(compared([one, two], []).difference!.truth).toEqual(one);
    expect(compared([two, one], []).difference!.truth).toEqual(two);
    expect(compared([sampled, two], [one]).difference!.lie).toEqual(one);
  });

  it("goes by the clock where the traces tell it: a late start moves rounds", () => {
    const truth = [start({ clock: 3 }), round(2, 4), ruling({ round: 2 })];
    const lie = [start({ clock: 1 }), round(3, 3), ruling({ round: 3, worker: 1 })];
    const failed = start({ clock: 1, enough: false });
    expect(compared([failed, ...truth], lie).difference).toMatchObject({ clock: 1, truth: failed });
    const late = ruling({ round: 3, worker: 1 });
    expect(compared([round(2, 4), ruling()], [round(3, 3), late]).difference).toEqual({
      round: 3,
      clock: 3,
      truth: null,
      lie: late,
    });
  });
});

describe("the clock of a round", () => {
  const clockOf = (...before: TraceEvent[]) =>
    compared([...before, ruling({ round: 3 })], before).difference!.clock;

  it("is the one that the trace tells", () => {
    expect(clockOf(start(), round(2, 8), round(3, 9))).toBe(9);
  });

  it("or else is counted from the start that took place, not from those that failed", () => {
    expect(clockOf(start({ clock: 1, enough: false }), start({ clock: 2 }), sampled)).toBe(4);
  });

  it("and is unknown where the trace tells of no start", () => {
    expect(clockOf(sampled, round(2, 5))).toBeNull();
    expect(clockOf(start({ enough: false }))).toBeNull();
  });
});

describe("a lie gains", () => {
  /** Pays worker 0 its price for all four rounds. */
  const paying: Mechanism = {
    ...telling([], []),
    decide: (_, bids) => {
      const mine = { id: 0, selectedAt: 1, rounds: 4, payment: bids[0]!.price };
      return { ...outcome, workers: [mine, ...outcome.workers.slice(1)] };
    },
  };
  const gaining = (price: number, where: Market = market) =>
    explain(where, { worker: 0, price, arrival: 1 }, { mechanism: paying }).kind;

  it("where it is more than rounding of the larger of the budget and what the work costs", () => {
    expect(gaining(1 + 1e-11)).toBe("terms");
    expect(gaining(1 + 4e-12)).toBeNull();
    const poor = { ...market, rules: { ...market.rules, budget: 1 } };
    expect(gaining(1 + 3e-12, poor)).toBeNull();
    expect(gaining(1 + 6e-12, poor)).toBe("terms");
    expect(gaining(1)).toBeNull();
  });
});
