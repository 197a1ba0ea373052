import { describe, expect, it } from "vitest";
import { paperFigures } from "../../analyses/paper-figures.js";
import { marketAt, streamAt } from "../../analyses/shared/publisher.js";
import { runAuction } from "../../src/auction/mechanism.js";
import { publisherAccount } from "../../src/auction/outcome.js";
import { stream } from "../../src/lib/random.js";
import { estimate } from "../../src/lib/statistics.js";
import { internalReputations } from "../../src/market/draw.js";
import { comparedEverywhere, mechanismNamed, mechanisms } from "../../src/mechanisms/index.js";
import type { ChosenText } from "../../src/report/result.js";
import { contextFor, expectWellFormed, resultWith, rowsOf } from "./context.js";

const settings = { budgets: [25, 300], workers: [10, 100], markets: 12 };
const small = await resultWith(paperFigures, contextFor(1), settings);

/** What an auction gives in the markets of a setting. */
const accountsIn = (setting: { workers: number; budget: number }, name: string) =>
  Array.from({ length: settings.markets }, (_, k) => marketAt(setting, k, stream(1))).map((market) =>
    publisherAccount(market.workers, runAuction(mechanismNamed(name), market)),
  );

describe("Figures 2 and 3", () => {
  it("are well formed: two charts, at most four findings, a caption for each axis and measure", () => {
    expectWellFormed(small);
    expect(small.charts.map(({ name }) => name)).toEqual(["mechanisms", "repairs"]);
    expect(small.findings.length).toBeLessThanOrEqual(4);
    for (const { summary } of small.charts)
      for (const { chosen, text } of summary as ChosenText[]) {
        expect(text).toContain(chosen.along === "budget" ? "with 100 workers" : "at a budget of 125");
        expect(text).toContain(chosen.measure);
      }
  });

  it("have a row for every auction and measure at every place, with 100 workers or a budget of 125", () => {
    const rows = rowsOf(small, "means");
    expect(rows).toHaveLength(2 * 4 * comparedEverywhere.length);
    for (const { along, workers, budget } of rows)
      expect(along === "budget" ? workers : budget).toBe(along === "budget" ? 100 : 125);
  });

  it("hold every auction in the same markets, and compare a repair with the original over those", () => {
    const setting = { workers: 100, budget: 125 };
    const total = (name: keyof typeof mechanisms) =>
      accountsIn(setting, name).reduce((sum, { publisherUtility }) => sum + publisherUtility, 0);
    const found = (table: string, name: string) =>
      rowsOf(small, table).find(
        (row) =>
          row.auction === name && row.workers === 100 && row.budget === 125 && row.measure === "in all",
      )!.mean as number;
    for (const name of ["online", "rrafl", "two-stage"] as const)
      expect(found("means", name)).toBeCloseTo(total(name) / settings.markets, 3);
    for (const name of ["posted-rounds", "falling-price", "round-auctions"] as const)
      expect(found("repairs", name)).toBeCloseTo(total(name) / total("online"), 5);
  });

  it("are shown by internal reputation too, in the same markets and runs, as a robustness row of every claim", () => {
    const setting = { workers: 100, budget: 125 };
    const totals = Array.from({ length: settings.markets }, (_, k) => {
      const market = marketAt(setting, k, stream(1));
      const internal = internalReputations(market, streamAt(setting, k, stream(1)));
      return publisherAccount(internal, runAuction(mechanismNamed("rrafl"), market)).publisherUtility;
    });
    const row = rowsOf(small, "internal").find(
      ({ auction, workers, budget, measure }) =>
        auction === "rrafl, by re" && workers === 100 && budget === 125 && measure === "in all",
    )!;
    expect(row.mean).toBeCloseTo(totals.reduce((sum, one) => sum + one) / settings.markets, 3);
    const robust = rowsOf(small, "settings").filter(({ setting }) => setting === "internal reputation");
    expect(new Set(robust.map(({ claim }) => claim))).toEqual(
      new Set(rowsOf(small, "claims").map(({ claim }) => claim)),
    );
  });

  it("judge all claims along an axis together: wider intervals than those of single means", () => {
    const claims = rowsOf(small, "claims").filter(({ along }) => along === "budget");
    const { difference, mean, low, high } = claims.find(
      ({ claim, budget }) => claim === "online gives more than vanilla" && budget === 300,
    )!;
    const base = Number(difference) / Number(mean);
    const per = (name: string) =>
      accountsIn({ workers: 100, budget: 300 }, name).map(({ utilityPerUnitPaid }) => utilityPerUnitPaid!);
    const [ours, others] = [per("online"), per("vanilla")];
    const together = estimate(
      ours.map((one, k) => one - others[k]!),
      claims.length,
    );
    expect(Number(low) * base).toBeCloseTo(together.low, 4);
    expect(Number(high) * base).toBeCloseTo(together.high, 4);
  });

  it("say in words where a claim holds and where it breaks", () => {
    const { text } = small.findings.find(({ text }) => text.startsWith("At a budget of 125, online gives"))!;
    const rows = rowsOf(small, "claims").filter(({ claim }) => claim === "online gives more than bid-greedy");
    const [few, many] = rows.filter(({ along }) => along === "workers");
    expect([few!.verdict, many!.verdict]).toEqual(["disagrees in the sample", "agrees in the sample"]);
    expect(text).toMatch(/more per unit paid than [^.]*bid-greedy with 100 workers/);
    expect(text).toMatch(
      /no more than some of them with 10 workers[^“]*The paper says: “and significantly outperforms other benchmarks/,
    );
  });

  it("draw the same markets whatever is compared, and try only rules that the mechanism leaves open", async () => {
    const mine = mechanismNamed("online:firstRoundRatio=0.2");
    const context = contextFor(1, mine, [mine, mechanisms.rrafl, mechanisms["bid-greedy"]]);
    const result = await resultWith(paperFigures, context, { ...settings, budgets: [] });
    const means = (some: typeof small) =>
      rowsOf(some, "means")
        .filter(({ auction, along }) => auction === "rrafl" && along === "workers")
        .map(({ mean }) => mean);
    expect(means(result)).toEqual(means(small));
    const tried = rowsOf(result, "settings").map(({ setting }) => setting);
    expect(new Set(tried)).toEqual(new Set(["internal reputation", `${mine.name}:reading=pseudocode`]));
  });

  it("leave markets without payments out of means per unit paid", async () => {
    const poor = await resultWith(paperFigures, contextFor(1), { budgets: [2], workers: [], markets: 12 });
    const rows = rowsOf(poor, "means").filter(({ measure }) => measure === "per unit paid");
    const never = rows.filter(({ markets }) => markets === 0);
    expect(never.length).toBeGreaterThan(0);
    for (const { mean, low, high } of never) expect([mean, low, high]).toEqual([null, null, null]);
    expectWellFormed(poor);
  });
});

