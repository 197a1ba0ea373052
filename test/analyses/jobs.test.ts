import { describe, expect, it } from "vitest";
import { analyses } from "../../analyses/index.js";
import type { AnyAnalysis, StepwiseAnalysis } from "../../src/study/analysis.js";
import type { AnyJob, Cells } from "../../src/study/job.js";
import { contextFor } from "./context.js";

interface Gathered {
  readonly job: AnyJob;
  readonly cells: readonly Cells<unknown>[];
}

const context = contextFor("jobs");

/** What an analysis has gathered; it gets nothing back, and may fail on that when it has asked for everything. */
async function gatheredBy(analysis: AnyAnalysis): Promise<Gathered[]> {
  if ("job" in analysis)
    return [{ job: analysis.job, cells: analysis.plan(analysis.settings(context), context) }];
  const seen: Gathered[] = [];
  const gather = async (job: AnyJob, cells: readonly Cells<unknown>[]) => {
    seen.push({ job, cells });
    return cells.map(() => null);
  };
  await analysis.run({ ...context, pool: { ...context.pool, gather } as never }).catch(() => {});
  return seen;
}

/** Numbers to ten digits: sums of other groups differ in the last ones. */
const nearly = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, x) => (typeof x === "number" ? Number(x.toPrecision(10)) : x));

const jobsOf = (analysis: AnyAnalysis): AnyJob[] =>
  "job" in analysis ? [analysis.job] : Object.values((analysis as StepwiseAnalysis).jobs ?? {});

const withJobs = Object.values<AnyAnalysis>(analyses).filter(
  (analysis) => jobsOf(analysis).length > 0 && !analysis.timed,
);

it("all analyses have jobs but those that measure time", () => {
  const without = Object.values<AnyAnalysis>(analyses).filter((analysis) => jobsOf(analysis).length === 0);
  const untimed = without.filter(({ timed }) => !timed);
  expect(untimed.map(({ name }) => name)).toEqual([]);
});

describe.each(withJobs)("the jobs of $name", (analysis) => {
  it("are those it gathers with, on cells and with summaries that JSON holds, whatever the chunks", async () => {
    const gathered = await gatheredBy(analysis);
    expect(new Set(gathered.map(({ job }) => job))).toEqual(new Set(jobsOf(analysis)));
    for (const { job, cells } of gathered) {
      expect(JSON.parse(JSON.stringify(cells))).toStrictEqual(cells);
      const costs = cells.map(({ cell }) => job.cost(cell));
      for (const cost of costs) expect(cost).toBeGreaterThan(0);
      await expectSteady(job, cells[costs.indexOf(Math.min(...costs))]!);
    }
  }, 60_000);
});

async function expectSteady(job: AnyJob, { cell, markets }: Cells<unknown>): Promise<void> {
  const summary = await job.look(cell, 0, context);
  expect(JSON.parse(JSON.stringify(summary))).toStrictEqual(summary);
  // One market makes one chunk, however it is cut.
  if (markets === 1) return;
  const few = [{ cell, markets: Math.min(3, markets) }];
  const [alone, together] = [1e9, 1e-6].map((cost) => ({ ...job, cost: () => cost }));
  const whole = await context.pool.gather(together!, few);
  expect(nearly(await context.pool.gather(alone!, few))).toEqual(nearly(whole));
}
