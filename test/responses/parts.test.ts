/** The parts that best responses are made of, each on its own. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Mechanism, runAuction } from "../../src/auction/mechanism.js";
import { assemble, type FoundLie } from "../../src/auction/response.js";
import { marketArbitrary } from "../../src/market/generators.js";
import { type Market, type Worker, workerOf } from "../../src/market/market.js";
import { mechanismNamed, mechanisms } from "../../src/mechanisms/index.js";
import { online } from "../../src/mechanisms/online/online.js";
import {
  BestSoFar,
  Breakpoints,
  type DensitySpan,
  type Stretch,
} from "../../src/mechanisms/online/stretches.js";
import { bestResponses, isExact, pieces } from "../../src/responses/index.js";
import { Deviation, searchResponses } from "../../src/responses/search.js";

const markets = marketArbitrary({ minWorkers: 1, maxWorkers: 7, maxRounds: 5, maxRatio: 0.9 });

describe("breakpoints", () => {
  const spansOf = (densities: readonly number[]): DensitySpan[] => {
    const breakpoints = new Breakpoints();
    breakpoints.add(99); // From an earlier worker: begin forgets it.
    breakpoints.begin();
    for (const density of densities) breakpoints.add(density);
    breakpoints.settle();
    return Array.from({ length: breakpoints.spans }, (_, k) => {
      const span = { low: 0, high: 0, x: 0 };
      breakpoints.take(k, span);
      return span;
    });
  };

  it("cut all densities from 0 on into single ones and the open stretches between them", () => {
    expect(spansOf([0.5, 0.2])).toMatchObject([
      { low: 0, high: 0, x: 0 },
      { low: 0, high: 0.2, x: 0.1 },
      { low: 0.2, high: 0.2, x: 0.2 },
      { low: 0.2, high: 0.5, x: expect.closeTo(0.35, 12) },
      { low: 0.5, high: 0.5, x: 0.5 },
      { low: 0.5, high: Number.POSITIVE_INFINITY },
    ]);
  });

  it("[M13] that count as equal are one", () => {
    expect(spansOf([0.3, 0.1 + 0.2, 0.3]).length).toBe(4);
  });

  it.each([3, 39, 40, 41, 63, 64, 65, 300])("stay in order, however many: %i", (count) => {
    const densities = Array.from({ length: count }, (_, k) => ((k * 7919) % 1009) + 1);
    const sorted = [0, ...densities].sort((a, b) => a - b);
    const spans = spansOf(densities);
    expect(spans.filter(({ low, high }) => low === high).map(({ low }) => low)).toEqual(sorted);
    for (const { low, high, x } of spans) if (low < high) expect(x > low && x < high).toBe(true);
  });
});

describe("the best stretch", () => {
  const stretch = (part: Partial<Stretch>): Stretch => ({
    arrival: 1,
    low: 0,
    high: 1,
    x: 0.5,
    utility: 0,
    slope: 0,
    selectedAt: 0,
    delay: 0,
    ...part,
  });
  const bestOf = (...stretches: Stretch[]): BestSoFar => {
    const best = new BestSoFar();
    for (const one of stretches) best.offer(one, 1e-9);
    return best;
  };

  it("of a slope is at the end it leads up to, which no density attains", () => {
    const [rising, falling] = [bestOf(stretch({ slope: 2 })), bestOf(stretch({ slope: -2 }))];
    expect([rising.utility, rising.density, rising.attained]).toEqual([1, 1, false]);
    expect([falling.utility, falling.density, falling.attained]).toEqual([1, 0, false]);
  });

  it("of a level stretch or a single density is attained", () => {
    expect(bestOf(stretch({ utility: 3 }))).toMatchObject({ utility: 3, attained: true });
    expect(bestOf(stretch({ utility: 3, high: 0.5, low: 0.5 }))).toMatchObject({
      utility: 3,
      attained: true,
    });
  });

  it("of two that bring the same is the level one, then the single density, then the open end, in whatever order", () => {
    const level = stretch({ utility: 1, arrival: 3 });
    const single = stretch({ utility: 1, low: 0.5, high: 0.5, arrival: 2 });
    const open = stretch({ utility: 0.5, slope: 1, arrival: 1 });
    for (const [better, worse] of [
      [level, single],
      [single, open],
      [level, open],
    ] as const)
      for (const order of [
        [better, worse],
        [worse, better],
      ])
        expect(bestOf(...order).arrival).toBe(better.arrival);
  });

  it("of two of a kind is the first, unless the other brings more than rounding", () => {
    const [first, second] = [stretch({ utility: 1 }), stretch({ utility: 1 + 1e-10, arrival: 2 })];
    expect(bestOf(first, second).arrival).toBe(1);
    expect(bestOf(first, { ...second, utility: 1 + 1e-8 }).arrival).toBe(2);
  });
});

describe("a response put together", () => {
  const worker: Worker = { id: 4, reputation: 1, cost: 0.5, arrival: 2 };
  const found = (utility: number, startDelay: number | null = 0, price = 0.1): FoundLie => ({
    lie: { price, arrival: 2, utility, attained: true },
    startDelay,
  });
  const known = { worker, truthful: 1, startDelay: 0, regime: "tight", noise: 1e-6 } as const;

  it("tells each gain and the lie behind it", () => {
    const [joint, price, time] = [found(5, 1, 0.1), found(4, 0, 0.2), found(3, 0, 0.5)];
    expect(assemble({ ...known, best: { joint, price, time } })).toEqual({
      id: 4,
      truthful: 1,
      gain: 4,
      priceGain: 3,
      timeGain: 2,
      best: joint.lie,
      bestPrice: price.lie,
      bestTime: time.lie,
      regime: "tight",
      pivotal: true,
    });
  });

  it("names the truth where nothing gains, and rounding is nothing", () => {
    const none = found(1 + 1e-7, 3);
    for (const best of [null, { joint: none, price: none, time: none }])
      expect(assemble({ ...known, best })).toMatchObject({
        gain: 0,
        priceGain: 0,
        timeGain: 0,
        best: { price: 0.5, arrival: 2, utility: 1, attained: true },
        bestPrice: null,
        bestTime: null,
        pivotal: false,
      });
  });

  it("prefers a lie about one thing to one about two that gains no more: price first, then time", () => {
    const [joint, price, time] = [found(5, 1, 0.1), found(5, 0, 0.2), found(5, 0, 0.5)];
    expect(assemble({ ...known, best: { joint, price, time } }).best).toBe(price.lie);
    expect(assemble({ ...known, best: { joint, price: found(4), time } }).best).toBe(time.lie);
    expect(assemble({ ...known, best: { joint, price: found(4), time: found(4) } }).best).toBe(joint.lie);
  });
});

describe("one worker's lie", () => {
  it("counts the auctions held, and knows every arrival from the true one on", () => {
    fc.assert(
      fc.property(markets, (market) => {
        const [worker] = market.workers as [Worker];
        const deviation = new Deviation(online, market, worker);
        const { arrivals } = deviation;
        expect(arrivals).toHaveLength(market.rules.rounds - worker.arrival + 1);
        expect([arrivals[0], arrivals.at(-1)]).toEqual([worker.arrival, market.rules.rounds]);
        const { lie, startDelay } = deviation.bestDelay();
        expect(deviation.evaluations).toBe(arrivals.length);
        const utilities = arrivals.map((arrival) => deviation.utility(worker.cost, arrival));
        expect(lie.utility).toBe(Math.max(...utilities));
        expect(lie).toMatchObject({ price: worker.cost, arrival: arrivals[utilities.indexOf(lie.utility)] });
        const outcome = runAuction(online, market, [
          { worker: worker.id, price: lie.price, arrival: lie.arrival },
        ]);
        expect(startDelay).toBe(outcome.startDelay);
      }),
    );
  });

  it("is told by a worker of the market", () => {
    const [market] = fc.sample(markets, 1);
    expect(() => workerOf(market!, 999)).toThrow("no worker 999 in the market");
  });
});

/** A mechanism of somebody else's, of which nothing is known but what it decides. */
const unknown: Mechanism = {
  name: "somebody-elses",
  about: "Decides as bid greedy does.",
  decide: (rules, bids, trace) => mechanisms["bid-greedy"].decide(rules, bids, trace),
};

