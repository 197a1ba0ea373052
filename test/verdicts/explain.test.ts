import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AnyMechanism, type Mechanism, type Outcome, runAuction } from "../../src/auction/mechanism.js";
import { workerUtility } from "../../src/auction/outcome.js";
import type { TraceEvent } from "../../src/auction/trace.js";
import { marketArbitrary } from "../../src/market/generators.js";
import { type Bid, groupOf, type Market, paperRules, type Worker } from "../../src/market/market.js";
import { mechanisms } from "../../src/mechanisms/index.js";
import { bestResponses } from "../../src/responses/index.js";
import {
  causesText,
  decisionIn,
  differenceText,
  type Explanation,
  explain,
  gainText,
  type LieKind,
  lieKinds,
} from "../../src/verdicts/explain.js";

const markets = marketArbitrary({ minWorkers: 1, maxWorkers: 9, maxRounds: 6 });

/** A market, one of its workers, and any lie of it. */
const lies = fc
  .tuple(markets, fc.nat(), fc.double({ min: 0, max: 1.2, noNaN: true }), fc.nat())
  .map(([market, pick, price, later]): [Market, Bid] => {
    const { id, arrival } = market.workers[pick % market.workers.length]!;
    const choices = market.rules.rounds - arrival + 1;
    return [market, { worker: id, price, arrival: arrival + (later % choices) }];
  });

const noise = ({ rules, workers }: Market) =>
  1e-9 * Math.max(1, rules.budget, ...workers.map(({ cost }) => cost * rules.rounds));

describe("explain", () => {
  it("splits the gain of any lie into causes that add up to it", () => {
    fc.assert(
      fc.property(lies, ([market, bid]) => {
        const { gain, causes } = explain(market, bid);
        const { rounds, price, budget, start } = causes!;
        // Promises can be far larger than the budget: the sum is as exact as the largest of them.
        const scale = Math.max(...[rounds, price, budget, start].map(Math.abs));
        expect(Math.abs(rounds + price + budget + start - gain)).toBeLessThanOrEqual(
          noise(market) + 1e-12 * scale,
        );
      }),
      { numRuns: 1000 },
    );
  });

  it("[M8] without budget and start, no lie gains: what the paper's proofs of P5 and P6 do show", () => {
    fc.assert(
      fc.property(lies, ([market, bid]) => {
        const { rounds, price } = explain(market, bid).causes!;
        const scale = Math.max(Math.abs(rounds), Math.abs(price));
        expect(rounds + price).toBeLessThanOrEqual(noise(market) + 1e-12 * scale);
      }),
      { numRuns: 1000 },
    );
  });

  it("names a kind exactly where the lie gains", () => {
    fc.assert(
      fc.property(lies, ([market, bid]) => {
        const { gain, kind } = explain(market, bid);
        fc.pre(gain > noise(market) || gain <= 0);
        expect(kind !== null).toBe(gain > 0);
      }),
      { numRuns: 500 },
    );
  });

  it("shows no difference for the truth, and one for every lie that changes the utility", () => {
    fc.assert(
      fc.property(lies, ([market, bid]) => {
        const { cost, arrival } = market.workers.find(({ id }) => id === bid.worker)!;
        expect(explain(market, { worker: bid.worker, price: cost, arrival }).difference).toBeNull();
        const { gain, difference } = explain(market, bid);
        if (Math.abs(gain) > noise(market)) expect(difference).not.toBeNull();
      }),
      { numRuns: 500 },
    );
  });
});

const worker = (id: number, reputation: number, cost: number, arrival: number): Worker => ({
  id,
  reputation,
  cost,
  arrival,
});

const market = (rules: Partial<Market["rules"]>, ...workers: Worker[]): Market => ({
  rules: { budget: 1, rounds: 2, ...paperRules, ...rules },
  workers,
});

