import { beforeAll, describe, expect, it } from "vitest";
import { type PropertySettings, properties } from "../../analyses/properties.js";
import { runAuction } from "../../src/auction/mechanism.js";
import { publisherAccount } from "../../src/auction/outcome.js";
import { percent } from "../../src/lib/format.js";
import { bidGreedy } from "../../src/mechanisms/bid-greedy.js";
import { online } from "../../src/mechanisms/online/online.js";
import { proportionalShare } from "../../src/mechanisms/proportional-share.js";
import type { AnalysisResult, Row } from "../../src/report/result.js";
import { check } from "../../src/verdicts/properties.js";
import {
  contextFor,
  expectExhibitsReplay,
  expectIntervals,
  expectWellFormed,
  resultWith,
  rowsOf,
  summariesOf,
} from "./context.js";

const tiny: PropertySettings = {
  draws: { rounds: 6, sizes: [5, 12], budgets: [0.3, 1], perCell: 8, wide: 120 },
  everyForP4: 2,
  ratios: [0.3, 0.5, 0.7, 0.95],
  ratioDraws: { rounds: 6, sizes: [10], budgets: [0.5], perCell: 8, wide: 40 },
};

const nothing: PropertySettings = {
  ...tiny,
  draws: { ...tiny.draws, perCell: 0, wide: 6 },
  ratioDraws: { ...tiny.ratioDraws, perCell: 0, wide: 6 },
};

