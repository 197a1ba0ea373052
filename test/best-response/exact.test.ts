import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pieces as piecesOf } from "../../src/best-response/index.js";
import { exactResponses } from "../../src/best-response/online-responses.js";
import { pieceResponses } from "../../src/best-response/pieces.js";
import type { Piece, Response } from "../../src/best-response/response.js";
import { Deviation } from "../../src/best-response/search.js";
import { marketArbitrary } from "../../src/market/generators.js";
import type { Market, Worker } from "../../src/market/market.js";
import { hold } from "../../src/mechanisms/mechanism.js";
import { online } from "../../src/mechanisms/online.js";
import { regimeOf } from "../../src/mechanisms/outcome.js";
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
    const { workers } = exactResponses(market);
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
        for (const [k, response] of exactResponses(market).workers.entries())
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
        const [response] = exactResponses(market, [worker.id]).workers;
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
          for (const { id, best, truthful, gain } of exactResponses(market).workers) {
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
        const truth = hold(online, market);
        for (const { id, regime, pivotal, best } of exactResponses(market).workers) {
          expect(regime).toBe(regimeOf(truth, id));
          const { startDelay } = hold(online, market, [
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
