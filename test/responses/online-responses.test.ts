import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runAuction } from "../../src/auction/mechanism.js";
import { regimeOf } from "../../src/auction/outcome.js";
import type { Piece } from "../../src/auction/piece.js";
import type { Response } from "../../src/auction/response.js";
import { marketArbitrary } from "../../src/market/generators.js";
import { type Market, paperRules, type Worker } from "../../src/market/market.js";
import { online } from "../../src/mechanisms/online/online.js";
import { onlineResponses } from "../../src/mechanisms/online/solver.js";
import { pieces as piecesOf } from "../../src/responses/index.js";
import { pieceResponses } from "../../src/responses/pieces.js";
import { Deviation } from "../../src/responses/search.js";
import { numbered, responseVectors } from "../golden.js";

const figures = ({ truthful, gain, priceGain, timeGain }: Response) => ({
  truthful,
  gain,
  priceGain,
  timeGain,
});

function expectFigures(actual: Response, expected: ReturnType<typeof figures>): void {
  for (const [name, value] of Object.entries(figures(actual)))
    expect(Math.abs(value - expected[name as keyof typeof expected]), name).toBeLessThanOrEqual(1e-6);
}

describe("vectors of an independent exact implementation", () => {
  it.each(numbered(responseVectors))("structural search, vector %i", (_, { market, expect: expected }) => {
    const { workers } = onlineResponses(market);
    for (const [k, figures] of expected.entries()) expectFigures(workers[k]!, figures);
  });

  it.each(numbered(responseVectors))("pieces of the text, vector %i", (_, { market, expect: expected }) => {
    const { workers } = pieceResponses(market, online);
    for (const [k, figures] of expected.entries()) expectFigures(workers[k]!, figures);
  });
});

/** Markets in which lies move the start, the price and the money. */
const small = marketArbitrary({ minWorkers: 1, maxWorkers: 7, maxRounds: 5, maxRatio: 0.9 });

/** Money so short that most tasks start late or never: only a lie can start them in time. */
const starved = fc
  .tuple(small, fc.constantFrom(0.1, 0.25, 0.5))
  .map(([{ rules, workers }, share]) => ({ rules: { ...rules, budget: rules.budget * share }, workers }));

describe("the structural method and the pieces of the text agree on every worker's gains", () => {
  it.each([
    ["in random small markets with ties and delayed starts", small],
    ["[M6] where tasks start late, never, or only by a lie", starved],
  ])("%s", (_, markets) => {
    fc.assert(
      fc.property(markets, (market) => {
        const read = pieceResponses(market, online).workers;
        for (const [k, response] of onlineResponses(market).workers.entries())
          expectFigures(response, figures(read[k]!));
      }),
      { numRuns: 400 },
    );
  });
});

