import { describe, expect, it } from "vitest";
import { paperWorkersFigure } from "../../analyses/paper-workers.js";
import { marketAt } from "../../analyses/shared/auctions/accounts.js";
import { runFigure } from "../../analyses/shared/auctions/figure.js";
import { stream } from "../../src/lib/random.js";
import { type MechanismName, mechanisms } from "../../src/mechanisms/index.js";
import { hold } from "../../src/mechanisms/mechanism.js";
import { publisherAccount } from "../../src/mechanisms/outcome.js";
import { contextFor, rowsOf } from "./context.js";
import { testWholeResult } from "./whole-result.js";

const sizes = { values: [10, 60], markets: 12 };
const small = await runFigure(paperWorkersFigure, contextFor(1), sizes);

testWholeResult(small);

describe("pairing", () => {
  const markets = Array.from({ length: sizes.markets }, (_, k) =>
    marketAt({ workers: 60, budget: 125 }, k, stream(1)),
  );
  const accounts = (name: MechanismName) =>
    markets.map((market) => publisherAccount(market.workers, hold(mechanisms[name], market)));
  const total = (name: MechanismName) =>
    accounts(name).reduce((sum, { publisherUtility }) => sum + publisherUtility, 0);
  const found = (table: string, auction: string) =>
    rowsOf(small, table).find((row) => row.auction === auction && row.workers === 60)!;

  it("holds every auction in the same markets", () => {
    for (const name of ["online", "rrafl", "vanilla", "two-stage"] as const)
      expect(found("utility", name).mean).toBeCloseTo(total(name) / sizes.markets, 9);
  });

  it("compares a repair with the original over those markets", () => {
    for (const name of ["posted-rounds", "falling-price"] as const)
      expect(found("repairs", name).mean).toBeCloseTo(total(name) / total("online"), 9);
  });

  it("draws the same markets whatever is compared", async () => {
    const context = contextFor(1, mechanisms.rrafl, [mechanisms.rrafl]);
    const alone = await runFigure(paperWorkersFigure, context, sizes);
    const beside = rowsOf(small, "per-unit").filter(({ auction }) => auction === "rrafl");
    expect(rowsOf(alone, "per-unit").map(({ mean }) => mean)).toEqual(beside.map(({ mean }) => mean));
  });
});

it("says of a repair what its table says", () => {
  const rows = rowsOf(small, "repairs").filter(
    ({ auction, measure }) => auction === "posted-rounds" && measure === "in all",
  );
  const { text } = small.findings.find((one) => one.text.startsWith("The repair posted-rounds"))!;
  for (const { mean } of rows) expect(text).toContain(`${(mean as number).toFixed(2)} (with`);
  const surely = rows.filter(({ high }) => (high as number) < 1).map(({ workers }) => workers);
  expect(text.includes(`less than online with ${surely.join(" and ")} workers`)).toBe(surely.length === 1);
});

it("draws as many workers as its axis says, at one budget", () => {
  const { settingAt } = paperWorkersFigure;
  for (const workers of sizes.values) {
    const { rules, workers: drawn } = marketAt(settingAt(workers), 0, stream(1));
    expect([drawn.length, rules.budget]).toEqual([workers, 125]);
  }
});
