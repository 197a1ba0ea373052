/** What a lie does on average over draws of the others. */

import { describe, expect, it } from "vitest";
import { stream } from "../../src/lib/random.js";
import { paperRules } from "../../src/market/market.js";
import { mechanisms } from "../../src/mechanisms/index.js";
import { drawnBelief } from "../../src/responses/belief.js";
import { Draws, drawsOf } from "../../src/responses/draws.js";
import { explain } from "../../src/verdicts/explain.js";
import { averageText, explainOnAverage } from "../../src/verdicts/explain-interim.js";

const rules = { ...paperRules, budget: 12, rounds: 10 };
const self = { id: 0, reputation: 0.8, cost: 0.433, arrival: 1 };
const belief = drawnBelief({ rules, ids: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] }, stream("explain"));
const draws = new Draws({ rules, workers: drawsOf(belief, 0, 60) });
const markets = Array.from({ length: 60 }, (_, k) => draws.market(k, self));
const bid = { worker: 0, price: 0.38, arrival: 1 };

describe("a lie explained on average", () => {
  const average = explainOnAverage(markets, bid);
  const alone = markets.map((market) => explain(market, bid));
  const mean = alone.reduce((sum, { gain }) => sum + gain, 0) / alone.length;

  it("names in each draw what changed, and the shares of all draws add up to 1", () => {
    expect(average.changes[0]!.kind).toBe("force");
    expect(average.changes.reduce((sum, { share }) => sum + share, average.unchanged)).toBeCloseTo(1, 12);
    expect(average.changes.map(({ share }) => share)).toEqual(
      average.changes.map(({ share }) => share).sort((a, b) => b - a),
    );
  });

  it("gains as often, and of the same kinds, as single explanations say", () => {
    const paying = alone.filter(({ kind }) => kind !== null);
    expect(average.gains).toBeCloseTo(paying.length / 60, 12);
    for (const { kind, share, gains } of average.changes)
      expect(share * gains * 60).toBeCloseTo(paying.filter((one) => one.kind === kind).length, 9);
  });

  it("its changes and its causes each add up to the mean gain", () => {
    const byChange = average.changes.reduce((sum, { share, gain }) => sum + share * gain, 0);
    const { rounds, price, budget, start } = average.causes!;
    expect(byChange).toBeCloseTo(mean, 9);
    expect(rounds + price + budget + start).toBeCloseTo(mean, 9);
  });

  it("reads as sentences with shares of draws", () => {
    const text = averageText(average, mean);
    expect(text).toMatch(/It gains in \d+ % of draws, loses in \d+ %, and changes nothing in [\d.]+ %\./);
    expect(text).toMatch(
      / {2}in \d+ % of draws, \+0\.\d+ of the gain \(gains in \d+ % of them\): force the start/,
    );
    expect(text).toContain("another start of the task");
  });
});

it("the truth changes nothing, and other mechanisms than the paper's have no causes", () => {
  const truth = { worker: 0, price: self.cost, arrival: 1 };
  expect(explainOnAverage(markets, truth)).toMatchObject({ gains: 0, loses: 0, unchanged: 1, changes: [] });
  const other = explainOnAverage(markets.slice(0, 5), bid, mechanisms["bid-greedy"]);
  expect(other.causes).toBeNull();
});
