/** Myerson's two conditions, each held against what prices sell and earn when they are really bid. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Mechanism } from "../../src/auction/mechanism.js";
import { marketArbitrary } from "../../src/market/generators.js";
import { type Market, paperRules, workerOf } from "../../src/market/market.js";
import { mechanisms } from "../../src/mechanisms/index.js";
import { online } from "../../src/mechanisms/online/online.js";
import { pieces, piecesOnTime } from "../../src/responses/index.js";
import { Deviation } from "../../src/responses/search.js";
import { audit } from "../../src/verdicts/myerson.js";

/*
 * B = 8, T = 2, B1 = 2; both come at clock 2, so the task starts there. Worker 0 asks 1 for a reputation of 1; worker 1 has
 * reputation 2 and asks b, a density of b/2.
 *   b ≤ 1: worker 1 is first and taken (2 · b/2 · 2 ≤ 2), worker 0 is not; paid 2 · 2 · 0.5 = 2. In round 2 it is judged by
 *     worker 0's sample, β = 2: ρ* = 2. The raise to it takes 3, but of its half 4 only 2 is left: paid 4 for two rounds.
 *   1 < b < 2: still first, and too dear: nobody is taken, the task never starts.
 *   2 ≤ b: worker 0 is first, and taken. b ≤ 4: worker 1 is admitted in round 2 and paid 4 for one round. Dearer: never.
 * Sold are 2, 0, 1, 0 rounds: 1 more from 2 on. Myerson pays b · x + ∫ x: 4 below 1, 2 between 1 and 2, 4 up to 4, then 0.
 */
const market: Market = {
  rules: { budget: 8, rounds: 2, ...paperRules, firstRoundRatio: 0.25 },
  workers: [
    { id: 0, reputation: 1, cost: 1, arrival: 2 },
    { id: 1, reputation: 2, cost: 1, arrival: 2 },
  ],
};

describe("Myerson's audit", () => {
  it("[P5] finds the one price from which on a dearer bid sells more, and the payment that is furthest off", () => {
    const { monotone, rises, paidAsMyerson, mispayment } = audit(market, 1)!;
    expect([monotone, rises.length, paidAsMyerson]).toEqual([false, 1, false]);
    expect(mispayment).toMatchObject({ price: 2, paid: 0, myerson: 2 });
  });

  it("does not hang on the cost: it is about every price", () => {
    const dearer = {
      ...market,
      workers: market.workers.map((one) => ({ ...one, cost: one.id === 1 ? 3 : 1 })),
    };
    expect(audit(dearer, 1)).toEqual(audit(market, 1));
  });

  it("is for mechanisms whose pieces are known", () => {
    const { decide } = mechanisms["bid-greedy"];
    expect(
      audit(market, 1, { name: "somebody-elses", about: "Decides as bid greedy does.", decide }),
    ).toBeNull();
  });
});

describe("the pieces at the true arrival", () => {
  it("are those of all pieces that have it, under every mechanism", () => {
    fc.assert(
      fc.property(
        marketArbitrary({ minWorkers: 1, maxWorkers: 6, maxRounds: 4 }),
        fc.nat(),
        (given, pick) => {
          const { id, arrival } = given.workers[pick % given.workers.length]!;
          for (const mechanism of Object.values(mechanisms)) {
            const all = pieces(given, id, mechanism);
            const onTime = all?.filter((piece) => piece.arrival === arrival) ?? null;
            expect(piecesOnTime(given, id, mechanism)).toEqual(onTime);
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it("are all that an audit works out, however many rounds are left", () => {
    const seen = new Set<number>();
    const watched: Mechanism = {
      ...online,
      name: "watched",
      program(auction) {
        for (const { id, arrival } of auction.byReputation()) if (id === 1) seen.add(arrival);
        online.program!(auction);
      },
    };
    const longer = { ...market, rules: { ...market.rules, rounds: 30 } };
    audit(longer, 1, watched);
    expect([...seen]).toEqual([2]);
  });
});

/** Prices in order, with what each sells and is paid when it is bid: two inside of each piece, or the single price it is. */
function bidAll(given: Market, id: number) {
  const worker = workerOf(given, id);
  const deviation = new Deviation(online, given, worker);
  const known = pieces(given, id)!.filter(({ arrival }) => arrival === worker.arrival);
  return known.map(({ from, to }) => {
    const end = to === Number.POSITIVE_INFINITY ? from + 1 : to;
    const prices = from === to ? [from] : [from + (end - from) / 3, end - (end - from) / 3];
    const bids = prices.map((price) => {
      const { workers } = deviation.outcome(price, worker.arrival);
      const { rounds, payment } = workers.find((allotment) => allotment.id === id)!;
      return { price, rounds, payment };
    });
    return { from, to, bids };
  });
}

const markets = marketArbitrary({ minWorkers: 1, maxWorkers: 6, maxRounds: 4, maxRatio: 0.9 });

describe("whatever the market", () => {
  it("a rule is monotone exactly if no dearer bid sells more rounds", () => {
    let rising = 0;
    fc.assert(
      fc.property(markets, (given) => {
        for (const { id } of given.workers) {
          const sold = bidAll(given, id).flatMap(({ bids }) => bids.map(({ rounds }) => rounds));
          const monotone = sold.every((rounds, k) => k === 0 || rounds <= sold[k - 1]!);
          if (!monotone) rising++;
          expect(audit(given, id)!.monotone).toBe(monotone);
        }
      }),
      { numRuns: 300 },
    );
    expect(rising).toBeGreaterThan(0);
  });

  it("payments are Myerson's exactly if every bid is paid b · x(b) and ∫ x from b on", () => {
    let mispaid = 0;
    fc.assert(
      fc.property(markets, (given) => {
        const scale = Math.max(1, given.rules.budget);
        for (const { id } of given.workers) {
          const { paidAsMyerson, mispayment } = audit(given, id)!;
          const most = mispayment ? Math.abs(mispayment.paid - mispayment.myerson) : 0;
          const offs = offsOf(given, id);
          expect(Math.max(0, ...offs)).toBeLessThanOrEqual(most + 1e-8 * scale);
          if (!paidAsMyerson) mispaid++;
          else expect(most).toBe(0);
        }
      }),
      { numRuns: 300 },
    );
    expect(mispaid).toBeGreaterThan(0);
  });
});

/** How far each bid's payment is from Myerson's. */
function offsOf(given: Market, id: number): number[] {
  let sold = 0;
  const offs: number[] = [];
  for (const { from, to, bids } of bidAll(given, id).reverse()) {
    const { rounds } = bids[0]!;
    for (const { price, payment } of bids) {
      const above = rounds === 0 ? 0 : rounds * (to - price);
      offs.push(Math.abs(payment - (price * rounds + above + sold)));
    }
    sold += rounds === 0 ? 0 : rounds * (to - from);
  }
  return offs;
}

it("mechanisms in which no price lie gains pass the audit, also where rounds are bought one by one", () => {
  const truthful = ["posted-rounds", "falling-price", "rrafl", "fixed-threshold"] as const;
  fc.assert(
    fc.property(marketArbitrary({ minWorkers: 2, maxWorkers: 6, maxRounds: 4 }), (market) => {
      for (const name of truthful)
        for (const { id } of market.workers)
          expect(audit(market, id, mechanisms[name]), name).toMatchObject({
            monotone: true,
            paidAsMyerson: true,
          });
    }),
    { numRuns: 60 },
  );
});
