/** The best joint lies of two or three workers, held against plain runs, the twin in fractions, and cells that are exact. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AnyMechanism, runAuction } from "../../src/auction/mechanism.js";
import { allotmentOf, workerUtility } from "../../src/auction/outcome.js";
import { stream } from "../../src/lib/random.js";
import { drawMarket } from "../../src/market/draw.js";
import { type Bid, type Market, paperRules, workerOf } from "../../src/market/market.js";
import { critical } from "../../src/mechanisms/critical.js";
import { mechanisms } from "../../src/mechanisms/index.js";
import { OnlineBound } from "../../src/mechanisms/online/bound.js";
import { online } from "../../src/mechanisms/online/online.js";
import { coalitionResponses, falseNameResponses } from "../../src/responses/coalition.js";
import { bestResponses } from "../../src/responses/index.js";
import { bestJointLie } from "../../src/responses/joint-lie.js";
import { Deviation, priceCandidates } from "../../src/responses/search.js";
import { bruteForce } from "../joint-brute-force.js";
import { withoutText } from "../searched.js";
import { tiedMarkets } from "../tied-markets.js";

const all = Object.values<AnyMechanism>(mechanisms).map((mechanism) => [mechanism.name, mechanism] as const);

/** Three or four workers in coarse numbers, with ties; or drawn as in the paper. */
const markets = fc.oneof(
  tiedMarkets().filter(({ workers }) => workers.length >= 2),
  fc
    .record({
      seed: fc.nat(),
      workers: fc.integer({ min: 3, max: 5 }),
      rounds: fc.integer({ min: 2, max: 3 }),
    })
    .map(({ seed, workers, rounds }) =>
      drawMarket({ rules: { ...paperRules, budget: workers, rounds }, workers }, stream(seed)),
    ),
);

const scaleOf = ({ rules, workers }: Market) =>
  Math.max(rules.budget, ...workers.map(({ cost }) => cost * rules.rounds));

function together(
  market: Market,
  mechanism: AnyMechanism,
  ids: readonly number[],
  bids: readonly Bid[],
): number {
  const outcome = runAuction(mechanism, market, bids);
  return ids.reduce((sum, id) => sum + workerUtility(workerOf(market, id), allotmentOf(outcome, id)), 0);
}

/** Higher prices of a liar bring more, in proportion. */
function expectNoBound(
  market: Market,
  mechanism: AnyMechanism,
  ids: readonly number[],
  bids: readonly Bid[],
): void {
  const brings = (factor: number, raised: readonly number[]) => {
    const higher = bids.map((bid) =>
      raised.includes(bid.worker) ? { ...bid, price: bid.price * factor } : bid,
    );
    return together(market, mechanism, ids, higher);
  };
  expect(brings(1, ids)).toBeGreaterThan(together(market, mechanism, ids, []));
  const liars = [...ids.map((id) => [id]), ids];
  const growing = liars.filter((raised) => brings(1e6, raised) > 900 * Math.max(1, brings(1e3, raised)));
  expect(growing, JSON.stringify(bids)).not.toEqual([]);
}

/** Two amounts are as near as said, or neither has a bound. */
function expectNear(one: number, other: number, noise: number): void {
  if (one !== other) expect(Math.abs(one - other)).toBeLessThanOrEqual(noise);
}

/** Prices at which something may change for a worker, at any arrival from the true one on. */
function lies(market: Market, mechanism: AnyMechanism, id: number): Bid[] {
  const worker = workerOf(market, id);
  const deviation = new Deviation(mechanism, market, worker);
  return deviation.arrivals.flatMap((arrival) =>
    priceCandidates(deviation, arrival, 12).map((price) => ({ worker: id, price, arrival })),
  );
}

