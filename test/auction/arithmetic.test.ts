/** One text in three arithmetics: numbers, fractions and lines take the same decisions. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defineMechanism } from "../../src/auction/define-mechanism.js";
import { exactOutcome } from "../../src/auction/exact.js";
import { type AnyMechanism, runAuction } from "../../src/auction/mechanism.js";
import { priceFunction } from "../../src/auction/price-pieces.js";
import { toNumber } from "../../src/lib/fraction.js";
import { marketArbitrary } from "../../src/market/generators.js";
import { bidders, type Market, paperRules } from "../../src/market/market.js";
import { critical } from "../../src/mechanisms/critical.js";
import { mechanismNamed, mechanisms } from "../../src/mechanisms/index.js";
import { bestResponses, isExact, pieces, whySearched } from "../../src/responses/index.js";

const all = Object.values<AnyMechanism>(mechanisms).map((mechanism) => [mechanism.name, mechanism] as const);
const markets = marketArbitrary({ minWorkers: 1, maxWorkers: 7, maxRounds: 5, maxRatio: 1 });

describe.each(all)("%s", (_, mechanism) => {
  it("decides alike on numbers and on fractions, away from knife edges ([M13])", () => {
    fc.assert(
      fc.property(markets, (market) => {
        const outcome = runAuction(mechanism, market);
        const twin = exactOutcome(mechanism, market.rules, bidders(market.workers));
        fc.pre(twin.narrowestGap > 1e-9);
        expect(outcome.startDelay).toBe(twin.startDelay);
        expect(outcome.budgetEvents).toEqual(twin.budgetEvents);
        for (const [k, { id, selectedAt, rounds, payment }] of twin.workers.entries()) {
          expect(outcome.workers[k]).toMatchObject({ id, selectedAt, rounds });
          expect(Math.abs(outcome.workers[k]!.payment - toNumber(payment))).toBeLessThanOrEqual(
            1e-9 * market.rules.budget,
          );
        }
      }),
      { numRuns: 150 },
    );
  });

  it("gives a worker on a line, at any price and arrival, what it gives it on numbers", () => {
    fc.assert(
      fc.property(
        markets,
        fc.nat(),
        fc.nat(),
        fc.double({ min: 0, max: 2, noNaN: true }),
        (market, pick, late, price) => {
          const worker = market.workers[pick % market.workers.length]!;
          const { rounds, budget } = market.rules;
          const arrival = worker.arrival + (late % (rounds - worker.arrival + 1));
          const bids = bidders(market.workers);
          const lines = priceFunction(mechanism, { rules: market.rules, bids, worker: worker.id })!;
          const bid = { worker: worker.id, price, arrival };
          const given = runAuction(mechanism, market, [bid]).workers.find(({ id }) => id === worker.id)!;
          const { selectedAt, utilityFrom } = lines.at(price, arrival);
          expect(selectedAt).toBe(given.selectedAt);
          expect(Math.abs(utilityFrom - given.payment)).toBeLessThanOrEqual(1e-9 * budget);
          const near = (edge: number) => Math.abs(edge - price) <= 1e-9 * (1 + price);
          const found = lines.pieces(arrival);
          fc.pre(!found.some(({ from, to }) => near(from) || near(to)));
          const {
            from,
            to,
            utilityFrom: low,
            utilityTo: high,
            slope,
            rounds: worked,
          } = found.find((piece) => piece.from < price && price < piece.to)!;
          const endless = to === Number.POSITIVE_INFINITY;
          const risen = endless ? slope * (price - from) : ((price - from) / (to - from)) * (high - low);
          expect(worked).toBe(given.rounds);
          expect(Math.abs(low + risen - given.payment)).toBeLessThanOrEqual(1e-9 * budget);
        },
      ),
      { numRuns: 150 },
    );
  });

  it("has best responses that no price of a grid of 2,000 beats", () => {
    fc.assert(
      fc.property(markets, fc.nat(), (market, pick) => {
        const worker = market.workers[pick % market.workers.length]!;
        const [response] = bestResponses(market, { mechanism, workers: [worker.id] }).workers;
        const most = response!.truthful + response!.gain + 1e-9 * market.rules.budget;
        for (let k = 0; k < 2000; k++) {
          const bid = { worker: worker.id, price: (k / 1000) ** 2, arrival: worker.arrival };
          const { payment, rounds } = runAuction(mechanism, market, [bid]).workers.find(
            ({ id }) => id === worker.id,
          )!;
          expect(payment - worker.cost * rounds).toBeLessThanOrEqual(most);
        }
      }),
      { numRuns: 4 },
    );
  });
});

const two: Market = {
  rules: { budget: 10, rounds: 2, ...paperRules },
  workers: [
    { id: 0, reputation: 1, cost: 1, arrival: 1 },
    { id: 1, reputation: 1, cost: 2, arrival: 1 },
  ],
};

describe("a text that is not linear in a price", () => {
  const squares = defineMechanism({
    name: "squares",
    about: "Pays the square of the bid.",
    program(auction) {
      for (const worker of auction.workers) {
        const payment = auction.math.times(worker.price, worker.price);
        auction.hire(worker, { round: 1, buys: 1, threshold: null }, payment);
      }
    },
  });

  it("runs, and its best lies are searched for, with the reason by name", () => {
    expect(runAuction(squares, two).workers.map(({ payment }) => payment)).toEqual([1, 4]);
    expect(isExact(squares)).toBe(false);
    expect(whySearched(squares)).toBe("multiplies two amounts that both depend on the worker's price");
    expect(bestResponses(two, { mechanism: squares })).toMatchObject({ method: "search", exact: false });
    expect(pieces(two, 0, squares)).toBeNull();
  });
});

describe("critical", () => {
  it("pays bid greedy's winners the price up to which they would be hired", () => {
    // Worker 0 is hired up to min(10/2, …): behind worker 1, whose 2 · 2 leave 6, a bid of 3 still fits. Worker 1 likewise
    // up to (10 − 2)/2 = 4.
    const outcome = runAuction(mechanismNamed("critical(bid-greedy)"), two);
    expect(outcome.workers.map(({ payment }) => payment)).toEqual([6, 8]);
  });

  it("lets no lie about the price gain, in any market it does not refuse", () => {
    fc.assert(
      fc.property(
        marketArbitrary({ minWorkers: 1, maxWorkers: 5, maxRounds: 3, numbers: "generic" }),
        (market) => {
          for (const base of [mechanisms["bid-greedy"], mechanisms.vanilla, mechanisms.rrafl])
            for (const { priceGain } of bestResponses(market, { mechanism: critical(base) }).workers)
              expect(priceGain).toBeLessThanOrEqual(1e-9 * market.rules.budget);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("pays as the mechanism does where that pays critical prices already", () => {
    fc.assert(
      fc.property(
        marketArbitrary({ minWorkers: 2, maxWorkers: 5, maxRounds: 3, numbers: "generic" }),
        (market) => {
          const [own, repaid] = [mechanisms.rrafl, critical(mechanisms.rrafl)].map((one) =>
            runAuction(one, market).workers.map(({ payment }) => payment),
          );
          for (const [k, payment] of own!.entries())
            expect(Math.abs(repaid![k]! - payment)).toBeLessThanOrEqual(1e-9 * market.rules.budget);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("refuses a market in which a higher price sells more rounds, and says which", () => {
    const market: Market = {
      rules: { budget: 3.8, rounds: 2, ...paperRules, firstRoundRatio: 0.15 },
      workers: [
        { id: 5, reputation: 1, cost: 0.25, arrival: 1 },
        { id: 2, reputation: 0.7, cost: 0.25, arrival: 1 },
      ],
    };
    expect(() => runAuction(critical(mechanisms.online), market)).toThrow(
      /critical\(online\): worker [25]: has no critical payment, for a higher price sells more: \d rounds just below/,
    );
  });
});
