import { beforeAll, describe, expect, it } from "vitest";
import { drawCells, drawnAt } from "../../analyses/properties/draws.js";
import { boardJob } from "../../analyses/properties/survey.js";
import { boardOf, type PropertySettings, properties, propertySettings } from "../../analyses/properties.js";
import { bidGreedy } from "../../src/mechanisms/bid-greedy.js";
import { hold } from "../../src/mechanisms/mechanism.js";
import { online } from "../../src/mechanisms/online.js";
import { publisherAccount } from "../../src/mechanisms/outcome.js";
import { proportionalShare } from "../../src/mechanisms/proportional-share.js";
import type { AnalysisResult, Row } from "../../src/report/result.js";
import { chosenRows } from "../../src/report/tables.js";
import { check } from "../../src/verdicts/properties.js";
import { contextFor, expectExhibitsReplay, expectIntervals, expectWellFormed, rowsOf } from "./context.js";

const tiny: PropertySettings = {
  draws: { rounds: 6, sizes: [5, 12], budgets: [0.3, 1], perCell: 8, wide: 120 },
  everyForP4: 2,
  ratios: [0.3, 0.5, 0.7, 0.9],
  ratioDraws: { rounds: 6, sizes: [10], budgets: [0.5], perCell: 8, wide: 40 },
};
const nothing: PropertySettings = {
  ...tiny,
  draws: { ...tiny.draws, perCell: 0, wide: 3 },
  ratioDraws: { ...tiny.ratioDraws, perCell: 0, wide: 3 },
};

