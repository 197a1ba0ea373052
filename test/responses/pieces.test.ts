/** Exact best responses from the pieces of a text, held against plain runs of every mechanism. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AnyMechanism, runAuction } from "../../src/auction/mechanism.js";
import { regimeOf } from "../../src/auction/outcome.js";
import type { Piece } from "../../src/auction/piece.js";
import type { BestLie, Response } from "../../src/auction/response.js";
import { type Market, paperRules, type Worker } from "../../src/market/market.js";
import { mechanismNamed, mechanisms } from "../../src/mechanisms/index.js";
import { gainsByPieces, pieceResponses, utilityPieces } from "../../src/responses/pieces.js";
import { Deviation } from "../../src/responses/search.js";
import { tiedMarkets } from "../tied-markets.js";

/** Where a worker alone may name its pay, its gain has no bound: tested with the search for bounds. */
const unbounded = ["first-price", "fmore-first-score"];

const written = Object.values(mechanisms)
  .filter(({ name, program }: AnyMechanism) => program !== undefined && !unbounded.includes(name))
  .map((mechanism): [string, AnyMechanism] => [mechanism.name, mechanism]);

/** Ties on purpose; now and then somebody has no reputation. */
const coarse = fc.tuple(tiedMarkets(), fc.integer({ min: 0, max: 9 })).map(([market, dull]) => ({
  ...market,
  workers: market.workers.map((one, k) => (k === dull ? { ...one, reputation: 0 } : one)),
}));

const scale = ({ rules, workers }: Market) =>
  Math.max(rules.budget, ...workers.map(({ cost }) => cost * rules.rounds));

/** What is attained in a piece, by plain runs: at its ends where they belong to it, and inside. */
function attainedIn(deviation: Deviation, { arrival, from, to, fromIncluded, toIncluded }: Piece): number {
  const ends = [...(fromIncluded ? [from] : []), ...(toIncluded ? [to] : [])];
  const inside = to === Number.POSITIVE_INFINITY ? [2 * from + 1] : [(from + to) / 2];
  return Math.max(
    ...[...ends, ...(from < to ? inside : [])].map((price) => deviation.utility(price, arrival)),
  );
}

/** The best that is attained, and the best that can be come close to. */
function bounds(market: Market, worker: Worker, mechanism: AnyMechanism, only?: { arrival: number }) {
  const deviation = new Deviation(mechanism, market, worker);
  const pieces = utilityPieces(market, worker, mechanism).filter(
    ({ arrival }) => only === undefined || arrival === only.arrival,
  );
  return {
    attained: Math.max(...pieces.map((piece) => attainedIn(deviation, piece))),
    supremum: Math.max(...pieces.map(({ utilityFrom, utilityTo }) => Math.max(utilityFrom, utilityTo))),
  };
}

function expectTold(market: Market, worker: Worker, mechanism: AnyMechanism, lie: BestLie): void {
  const told = new Deviation(mechanism, market, worker).utility(lie.price, lie.arrival);
  const least = lie.attained ? 1e-10 : 1e-8;
  expect(Math.abs(told - lie.utility), JSON.stringify(lie)).toBeLessThanOrEqual(least * scale(market));
}

function expectBest(market: Market, worker: Worker, mechanism: AnyMechanism, response: Response): void {
  const noise = 1e-9 * scale(market);
  const { attained, supremum } = bounds(market, worker, mechanism);
  const { gain, priceGain, timeGain, best, bestPrice, bestTime, truthful } = response;
  const truth = new Deviation(mechanism, market, worker);
  expect(truthful).toBe(truth.utility(worker.cost, worker.arrival));
  expect(Math.abs(best.utility - supremum)).toBeLessThanOrEqual(noise);
  expect(Math.abs(gain - (supremum - truthful))).toBeLessThanOrEqual(noise);
  expect(best.attained, JSON.stringify({ best, attained })).toBe(
    attained >= supremum - 1e-11 * scale(market),
  );
  expectTold(market, worker, mechanism, best);
  const atPrice = bounds(market, worker, mechanism, worker);
  expect(Math.abs(priceGain - (atPrice.supremum - truthful))).toBeLessThanOrEqual(noise);
  if (bestPrice) {
    expect(bestPrice.arrival).toBe(worker.arrival);
    expect(bestPrice.attained).toBe(atPrice.attained >= atPrice.supremum - 1e-11 * scale(market));
    expectTold(market, worker, mechanism, bestPrice);
  }
  expect(Math.abs(timeGain - (truth.bestDelay().lie.utility - truthful))).toBeLessThanOrEqual(noise);
  if (bestTime) {
    expect([bestTime.price, bestTime.attained]).toEqual([worker.cost, true]);
    expectTold(market, worker, mechanism, bestTime);
  }
}