describe("properties", () => {
  let result: AnalysisResult;
  beforeAll(async () => {
    result = await resultWith(properties, contextFor("board"), tiny);
  }, 120_000);
  const row = (about: Row): Row =>
    rowsOf(result, "counts").find((each) => Object.entries(about).every(([k, v]) => each[k] === v))!;

  it("is well formed, and the same for the same seed", async () => {
    expectWellFormed(result);
    const small = await resultWith(properties, contextFor("board"), nothing);
    expect(await resultWith(properties, contextFor("board"), nothing)).toEqual(small);
    expect(await resultWith(properties, contextFor("other"), nothing)).not.toEqual(small);
  });

  it("pools neither readings nor families, and judges nothing on fewer than five markets", () => {
    for (const name of ["verdicts", "counts", "ratios"]) {
      const rows = rowsOf(result, name);
      expect(new Set(rows.map(({ reading }) => reading)), name).toEqual(new Set(["prose", "pseudocode"]));
      expect(new Set(rows.map(({ family }) => family)), name).toEqual(new Set(["paper", "random"]));
    }
    for (const { markets, verdict, low, high } of rowsOf(result, "counts"))
      if ((markets as number) < 5) expect([verdict, low, high]).toEqual(["not judged", null, null]);
  });

  it("finds P1 and P2 broken above a ratio of 1/2 only, and P1 in the pseudocode only", () => {
    for (const { property, reading, ratio, broken } of rowsOf(result, "ratios")) {
      if ((ratio as number) <= 0.5 || (property === "P1" && reading === "prose")) expect(broken).toBe(0);
    }
    const worst = rowsOf(result, "ratios").filter(
      ({ ratio, broken }) => ratio === 0.95 && Number(broken) > 0,
    );
    const seen = new Set(worst.map(({ property, reading }) => `${property} ${reading}`));
    expect(seen).toEqual(new Set(["P1 pseudocode", "P2 prose", "P2 pseudocode"]));
  });

  it("tells the worst of a property at each ratio: the largest part of the budget over all markets", async () => {
    const context = contextFor("board");
    for (const { cell, markets } of properties.plan(tiny, context)) {
      if (cell.firstRoundRatio === null || cell.of.family !== "paper") continue;
      const looks = await Promise.all(
        Array.from({ length: markets }, (_, k) => properties.job.look(cell, k, context)),
      );
      for (const { property, reading, worst, markets: n } of rowsOf(result, "ratios").filter(
        ({ ratio, family }) => ratio === cell.firstRoundRatio && family === "paper",
      )) {
        const key = JSON.stringify([property, "paper", reading, cell.firstRoundRatio]);
        const counts = looks.map((one) => one.counts[key]!);
        expect(n).toBe(markets);
        expect(worst).toBeCloseTo(Math.max(...counts.map((one) => one.worst?.amount ?? 0)), 5);
      }
    }
  });

  it("has shares with intervals that contain them, and the rule of three where nothing broke", () => {
    const seen = rowsOf(result, "counts").filter(({ markets }) => (markets as number) >= 5);
    expectIntervals([...seen, ...rowsOf(result, "ratios")]);
    const clean = row({
      claim: "P2 budget feasibility",
      regime: "tight",
      reading: "prose",
      family: "random",
    });
    expect(clean.high).toBeCloseTo(3 / (clean.markets as number), 5);
  });

  it("counts a lie of either kind as a lie", () => {
    for (const { regime, reading, family, broken } of rowsOf(result, "counts").filter(
      ({ claim }) => claim === "joint: P5×P6",
    ))
      for (const claim of [
        "P5 cost truthfulness",
        "P6 time truthfulness",
        "joint, start moved",
        "joint, start kept",
      ]) {
        const part = row({ claim, regime: regime!, reading: reading!, family: family! });
        expect(part.broken as number).toBeLessThanOrEqual(broken as number);
      }
  });

  it("has an exhibit for every break of the prose, certified, and each replays", () => {
    expectExhibitsReplay(result);
    const exhibits = new Map(result.exhibits!.map((exhibit) => [exhibit.name, exhibit]));
    expect(exhibits.size).toBe(result.exhibits!.length);
    const broken = rowsOf(result, "counts").filter(
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
      const { spent } = publisherAccount(market.workers, runAuction(online, market));
      if (title.startsWith("P2")) expect(spent).toBeGreaterThan(market.rules.budget);
      const [property] = title.split(/[ ,]/);
      expect(check(market).find((verdict) => verdict.property === property)!.verdict).toBe("breaks");
    }
  });

  it("says in words what the table says in numbers", () => {
    const about = { reading: "prose", family: "paper" };
    const kept = row({ claim: "joint, start kept", regime: "sufficient", ...about });
    expect(kept.broken).toBe(0);
    const [headline, ...others] = result.findings.map(({ text }) => text);
    expect(headline).toContain(
      `none of ${kept.workers} in ${kept.markets} markets drawn as in the paper (prose; 95 %: at most `,
    );
    expect(headline!.split(" ").length).toBeLessThanOrEqual(40);
    const moved = row({ claim: "joint, start moved", regime: "sufficient", ...about, family: "random" });
    const tight = row({ claim: "joint: P5×P6", regime: "tight", ...about });
    const said = others.join(" ");
    expect(said).toContain(
      `${moved.broken || "none"} of ${moved.markets} markets drawn at random (prose; 95 %`,
    );
    expect(said).toContain(
      `in ${percent(Number(tight.share))} of ${tight.markets} where the budget is tight`,
    );
  });

  it("judges P1 and P2 at the highest ratio on each market once: the same ones at other ratios are no larger sample", () => {
    for (const family of ["paper", "random"])
      for (const regime of ["sufficient", "tight", "late start"]) {
        const claim = "P2, first-round ratio 0.95";
        const { markets } = row({ claim, regime, family, reading: "prose" });
        expect(markets as number).toBeLessThanOrEqual(family === "paper" ? 8 : 40);
      }
  });

  it("has words for samples in which there is next to nothing to see", async () => {
    expectWellFormed(await resultWith(properties, contextFor("nothing"), nothing));
  });

  it("finds nothing where the truth is proved best, and sees what pays the bid break", async () => {
    const verdicts = async (mechanism: typeof bidGreedy) => {
      const { tables } = await resultWith(properties, contextFor("others", mechanism), nothing);
      const rows = tables.find(({ name }) => name === "counts")!.rows;
      return new Set(
        rows.filter(({ claim }) => claim === "P5 cost truthfulness").map(({ verdict }) => verdict),
      );
    };
    expect(await verdicts(bidGreedy)).toContain("breaks");
    const proved = await verdicts(proportionalShare);
    expect(proved).toContain("none found");
    expect(proved).not.toContain("breaks");
  });

  it("keeps tallies that do not grow with the number of markets", async () => {
    const of = { family: "paper", first: 0, workers: 6, rounds: 5, budget: 0.5 } as const;
    const size = async (markets: number) => {
      const cells = [{ cell: { of, firstRoundRatio: null, everyForP4: 4, searched: false }, markets }];
      return JSON.stringify(await summariesOf(properties.job, cells, contextFor("board"))).length;
    };
    expect(await size(80)).toBeLessThan(1.7 * (await size(40)));
  });
});
