import { expect } from "vitest";
import { builtInAgents } from "../../agents/index.js";
import { type AnyMechanism, runAuction } from "../../src/auction/mechanism.js";
import { allotmentOf, regimes, workerUtility } from "../../src/auction/outcome.js";
import { stream } from "../../src/lib/random.js";
import { type Bid, type Market, workerOf } from "../../src/market/market.js";
import { comparedEverywhere, comparedOrFrontier } from "../../src/mechanisms/index.js";
import { online } from "../../src/mechanisms/online/online.js";
import { proportionalShare } from "../../src/mechanisms/proportional-share.js";
import type { AnalysisResult, Row } from "../../src/report/result.js";
import type { Analysis } from "../../src/study/analysis.js";
import { compute, inMemory, inProcess, merge } from "../../src/study/compute.js";
import type { AnyJob, Cells, Job, SourcedMarket, WorkContext } from "../../src/study/job.js";
import { planOf, resultOf } from "../../src/study/run-study.js";
import { lieKinds } from "../../src/verdicts/explain.js";
import { withoutText } from "../searched.js";

export const contextFor = (
  seed: string | number,
  mechanism: AnyMechanism = online,
  compared: readonly AnyMechanism[] = comparedEverywhere,
  markets: readonly SourcedMarket[] = [],
): WorkContext => ({
  stream: stream(seed),
  profile: "quick",
  options: {},
  mechanism,
  mechanisms: compared,
  allMechanisms: compared === comparedEverywhere ? comparedOrFrontier : compared,
  agents: builtInAgents(),
  population: [],
  markets,
});

const unnamed = { spec: "none", checksum: null };

/** Computes in the caller's thread; what jobs give is cut into chunks and added up as everywhere. */
export const computeHere = (context: WorkContext) => (job: AnyJob, cells: readonly Cells<unknown>[]) =>
  compute({
    study: {
      program: "",
      analysis: unnamed,
      mechanism: unnamed,
      agents: [],
      markets: [],
      seed: "",
      profile: context.profile,
      rows: false,
      cells,
    },
    job,
    context,
    executor: inProcess(),
    archive: inMemory(),
    signal: new AbortController().signal,
  });

/** A summary per cell. */
export const summariesOf = async <Cell, Summary>(
  job: Job<Cell, Summary>,
  cells: readonly Cells<Cell>[],
  context: WorkContext,
): Promise<(Summary | null)[]> =>
  (await merge(job, cells, await computeHere(context)(job, cells))) as (Summary | null)[];

/** The result of an analysis computed in the caller's thread, with settings of one's own. */
export const resultWith = async <Settings, Cell, Summary, Result>(
  analysis: Analysis<Settings, Cell, Summary, Result>,
  context: WorkContext,
  settings?: Settings,
): Promise<AnalysisResult> => {
  const plan = planOf(analysis, context, settings);
  return resultOf(analysis, plan, await summariesOf(analysis.job, plan.cells, context));
};

export const rowsOf = (result: AnalysisResult, table: string): readonly Row[] =>
  result.tables.find(({ name }) => name === table)!.rows;

/** What a reader may choose: a column of that name holds nothing else. */
const facetWords = {
  regime: regimes,
  reading: ["prose", "pseudocode"],
  lie: ["price", "time", "joint"],
  kind: Object.keys(lieKinds),
};

/** Every chart draws a table there is, with columns it has; every row has every column of its table. */
export function expectWellFormed({ tables, charts, findings, methods }: AnalysisResult): void {
  for (const { columns, rows } of tables) {
    const names = columns.map(({ name }) => name).sort();
    for (const row of rows) expect(Object.keys(row).sort()).toEqual(names);
    for (const [facet, words] of Object.entries(facetWords))
      if (names.includes(facet))
        expect([...words, "all", null]).toEqual(expect.arrayContaining(rows.map((row) => row[facet])));
  }
  for (const { table, spec, summary, howToRead } of charts) {
    const columns = tables.find(({ name }) => name === table)!.columns.map(({ name }) => name);
    const named = (key: string) =>
      [...JSON.stringify(spec).matchAll(new RegExp(`"${key}":"([^"]+)"`, "g"))].map(([, name]) => name!);
    const fields = named("field");
    expect(fields.length).toBeGreaterThan(0);
    expect([...columns, ...named("as")]).toEqual(expect.arrayContaining(fields));
    expect(JSON.stringify(spec)).not.toMatch(/#[0-9a-f]{3,6}"|"data":|"font/);
    expect(`${JSON.stringify(summary)}${howToRead}`).not.toMatch(/NaN|undefined|null|Infinity/);
  }
  expect(findings.length).toBeGreaterThan(0);
  for (const text of [...findings.map(({ text }) => text), ...methods]) {
    expect(text).not.toMatch(/NaN|undefined|null|Infinity/);
    expect(text).toMatch(/^[A-Z0-9].*[.]$/);
  }
}

/** Replays every exhibit; the title says what the lie gains, to three digits. */
export function expectExhibitsReplay(
  { exhibits = [] }: AnalysisResult,
  mechanism: AnyMechanism = online,
): void {
  for (const { market, lie, others = [], title } of exhibits) {
    if (lie === null) continue;
    const gain = gainOf(market, [lie, ...others], mechanism);
    const stated = Number(/gains? ([\d.,e-]+)/.exec(title)![1]);
    expect(gain).toBeGreaterThan(0);
    expect(Math.abs(gain - stated)).toBeLessThan(0.006 * gain);
  }
}

/** What all who lie gain together. */
function gainOf(market: Market, lies: readonly Bid[], mechanism: AnyMechanism): number {
  const sumOf = (bids: readonly Bid[]) => {
    const outcome = runAuction(mechanism, market, bids);
    const utility = (id: number) => workerUtility(workerOf(market, id), allotmentOf(outcome, id));
    return lies.reduce((sum, { worker }) => sum + utility(worker), 0);
  };
  return sumOf(lies) - sumOf([]);
}

/** Of what was decided exactly. */
export function expectIntervals(rows: readonly Row[]): void {
  expect(rows.length).toBeGreaterThan(0);
  for (const { share, low, high } of rows) {
    expect(low as number).toBeGreaterThanOrEqual(0);
    expect(share as number).toBeGreaterThanOrEqual(low as number);
    expect(high as number).toBeGreaterThanOrEqual(share as number);
    expect(high as number).toBeLessThanOrEqual(1);
  }
}

/** Pays critical prices, but nobody has proved it: its lies are searched. */
export const searchedShare: AnyMechanism = { ...withoutText(proportionalShare), name: "searched-share" };
