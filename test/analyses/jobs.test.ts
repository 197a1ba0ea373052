import { describe, expect, it } from "vitest";
import { analyses } from "../../analyses/index.js";
import { stream } from "../../src/lib/random.js";
import { drawMarket } from "../../src/market/draw.js";
import { paperRules } from "../../src/market/market.js";
import type { AnyJob, Cells } from "../../src/study/job.js";
import { isResult } from "../../src/study/results.js";
import { planOf } from "../../src/study/run-study.js";
import { isLong } from "../long.js";
import { contextFor, summariesOf } from "./context.js";

const own = [
  {
    source: "mine",
    market: drawMarket({ rules: { ...paperRules, budget: 6, rounds: 5 }, workers: 4 }, stream("own")),
  },
];
const context = contextFor("jobs", undefined, undefined, own);

/** In milliseconds, as jobs say themselves. */
const LONG = 300;

/** Numbers to ten digits: sums of other groups differ in the last ones. */
const nearly = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, x) => (typeof x === "number" ? Number(x.toPrecision(10)) : x));

const all = await Promise.all(Object.values(analyses).map((load) => load()));

it("every analysis has the name it is registered under", () => {
  expect(all.map(({ name }) => name)).toEqual(Object.keys(analyses));
});

describe.each(all.filter(({ timed }) => !timed))("$name", (analysis) => {
  it("plans cells and computes summaries that JSON holds, whatever the chunks", async () => {
    const { job } = analysis;
    const { cells } = planOf(analysis, context);
    if (cells.length === 0) return;
    expect(JSON.parse(JSON.stringify(cells))).toStrictEqual(cells);
    const costs = cells.map(({ cell }) => job.cost(cell));
    for (const cost of costs) expect(cost).toBeGreaterThan(0);
    await expectSteady(job, cells[costs.indexOf(Math.min(...costs))]!);
  }, 60_000);
});

async function expectSteady(job: AnyJob, { cell, markets }: Cells<unknown>): Promise<void> {
  const summary = await job.look(cell, 0, context);
  expect(JSON.parse(JSON.stringify(summary))).toStrictEqual(summary);
  // One market makes one chunk, however it is cut.
  if (markets === 1) return;
  // Where a market takes long, `npm test` looks at one.
  const looked = job.cost(cell) > LONG && !isLong ? 1 : Math.min(3, markets);
  const few = [{ cell, markets: looked }];
  const [alone, together] = [1e9, 1e-6].map((cost) => ({ ...job, cost: () => cost }));
  const whole = looked === 1 ? [summary] : await summariesOf(together!, few, context);
  if (looked > 1) expect(nearly(await summariesOf(alone!, few, context))).toEqual(nearly(whole));
  // Two of the same market add up as any two do; what is no summary does not.
  const of = { job, study: { cells: few, rows: false }, chunk: [{ cell: 0, from: 0, to: looked }] };
  expect(isResult({ summaries: JSON.stringify(whole), rows: null }, of)).toBe(true);
  expect(isResult({ summaries: "[null]", rows: null }, of)).toBe(false);
}