describe.each(all)("%s", (_, mechanism) => {
  it("is what the bids bring, and no less than a member alone, or than any bids of a grid", () => {
    fc.assert(
      fc.property(markets, (market) => {
        const ids = market.workers.slice(0, 2).map(({ id }) => id);
        const noise = 1e-9 * scaleOf(market);
        const { utility, bids, attained, method } = bestJointLie(market, { mechanism, members: ids });
        expect(method).toBe("computed");
        const told = together(market, mechanism, ids, bids);
        if (utility === Number.POSITIVE_INFINITY) {
          expectNoBound(market, mechanism, ids, bids);
          return;
        }
        expect(Math.abs(told - utility), JSON.stringify(bids)).toBeLessThanOrEqual(
          attained ? noise / 10 : 1e-8 * scaleOf(market),
        );
        const { workers } = bestResponses(market, { mechanism, workers: ids });
        for (const { id, best } of workers)
          expect(together(market, mechanism, ids, [{ worker: id, ...best }])).toBeLessThanOrEqual(
            utility + noise,
          );
        const [first, second] = ids.map((id) => lies(market, mechanism, id)) as [Bid[], Bid[]];
        for (const one of first)
          for (const other of second)
            expect(together(market, mechanism, ids, [one, other])).toBeLessThanOrEqual(utility + noise);
      }),
      { numRuns: 10 },
    );
  });

  it("is the same in floating point as in exact fractions", () => {
    fc.assert(
      fc.property(markets, (market) => {
        const members = market.workers.slice(0, 2).map(({ id }) => id);
        const [numbers, fractions] = (["numbers", "fractions"] as const).map((arithmetic) =>
          bestJointLie(market, { mechanism, members, arithmetic }),
        );
        expectNear(numbers!.utility, fractions!.utility, 1e-10 * scaleOf(market));
        expect(numbers!.attained).toBe(fractions!.attained);
      }),
      { numRuns: 10 },
    );
  });
});

it("agrees with a brute force in fractions over all points where anything changes, for three workers and two rounds", () => {
  const coarse = tiedMarkets().filter(({ workers, rules }) => workers.length === 3 && rules.rounds === 2);
  fc.assert(
    fc.property(coarse, fc.constantFrom(...all), (market, [, mechanism]) => {
      const members = market.workers.slice(0, 2).map(({ id }) => id);
      const { utility, bids, attained } = bestJointLie(market, { mechanism, members });
      if (utility === Number.POSITIVE_INFINITY) {
        expectNoBound(market, mechanism, members, bids);
        return;
      }
      const brute = bruteForce(market, mechanism, members);
      expect(Math.abs(utility - brute.utility)).toBeLessThanOrEqual(1e-10 * scaleOf(market));
      expect(attained).toBe(brute.attained);
    }),
    { numRuns: 12 },
  );
});