describe("kinds of lies, each by the best lie of a market made for it", () => {
  const expectBest = (where: Market, id: number, kind: LieKind, bid: Partial<Bid>, gain: number) => {
    const { best } = bestResponses(where, { workers: [id] }).workers[0]!;
    expect(best).toMatchObject(bid);
    const explained = explain(where, { worker: id, price: best.price, arrival: best.arrival });
    expect(explained.kind).toBe(kind);
    expect(explained.gain).toBeCloseTo(gain, 9);
  };

  it("reserve: worker 1 asks half its cost and is in before the budget is too small for it", () => {
    // Truth: 2 · 0.4 · 0.7 = 0.56 > B1 = 0.38. In round 2 it is offered 0.5 · 0.95 / 0.2 = 2.375 > 1.9: refused.
    // Lie: 2 · 0.2 · 0.5 = 0.2 ≤ 0.38, and raises up to its group's 1.9: 1.9 − 2 · 0.2 = 1.5.
    const where = market(
      { budget: 3.8, firstRoundRatio: 0.1 },
      worker(1, 0.5, 0.2, 1),
      worker(4, 0.2, 0.05, 1),
    );
    expectBest(where, 1, "reserve", { arrival: 1 }, 1.5);
  });

  it("wait: worker 7 is offered its group's whole half for one round as for two", () => {
    // Truth: in at the first step, raised to 3 by the cap: 3 − 2 · 0.55 = 1.9.
    // Lie: 2 · 2.5 · 1.2 = 6 > B1 = 3.3 keeps it out; in round 2 it is admitted at 0.8 · 3.75 = 3: 3 − 0.55 = 2.45.
    const where = market(
      { budget: 6, firstRoundRatio: 0.55 },
      worker(8, 0.4, 0.3, 2),
      worker(7, 0.8, 0.55, 2),
    );
    expectBest(where, 7, "wait", { arrival: 2 }, 0.55);
  });

  it("squeeze: worker 8, the first loser, lowers what worker 6 of its group is paid at the first step", () => {
    // Truth: the first step pays 6 at 8's density 0.6: 3 · 0.8 · 0.6 = 1.44. Lie: at 0.5, where ids break the tie: 1.2.
    // 8 is admitted in round 2 either way, and raised in round 3 by what is left.
    const where = market(
      { budget: 10.35, rounds: 3, firstRoundRatio: 0.2, reading: "pseudocode" },
      worker(8, 1, 0.6, 1),
      worker(6, 0.8, 0.4, 1),
      worker(7, 1, 0.5, 2),
    );
    expectBest(where, 8, "squeeze", { arrival: 1 }, 0.08);
  });

  it("withdraw: [M11] worker 7 is paid below its cost by the pseudocode, and prices itself out", () => {
    const rules = { budget: 2, firstRoundRatio: 0.9, reading: "pseudocode" } as const;
    const where = market(rules, worker(7, 0.8, 0.6, 1), worker(0, 0.1, 0.1, 1));
    expectBest(where, 7, "withdraw", { arrival: 1 }, 0.2);
  });

  it("block: worker 6 prices itself out of the first step, and is paid as much for one round later", () => {
    // Truth: 1.76 at the first step, raised to its group's 2.2: 2.2 − 2 · 0.2 = 1.8.
    // Lie: 2 · 5 · 0.2 = 2 > B1 = 1.76 and nobody else is there; a tick later worker 1 starts the task, and 6 is admitted
    // in round 2 at 0.2 · 11 = 2.2: 2.2 − 0.2 = 2.
    const where = market(
      { budget: 4.4, firstRoundRatio: 0.4 },
      worker(1, 0.1, 0.3, 2),
      worker(6, 0.2, 0.2, 1),
    );
    expectBest(where, 6, "block", { arrival: 1 }, 0.2);
  });

  it("delay: worker 2, alone at clock 1, comes a tick later and the task with it", () => {
    const where = market(
      { budget: 8.1, rounds: 3, firstRoundRatio: 0.25 },
      worker(5, 0.6, 0.05, 3),
      worker(2, 0.8, 0.45, 1),
    );
    expectBest(where, 2, "delay", { arrival: 2 }, 0.45);
  });

  it("force: worker 3 comes a tick later, no longer stops worker 0 at the first step, and the task starts", () => {
    // Vector 2 of the best responses: with 3 in the pool at clock 1 the share stops at it (5 · 0.4527 > 2.2138)
    // and takes nobody; without it, worker 0 is taken and the task starts.
    const where = market(
      { budget: 2.569962, rounds: 5, firstRoundRatio: 0.8614 },
      worker(6, 0.884185, 0.556496, 3),
      worker(0, 0.091624, 0.292847, 1),
      worker(3, 0.805322, 0.452744, 1),
    );
    expectBest(where, 3, "force", { arrival: 2 }, 0.108233046);
  });

  it("terms: who is paid its bid asks for more and squeezes nobody", () => {
    const where = market({ budget: 4 }, worker(0, 1, 0.5, 1));
    const { kind, gain } = explain(
      where,
      { worker: 0, price: 1, arrival: 1 },
      { mechanism: mechanisms["bid-greedy"] },
    );
    expect([kind, gain]).toEqual(["terms", 1]);
  });
});

