/** One of the workers is drawn, and works all rounds: for its price, or for a fixed pay if it asks no more. */

import { describe, expect, it } from "vitest";
import { lowBaller } from "../../agents/low-baller.js";
import { truthful } from "../../agents/truthful.js";
import { withSeed } from "../../src/auction/mechanism.js";
import {
  bestResponses,
  check,
  mechanisms,
  runAuction,
  type StochasticMechanism,
  stream,
  tryAgent,
} from "../../src/index.js";
import { marketOf } from "../mechanisms/hand-solved.js";

const lottery = (pays: "price" | "fixed"): StochasticMechanism => ({
  name: `lottery-${pays}`,
  about: "Draws one worker.",
  offline: true,
  stochastic: true,
  decide: ({ rounds, budget }, bids, _, random) => {
    const drawn = [...bids].sort((a, b) => a.id - b.id)[random.below(bids.length)];
    const workers = [...bids]
      .sort((a, b) => a.id - b.id)
      .map((bid) => {
        const wins = bid === drawn && bid.price * rounds <= budget;
        const payment = wins ? (pays === "price" ? bid.price * rounds : budget) : 0;
        return { id: bid.id, selectedAt: wins ? 1 : null, rounds: wins ? rounds : 0, payment };
      });
    return { started: true, startDelay: 0, workers, thresholds: [], budgetEvents: [] };
  },
});

const market = marketOf(4, 2, [
  [1, 0.5, 1],
  [1, 0.7, 1],
]);

describe("a mechanism that draws", () => {
  it("decides the same under the same seed, and something else under another", () => {
    const seeded = withSeed(lottery("price"));
    const winnerUnder = (seed: number) =>
      runAuction(seeded.vary!({ seed }), market).workers.find(({ selectedAt }) => selectedAt !== null)!.id;
    const winners = Array.from({ length: 50 }, (_, seed) => winnerUnder(seed));
    expect(Array.from({ length: 50 }, (_, seed) => winnerUnder(seed))).toEqual(winners);
    expect(new Set(winners)).toEqual(new Set([0, 1]));
    expect(runAuction(lottery("price"), market)).toEqual(runAuction(seeded, market));
  });

  it("that pays the bid has gains that are estimated over seeds, and never called exact", () => {
    const responses = bestResponses(market, { mechanism: lottery("price") });
    expect(responses).toMatchObject({ exact: false, seeds: 400 });
    const [zero] = responses.workers;
    // Drawn with chance 1/2, it gets at most the budget of 4 for its cost of 2 · 0.5: 1.5 on average, and nothing for the truth.
    expect(zero!.truthful).toBe(0);
    expect(zero!.low!).toBeLessThan(1.5);
    expect(zero!.high!).toBeGreaterThan(1.5);
    expect(zero!.best.price).toBeCloseTo(2, 6);
    expect(bestResponses(market, { mechanism: lottery("price") })).toEqual(responses);
  });

  it("that pays the same whatever is bid has no gains", () => {
    for (const { gain, truthful } of bestResponses(market, { mechanism: lottery("fixed") }).workers) {
      expect(gain).toBe(0);
      expect(truthful).toBeGreaterThan(1);
    }
  });

  it.each(["price", "fixed"] as const)(
    "has intervals that contain the gain they are of (pays %s)",
    (pays) => {
      const { workers, assumes } = bestResponses(market, { mechanism: lottery(pays) });
      expect(assumes).toBe("no payment is negative or exceeds the budget");
      for (const { gain, low, high } of workers) {
        expect(low!).toBeLessThanOrEqual(gain);
        expect(high!).toBeGreaterThanOrEqual(gain);
      }
    },
  );

  it("never has a property that holds: at most none found", () => {
    const verdicts = (pays: "price" | "fixed") =>
      Object.fromEntries(
        check(market, { mechanism: lottery(pays) }).map((one) => [one.property, one.verdict]),
      );
    expect(new Set(Object.values(verdicts("fixed")))).toEqual(new Set(["none found", "not proved"]));
    expect(verdicts("price")).toMatchObject({ P1: "none found", P5: "breaks", joint: "breaks" });
  });

  it("is tried by agents over many seeds, not over one", () => {
    const setting = { market, mechanism: lottery("fixed"), stream: stream(1) };
    const [zero] = [...tryAgent({ ...setting, agent: truthful })];
    // Two of 400 draws more or less are 0.5 %: the mean is far from both 0 and 3.
    expect(zero!.truthful).toBeGreaterThan(1.2);
    expect(zero!.truthful).toBeLessThan(1.8);
    expect([...tryAgent({ ...setting, agent: lowBaller })][0]!.gain).toBe(0);
  });
});

it("one that does not draw is not asked over seeds", () => {
  expect(bestResponses(market, { mechanism: mechanisms["bid-greedy"] }).seeds).toBeUndefined();
});
