/** A mechanism whose every market breaks, in a band of prices so narrow that no search finds it: nothing may suggest otherwise. */

import { describe, expect, it } from "vitest";
import { criticalBudget } from "../../analyses/critical-budget.js";
import { interimLies } from "../../analyses/interim-lies.js";
import { landscape } from "../../analyses/landscape.js";
import { properties } from "../../analyses/properties.js";
import { tradeOff } from "../../analyses/trade-off.js";
import { truthfulnessMap } from "../../analyses/truthfulness-map.js";
import { whoLies } from "../../analyses/who-lies.js";
import { witnesses } from "../../analyses/witnesses.js";
import { type AnyMechanism, type Mechanism, runAuction } from "../../src/auction/mechanism.js";
import { huntText } from "../../src/cli/hunt.js";
import { stream } from "../../src/lib/random.js";
import { atRelativeBudget, drawForSurvey } from "../../src/market/draw.js";
import type { AnalysisResult, Row } from "../../src/report/result.js";
import { hunt } from "../../src/verdicts/counterexamples/search.js";
import { check } from "../../src/verdicts/properties.js";
import { contextFor, expectWellFormed, resultWith, rowsOf } from "./context.js";

const BAND = { from: 3.4567, to: 3.4567 + 1e-4 };

/** Pays a worker nothing for nothing, but a thousandth of the budget to whoever asks for a price in the band. */
const band: Mechanism = {
  name: "band",
  about: "Hires nobody but those whose price is in a narrow band, in the last round.",
  offline: true,
  decide: ({ rounds, budget }, bids) => ({
    started: true,
    startDelay: 0,
    thresholds: [],
    budgetEvents: [],
    workers: bids
      .map(({ id, price }) => {
        const wins = price >= BAND.from && price <= BAND.to;
        return wins
          ? { id, selectedAt: rounds, rounds: 1, payment: budget }
          : { id, selectedAt: null, rounds: 0, payment: 0 };
      })
      .sort((a, b) => a.id - b.id),
  }),
};

const context = contextFor("band", band, [band]);
const few = { rounds: 3, sizes: [4], ratios: [0.8, 2], markets: 30, asked: 2 };

/** Every sentence, title and label, as a reader meets them. */
const textsOf = ({ tables, charts, findings, methods, exhibits = [] }: AnalysisResult): string[] => [
  ...tables.flatMap(({ title, rows }) => [title, ...rows.map((row) => JSON.stringify(Object.values(row)))]),
  ...charts.flatMap(({ title, summary, howToRead }) => [title, JSON.stringify(summary), howToRead]),
  ...findings.map(({ text }) => text),
  ...methods,
  ...exhibits.map(({ title }) => title),
];

const CLAIMS =
  /rule.of.three|\bholds\b|at most [\d.]+ %|can hide|cannot do better|no lie (gains|gained|paid|pays|ever)|none (has|can)|nobody (can|could|gains|has one)|no worker of \d+ could/i;

function expectNoClaim(result: AnalysisResult): void {
  expectWellFormed(result);
  for (const text of textsOf(result)) expect(text).not.toMatch(CLAIMS);
}

/** Whether a chart draws, or shows in a tooltip, the upper end of an interval. */
const drawsUpperEnd = ({ charts }: AnalysisResult, name: string): boolean =>
  JSON.stringify(charts.find((chart) => chart.name === name)!.spec).includes('"field":"high"');

const upperEnds = (rows: readonly Row[]) => rows.map(({ high, bound }) => high ?? bound ?? null);