describe("without a budget", () => {
  it("a place taken for nothing costs the rounds worked, not the budget", () => {
    // B = 0: asking 0 takes both rounds at ρ* = 0, which costs 2 · 0.5.
    const { gain, causes } = explain(market({ budget: 0 }, worker(0, 1, 0.5, 1)), {
      worker: 0,
      price: 0,
      arrival: 1,
    });
    expect(gain).toBe(-1);
    expect(causes).toMatchObject({ price: 0, budget: 0 });
  });
});

/** A mechanism that says nothing of how it decides. */
const silent: Mechanism = {
  name: "silent",
  about: "The fixed threshold without its trace.",
  decide: (rules, bids) => mechanisms["fixed-threshold"].decide(rules, bids),
};

/** A mechanism whose trace tells of the first ruling only. */
const terse: Mechanism = {
  name: "terse",
  about: "Bid-greedy with one ruling in its trace.",
  decide(rules, bids, trace) {
    let told = false;
    return mechanisms["bid-greedy"].decide(rules, bids, (event) => {
      if (!told) trace?.(event);
      told = true;
    });
  },
};

const everyMechanism: [string, AnyMechanism][] = [
  ...Object.entries(mechanisms),
  ["silent", silent],
  ["terse", terse],
];

interface Run {
  readonly outcome: Outcome;
  readonly events: readonly TraceEvent[];
}

function runOf(mechanism: AnyMechanism, where: Market, bids: readonly Bid[]): Run {
  const events: TraceEvent[] = [];
  return { outcome: runAuction(mechanism, where, bids, (event) => events.push(event)), events };
}

const allotmentIn = ({ outcome }: Run, id: number) => outcome.workers.find((one) => one.id === id)!;

/** Holds what is said of a decision to the run it is about. */
function expectTold(said: string, run: Run): void {
  const selected = /^workers? ([\d, ]+) (?:is|are) selected/.exec(said);
  for (const id of selected?.[1]?.split(", ") ?? []) expect(allotmentIn(run, Number(id)).selectedAt).toBe(1);
  const ruled = /^round (\d+): worker (\d+) (admitted|refused|raised|keeps|too dear|left out)/.exec(said);
  if (!ruled) return;
  const [, round, id, ruling] = ruled;
  const { selectedAt } = allotmentIn(run, Number(id));
  const before = selectedAt !== null && selectedAt < Number(round);
  if (ruling === "admitted") expect(selectedAt).toBeLessThanOrEqual(Number(round));
  if (ruling === "raised" || ruling === "keeps") expect(before).toBe(true);
}

/** Every comparison that is printed is true as it reads. */
function expectComparisons(said: string): void {
  for (const [, a, sign, b] of said.matchAll(/(-?[\d.e+-]+) ([≤>]) (-?[\d.e+-]+)/g))
    expect(sign === ">" ? Number(a) > Number(b) : Number(a) <= Number(b)).toBe(true);
}

function expectKind(
  kind: LieKind,
  { bid: told, arrival }: { bid: Bid; arrival: number },
  [truth, lie]: [Run, Run],
): void {
  const never = Number.POSITIVE_INFINITY;
  const start = [truth, lie].map(({ outcome }) => outcome.startDelay ?? never) as [number, number];
  const round = [truth, lie].map((run) => allotmentIn(run, told.worker).selectedAt ?? never) as [
    number,
    number,
  ];
  const holds: Record<LieKind, boolean> = {
    force: start[1] < start[0],
    block: start[1] > start[0] && told.arrival === arrival,
    delay: start[1] > start[0] && told.arrival > arrival,
    reserve: start[0] === start[1] && round[1] < round[0],
    wait: start[0] === start[1] && round[1] > round[0] && round[1] < never,
    withdraw: start[0] === start[1] && round[1] === never && round[0] < never,
    squeeze: start[0] === start[1] && round[0] === round[1],
    terms: start[0] === start[1] && round[0] === round[1],
  };
  expect(holds[kind], kind).toBe(true);
}