describe.each(written)("%s", (_, mechanism) => {
  it("[M13] every gain, every named lie and whether it is attained are those of plain runs", () => {
    fc.assert(
      fc.property(coarse, (market) => {
        const truth = runAuction(mechanism, market);
        const { workers } = pieceResponses(market, mechanism);
        expect(workers.map(({ id }) => id)).toEqual(market.workers.map(({ id }) => id).sort((a, b) => a - b));
        for (const response of workers) {
          const { id, regime, pivotal, best } = response;
          expectBest(market, market.workers.find((one) => one.id === id)!, mechanism, response);
          expect(regime).toBe(regimeOf(truth, id));
          const told = runAuction(mechanism, market, [
            { worker: id, price: best.price, arrival: best.arrival },
          ]);
          expect(pivotal).toBe(told.startDelay !== truth.startDelay);
        }
      }),
      { numRuns: 120 },
    );
  });

  it("a worker's landscape has the pieces and the gains that are found without it", () => {
    fc.assert(
      fc.property(coarse, (market) => {
        const worker = market.workers[0]!;
        const { pieces, ...gains } = gainsByPieces(market, worker, mechanism);
        const [response] = pieceResponses(market, mechanism, [worker.id]).workers;
        expect(pieces).toEqual(utilityPieces(market, worker, mechanism));
        expect(gains.best.arrival).toBe(response!.best.arrival);
        for (const name of ["truthful", "gain", "priceGain", "timeGain"] as const)
          expect(Math.abs(gains[name] - response![name])).toBeLessThanOrEqual(1e-9 * scale(market));
      }),
      { numRuns: 30 },
    );
  });

  it("who is asked for alone gets the same answer", () => {
    fc.assert(
      fc.property(coarse, (market) => {
        const all = pieceResponses(market, mechanism);
        const { id } = market.workers[0]!;
        const alone = pieceResponses(market, mechanism, [id]);
        expect(alone.workers).toEqual(all.workers.filter((one) => one.id === id));
        expect(alone.evaluations).toBeGreaterThan(1);
        const others = pieceResponses(market, mechanism, []).evaluations;
        expect(others).toBe(1);
        const sum = market.workers.map((one) => pieceResponses(market, mechanism, [one.id]).evaluations - 1);
        expect(all.evaluations).toBe(1 + sum.reduce((a, b) => a + b, 0));
      }),
      { numRuns: 25 },
    );
  });
});

describe("the lie that is named", () => {
  const alone = (cost: number, reputation = 1): Market => ({
    rules: { budget: 10, rounds: 2, ...paperRules, firstRoundRatio: 0.5 },
    workers: [{ id: 0, reputation, cost, arrival: 1 }],
  });
  const best = (market: Market, mechanism: string) =>
    pieceResponses(market, mechanismNamed(mechanism)).workers[0]!;

  it("of a rising piece is its end, where it belongs to it: paid its bid, a worker alone asks for all", () => {
    expect(best(alone(1), "bid-greedy").best).toEqual({ price: 5, arrival: 1, utility: 8, attained: true });
    expect(best(alone(1, 4), "bid-greedy").best).toEqual({
      price: 5,
      arrival: 1,
      utility: 8,
      attained: true,
    });
  });

  it("of a level piece is the truth, where the truth is on it", () => {
    expect(best(alone(1), "fixed-threshold:density=2")).toMatchObject({
      gain: 0,
      best: { price: 1, arrival: 1, attained: true },
    });
  });

  it("of a piece that has no end is told as a number, not as infinity", () => {
    const market = alone(9);
    for (const [name, mechanism] of written) {
      const [{ best: lie } = { best: { price: Number.NaN } }] = pieceResponses(market, mechanism).workers;
      expect(Number.isFinite(lie.price), name).toBe(true);
    }
  });
});
