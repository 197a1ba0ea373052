/** What a worker gets over its price, held against plain runs of every mechanism. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AnyMechanism, runAuction } from "../../src/auction/mechanism.js";
import type { Piece } from "../../src/auction/piece.js";
import { type PriceFunction, priceFunction } from "../../src/auction/price-pieces.js";
import { marketArbitrary } from "../../src/market/generators.js";
import { bidders, type Market, paperRules, type Worker } from "../../src/market/market.js";
import { mechanisms } from "../../src/mechanisms/index.js";
import { withoutText } from "../searched.js";
import { tiedMarkets } from "../tied-markets.js";

const written: AnyMechanism[] = Object.values(mechanisms).filter(
  (mechanism: AnyMechanism) => mechanism.program !== undefined,
);
const named = written.map((mechanism) => [mechanism.name, mechanism] as const);

/** Ties on purpose; now and then somebody has no reputation. */
const coarse = fc.tuple(tiedMarkets(), fc.integer({ min: 0, max: 9 })).map(([market, dull]) => ({
  ...market,
  workers: market.workers.map((one, k) => (k === dull ? { ...one, reputation: 0 } : one)),
}));
const smooth = marketArbitrary({ minWorkers: 1, maxWorkers: 6, maxRounds: 4, maxRatio: 0.9 });

const pricesOf = (mechanism: AnyMechanism, { rules, workers }: Market, worker: Worker): PriceFunction =>
  priceFunction(mechanism, { rules, bids: bidders(workers), worker: worker.id })!;

/** What a plain run gives the worker. */
function told(
  mechanism: AnyMechanism,
  market: Market,
  lie: { worker: number; price: number; arrival: number },
) {
  const { workers, startDelay } = runAuction(mechanism, market, [lie]);
  const { payment, ...mine } = workers.find(({ id }) => id === lie.worker)!;
  return { decided: { selectedAt: mine.selectedAt, rounds: mine.rounds, startDelay }, payment };
}

const decidedIn = ({ selectedAt, rounds, startDelay }: Piece) => ({ selectedAt, rounds, startDelay });

/** The payment that a piece promises at one of its prices. */
const paidAt = ({ from, to, utilityFrom, utilityTo, slope }: Piece, price: number): number =>
  from === to || to === Number.POSITIVE_INFINITY
    ? utilityFrom + slope * (price - from)
    : utilityFrom + ((price - from) / (to - from)) * (utilityTo - utilityFrom);

/** Prices of a piece: both ends where they belong to it, and some inside, right next to the ends too. */
function pricesIn({ from, to, fromIncluded, toIncluded }: Piece): number[] {
  if (from === to) return [from];
  const end = to === Number.POSITIVE_INFINITY ? 2 * from + 10 : to;
  const inside = [1e-8, 0.3, 0.5, 0.9, 1 - 1e-8].map((share) => from + share * (end - from));
  const clear = end - from > 1e-6 ? inside : [from + (end - from) / 2];
  return [...(fromIncluded ? [from] : []), ...clear, ...(toIncluded ? [to] : [])];
}

function expectPlainRuns(mechanism: AnyMechanism, market: Market, worker: Worker): void {
  const prices = pricesOf(mechanism, market, worker);
  for (let arrival = worker.arrival; arrival <= market.rules.rounds; arrival++)
    for (const piece of prices.pieces(arrival))
      for (const price of pricesIn(piece)) {
        const lie = { worker: worker.id, price, arrival };
        const { decided, payment } = told(mechanism, market, lie);
        const where = JSON.stringify({ piece, lie });
        expect(decidedIn(piece), where).toEqual(decided);
        expect(Math.abs(paidAt(piece, price) - payment), where).toBeLessThanOrEqual(
          1e-9 * market.rules.budget,
        );
        const single = prices.at(price, arrival);
        expect(single).toMatchObject({ from: price, to: price, fromIncluded: true, toIncluded: true });
        expect(decidedIn(single), where).toEqual(decided);
        expect(single.utilityFrom).toBe(single.utilityTo);
        expect(Math.abs(single.utilityFrom - payment)).toBeLessThanOrEqual(1e-12 * market.rules.budget);
      }
}