describe("a mechanism that breaks in every market, where no search looks", () => {
  it("does break in every market: whoever asks for a price in the band gains", () => {
    for (let seed = 0; seed < 20; seed++) {
      const market = atRelativeBudget(drawForSurvey({ workers: 4, rounds: 3 }, stream(seed)), 2);
      for (const { id, arrival, cost } of market.workers) {
        const lie = { worker: id, price: BAND.from + 5e-5, arrival };
        const { payment } = runAuction(band, market, [lie]).workers.find((one) => one.id === id)!;
        expect(payment).toBeGreaterThan(cost);
      }
      expect(check(market, { mechanism: band }).find(({ property }) => property === "P5")!.verdict).toBe(
        "none found",
      );
    }
  });

  it("is given no upper bound by the truthfulness map", async () => {
    const result = await resultWith(truthfulnessMap, context, few);
    expectNoClaim(result);
    for (const chart of ["map", "regimes"]) expect(drawsUpperEnd(result, chart)).toBe(false);
    for (const table of ["map", "regimes"])
      expect(new Set(upperEnds(rowsOf(result, table)))).toEqual(new Set([null]));
  });

  it("is given none by who lies", async () => {
    const result = await resultWith(whoLies, context, few);
    expectNoClaim(result);
    expect(drawsUpperEnd(result, "reputations")).toBe(false);
    expect(new Set(upperEnds(rowsOf(result, "reputations")))).toEqual(new Set([null]));
  });

  it("is given none by interim lies", async () => {
    const sample = { types: 5, draws: 5, omniscientDraws: 1 };
    const result = await resultWith(interimLies, context, {
      ...{ rounds: 3, sizes: [4], budgetsPerWorker: [1], sample, others: sample },
      places: [{ workers: 4, budget: 5, sample, epsilon: { draws: 5, replicates: 5 } }],
      grid: { reputations: [0.5], costs: [0.5], arrivals: [1] },
    });
    expectNoClaim(result);
    for (const table of ["by-budget", "kinds", "mechanisms"])
      expect(upperEnds(rowsOf(result, table)).filter((end) => end !== null)).toEqual([]);
    expect(rowsOf(result, "largest")).toEqual([]);
  });

  it("is given none by critical budgets", async () => {
    const result = await resultWith(criticalBudget, context, {
      ...few,
      ratios: [0.5, 2.3],
      markets: 10,
      scanned: 10,
      more: [1.1, 5],
      width: 0.05,
    });
    expectNoClaim(result);
    expect(drawsUpperEnd(result, "curve")).toBe(false);
    for (const table of ["curve", "states"])
      expect(new Set(upperEnds(rowsOf(result, table)))).toEqual(new Set([null]));
  });

  it("is not called the best that a worker can do by a landscape", async () => {
    expectNoClaim(await resultWith(landscape, context, { ...few, markets: 5, samples: 10 }));
  });

  it("is given none by the trade-off", async () => {
    const result = await resultWith(tradeOff, context, [
      { workers: 6, budget: 8, markets: 20, searched: 20, effort: 300 },
    ]);
    for (const text of textsOf(result)) expect(text).not.toMatch(CLAIMS);
    const [row] = rowsOf(result, "trade-off");
    expect(row).toMatchObject({ share: 0, shareHigh: null, gainHigh: null, certainty: "lower bound" });
  });

  it("finds nothing on the board of properties, but for what one run decides", async () => {
    const result = await resultWith(properties, context, {
      draws: { rounds: 3, sizes: [4], budgets: [1, 2], perCell: 10, wide: 20 },
      everyForP4: 1,
      ratios: [0.3, 0.7],
      ratioDraws: { rounds: 3, sizes: [4], budgets: [1], perCell: 4, wide: 4 },
    });
    const searched = ({ claim }: Row) => !/^P[12]\b/.test(String(claim));
    const rows = rowsOf(result, "counts").filter((row) => searched(row) && (row.markets as number) > 0);
    expect(rows.length).toBeGreaterThan(5);
    for (const { verdict, high } of rows) expect([verdict, high]).toEqual(["none found", null]);
    for (const { claim, sufficient, tight } of rowsOf(result, "verdicts"))
      if (searched({ claim: claim! })) expect(`${sufficient} ${tight}`).not.toMatch(/holds/);
    const run = rowsOf(result, "counts").find(
      ({ claim, markets }) => /^P1 /.test(String(claim)) && Number(markets) > 0,
    )!;
    expect([run.verdict, run.high]).toEqual(["none found", expect.any(Number)]);
    const said = [
      ...result.findings.map(({ text }) => text),
      ...result.charts.map(({ howToRead }) => howToRead),
    ];
    const aboutLies = said.filter((text) => /lie|bid that/.test(text));
    expect(aboutLies.length).toBeGreaterThan(1);
    for (const text of aboutLies) expect(text).not.toMatch(CLAIMS);
  });

  it("is given none by a hunt or by the gallery of witnesses", async () => {
    const lie = { property: "joint", regime: "sufficient", maxRatio: 0.5 } as const;
    const targets = (["kept", "moved"] as const).map((start) => ({ ...lie, start }));
    const result = await resultWith(witnesses, context, { markets: 20, seeds: 1, targets });
    for (const text of [...result.findings.map((finding) => finding.text), ...result.methods])
      expect(text).not.toMatch(CLAIMS);
    for (const { result: found, bound } of rowsOf(result, "witnesses"))
      expect([found, bound]).toEqual(["nothing found", null]);
    const target = {
      property: "joint",
      regime: "sufficient",
      start: "any",
      mechanism: band as AnyMechanism,
    } as const;
    const report = await hunt({ target, seed: 1, markets: 30 });
    const record = {
      ...target,
      ...report,
      mechanism: "band",
      seed: "1",
      found: null,
      smallest: null,
      strong: null,
    };
    const text = huntText(record as Parameters<typeof huntText>[0]);
    expect(text).toContain("can miss a break in every market");
    expect(text).not.toMatch(CLAIMS);
    expect(text).not.toMatch(/confidence/);
  });
});
