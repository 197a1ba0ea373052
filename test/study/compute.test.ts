import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Job, listing } from "../../src/study/job.js";
import { chunksOf, marketsIn } from "../../src/study/study.js";
import { contextFor, summariesOf } from "../analyses/context.js";

const cells = fc.array(
  fc.record({ cell: fc.integer({ min: 0, max: 2000 }), markets: fc.nat({ max: 700 }) }),
  { maxLength: 8 },
);

const cost = (cell: number) => cell / 10;

describe("chunks", () => {
  it("hold every market of every cell once, in order", () => {
    fc.assert(
      fc.property(cells, (given) => {
        const spans = chunksOf(given, { cost }).flat();
        const seen = given.map(() => 0);
        for (const { cell, from, to } of spans) {
          expect(from).toBe(seen[cell]);
          expect(to).toBeGreaterThan(from);
          seen[cell] = to;
        }
        expect(seen).toEqual(given.map(({ markets }) => markets));
        expect(spans.map(({ cell }) => cell)).toEqual(spans.map(({ cell }) => cell).sort((a, b) => a - b));
      }),
    );
  });

  it("take half a second at most unless one market takes longer, and are not needlessly many", () => {
    fc.assert(
      fc.property(cells, (given) => {
        const chunks = chunksOf(given, { cost });
        const times = chunks.map((chunk) =>
          chunk.reduce((sum, { cell, from, to }) => sum + (to - from) * cost(given[cell]!.cell), 0),
        );
        for (const [k, chunk] of chunks.entries())
          expect(times[k]! <= 500 + 1e-6 || marketsIn(chunk) === 1).toBe(true);
        for (let k = 1; k < chunks.length; k++)
          expect(times[k - 1]! + cost(given[chunks[k]![0]!.cell]!.cell)).toBeGreaterThan(500 - 1e-6);
      }),
    );
  });
});

describe("computing and merging", () => {
  it("gives each cell the sum of its markets, and null to one without", async () => {
    const counting: Job<number, { markets: number; sum: number }> = {
      look: (cell, k) => ({ markets: 1, sum: cell + k }),
      merge: (left, right) => ({ markets: left.markets + right.markets, sum: left.sum + right.sum }),
      cost,
    };
    await fc.assert(
      fc.asyncProperty(cells, async (given) => {
        const sums = await summariesOf(counting, given, contextFor(1));
        const expected = given.map(({ cell, markets }) =>
          markets === 0 ? null : { markets, sum: markets * cell + (markets * (markets - 1)) / 2 },
        );
        expect(sums).toEqual(expected);
      }),
      { numRuns: 30 },
    );
  });

  it("lists what every market gave in the order of markets, each from a stream of its own", async () => {
    const drawing = listing<number, number>(
      (cell, k, { stream }) => stream.fork(cell).fork(k).next(),
      () => 3,
    );
    const context = contextFor(7);
    const { stream } = context;
    const cells = [
      { cell: 1, markets: 400 },
      { cell: 2, markets: 3 },
    ];
    const [first, second] = await summariesOf(drawing, cells, context);
    expect(first).toEqual(Array.from({ length: 400 }, (_, k) => stream.fork(1).fork(k).next()));
    expect(second).toEqual([0, 1, 2].map((k) => stream.fork(2).fork(k).next()));
  });
});