describe("whichever method", () => {
  it.each([
    [
      "the exact one",
      (market: Market, workers?: number[]) => bestResponses(market, workers ? { workers } : {}),
    ],
    [
      "the search",
      (market: Market, workers?: number[]) =>
        searchResponses(market, { mechanism: online, effort: 200, ...(workers && { workers }) }),
    ],
    [
      "the proof",
      (market: Market, workers?: number[]) =>
        bestResponses(market, { mechanism: mechanisms["posted-rounds"], ...(workers && { workers }) }),
    ],
  ])("%s answers for everybody by id, or for whom it is asked about, and alike", (_, respond) => {
    fc.assert(
      fc.property(marketArbitrary({ minWorkers: 2, maxWorkers: 5, maxRounds: 3 }), (market) => {
        const all = respond(market);
        expect(all.workers.map(({ id }) => id)).toEqual(
          market.workers.map(({ id }) => id).sort((a, b) => a - b),
        );
        expect(all.evaluations).toBeGreaterThan(0);
        const one = market.workers[0]!.id;
        const alone = respond(market, [one]);
        expect(alone.workers).toEqual(all.workers.filter(({ id }) => id === one));
        expect(alone.evaluations).toBeLessThanOrEqual(all.evaluations);
      }),
      { numRuns: 40 },
    );
  });

  it("exact is the paper's mechanism, a proof that was examined, and any variant of either; nothing else", () => {
    const exact = (text: string) => isExact(mechanismNamed(text));
    expect(
      ["online", "online:minWorkers=2", "posted-rounds", "posted-rounds:minWorkers=2"].map(exact),
    ).toEqual([true, true, true, true]);
    expect(isExact(unknown)).toBe(false);
    expect(isExact({ ...unknown, truthful: "believe me" })).toBe(false);
  });

  it("says how it was done: exactly, or by a search whose gains are lower bounds", () => {
    const [market] = fc.sample(markets, 1);
    expect(bestResponses(market!)).toMatchObject({ mechanism: "online", method: "computed", exact: true });
    expect(bestResponses(market!, { mechanism: unknown, effort: 100 })).toMatchObject({
      mechanism: "somebody-elses",
      method: "search",
      exact: false,
    });
  });

  it("a variant is answered for under its own rules and its own name", () => {
    fc.assert(
      fc.property(markets, (market) => {
        const mechanism = mechanismNamed("online:minWorkers=2,reading=pseudocode");
        const rules = { ...market.rules, minWorkers: 2, reading: "pseudocode" } as const;
        const varied = bestResponses(market, { mechanism });
        expect(varied.mechanism).toBe("online:minWorkers=2,reading=pseudocode");
        expect(varied.workers).toEqual(bestResponses({ ...market, rules }).workers);
        const { id } = market.workers[0]!;
        expect(pieces(market, id, mechanism)).toEqual(pieces({ ...market, rules }, id));
        expect(pieces(market, id, unknown)).toBeNull();
      }),
      { numRuns: 50 },
    );
  });
});