describe.each(named)("%s: the pieces of a worker's payment", (_, mechanism) => {
  it.each([
    ["[M13] where densities, thresholds and budgets tie", coarse, 250],
    ["in markets of any numbers", smooth, 100],
  ] as const)("say what a plain run says at any price, %s", (_, markets, numRuns) => {
    fc.assert(
      fc.property(markets, fc.nat(), (market, pick) => {
        expectPlainRuns(mechanism, market, market.workers[pick % market.workers.length]!);
      }),
      { numRuns },
    );
  });

  it("cover all prices once, are as long as they can be, and the last has no end", () => {
    fc.assert(
      fc.property(coarse, fc.nat(), (market, pick) => {
        const worker = market.workers[pick % market.workers.length]!;
        const pieces = pricesOf(mechanism, market, worker).pieces(worker.arrival);
        expect(pieces[0]).toMatchObject({ from: 0, fromIncluded: true });
        expect(pieces.at(-1)).toMatchObject({ to: Number.POSITIVE_INFINITY, toIncluded: false });
        for (const [k, piece] of pieces.slice(1).entries())
          expectNext(pieces[k]!, piece, market.rules.budget);
      }),
      { numRuns: 150 },
    );
  });

  it("are the same at every arrival where no run looked at when the worker arrives", () => {
    fc.assert(
      fc.property(coarse, fc.nat(), (market, pick) => {
        const worker = market.workers[pick % market.workers.length]!;
        const prices = pricesOf(mechanism, market, worker);
        const first = prices.pieces(worker.arrival);
        expect(prices.evaluations).toBeGreaterThanOrEqual(first.length);
        const last = prices.pieces(market.rules.rounds);
        const here = (piece: Piece) => ({ ...piece, arrival: worker.arrival });
        if (!prices.arrivalMatters) expect(last.map(here)).toEqual(first);
      }),
      { numRuns: 50 },
    );
  });
});

function expectNext(a: Piece, b: Piece, budget: number): void {
  const where = JSON.stringify([a, b]);
  expect(b.from, where).toBe(a.to);
  expect(b.fromIncluded, where).toBe(!a.toIncluded);
  if (a.from === a.to) expect([a.fromIncluded, a.toIncluded]).toEqual([true, true]);
  else expect(a.from).toBeLessThan(a.to);
  const differs = JSON.stringify(decidedIn(a)) !== JSON.stringify(decidedIn(b));
  const jumps = Math.abs(a.utilityTo - b.utilityFrom) > 1e-13 * budget;
  const slope = (piece: Piece) =>
    piece.utilityTo === piece.utilityFrom
      ? 0
      : (piece.utilityTo - piece.utilityFrom) / (piece.to - piece.from);
  const bends = a.from < a.to && b.from < b.to && slope(a) !== slope(b);
  expect(differs || jumps || bends, where).toBe(true);
}

describe("whether the arrival matters", () => {
  const market: Market = {
    rules: { budget: 10, rounds: 3, ...paperRules, firstRoundRatio: 0.5 },
    workers: [0, 1, 2, 3].map((id) => ({ id, reputation: 1, cost: 0.1 * (id + 1), arrival: 1 })),
  };

  const mattersIn = (mechanism: AnyMechanism): boolean => {
    const prices = pricesOf(mechanism, market, market.workers[2]!);
    expect(prices.arrivalMatters).toBe(false);
    prices.pieces(1);
    return prices.arrivalMatters;
  };

  it("is known after a run: it does where workers are looked at as they come", () => {
    for (const mechanism of written) if (!mechanism.offline) expect(mattersIn(mechanism)).toBe(true);
  });

  it("and it does not where everybody is lined up at once", () => {
    for (const name of ["bid-greedy", "approximate-optimal"] as const)
      expect(mattersIn(mechanisms[name])).toBe(false);
  });
});

it("nothing is known of a mechanism that has no program", () => {
  const question = { rules: {} as never, bids: [], worker: 0 };
  for (const mechanism of written)
    expect(priceFunction(withoutText(mechanism) as AnyMechanism, question)).toBeNull();
});
