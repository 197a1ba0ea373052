/** What pays when a worker does not see the others' bids: controls, the paper's auction, beliefs. */

import { max, mean } from "d3-array";
import { describe, expect, it } from "vitest";
import type { Mechanism } from "../../src/auction/mechanism.js";
import { stream } from "../../src/lib/random.js";
import { estimate } from "../../src/lib/statistics.js";
import { drawMarket } from "../../src/market/draw.js";
import { paperRules, type Rules, type Worker } from "../../src/market/market.js";
import { mechanisms } from "../../src/mechanisms/index.js";
import { type Belief, believedMarket, drawnBelief, resampledBelief } from "../../src/responses/belief.js";
import { Draws, drawsOf, utilitiesOf } from "../../src/responses/draws.js";
import {
  Interim,
  InterimPolicy,
  interimKindOf,
  interimResponses,
  statedLie,
} from "../../src/responses/interim.js";
import { largestGain } from "../../src/responses/largest-gain.js";

const idsTo = (n: number) => Array.from({ length: n }, (_, id) => id);

const paper = (workers: number, budget: number, rounds = 10) => {
  const rules: Rules = { ...paperRules, budget, rounds };
  return { rules, belief: drawnBelief({ rules, ids: idsTo(workers) }, stream("belief")) };
};

describe("a worker who knows only the rules can force the start of a small market", () => {
  const type: Worker = { id: 0, reputation: 0.8, cost: 0.433, arrival: 1 };

  it("10 workers, budget 12: asking less than its cost is worth 0.3 to 0.4, mostly because the task starts earlier", () => {
    const response = new Interim({ ...paper(10, 12), draws: 1000 }).response(type);
    expect(response.truthful).toBeGreaterThan(0.04);
    expect(response.truthful).toBeLessThan(0.1);
    expect(response.gain).toBeGreaterThan(0.28);
    expect(response.low).toBeGreaterThan(0.25);
    expect(response.best.price).toBeGreaterThan(0.35);
    expect(response.best.price).toBeLessThan(0.42);
    expect(response.best.utility).toBeCloseTo(response.truthful + response.gain, 12);
    expect(response.lie).toBe("lower price");
    expect(response.startsEarlier).toBeGreaterThan(0.4);
    expect(response.gainByEarlierStart).toBeGreaterThan(0.25);
  });

  it("20 workers, budget 24: next to nothing is left of it", () => {
    const { gain, high } = new Interim({ ...paper(20, 24), draws: 600 }).response(type);
    expect(gain).toBeLessThan(0.04);
    expect(high).toBeLessThan(0.07);
  });
});

describe("mechanisms in which no lie gains: every type is told to tell the truth", () => {
  it.each(["posted-rounds", "falling-price"] as const)("%s", (name) => {
    const { rules, belief } = paper(6, 8, 4);
    const mechanism = mechanisms[name];
    const types = drawsOf(belief, 5000, 4).flatMap((workers) => workers.slice(0, 2));
    const interim = new Interim({ rules, mechanism, belief, draws: 30 });
    for (const type of types) {
      expect(interim.response(type)).toMatchObject({ gain: 0, low: 0, high: 0, lie: "truth" });
      expect(interim.omniscientGain(type, 5)).toBe(0);
    }
    const drawn = (from: number) => new Draws({ rules, mechanism, workers: drawsOf(belief, from, 30) });
    const sets = { chosenOn: drawn(0), judgedOn: drawn(30), stream: stream("multipliers") };
    expect(largestGain({ types: types.slice(0, 2), ...sets })).toMatchObject({
      gain: 0,
      low: 0,
      chosenGain: 0,
    });
  });
});

it("paid its bid, every type asks for more", () => {
  const { rules, belief } = paper(6, 8, 4);
  const types = drawsOf(belief, 5000, 6).map((workers) => workers[0]!);
  const interim = new Interim({ rules, mechanism: mechanisms["bid-greedy"], belief, draws: 60 });
  const found = types.map((type) => ({
    type,
    response: interim.response(type),
    omniscient: interim.omniscientGain(type, 20),
  }));
  expect(mean(found, ({ response }) => response.low)).toBeGreaterThan(0);
  expect(mean(found, ({ omniscient }) => omniscient)).toBeGreaterThan(
    mean(found, ({ response }) => response.gain)!,
  );
  for (const { type, response, omniscient } of found) {
    expect(interimKindOf(response)).toBe("higher price");
    expect(response.best.price).toBeGreaterThan(type.cost);
    expect(omniscient).toBeGreaterThanOrEqual(0);
  }
});

it("interim responses say how they were obtained, by id", () => {
  const { rules, belief } = paper(4, 5, 3);
  const market = drawMarket({ rules, workers: 4 }, stream("market"));
  const all = interimResponses(market, { belief, draws: 50 });
  expect(all).toMatchObject({ mechanism: "online", method: "interim", exact: true, draws: 50 });
  expect(all.belief).toBe("the paper's distributions");
  expect(all.workers.map(({ id }) => id)).toEqual([0, 1, 2, 3]);
  const some = interimResponses(market, { belief, draws: 50, workers: [2] });
  expect(some.workers).toEqual([all.workers[2]]);
});