describe("properties", () => {
  let result: AnalysisResult;
  beforeAll(async () => {
    result = await boardOf(contextFor("board"), tiny);
  }, 120_000);
  const row = (about: Row): Row =>
    rowsOf(result, "scoreboard").find((each) => Object.entries(about).every(([k, v]) => each[k] === v))!;

  it("is well formed, and the same for the same seed", async () => {
    expectWellFormed(result);
    expect(await boardOf(contextFor("board"), tiny)).toEqual(result);
    expect(await boardOf(contextFor("other"), tiny)).not.toEqual(result);
  });

  it("opens with the prose on the paper's markets, and pools neither readings nor families", () => {
    const [verdicts] = result.tables;
    const shown = chosenRows(verdicts!.rows, verdicts!.opensWith ?? {});
    expect(new Set(shown.map(({ reading, family }) => `${reading} ${family}`))).toEqual(
      new Set(["prose paper"]),
    );
    for (const { name, rows } of result.tables) {
      expect(new Set(rows.map(({ reading }) => reading)), name).toEqual(new Set(["prose", "pseudocode"]));
      expect(new Set(rows.map(({ family }) => family)), name).toEqual(new Set(["paper", "random"]));
    }
    expect(verdicts!.name).toBe("verdicts");
    for (const { claim, reading, family, sufficient } of verdicts!.rows) {
      if (String(claim).startsWith("P3")) continue;
      const { verdict, markets, brokenMarkets } = row({
        claim: claim!,
        reading: reading!,
        family: family!,
        regime: "sufficient",
      });
      if (verdict === "holds") expect(sufficient).toBe(`holds in all ${markets}`);
      if (verdict === "breaks") expect(sufficient).toBe(`breaks in ${brokenMarkets} of ${markets}`);
    }
  });

  it("finds P1 and P2 broken above a ratio of 1/2 only, and P1 in the pseudocode only", () => {
    for (const { property, reading, ratio, broken } of rowsOf(result, "ratios")) {
      if ((ratio as number) <= 0.5 || (property === "P1" && reading === "prose")) expect(broken).toBe(0);
    }
    const worst = rowsOf(result, "ratios").filter(({ ratio, broken }) => ratio === 0.9 && Number(broken) > 0);
    const seen = new Set(worst.map(({ property, reading }) => `${property} ${reading}`));
    expect(seen).toEqual(new Set(["P1 pseudocode", "P2 prose", "P2 pseudocode"]));
  });

  it("tells the worst of a property at each ratio: the largest part of the budget over all markets", () => {
    const context = contextFor("board");
    const { ratioDraws: draws } = tiny;
    const drawn = drawCells(draws).flatMap(({ cell, markets }) =>
      Array.from({ length: markets }, (_, k) => drawnAt(cell, k, context.stream.fork("ratios"))).flat(),
    );
    for (const { property, reading, family, ratio, worst, markets } of rowsOf(result, "ratios")) {
      const here = drawn.filter((one) => one.family === family);
      const amounts = here.map(({ market }) => {
        const rules = { ...market.rules, firstRoundRatio: ratio as number, reading: reading as "prose" };
        const found = check({ ...market, rules }).find((verdict) => verdict.property === property)!.witnesses;
        return Math.max(0, ...found.map(({ amount }) => amount)) / rules.budget;
      });
      expect(markets).toBe(here.length);
      expect(worst).toBeCloseTo(Math.max(...amounts.filter((part) => part > 1e-6), 0), 5);
    }
  });

  it("has shares with intervals that contain them, and the rule of three where nothing broke", () => {
    const seen = rowsOf(result, "shares").filter(({ markets }) => (markets as number) > 0);
    expectIntervals([...seen, ...rowsOf(result, "ratios")]);
    const clean = row({
      claim: "P2 budget feasibility",
      regime: "tight",
      reading: "prose",
      family: "random",
    });
    expect(clean.bound).toBeCloseTo(3 / (clean.markets as number), 5);
  });

  it("counts a lie of either kind as a lie", () => {
    for (const { regime, reading, family, brokenMarkets } of rowsOf(result, "scoreboard").filter(
      ({ claim }) => claim === "joint: P5×P6",
    ))
      for (const claim of [
        "P5 cost truthfulness",
        "P6 time truthfulness",
        "joint, start moved",
        "joint, start kept",
      ]) {
        const part = row({ claim, regime: regime!, reading: reading!, family: family! });
        expect(part.brokenMarkets as number).toBeLessThanOrEqual(brokenMarkets as number);
      }
  });

  it("has an exhibit for every break of the prose, certified, and each replays", () => {
    expectExhibitsReplay(result);
    const exhibits = new Map(result.exhibits!.map((exhibit) => [exhibit.name, exhibit]));
    expect(exhibits.size).toBe(result.exhibits!.length);
    const broken = rowsOf(result, "scoreboard").filter(
      ({ verdict, reading }) => verdict === "breaks" && reading === "prose",
    );
    expect(broken.length).toBeGreaterThan(5);
    for (const { exhibit, certified } of broken) {
      expect(certified).toBe("yes");
      expect(exhibits.has(String(exhibit))).toBe(true);
    }
  });

  it("shows overspending and exclusion in the exhibits that take no lie", () => {
    const silent = result.exhibits!.filter(({ lie }) => lie === null);
    expect(silent.length).toBeGreaterThan(1);
    for (const { market, title } of silent) {
      const { spent } = publisherAccount(market.workers, hold(online, market));
      if (title.startsWith("P2")) expect(spent).toBeGreaterThan(market.rules.budget);
      const [property] = title.split(/[ ,]/);
      expect(check(market).find((verdict) => verdict.property === property)!.verdict).toBe("breaks");
    }
  });

  it("says in words what the table says in numbers", () => {
    const kept = row({ claim: "joint, start kept", regime: "sufficient", reading: "prose", family: "paper" });
    expect(kept.brokenMarkets).toBe(0);
    const [headline] = result.findings;
    expect(headline!.text).toContain(
      `In ${kept.markets} markets drawn as in the paper (prose) with ${kept.workers} workers of the sufficient`,
    );
    const tight = row({ claim: "joint: P5×P6", regime: "tight", reading: "prose", family: "random" });
    expect(
      result.findings.some(({ text }) =>
        text.includes(`of ${tight.markets} markets drawn at random (prose)`),
      ),
    ).toBe(true);
  });

  it("has words for samples in which there is next to nothing to see", async () => {
    expectWellFormed(await boardOf(contextFor("nothing"), nothing));
  });

  it("sees what holds by proof hold, and what pays the bid break", async () => {
    const verdicts = async (mechanism: typeof bidGreedy) => {
      const { tables } = await boardOf(contextFor("others", mechanism), nothing);
      const rows = tables.find(({ name }) => name === "scoreboard")!.rows;
      return new Set(
        rows.filter(({ claim }) => claim === "P5 cost truthfulness").map(({ verdict }) => verdict),
      );
    };
    expect(await verdicts(bidGreedy)).toContain("breaks");
    const proved = await verdicts(proportionalShare);
    expect(proved).toContain("holds");
    expect(proved).not.toContain("breaks");
  });

  it("keeps boards that do not grow with the number of markets", async () => {
    const of = { family: "paper", first: 0, workers: 6, rounds: 5, budget: 0.5 } as const;
    const size = async (markets: number) => {
      const cells = [{ cell: { of, everyForP4: 4 }, markets }];
      return JSON.stringify(await contextFor("board").pool.gather(boardJob, cells)).length;
    };
    expect(await size(160)).toBeLessThan(1.3 * (await size(80)));
  });

  it("has settings for both profiles", () => {
    expect(properties.name).toBe("properties");
    expect(propertySettings.full.draws.wide).toBeGreaterThan(propertySettings.quick.draws.wide);
  });
});