describe("nothing beats the exact answer", () => {
  it("no price of a dense grid, at any arrival", () => {
    fc.assert(
      fc.property(small, fc.nat(), (market, pick) => {
        const worker = market.workers[pick % market.workers.length]!;
        const [response] = onlineResponses(market, [worker.id]).workers;
        const deviation = new Deviation(online, market, worker);
        const most = response!.truthful + response!.gain + 1e-9 * Math.max(1, market.rules.budget);
        for (let arrival = worker.arrival; arrival <= market.rules.rounds; arrival++)
          for (let k = 0; k <= 300; k++)
            expect(deviation.utility((k / 100) ** 2 * 0.2, arrival)).toBeLessThanOrEqual(most);
      }),
      { numRuns: 150 },
    );
  });

  it("and the best lie, told, brings what it says", () => {
    fc.assert(
      fc.property(
        marketArbitrary({ minWorkers: 1, maxWorkers: 12, maxRounds: 8, maxRatio: 0.9 }),
        (market) => {
          for (const { id, best, truthful, gain } of onlineResponses(market).workers) {
            const worker = market.workers.find((w) => w.id === id)!;
            const told = new Deviation(online, market, worker).utility(best.price, best.arrival);
            expect(Math.abs(told - best.utility)).toBeLessThanOrEqual(
              1e-8 * Math.max(1, market.rules.budget),
            );
            expect(best.utility - truthful).toBeCloseTo(gain, 9);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("what is said of a worker", () => {
  it("its regime is that of the truthful run, and it is pivotal exactly if its best lie changes the start", () => {
    fc.assert(
      fc.property(small, (market) => {
        const truth = runAuction(online, market);
        for (const { id, regime, pivotal, best } of onlineResponses(market).workers) {
          expect(regime).toBe(regimeOf(truth, id));
          const { startDelay } = runAuction(online, market, [
            { worker: id, price: best.price, arrival: best.arrival },
          ]);
          expect(pivotal).toBe(startDelay !== truth.startDelay);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("pieces", () => {
  it("cover all prices of every arrival without gap or overlap", () => {
    fc.assert(
      fc.property(small, fc.nat(), (market, pick) => {
        const worker = market.workers[pick % market.workers.length]!;
        const pieces = piecesOf(market, worker.id)!;
        for (let arrival = worker.arrival; arrival <= market.rules.rounds; arrival++)
          expectCover(pieces.filter((piece) => piece.arrival === arrival));
      }),
    );
  });

  it("give the utility of any price", () => {
    const prices = fc.double({ min: 0, max: 1.5, noNaN: true });
    fc.assert(
      fc.property(small, fc.nat(), prices, (market, pick, price) => {
        const worker = market.workers[pick % market.workers.length]!;
        for (const arrival of [worker.arrival, market.rules.rounds])
          expectUtility(market, worker, price, arrival);
      }),
      { numRuns: 400 },
    );
  });
});

function expectCover(pieces: readonly Piece[]): void {
  expect(pieces[0]).toMatchObject({ from: 0, fromIncluded: true });
  expect(pieces.at(-1)!.to).toBe(Number.POSITIVE_INFINITY);
  for (const [k, piece] of pieces.slice(1).entries()) {
    expect(piece.from).toBe(pieces[k]!.to);
    expect(piece.fromIncluded).toBe(!pieces[k]!.toIncluded);
  }
}

function expectUtility(market: Market, worker: Worker, price: number, arrival: number): void {
  const near = (edge: number) => Math.abs(edge - price) <= 1e-9 * (1 + price);
  const pieces = piecesOf(market, worker.id)!.filter((piece) => piece.arrival === arrival);
  fc.pre(!pieces.some((piece) => near(piece.from) || near(piece.to)));
  const piece = pieces.find(({ from, to }) => from < price && price < to)!;
  const { from, to, utilityFrom, utilityTo } = piece;
  const share = to === Number.POSITIVE_INFINITY ? 0 : (price - from) / (to - from);
  const expected = utilityFrom + share * (utilityTo - utilityFrom);
  const actual = new Deviation(online, market, worker).utility(price, arrival);
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(1e-9 * Math.max(1, market.rules.budget));
}

/**
 * Workers that set the price of the first step by losing it: what they say moves the money of their own group. Densities
 * are close together and the first step buys from few: many lose it, and are admitted and raised later.
 */
const crowded: fc.Arbitrary<Market> = fc
  .record({
    rounds: fc.integer({ min: 2, max: 6 }),
    firstRoundRatio: fc.constantFrom(0.1, 0.2, 0.3, 0.5),
    tightness: fc.integer({ min: 4, max: 24 }),
    minWorkers: fc.constantFrom(0, 1, 1, 1),
    reading: fc.constantFrom("prose" as const, "pseudocode" as const),
    workers: fc.uniqueArray(
      fc.record({
        id: fc.integer({ min: 0, max: 11 }),
        reputation: fc.integer({ min: 3, max: 20 }).map((k) => k / 10),
        density: fc.integer({ min: 5, max: 40 }).map((k) => k / 50),
        arrival: fc.constantFrom(1, 1, 1, 2, 3),
      }),
      { selector: ({ id }) => id, minLength: 3, maxLength: 9 },
    ),
  })
  .map(({ rounds, firstRoundRatio, tightness, minWorkers, reading, workers }) => {
    const budget = Math.ceil(workers.length * rounds * tightness) / 20;
    return {
      rules: { ...paperRules, budget, rounds, firstRoundRatio, minWorkers, reading },
      workers: workers.map(({ id, reputation, density, arrival }) => ({
        id,
        reputation,
        cost: Number((density * reputation).toPrecision(12)),
        arrival: Math.min(arrival, rounds),
      })),
    };
  });

const market = (
  rules: Pick<Market["rules"], "budget" | "rounds" | "firstRoundRatio"> & { minWorkers?: number },
  workers: readonly (readonly [id: number, reputation: number, cost: number, arrival: number])[],
): Market => ({
  rules: { ...paperRules, ...rules },
  workers: workers.map(([id, reputation, cost, arrival]) => ({ id, reputation, cost, arrival })),
});

/** Two of the group of a first loser are paid its density: from some price on the money no longer suffices for itself. */
const flips = market({ budget: 1.2, rounds: 2, firstRoundRatio: 0.5 }, [
  [2, 0.3, 0.03, 1],
  [3, 1, 0.1, 1],
  [0, 1.7, 0.17, 1],
]);

/** The budget sets the price of the first step before the first loser's density does. */
const byBudget = market({ budget: 1.8, rounds: 3, firstRoundRatio: 0.1 }, [
  [1, 0.3, 0.03, 1],
  [2, 0.3, 0.03, 1],
  [0, 0.3, 0.03, 1],
]);

/** A first loser is admitted later, and its raise capped by what its own price has left of the group's money. */
const capped = market({ budget: 4, rounds: 4, firstRoundRatio: 0.1 }, [
  [3, 0.3, 0.03, 1],
  [9, 0.6, 0.06, 1],
  [1, 0.3, 0.03, 2],
  [0, 0.5, 0.05, 3],
  [7, 0.4, 0.04, 3],
]);

/** The task starts with nobody, and the first step sets no price. */
const startsWithNobody = market({ budget: 3, rounds: 3, firstRoundRatio: 0.3, minWorkers: 0 }, [
  [7, 0.7, 0.07, 3],
  [8, 1.1, 0.176, 1],
  [1, 0.3, 0.03, 3],
  [0, 0.3, 0.03, 3],
  [2, 1.2, 0.12, 3],
]);

/** A need that just fits, whatever the worker says. */
const fitsExactly = market({ budget: 12, rounds: 5, firstRoundRatio: 0.3, minWorkers: 0 }, [
  [3, 1.7, 0.986, 1],
  [0, 1.7, 0.17, 1],
  [8, 0.6, 0.24, 1],
]);

it("[M5] [M10] the structural method and the pieces of the text agree on gains and on what is attained", () => {
  fc.assert(
    fc.property(crowded, (market) => {
      const read = pieceResponses(market, online).workers;
      for (const [k, response] of onlineResponses(market).workers.entries()) {
        const { gain, priceGain, timeGain, best } = read[k]!;
        const noise = 1e-9 * market.rules.budget;
        expect(Math.abs(response.gain - gain)).toBeLessThanOrEqual(noise);
        expect(Math.abs(response.priceGain - priceGain)).toBeLessThanOrEqual(noise);
        expect(Math.abs(response.timeGain - timeGain)).toBeLessThanOrEqual(noise);
        expect(Math.abs(response.best.utility - best.utility)).toBeLessThanOrEqual(noise);
        expect(response.best.attained).toBe(best.attained);
      }
    }),
    {
      numRuns: 500,
      examples: [flips, byBudget, capped, startsWithNobody, fitsExactly].map((one): [Market] => [one]),
    },
  );
});