type Units = readonly (number | null)[];

/** What is concluded where the first mechanism and the others give so much per unit paid; null where they pay nothing. */
async function concluded(
  names: readonly (keyof typeof mechanisms)[],
  at: readonly (readonly [number, readonly Units[]])[],
) {
  const compared = names.map((name) => mechanisms[name]);
  const accountOf = (unit: number | null) => ({
    spent: unit === null ? 0 : 1,
    publisherUtility: unit ?? 0,
    utilityPerUnitPaid: unit,
  });
  // Columns of other readings and settings follow: they repeat the last auction.
  const rows = (units: readonly Units[]) =>
    units[0]!.map((_, k) => Array.from({ length: 12 }, (_, n) => accountOf((units[n] ?? units.at(-1)!)[k]!)));
  const budgets = at.map(([budget]) => budget);
  const gathered = at.map(([budget, units]) => ({
    cell: { workers: 100, budget },
    markets: units[0]!.length,
    summary: rows(units),
  }));
  const settings = { budgets, workers: [], markets: gathered[0]!.markets };
  const result = await paperFigures.conclude(gathered, settings, contextFor(1, compared[0], compared));
  return { claims: paperFigures.tables(result).find(({ name }) => name === "claims")!.rows, result };
}

describe("a claim at one place", () => {
  const benchmarks = { best: "approximate-optimal", close: "rrafl", above: "vanilla" } as const;
  const verdict = async (kind: keyof typeof benchmarks, a: Units, b: Units, places = 1) => {
    const units = kind === "best" ? [b, a] : [a, b];
    const at = Array.from({ length: places }, (_, k) => [k + 1, units] as const);
    return (await concluded(["online", benchmarks[kind]], at)).claims[0]!.verdict;
  };

  it("is decided only where the whole interval lies on one side", async () => {
    expect(await verdict("above", [2, 2.1, 2.2, 2, 2.1], [1, 1.1, 1.15, 1, 1.1])).toBe(
      "agrees in the sample",
    );
    expect(await verdict("above", [1, 1.1, 1.15, 1, 1.1], [2, 2.1, 2.2, 2, 2.1])).toBe(
      "disagrees in the sample",
    );
    expect(await verdict("above", [1, 2, 3, 1, 2], [2, 2, 1.9, 2, 2])).toBe("the sample does not decide");
  });

  it("compares market by market: a small gap in every market outweighs how markets differ", async () => {
    expect(await verdict("above", [1.01, 5.01, 9.011, 2.01, 7.01], [1, 5, 9, 2, 7])).toBe(
      "agrees in the sample",
    );
  });

  it("takes a tie in all markets as best, but not as above", async () => {
    expect(await verdict("best", [1, 2, 3, 4, 5], [1, 2, 3, 4, 5])).toBe("agrees in the sample");
    expect(await verdict("above", [1, 2, 3, 4, 5], [1 - 1e-15, 2, 3, 4, 5])).toBe("disagrees in the sample");
  });

  it("counts as close what is no more than 5 % below, or above", async () => {
    expect(await verdict("close", [0.96, 0.97, 0.965, 0.96, 0.97], [1, 1, 1, 1, 1])).toBe(
      "agrees in the sample",
    );
    expect(await verdict("close", [3, 3.1, 3.2, 3, 3.1], [1, 1, 1, 1, 1])).toBe("agrees in the sample");
    expect(await verdict("close", [0.9, 0.91, 0.905, 0.9, 0.91], [1, 1, 1, 1, 1])).toBe(
      "disagrees in the sample",
    );
    expect(await verdict("close", [0.9, 1, 0.95, 0.9, 1], [1, 1, 1, 1, 1])).toBe(
      "the sample does not decide",
    );
  });

  it("leaves out markets in which either pays nothing, and decides nothing without five", async () => {
    expect(await verdict("above", [2, 2.1, 2.2, 2, 2.1, null], [1, 1.1, 1.15, 1, 1.1, 9])).toBe(
      "agrees in the sample",
    );
    expect(await verdict("above", [2, 2, 2, 2, null], [1, 1, 1, 1, 1])).toBe("the sample does not decide");
  });

  it("may hold on its own and not among many that are to hold together", async () => {
    const pair = [
      [1.2, 1.1, 1.4, 1.3, 1.2],
      [1, 1, 1.1, 1.2, 1.1],
    ] as const;
    expect([await verdict("above", ...pair), await verdict("above", ...pair, 72)]).toEqual([
      "agrees in the sample",
      "the sample does not decide",
    ]);
  });
});

