import { describe, expect, it } from "vitest";
import { type LandscapeSettings, landscape } from "../../analyses/landscape.js";
import { bidGreedy } from "../../src/mechanisms/bid-greedy.js";
import { online } from "../../src/mechanisms/online/online.js";
import { Deviation } from "../../src/responses/search.js";
import { withoutText } from "../searched.js";
import { contextFor, expectExhibitsReplay, expectWellFormed, resultWith, rowsOf } from "./context.js";

const tiny: LandscapeSettings = {
  rounds: 5,
  sizes: [6],
  ratios: [0.25, 0.7, 1.4],
  markets: 20,
  asked: null,
  samples: 10,
};

describe("landscape", () => {
  it("is well formed, and the same for the same seed", async () => {
    const result = await resultWith(landscape, contextFor("landscape"), tiny);
    expectWellFormed(result);
    expectExhibitsReplay(result);
    expect(await resultWith(landscape, contextFor("landscape"), tiny)).toEqual(result);
  });

  it("shows a worker of each regime in one chart, which opens with the tight one", async () => {
    const result = await resultWith(landscape, contextFor("landscape"), tiny);
    const regimes = rowsOf(result, "chosen").map(({ regime }) => regime);
    expect(regimes).toEqual(["sufficient", "tight", "late start", "late and tight"]);
    const [chart] = result.charts;
    expect(result.charts.length).toBe(1);
    expect(chart!.choices![0]!.values).toEqual(["tight", "late and tight", "late start", "sufficient"]);
    for (const { worker, regime } of rowsOf(result, "chosen"))
      expect(JSON.stringify(chart!.summary)).toContain(
        `${String(regime).charAt(0).toUpperCase()}${String(regime).slice(1)}: worker ${worker} `,
      );
    expect(result.exhibits!.length).toBe(regimes.length);
  });

  it("marks the truth, and the best lie exactly where one gains", async () => {
    const result = await resultWith(landscape, contextFor("landscape"), tiny);
    const chosen = rowsOf(result, "chosen");
    expect(chosen.some(({ gain }) => (gain as number) > 0)).toBe(true);
    for (const { regime, truthful, gain } of chosen) {
      const rows = rowsOf(result, "curves").filter((row) => row.regime === regime);
      expect(rows.filter(({ what }) => what === "truth").map(({ utility }) => utility)).toEqual([truthful]);
      const best = rows.filter(({ what }) => what === "best lie");
      expect(best.length).toBe((gain as number) > 0 ? 1 : 0);
      for (const { more } of best) expect(more as number).toBeCloseTo(gain as number, 5);
    }
  });

  it("draws segments that say what the auction says, inside and at single prices", async () => {
    for (let seed = 0; seed < 4; seed++) {
      const result = await resultWith(landscape, contextFor(seed), tiny);
      for (const { regime, worker, witness } of rowsOf(result, "chosen")) {
        const { market } = result.exhibits!.find(({ name }) => name === witness)!;
        const deviation = new Deviation(online, market, market.workers[Number(worker)]!);
        const drawn = rowsOf(result, "curves").filter((row) => row.regime === regime && row.what === "piece");
        expect(drawn.length).toBeGreaterThan(0);
        for (const { price, price2, utility, utility2, arrival } of drawn) {
          const middle = (Number(price) + Number(price2)) / 2;
          const told = (Number(utility) + Number(utility2)) / 2;
          expect(deviation.utility(middle, Number(arrival))).toBeCloseTo(told, 4);
        }
      }
    }
  });

  it("samples where no pieces are known, and says so", async () => {
    const searched = { ...tiny, rounds: 3, sizes: [4], ratios: [0.5], markets: 2, asked: 2 };
    const result = await resultWith(landscape, contextFor("landscape", withoutText(bidGreedy)), searched);
    expectWellFormed(result);
    expectExhibitsReplay(result, bidGreedy);
    const text = [...result.methods, ...result.charts.map(({ howToRead }) => howToRead)].join(" ");
    expect(text).toContain("lower bound");
    expect(text).toContain("Sampled");
    expect(text).not.toMatch(/Exact:|is exact/);
  });
});