it("a mechanism without a text is searched, and says so; one that draws is judged over its draws", () => {
  const { rules, belief } = paper(4, 5, 2);
  const market = drawMarket({ rules, workers: 4 }, stream("market"));
  const { program: _, ...greedy } = mechanisms["bid-greedy"];
  const plain: Mechanism = { ...greedy, decide: (given, bids, trace) => greedy.decide(given, bids, trace) };
  const searched = interimResponses(market, { mechanism: plain, belief, draws: 40, workers: [0] });
  const exact = interimResponses(market, {
    mechanism: mechanisms["bid-greedy"],
    belief,
    draws: 40,
    workers: [0],
  });
  expect(searched.exact).toBe(false);
  expect(exact.exact).toBe(true);
  expect(searched.workers[0]!.chosenGain).toBeGreaterThan(0);
  expect(searched.workers[0]!.chosenGain).toBeLessThanOrEqual(exact.workers[0]!.chosenGain + 1e-9);
});

it("a lie is named by what it says", () => {
  const worker = { id: 0, reputation: 1, cost: 0.3, arrival: 2 };
  const said = (price: number, arrival: number) => statedLie(worker, { price, arrival });
  expect([said(0.3, 2), said(0.2, 2), said(0.4, 2), said(0.3, 3), said(0.2, 3), said(0.4, 4)]).toEqual([
    "truth",
    "lower price",
    "higher price",
    "delay",
    "lower price and delay",
    "higher price and delay",
  ]);
});

describe("a belief", () => {
  const market = drawMarket({ rules: { ...paperRules, budget: 5, rounds: 3 }, workers: 4 }, stream("market"));
  const shifted = { ...market, workers: market.workers.map((worker) => ({ ...worker, id: worker.id + 5 })) };

  it("has as many workers as the market, under its ids, and the same in a draw whenever it is asked", () => {
    for (const belief of [
      drawnBelief(believedMarket(shifted), stream("b")),
      resampledBelief(believedMarket(shifted), stream("b"), { pool: market.workers, source: "m.json" }),
    ]) {
      expect(belief.draw(3).map(({ id }) => id)).toEqual([5, 6, 7, 8]);
      expect(belief.draw(3)).toEqual(belief.draw(3));
      expect(belief.draw(3)).not.toEqual(belief.draw(4));
    }
  });

  it("from a file has workers of that file, each with its own reputation, cost and arrival", () => {
    const belief = resampledBelief(believedMarket(market), stream("b"), {
      pool: market.workers,
      source: "m.json",
    });
    const known = new Set(market.workers.map(({ id: _, ...type }) => JSON.stringify(type)));
    for (const { id: _, ...type } of drawsOf(belief, 0, 20).flat())
      expect(known).toContain(JSON.stringify(type));
  });

  it("from a file whose workers arrive after the last round is refused, and so is an empty one", () => {
    const late = { pool: [{ id: 0, reputation: 1, cost: 1, arrival: 4 }], source: "m.json" };
    expect(() => resampledBelief(believedMarket(market), stream("b"), late)).toThrow(
      "m.json: workers.arrival: must be at most 3",
    );
    expect(() =>
      resampledBelief(believedMarket(market), stream("b"), { pool: [], source: "m.json" }),
    ).toThrow("m.json: workers: must be a list of at least one worker");
  });
});

it("the lie is judged on draws that it was not chosen on", () => {
  const rules: Rules = { ...paperRules, budget: 4, rounds: 1 };
  const asked: number[] = [];
  const inner = drawnBelief({ rules, ids: [0, 1] }, stream("b"));
  const belief: Belief = {
    about: "watched",
    draw: (k) => {
      asked.push(k);
      return inner.draw(k);
    },
  };
  new Interim({ rules, belief, draws: 10 });
  expect(asked).toEqual(idsTo(90));
});

it("a policy over a few reputations loses little against the best response of every type, on fresh types and draws", () => {
  const { rules, belief } = paper(10, 12);
  const policy = new InterimPolicy({ rules, workers: drawsOf(belief, 2000, 200), reputations: 10 });
  const draws = (from: number) => new Draws({ rules, workers: drawsOf(belief, from, 400) });
  const types = drawsOf(belief, 9000, 10).map((workers) => workers[0]!);
  const [chosenOn, judgedOn] = [draws(0), draws(400)];
  const rows = types.map((type) => {
    const value = (bid: ReturnType<typeof policy.bid>) =>
      estimate(utilitiesOf(judgedOn.results(type, bid), type.cost)).mean;
    const played = value(policy.bid(type));
    const best = value(chosenOn.landscape(type).best(type));
    return { loss: best - played, gain: played - value({ price: type.cost, arrival: type.arrival }) };
  });
  expect(mean(rows, ({ loss }) => loss)).toBeLessThan(0.02);
  expect(max(rows, ({ loss }) => loss)).toBeLessThan(0.1);
  expect(mean(rows, ({ gain }) => gain)).toBeGreaterThan(-0.01);
  expect(policy.bid({ id: 3, reputation: 0, cost: 0.2, arrival: 2 })).toEqual({ price: 0.2, arrival: 2 });
});