describe("pieces", () => {
  it("are as long as they can be: of two neighbours something differs, or they jump, or they bend", () => {
    fc.assert(
      fc.property(markets, fc.nat(), (market, pick) => {
        const worker = market.workers[pick % market.workers.length]!;
        const known = pieces(market, worker.id)!;
        for (const [k, b] of known.slice(1).entries()) {
          const a = known[k]!;
          if (a.arrival !== b.arrival) continue;
          const jumps = Math.abs(a.utilityTo - b.utilityFrom) > 0;
          const differs = a.selectedAt !== b.selectedAt || a.startDelay !== b.startDelay;
          const single = a.from === a.to || b.from === b.to;
          const bends = Math.abs(rise(a) - rise(b)) > 0;
          expect(differs || jumps || (!single && bends), JSON.stringify([a, b])).toBe(true);
        }
      }),
    );
  });

  it("say when the task starts and when the worker is selected", () => {
    fc.assert(
      fc.property(markets, fc.nat(), (market, pick) => {
        const worker = market.workers[pick % market.workers.length]!;
        for (const { from, to, arrival, selectedAt, startDelay } of pieces(market, worker.id)!) {
          if (to - from < 1e-6) continue;
          const price = to === Number.POSITIVE_INFINITY ? from + 1 : (from + to) / 2;
          const outcome = runAuction(online, market, [{ worker: worker.id, price, arrival }]);
          const mine = outcome.workers.find(({ id }) => id === worker.id)!;
          expect([mine.selectedAt, outcome.startDelay]).toEqual([selectedAt, startDelay]);
        }
      }),
      { numRuns: 200 },
    );
  });
});

const rise = ({
  from,
  to,
  utilityFrom,
  utilityTo,
}: {
  from: number;
  to: number;
  utilityFrom: number;
  utilityTo: number;
}) => (to === Number.POSITIVE_INFINITY ? 0 : (utilityTo - utilityFrom) / (to - from));