describe("what is known by hand", () => {
  it("nobody gains under a fixed threshold with an ample budget: no bid changes what another gets", () => {
    fc.assert(
      fc.property(markets, (market) => {
        const ample = { ...market, rules: { ...market.rules, budget: 1000 } };
        for (const { gain, best } of coalitionResponses(ample, { mechanism: mechanisms["fixed-threshold"] })
          .pairs) {
          expect(gain).toBe(0);
          expect(best.every(({ worker, price }) => price === workerOf(ample, worker).cost)).toBe(true);
        }
      }),
      { numRuns: 10 },
    );
  });

  it.each(["vanilla", "bid-greedy"] as const)(
    "%s pays what is asked: the cheaper of two takes the whole budget, and the other asks too much",
    (name) => {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }), (a, b) => {
          const rules = { ...paperRules, budget: 4, rounds: 2 };
          const workers = [a / 10, b / 10].map((cost, id) => ({ id, reputation: 1, cost, arrival: 1 }));
          const [pair] = coalitionResponses({ rules, workers }, { mechanism: mechanisms[name] }).pairs;
          expect(pair!.truthful + pair!.gain).toBeCloseTo(4 - (2 * Math.min(a, b)) / 10, 9);
        }),
        { numRuns: 20 },
      );
    },
  );

  it("a supremum that is tiny beside the payments, and not attained, is come close to; who adds nothing tells the truth", () => {
    const costs = [0.2416, 0.4247, 0.2269, 0.3955, 0.2629, 0.2261];
    const reputations = [0.3958, 0.9524, 0.4557, 0.5334, 0.3274, 0.4112];
    const workers = costs.map((cost, id) => ({
      ...{ id, cost, reputation: reputations[id]! },
      arrival: id === 4 ? 3 : 1,
    }));
    const market = { rules: { ...paperRules, budget: 1.317, rounds: 4 }, workers };
    const { pairs } = coalitionResponses(market, { mechanism: mechanisms["bid-greedy"] });
    // Only worker 5 is hired, below the next cheapest: worker 2 at 0.2269, or worker 0 at 0.2416 if 2 steps aside.
    for (const { workers, gain, attained, best } of pairs) {
      const next = workers.join() === "2,5" ? 0.2416 : 0.2269;
      expect(gain).toBeCloseTo(workers.includes(5) ? 4 * (next - 0.2261) : 0, 9);
      expect(attained).toBe(!workers.includes(5));
      expect(together(market, mechanisms["bid-greedy"], workers, best)).toBeCloseTo(gain, 8);
      if (next === 0.2269)
        for (const { worker, price } of best) if (worker !== 5) expect(price).toBe(costs[worker]);
    }
  });

  it("a member without reputation adds nothing to what the other can do ([M1])", () => {
    const market = drawMarket({ rules: { ...paperRules, budget: 5, rounds: 3 }, workers: 5 }, stream(1));
    const workers = market.workers.map((worker) => (worker.id === 2 ? { ...worker, reputation: 0 } : worker));
    for (const { workers: ids, gain, alone } of coalitionResponses({ ...market, workers }).pairs)
      if (ids.includes(2)) expect(gain).toBeCloseTo(alone[0]! + alone[1]!, 9);
  });
});

it("goes through all pairs by id, with what each could gain alone", () => {
  const market = drawMarket({ rules: { ...paperRules, budget: 5, rounds: 3 }, workers: 4 }, stream(1));
  const { pairs, method, exact } = coalitionResponses(market);
  expect({ method, exact }).toEqual({ method: "computed", exact: true });
  expect(pairs.map(({ workers }) => workers.join())).toEqual(["0,1", "0,2", "0,3", "1,2", "1,3", "2,3"]);
  const gains = bestResponses(market).workers.map(({ gain }) => gain);
  for (const { workers, alone } of pairs) expect(alone).toEqual(workers.map((id) => gains[id]));
});

it("a search begins with what each member's best lie alone brings them together", () => {
  for (let seed = 0; seed < 12; seed++) {
    const market = drawMarket({ rules: { ...paperRules, budget: 2, rounds: 2 }, workers: 4 }, stream(seed));
    for (const mechanism of [mechanisms["bid-greedy"], mechanisms.online].map(withoutText)) {
      const single = bestResponses(market, { mechanism });
      const { pairs, method } = coalitionResponses(market, { mechanism });
      expect(method).toBe("search");
      for (const { workers: ids, truthful, gain } of pairs)
        for (const { id, best } of single.workers.filter(({ id }) => ids.includes(id))) {
          const alone = { worker: id, price: best.price, arrival: best.arrival };
          expect(gain).toBeGreaterThanOrEqual(together(market, mechanism, ids, [alone]) - truthful - 1e-9);
        }
    }
  }
});

it("three do at least as well as any two of them with the third telling the truth", () => {
  const market = drawMarket({ rules: { ...paperRules, budget: 4, rounds: 2 }, workers: 4 }, stream(2));
  const ids = [0, 1, 2];
  const { utility, bids } = bestJointLie(market, { mechanism: online, members: ids });
  expect(together(market, online, ids, bids)).toBeCloseTo(utility, 8);
  for (const left of ids) {
    const two = bestJointLie(market, { mechanism: online, members: ids.filter((id) => id !== left) });
    expect(together(market, online, ids, two.bids)).toBeLessThanOrEqual(utility + 1e-9);
  }
});

