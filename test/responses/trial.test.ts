import fc from "fast-check";
import { expect, it } from "vitest";
import { noisy } from "../../agents/noisy.js";
import { startForcer } from "../../agents/start-forcer.js";
import { truthful } from "../../agents/truthful.js";
import { stream } from "../../src/lib/random.js";
import { type Market, paperRules } from "../../src/market/market.js";
import { online } from "../../src/mechanisms/online/online.js";
import { tryAgent } from "../../src/responses/trial.js";

// As in the agents' tests: nobody is cheap enough for the first step; forced, worker 0 gains 0.2, worker 1 loses.
const market: Market = {
  rules: { ...paperRules, budget: 8, rounds: 4, firstRoundRatio: 0.25 },
  workers: [
    { id: 1, reputation: 1, cost: 0.95, arrival: 1 },
    { id: 0, reputation: 1, cost: 0.8, arrival: 1 },
  ],
};
const setting = { market, mechanism: online, stream: stream(1) };

it("an agent is tried on each worker alone, the others telling the truth", () => {
  const [zero, one] = [...tryAgent({ ...setting, agent: startForcer })];
  expect(zero).toEqual({
    id: 0,
    price: 0.5,
    arrival: 1,
    truthful: 0,
    utility: expect.closeTo(0.2, 12),
    gain: expect.closeTo(0.2, 12),
    bestGain: expect.closeTo(0.2, 12),
  });
  // Worker 0 is the first loser of its group at 0.8, and from round 4 on taken: 1/1. 4·0.5 + 3·0.3 + 0.2 − 4·0.95.
  expect(one!.gain).toBeCloseTo(-0.7, 12);
});

it("one worker can be asked for, and its trial is the same as in the whole", () => {
  const all = [...tryAgent({ ...setting, agent: noisy() })];
  expect([...tryAgent({ ...setting, agent: noisy(), worker: 1 })]).toEqual([all[1]]);
  expect([...tryAgent({ ...setting, agent: noisy(), worker: 7 })]).toEqual([]);
});

it("the truth gains nothing", () => {
  const cost = fc.integer({ min: 0, max: 20 }).map((k) => k / 20);
  fc.assert(
    fc.property(fc.array(cost, { maxLength: 8 }), (costs) => {
      const workers = costs.map((each, id) => ({ id, reputation: 1, cost: each, arrival: 1 + (id % 4) }));
      const trials = [...tryAgent({ ...setting, market: { ...market, workers }, agent: truthful })];
      expect(trials.map(({ gain }) => gain)).toEqual(costs.map(() => 0));
    }),
  );
});
