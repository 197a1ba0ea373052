import { describe, expect, it } from "vitest";
import { drawLandscapes, type LandscapeSettings } from "../../analyses/landscape.js";
import { outline, strips } from "../../analyses/shared/gains/utility-curve.js";
import { bestResponses } from "../../src/best-response/index.js";
import { Deviation } from "../../src/best-response/search.js";
import { stream } from "../../src/lib/random.js";
import { atRelativeBudget, drawForSurvey } from "../../src/market/draw.js";
import { bidGreedy } from "../../src/mechanisms/bid-greedy.js";
import { online } from "../../src/mechanisms/online.js";
import { withoutText } from "../searched.js";
import { contextFor, expectExhibitsReplay, expectWellFormed, rowsOf } from "./context.js";

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
    const result = await drawLandscapes(contextFor("landscape"), tiny);
    expectWellFormed(result);
    expectExhibitsReplay(result);
    expect(await drawLandscapes(contextFor("landscape"), tiny)).toEqual(result);
  });

  it("shows a worker of each regime, with a line chart and a heat map", async () => {
    const result = await drawLandscapes(contextFor("landscape"), tiny);
    const regimes = rowsOf(result, "chosen").map(({ regime }) => regime);
    expect(regimes).toEqual(["sufficient", "tight", "late start"]);
    expect(result.charts.length).toBe(6);
    expect(result.exhibits!.length).toBe(3);
  });

  it("marks the truth, and the best lie exactly where one gains", async () => {
    const result = await drawLandscapes(contextFor("landscape"), tiny);
    const chosen = rowsOf(result, "chosen");
    expect(chosen.some(({ gain }) => (gain as number) > 0)).toBe(true);
    for (const { witness, truthful, gain } of chosen) {
      const rows = rowsOf(result, `outline-${witness}`);
      expect(rows.filter(({ what }) => what === "truth").map(({ utility }) => utility)).toEqual([truthful]);
      const best = rows.filter(({ what }) => what === "best lie");
      expect(best.length).toBe((gain as number) > 0 ? 1 : 0);
      for (const { more } of best) expect(more as number).toBeCloseTo(gain as number, 5);
    }
  });

  it("draws segments that say what the auction says, inside and at single prices", () => {
    for (let seed = 0; seed < 8; seed++) {
      const market = atRelativeBudget(drawForSurvey({ workers: 7, rounds: 4 }, stream(seed)), 0.6);
      for (const { id, best } of bestResponses(market).workers) {
        const deviation = new Deviation(online, market, market.workers[id]!);
        const lie = { worker: id, price: best.price, arrival: best.arrival };
        const { segments, exact } = outline(market, id, { mechanism: online, lie, samples: 1 });
        expect(exact).toBe(true);
        for (const { price, price2, utility, utility2, arrival } of segments) {
          const middle = (price + price2) / 2;
          expect(deviation.utility(middle, arrival)).toBeCloseTo((utility + utility2) / 2, 8);
        }
      }
    }
  });

  it("cuts a sloped segment into strips that meet, and leaves a level one alone", () => {
    const sloped = { arrival: 1, price: 0, price2: 1, utility: 2, utility2: 4 };
    const cut = strips(sloped, 4);
    expect(cut.map(({ price, utility2 }) => [price, utility2])).toEqual([
      [0, 2.5],
      [0.25, 3],
      [0.5, 3.5],
      [0.75, 4],
    ]);
    expect(strips({ ...sloped, utility2: 2 }, 4)).toHaveLength(1);
  });

  it("samples where no pieces are known, and says so", async () => {
    const searched = { ...tiny, rounds: 3, sizes: [4], ratios: [0.5], markets: 2, asked: 2 };
    const result = await drawLandscapes(contextFor("landscape", withoutText(bidGreedy)), searched);
    expectWellFormed(result);
    expectExhibitsReplay(result, bidGreedy);
    const text = [...result.methods, ...result.charts.map(({ howToRead }) => howToRead)].join(" ");
    expect(text).toContain("lower bounds");
    expect(text).toContain("Sampled");
    expect(text).not.toMatch(/exact/i);
  });
});