it("is a search, and says so, for a mechanism that pays otherwise than its text says", () => {
  const market = drawMarket({ rules: { ...paperRules, budget: 5, rounds: 2 }, workers: 3 }, stream(1));
  const mechanism = critical(mechanisms["proportional-share"]);
  const { method, exact, pairs } = coalitionResponses(market, { mechanism });
  expect({ method, exact }).toEqual({ method: "search", exact: false });
  for (const { workers, truthful, gain, best } of pairs)
    expect(together(market, mechanism, workers, best)).toBeCloseTo(truthful + gain, 9);
});

it("never brings more than the bound by which cells of the paper's auction are left out", () => {
  fc.assert(
    fc.property(markets, (market) => {
      const members = market.workers.slice(0, 2);
      const { arrivals, ...lie } = exactAtAll(
        market,
        members.map(({ id }) => id),
      );
      const bound = new OnlineBound(market, members, arrivals);
      const anything = members.map(() => ({ low: 0, high: Number.POSITIVE_INFINITY }));
      const around = lie.bids.map(({ price }) => ({ low: price * 0.999, high: price * 1.001 }));
      for (const prices of [anything, around])
        expect(bound.at(prices)).toBeGreaterThanOrEqual(lie.utility - 1e-9 * scaleOf(market));
    }),
    { numRuns: 25 },
  );
});

it("gains the same with the bound as without: it leaves out no pair, arrival or price that gains", () => {
  // The same text under another identity, for which no bound is known.
  const unbounded = { ...online };
  const drawn = fc
    .record({
      seed: fc.nat(),
      workers: fc.integer({ min: 4, max: 7 }),
      rounds: fc.integer({ min: 2, max: 4 }),
      perRound: fc.double({ min: 0.02, max: 0.4, noNaN: true }),
      firstRoundRatio: fc.constantFrom(0.2, 0.35, 0.9),
      minWorkers: fc.constantFrom(1, 1, 2),
      reading: fc.constantFrom("prose" as const, "pseudocode" as const),
    })
    .map(({ seed, workers, perRound, ...rules }) =>
      drawMarket(
        { rules: { ...paperRules, ...rules, budget: workers * rules.rounds * perRound }, workers },
        stream(seed),
      ),
    );
  fc.assert(
    fc.property(fc.oneof(drawn, markets), (market) => {
      const [bounded, all] = [online, unbounded].map((mechanism) =>
        coalitionResponses(market, { mechanism }),
      );
      expect(bounded!.evaluations).toBeLessThanOrEqual(all!.evaluations);
      for (const [k, { gain, attained }] of bounded!.pairs.entries()) {
        expect(Math.abs(gain - all!.pairs[k]!.gain)).toBeLessThanOrEqual(1e-9 * scaleOf(market));
        expect(attained).toBe(all!.pairs[k]!.attained);
      }
    }),
    { numRuns: 25, examples: [[delayedByOne], [delayedByTwo]] },
  );
});

const worker = (id: number, reputation: number, cost: number, arrival: number) => ({
  ...{ id, reputation, cost, arrival },
});

/** Workers 0 and 1 gain by a later start: 0 asks less per reputation than 3, and yet too much for the first step ([M6]). */
const delayedByOne: Market = {
  rules: { ...paperRules, budget: 4, rounds: 2 },
  workers: [worker(0, 4, 0.05, 1), worker(1, 2, 0.05, 2), worker(3, 1, 0.5, 1)],
};

/** Workers 2 and 3 gain by a later start where two are needed, though one is there that fits. */
const delayedByTwo: Market = {
  rules: { ...paperRules, budget: 4, rounds: 3, minWorkers: 2 },
  workers: [worker(1, 0.5, 0.05, 1), worker(2, 0.5, 0.1, 3), worker(3, 4, 0.5, 1), worker(4, 0.5, 0.3, 1)],
};