const five = (unit: number): Units => [unit, unit + 0.1, unit, unit + 0.1, unit];

it("claims only against benchmarks that are there, and never of an auction against itself", async () => {
  const claimed = async (...names: (keyof typeof mechanisms)[]) =>
    (await concluded(names, [[50, names.map((_, k) => five(k))]])).claims.map(({ claim }) => claim);
  expect(await claimed("online", "vanilla")).toEqual(["online gives more than vanilla"]);
  expect(await claimed("rrafl", "proportional-share", "approximate-optimal")).toEqual([
    "approximate-optimal gives at least as much as rrafl",
    "approximate-optimal gives at least as much as proportional-share",
    "rrafl is at most 5 % below proportional-share",
  ]);
});

it.each([
  [[10], "at a budget of 10"],
  [[10, 20], "at budgets of up to 20"],
  [[40, 50], "at budgets of 40 or more"],
  [[20, 30, 40], "at budgets of 20 to 40"],
  [[10, 30, 50], "at budgets of 10, 30 and 50"],
  [[10, 20, 30, 40, 50], "at budgets of 10 to 50"],
])("names the places %j in the fewest words", async (holdsAt, text) => {
  const units = (budget: number) => [five(holdsAt.includes(budget) ? 2 : 1), five(1).toReversed()];
  const at = [10, 20, 30, 40, 50].map((budget) => [budget, units(budget)] as const);
  const [finding] = paperFigures.findings((await concluded(["online", "vanilla"], at)).result);
  expect(finding!.text).toMatch(
    new RegExp(`^With 100 workers, online gives more per unit paid than vanilla ${text}[.,]`),
  );
});
