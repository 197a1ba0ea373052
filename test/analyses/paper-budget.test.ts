import { describe, expect, it } from "vitest";
import { paperBudgetFigure } from "../../analyses/paper-budget.js";
import { marketAt } from "../../analyses/shared/auctions/accounts.js";
import { runFigure } from "../../analyses/shared/auctions/figure.js";
import { stream } from "../../src/lib/random.js";
import { estimate } from "../../src/lib/statistics.js";
import { mechanismNamed, mechanisms } from "../../src/mechanisms/index.js";
import { hold } from "../../src/mechanisms/mechanism.js";
import { publisherAccount } from "../../src/mechanisms/outcome.js";
import type { Row } from "../../src/report/result.js";
import { contextFor, rowsOf } from "./context.js";
import { testWholeResult } from "./whole-result.js";

const sizes = { values: [25, 300], markets: 12 };
const small = await runFigure(paperBudgetFigure, contextFor(1), sizes);

testWholeResult(small);

it("has a row for every auction at every budget", () => {
  for (const name of ["per-unit", "utility"])
    expect(rowsOf(small, name)).toHaveLength(2 * Object.keys(mechanisms).length);
});

it("judges each claim from the interval it shows", () => {
  const sideOf = ({ about, low, high }: Row) => {
    const margin = about === "close" ? -0.05 : 0;
    return [(low as number) >= margin, (high as number) <= margin];
  };
  for (const row of rowsOf(small, "claims")) {
    const [holds, breaks] = sideOf(row);
    expect({ holds, breaks, undecided: !holds && !breaks }[row.verdict as "holds"]).toBe(true);
  }
});

describe.each(["fixed-threshold", "vanilla", "bid-greedy"])("in words, against %s", (other) => {
  const words = { holds: "more", breaks: "less", undecided: "an amount not shown to differ" };
  const { text } = small.findings.find(
    (one) => one.text.startsWith(`Per unit paid online gives`) && one.text.includes(other),
  )!;
  const claimed = rowsOf(small, "claims").filter(({ claim }) => claim === `online gives more than ${other}`);

  it("says where the mechanism is above and where it is below", () => {
    expect(claimed).toHaveLength(2);
    for (const { budget, verdict } of claimed)
      expect(text).toMatch(new RegExp(`${words[verdict as "holds"]}[^,]*\\b${budget}\\b`));
  });
});

it("replays: the same seed gives the same, another seed another", async () => {
  expect(await runFigure(paperBudgetFigure, contextFor(1), sizes)).toEqual(small);
  expect((await runFigure(paperBudgetFigure, contextFor(2), sizes)).tables).not.toEqual(small.tables);
});

it("leaves markets without payments out of means per unit paid, and says so", async () => {
  const poor = await runFigure(paperBudgetFigure, contextFor(1), { values: [2], markets: 12 });
  const unpaid = rowsOf(poor, "per-unit").filter(({ markets }) => (markets as number) < 12);
  expect(unpaid.map(({ auction }) => auction)).toContain("two-stage");
  expect(poor.findings.some(({ text }) => text.startsWith("Some auctions pay nobody"))).toBe(true);
  const never = unpaid.filter(({ markets }) => markets === 0);
  expect(never.length).toBeGreaterThan(0);
  for (const { mean, low, high } of never) expect([mean, low, high]).toEqual([null, null, null]);
});

it("asks the claims of any mechanism, and tries only rules that it leaves open", async () => {
  const mine = mechanismNamed("online:firstRoundRatio=0.2");
  const context = contextFor(1, mine, [mine, ...Object.values(mechanisms)]);
  const result = await runFigure(paperBudgetFigure, context, sizes);
  const settings = rowsOf(result, "settings").map(({ setting }) => setting as string);
  const ours = new Set(settings.filter((name) => name.startsWith(mine.name)));
  expect([...ours]).toEqual([`${mine.name}:reading=pseudocode`]);
  expect(result.findings.some(({ text }) => text.includes(`${mine.name} gives more than bid-greedy`))).toBe(
    true,
  );
});

it("judges all claims at all budgets together: wider intervals than those of single means", () => {
  const claims = rowsOf(small, "claims");
  const [row] = claims.filter(({ about, budget }) => about === "above" && budget === 300);
  const { difference, mean: relative, low, high, auction } = row!;
  const base = Number(difference) / Number(relative);
  const ledger = (name: string) =>
    Array.from({ length: sizes.markets }, (_, k) =>
      marketAt({ workers: 100, budget: 300 }, k, stream(1)),
    ).map(
      (market) => publisherAccount(market.workers, hold(mechanismNamed(name), market)).utilityPerUnitPaid!,
    );
  const [ours, others] = [ledger("online"), ledger(String(auction))];
  const single = estimate(ours.map((one, k) => one - others[k]!));
  const together = estimate(
    ours.map((one, k) => one - others[k]!),
    claims.length,
  );
  expect(Number(low) * base).toBeCloseTo(together.low, 9);
  expect(Number(high) * base).toBeCloseTo(together.high, 9);
  expect(together.high - together.low).toBeGreaterThan(1.4 * (single.high - single.low));
});