/** In fractions nothing is left out. */
function exactAtAll(market: Market, members: readonly number[]) {
  const lie = bestJointLie(market, { mechanism: online, members, arithmetic: "fractions" });
  return { ...lie, arrivals: lie.bids.map(({ arrival }) => arrival) };
}

describe("false names", () => {
  const small = (seed: number) =>
    drawMarket({ rules: { ...paperRules, budget: 4, rounds: 2 }, workers: 4 }, stream(seed));

  it("gain no less than the own name alone, what the bids of all names bring, and no less than a grid", () => {
    for (const seed of [1, 2, 3])
      for (const response of falseNameResponses(small(seed), { names: 1 }).workers) {
        const { id, truthful, gain, alone, best } = response;
        const market = small(seed);
        const self = workerOf(market, id);
        expect(gain).toBeGreaterThanOrEqual(alone - 1e-12);
        const together_ = (names: readonly { id: number; price: number; arrival: number }[], own: Bid) => {
          const fresh = names.map((name) => ({ ...self, id: name.id, reputation: 0.5 }));
          const extended = { ...market, workers: [...market.workers, ...fresh] };
          const bids = names.map(({ id: worker, price, arrival }) => ({ worker, price, arrival }));
          return together(extended, online, [id, ...names.map((name) => name.id)], [own, ...bids]);
        };
        expect(together_(best.names, { worker: id, ...best })).toBeCloseTo(truthful + gain, 8);
        const prices = [0, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 3];
        for (const fresh of [4, 5])
          for (const price of prices)
            for (const own of prices)
              expect(
                together_([{ id: fresh, price, arrival: self.arrival }], {
                  worker: id,
                  price: own,
                  arrival: self.arrival,
                }),
              ).toBeLessThanOrEqual(truthful + gain + 1e-9);
      }
  });

  it("take the lowest fresh ids of their groups; a second name is used only where it gains more", () => {
    const market = small(1);
    const one = falseNameResponses(market, { names: 1 });
    const two = falseNameResponses(market, { names: 2 });
    for (const [k, { gain, best }] of two.workers.entries()) {
      expect(gain).toBeGreaterThanOrEqual(one.workers[k]!.gain - 1e-12);
      expect(best.names.length).toBeLessThanOrEqual(2);
      for (const { id } of best.names) expect([4, 5, 6, 7]).toContain(id);
    }
  });

  it("gain nothing without a reputation ([M1])", () => {
    const { workers } = falseNameResponses(small(2), { names: 1, newReputation: 0 });
    for (const { gain, alone, best } of workers) {
      expect(gain).toBeCloseTo(alone, 12);
      expect(best.names).toEqual([]);
    }
  });
});

it("a pair gains in which neither could alone: one asks more than twice its cost and raises what the other is judged by", () => {
  const rules = { ...paperRules, budget: 5, rounds: 3 };
  const types = [
    [0.1, 0.1, 1],
    [0.25, 0.19, 1],
    [0.84, 0.41, 1],
    [0.6, 0.38, 2],
    [0.9, 0.57, 2],
  ] as const;
  const workers = types.map(([reputation, cost, arrival], id) => ({ id, reputation, cost, arrival }));
  const [pair] = coalitionResponses({ rules, workers }, { coalitions: [[2, 3]] }).pairs;
  expect(pair).toMatchObject({ workers: [2, 3], alone: [0, 0], attained: true, exact: true });
  expect(pair!.gain).toBeCloseTo(0.864737, 6);
  expect(pair!.best[1]!.price).toBeGreaterThan(2 * 0.38);
});

it("refuses a mechanism that draws, in one line", () => {
  const market = drawMarket({ rules: { ...paperRules, budget: 5, rounds: 2 }, workers: 3 }, stream(1));
  const drawing = { ...online, name: "lottery", stochastic: true };
  expect(() => coalitionResponses(market, { mechanism: drawing })).toThrow("lottery");
});
