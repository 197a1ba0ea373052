/** Who gives up what for whom in a joint lie. */

import { describe, expect, it } from "vitest";
import { runAuction } from "../../src/auction/mechanism.js";
import { stream } from "../../src/lib/random.js";
import { drawMarket } from "../../src/market/draw.js";
import { paperRules } from "../../src/market/market.js";
import { online } from "../../src/mechanisms/online/online.js";
import { coalitionResponses } from "../../src/responses/coalition.js";
import { coalitionText, explainCoalition } from "../../src/verdicts/explain-coalition.js";

/** Worker 3 asks more than twice its cost and is not selected; worker 2, whom its group judges, takes the whole purse. */
const market = {
  rules: { ...paperRules, budget: 5, rounds: 3 },
  workers: [
    { id: 0, reputation: 0.1, cost: 0.1, arrival: 1 },
    { id: 1, reputation: 0.25, cost: 0.19, arrival: 1 },
    { id: 2, reputation: 0.84, cost: 0.41, arrival: 1 },
    { id: 3, reputation: 0.6, cost: 0.38, arrival: 2 },
    { id: 4, reputation: 0.9, cost: 0.57, arrival: 2 },
  ],
};

describe("explainCoalition", () => {
  const [pair] = coalitionResponses(market, { coalitions: [[2, 3]] }).pairs;
  const explained = explainCoalition(market, pair!.best);

  it("shows whose lie raises the threshold of whom, and that one gives up its place ([M8])", () => {
    const [two, three] = explained.members;
    expect(explained.gain).toBeCloseTo(pair!.gain, 9);
    expect(explained.ways).toContain("threshold");
    expect(two!.thresholds[0]).toEqual({ round: 2, truth: 0.76, lie: expect.closeTo(1.4881, 4) });
    expect(two!.lie.payment).toBeCloseTo(market.rules.budget / 2, 9);
    expect(three!).toMatchObject({ change: 0, truth: { selectedAt: 2 }, lie: { selectedAt: null } });
    expect(two!.effects).toEqual([
      { of: 2, amount: expect.closeTo(-0.40173, 4) },
      { of: 3, amount: expect.closeTo(0.45474, 4) },
    ]);
    const text = coalitionText("m.json", explained);
    expect(text).toContain("Together they gain 0.86474 on top of 0.81526.");
    expect(text).toContain("Worker 3 neither gains nor loses");
    expect(text).toContain("the partners' bids: other prices");
  });

  it("names the first decision that differs in the groups of the members, and where each one's change comes from", () => {
    const { difference, members } = explained;
    expect(difference).toMatchObject({ round: 1, clock: 1, truth: { enough: true } });
    const [two, three] = members;
    // By its own bid and start worker 2 would be promised less: all it gains is the price that 3's bid makes.
    expect(two!.causes!.partners).toBeGreaterThan(two!.change);
    expect(three!.causes!.partners).toBeCloseTo(0, 12);
    for (const { causes, change } of members)
      expect(Object.values(causes!).reduce((sum, part) => sum + part, 0)).toBeCloseTo(change, 9);
  });

  it("has changes that add up to the gain, and names the start where it moves ([M6])", () => {
    for (const seed of [1, 2, 3, 4]) {
      const drawn = drawMarket({ rules: { ...paperRules, budget: 2, rounds: 3 }, workers: 4 }, stream(seed));
      for (const { gain, best } of coalitionResponses(drawn).pairs) {
        const { members, ways, gain: explainedGain } = explainCoalition(drawn, best);
        expect(explainedGain).toBeCloseTo(gain, 7);
        expect(members.reduce((sum, { change }) => sum + change, 0)).toBeCloseTo(gain, 7);
        for (const { causes, change } of members)
          expect(Object.values(causes!).reduce((sum, part) => sum + part, 0)).toBeCloseTo(change, 9);
        const moved = runAuction(online, drawn).startDelay !== runAuction(online, drawn, best).startDelay;
        expect(ways.includes("start")).toBe(moved);
        expect(ways.length > 0).toBe(gain > 0);
      }
    }
  });
});
