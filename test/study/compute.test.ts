import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compute, inMemory, inProcess, merge } from "../../src/study/compute.js";
import { type AnyJob, collectJob, type Job, jobByKind } from "../../src/study/job.js";
import { isResult } from "../../src/study/results.js";
import { chunksOf, marketsIn, type Study, studyId } from "../../src/study/study.js";
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

describe("a study that memory cannot hold", () => {
  it.each([
    ["too many markets", [{ cell: 5000, markets: 9e15 }], "study: it has about 9e+15 chunks of markets"],
    [
      "too many cells of a market",
      Array(1_000_001).fill({ cell: 5000, markets: 1 }),
      "it has about 1000001 chunks",
    ],
    [
      "costs that are no numbers",
      [{ cell: Number.NaN, markets: 1 }],
      "job: cost: must be a number of milliseconds",
    ],
  ])("is refused before its chunks are listed: %s", (_, given, message) => {
    expect(() => chunksOf(given, { cost })).toThrow(message);
  });
});

describe("what can be a chunk's result", () => {
  const counting: Job<number, { markets: number; sum: number }> = {
    look: (cell, k) => ({ markets: 1, sum: cell + k }),
    merge: (left, right) => ({ markets: left.markets + right.markets, sum: left.sum + right.sum }),
    cost,
  };
  const given = [{ cell: 3, markets: 2 }];
  const [chunk = []] = chunksOf(given, { cost });
  const fits = (job: AnyJob, summaries: unknown) =>
    isResult(
      { summaries: JSON.stringify(summaries), rows: null },
      { job, study: { cells: given, rows: false }, chunk },
    );

  it("is a summary for each span that the job can merge", () => {
    expect(fits(counting, [{ markets: 2, sum: 7 }])).toBe(true);
    for (const forged of [
      [null],
      [],
      [{}],
      [7],
      ["x"],
      null,
      {},
      [{ markets: 2 }],
      [{ markets: 2, sum: {} }, 1],
    ])
      expect(fits(counting, forged)).toBe(false);
  });

  it("is of a list a value for each market, and of several kinds that of the cell", () => {
    const listed = collectJob<number, null>(() => null, cost);
    expect(fits(listed, [[null, null]])).toBe(true);
    expect(fits(listed, [[null]])).toBe(false);
    const kinds = { ...jobByKind({ a: listed } as never), cost } as AnyJob;
    const ofKind = (summaries: unknown) =>
      isResult(
        { summaries: JSON.stringify(summaries), rows: null },
        { job: kinds, study: { cells: [{ cell: { kind: "a" }, markets: 2 }], rows: false }, chunk },
      );
    expect(ofKind([{ kind: "a", summary: [1, 2] }])).toBe(true);
    expect(ofKind([{ kind: "b", summary: [1, 2] }])).toBe(false);
    expect(ofKind([{ kind: "a", summary: null }])).toBe(false);
  });

  it("is done again where an archive holds another", async () => {
    const archive = inMemory();
    const study = {
      analysis: { spec: "mine", checksum: null },
      cells: given,
      rows: false,
    } as unknown as Study;
    await archive.keep(studyId(study), 0, { summaries: "[null]", rows: null });
    const { signal } = new AbortController();
    const computed = await compute({
      study,
      job: counting,
      context: contextFor(1),
      executor: inProcess(),
      archive,
      signal,
    });
    expect(await merge(counting, given, computed)).toEqual([{ markets: 2, sum: 7 }]);
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
    const drawing = collectJob<number, number>(
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