describe.each(everyMechanism)("what is said of a lie to %s", (_, mechanism) => {
  const grouped = ["online", "posted-rounds", "falling-price"].includes(mechanism.name);
  const explained = fc.property(lies, ([where, bid]) => {
    const { id, cost, arrival } = where.workers.find((one) => one.id === bid.worker)!;
    const runs: [Run, Run] = [runOf(mechanism, where, []), runOf(mechanism, where, [bid])];
    const explanation: Explanation = explain(where, bid, { mechanism });
    const utility = (run: Run) => workerUtility({ cost }, allotmentIn(run, id));
    const gain = utility(runs[1]) - utility(runs[0]);
    expectGain(explanation, gain, where);
    if (explanation.kind) expectKind(explanation.kind, { bid, arrival }, runs);
    if (explanation.kind === "squeeze") expect(explanation.causes!.budget).toBeGreaterThan(0);
    expectDifference(explanation, runs, grouped);
  });

  it("is true of the two outcomes and of the two traces", () => {
    fc.assert(explained, { numRuns: 400 });
  });
});

function expectGain(explanation: Explanation, gain: number, where: Market): void {
  const said = gainText(explanation);
  const number = /(gains|costs) ([\d.e+-]+)\./.exec(said);
  if (number?.[1] === "gains") expect(Number(number[2])).toBeCloseTo(gain, 3);
  if (number?.[1] === "costs") expect(Number(number[2])).toBeCloseTo(-gain, 3);
  if (!number) expect(Math.abs(gain)).toBeLessThanOrEqual(noise(where));
  if (explanation.kind) expect(said).toContain(lieKinds[explanation.kind]);
  if (!explanation.causes) return;
  const { rounds, price, budget, start } = explanation.causes;
  const scale = Math.max(...[rounds, price, budget, start].map(Math.abs));
  expect(Math.abs(rounds + price + budget + start - gain)).toBeLessThanOrEqual(noise(where) + 1e-12 * scale);
  expect(causesText(explanation.causes, gain)).toMatch(/in all$/);
}

function expectDifference(explanation: Explanation, [truth, lie]: [Run, Run], grouped: boolean): void {
  const { worker: liar, difference } = explanation;
  const said = differenceText(explanation);
  const unlike = ({ id }: { id: number }): boolean => {
    const [a, b] = [allotmentIn(truth, id), allotmentIn(lie, id)];
    const paid = Math.abs(a.payment - b.payment) > 1e-8 * Math.max(1, Math.abs(a.payment));
    return a.selectedAt !== b.selectedAt || a.rounds !== b.rounds || paid;
  };
  if (said.includes("differs.")) {
    const fate = (run: Run) => [allotmentIn(run, liar.id), run.outcome.startDelay];
    expect(fate(truth)).not.toEqual(fate(lie));
  }
  if (said.includes("outcome for worker") && said.includes("is the same.")) expect(unlike(liar)).toBe(false);
  if (said.includes("same in both runs") && truth.events.length > 1) {
    const reached = truth.outcome.workers.filter(({ id }) => !grouped || groupOf(id) === groupOf(liar.id));
    expect(reached.filter(unlike)).toEqual([]);
  }
  if (said.includes("traces no decisions"))
    expect([truth, lie].flatMap(({ events }) => events.filter(isDecision))).toEqual([]);
  if (!difference) return;
  for (const [name, run] of [
    ["truth", truth],
    ["lie", lie],
  ] as const) {
    const decision = difference[name];
    if (decision) expect(run.events).toContainEqual(decision);
    else expect(run.events.filter((event) => matches(event, difference))).toEqual([]);
    expectTold(decisionIn(difference, name), run);
    expectComparisons(decisionIn(difference, name));
  }
}

const isDecision = ({ kind }: TraceEvent): boolean => kind === "start" || kind === "ruling";

/** Whether an event is the decision that one of two runs is said not to take. */
function matches(event: TraceEvent, { truth, lie }: NonNullable<Explanation["difference"]>): boolean {
  const other = (truth ?? lie)!;
  if (other.kind === "start") return event.kind === "start" && event.clock === other.clock;
  return event.kind === "ruling" && event.worker === other.worker && event.round === other.round;
}

describe("a mechanism that traces nothing", () => {
  it("is not said to decide the same: one run selects the worker and the other does not", () => {
    const where = market({ budget: 4 }, worker(0, 1, 0.5, 1));
    const said = differenceText(explain(where, { worker: 0, price: 3, arrival: 1 }, { mechanism: silent }));
    expect(said).toBe(
      "The mechanism traces no decisions, so there are none to compare; the outcome for worker 0 differs.",
    );
  });
});
