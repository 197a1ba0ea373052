import { describe, expect, it } from "vitest";
import { workerColumns } from "../../analyses/shared/survey.js";
import { resolveAnalyses, resolver } from "../../src/cli/resolve.js";
import { online } from "../../src/mechanisms/online/online.js";
import type { Analysis } from "../../src/study/analysis.js";
import { type Executor, inMemory, inProcess } from "../../src/study/compute.js";
import { type ChosenAnalysis, prepareStudy } from "../../src/study/context.js";
import { append, type Cells } from "../../src/study/job.js";
import { isResult } from "../../src/study/results.js";
import { unpackRows } from "../../src/study/rows.js";
import { runStudy } from "../../src/study/run-study.js";
import type { Study } from "../../src/study/study.js";
import { ownSums, type Survey, sharedCells, sharedJob, surveyJob } from "../../src/study/survey.js";
import { contextFor } from "../analyses/context.js";

interface Cell {
  readonly size: number;
}

const looks: string[] = [];

const numbers: Survey<Cell, number> = {
  name: "numbers",
  cellOf: ({ size }) => ({ size }),
  look({ size }, k) {
    looks.push(`${size}/${k}`);
    return 10 * size + k;
  },
  cost: () => 1,
};

const sums = surveyJob<Cell, Cell, number, number>(numbers, {
  reduce: (seen) => seen,
  merge: (a, b) => a + b,
});

const times = surveyJob<Cell, Cell & { by: number }, number, number[]>(numbers, {
  reduce: (seen, { by }) => [seen * by],
  merge: append,
});

const cellsOfSums: Cells<Cell>[] = [
  { cell: { size: 1 }, markets: 3 },
  { cell: { size: 2 }, markets: 2 },
];

const cellsOfTimes = [
  { cell: { size: 2, by: 3 }, markets: 4 },
  { cell: { size: 5, by: 2 }, markets: 1 },
];

describe("a survey", () => {
  const taking = [
    { name: "sums", job: sums, cells: cellsOfSums },
    { name: "times", job: times, cells: cellsOfTimes },
  ];
  const cells = sharedCells(taking);
  const job = sharedJob({ sums, times });

  it("has each cell once, with as many markets as any analysis wants", () => {
    expect(cells.map(({ cell, markets }) => [cell.seen, markets])).toEqual([
      [{ size: 1 }, 3],
      [{ size: 2 }, 4],
      [{ size: 5 }, 1],
    ]);
  });

  it("looks once at each market, and gives every analysis what it would get alone", async () => {
    looks.length = 0;
    const found = cells.map(({ cell, markets }) =>
      Array.from({ length: markets }, (_, k) => job.look(cell, k, contextFor(1))),
    );
    expect(looks.length).toBe(3 + 4 + 1);
    const merged = (await Promise.all(found.map((all) => Promise.all(all)))).map((all) =>
      all.reduce(job.merge),
    );
    const own = (k: 0 | 1) => ownSums(taking[k]!, cells, merged);
    expect(own(0)).toEqual([10 + 11 + 12, 20 + 21]);
    expect(own(1)).toEqual([[60, 63, 66, 69], [100]]);
  });

  it("takes no summary that lacks a part", () => {
    const chunk = [{ cell: 1, from: 0, to: 1 }];
    const takes = (summary: unknown) =>
      isResult(
        { summaries: JSON.stringify([summary]), rows: null },
        { study: { cells, rows: false }, job, chunk },
      );
    expect(takes({ sums: 20, times: [60] })).toBe(true);
    expect(takes({ sums: 20, times: null })).toBe(true);
    expect(takes({ sums: 20 })).toBe(false);
    expect(takes({ sums: 20, times: [60], more: 1 })).toBe(false);
  });
});

describe("analyses of one survey", () => {
  const few = "markets=6";

  async function run(specs: readonly string[], executor: Executor = inProcess()) {
    const analyses = await resolveAnalyses(specs);
    const unnamed = { spec: "online", checksum: null };
    const names = {
      ...{ program: "", analyses: analyses.map(({ named }) => named), mechanism: unnamed },
      ...{ agents: [], markets: [], seed: "1", profile: "quick" as const, rows: false },
    };
    const request = { names, analyses: analyses.map(small), mechanism: online, agents: [], markets: [] };
    const studies: Study[] = [];
    const counted: Executor = {
      ...executor,
      run: (order) => {
        studies.push(order.study);
        return executor.run(order);
      },
    };
    const terminal = {
      ...{ signal: new AbortController().signal, goesOn: async () => true, warn: () => {}, keeps: () => {} },
      line: { show: () => {}, clear: () => {} },
    };
    const runs = await runStudy(request, { executor: counted, archive: inMemory() }, terminal);
    return { sections: runs.map(({ section }) => section), studies };
  }

  /** Of two sizes and three budgets only. */
  function small(choice: ChosenAnalysis): ChosenAnalysis {
    const { analysis } = choice;
    const settings: Analysis["settings"] = (context) => {
      return { ...analysis.settings(context), sizes: [5, 10], ratios: [0.2, 0.7, 2], scanned: 3 };
    };
    return { ...choice, analysis: { ...analysis, settings } };
  }

  const all = [`truthfulness-map:${few}`, `who-lies:${few}`, "landscape", "critical-budget"];

  it("are computed in one study, and each says what it says alone", async () => {
    const { sections, studies } = await run(all);
    expect(sections.map(({ state, error }) => [state, error])).toEqual(all.map(() => ["done", null]));
    expect(studies.map(({ sharing = [] }) => sharing.length)).toEqual([3]);
    for (const [k, spec] of all.entries()) expect((await run([spec])).sections).toEqual([sections[k]]);
  }, 60_000);

  it("are computed on a thread or another machine from the study alone", async () => {
    const { studies } = await run(all.slice(0, 2));
    const study = JSON.parse(JSON.stringify(studies[0])) as Study;
    const compute = await prepareStudy({ ...study, rows: true }, resolver);
    const { summaries, rows } = await compute(0);
    const [first] = JSON.parse(summaries) as Record<string, object>[];
    expect(Object.keys(first!)).toEqual(["truthfulness-map", "who-lies"]);
    // Each worker is in one row, however many analyses take part.
    const workers = study.cells[0]!.markets * 5 * 3;
    const blocks = [...unpackRows(rows!, workerColumns)];
    expect(blocks.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThanOrEqual(workers);
    const columns = workerColumns.map(({ name }) => name);
    const cell = (name: (typeof columns)[number]) =>
      blocks.flatMap(({ values }) => values[columns.indexOf(name)]!);
    const places = cell("market").map(
      (market, k) => `${market} ${cell("relativeBudget")[k]} ${cell("worker")[k]}`,
    );
    expect(new Set(places).size).toBe(places.length);
  });

  it("that fail do so one by one where they conclude, and together where the survey fails", async () => {
    const broken: Executor = { ...inProcess(), run: () => Promise.reject(new Error("chunk 0: no")) };
    const { sections } = await run(all.slice(0, 2), broken);
    expect(sections.map(({ state, error }) => [state, error])).toEqual([
      ["failed", "chunk 0: no"],
      ["failed", "chunk 0: no"],
    ]);
  });
});
