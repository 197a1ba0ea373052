import { readdirSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bestResponder } from "../../agents/best-responder.js";
import { colluders } from "../../agents/colluders.js";
import { agents, builtInAgents } from "../../agents/index.js";
import { interimResponder } from "../../agents/interim-responder.js";
import { latecomer } from "../../agents/latecomer.js";
import { learner, learnFrom, mixture, regretsOf } from "../../agents/learner.js";
import { lowBaller } from "../../agents/low-baller.js";
import { noisy } from "../../agents/noisy.js";
import { overbid } from "../../agents/overbid.js";
import { priceAndDelay } from "../../agents/price-and-delay.js";
import { startBlocker } from "../../agents/start-blocker.js";
import { startForcer } from "../../agents/start-forcer.js";
import { truthful } from "../../agents/truthful.js";
import { underbid } from "../../agents/underbid.js";
import {
  type Agent,
  type AgentEntry,
  type AnyAgent,
  isTunable,
  type PastTask,
  type View,
} from "../../src/agents/agent.js";
import { partnersOf, playMarket } from "../../src/agents/play.js";
import { type Outcome, runAuction } from "../../src/auction/mechanism.js";
import { workerUtility } from "../../src/auction/outcome.js";
import { stream } from "../../src/lib/random.js";
import { marketArbitrary } from "../../src/market/generators.js";
import { type Market, paperRules, type Worker } from "../../src/market/market.js";
import { online } from "../../src/mechanisms/online/online.js";
import { coalitionResponses } from "../../src/responses/coalition.js";

const worker = (id: number, cost: number, arrival = 1, reputation = 1): Worker => ({
  id,
  reputation,
  cost,
  arrival,
});
const rules = { ...paperRules, budget: 16, rounds: 4, firstRoundRatio: 0.25 };
const view: View = { self: worker(0, 0.5, 2), rules, history: [] };

/** The market with worker 0 playing the agent among truthful others. */
function played(market: Market, agent: AnyAgent): { outcome: Outcome; utility: number } {
  const bids = playMarket({ market, agents: ({ id }) => (id === 0 ? agent : undefined), stream: stream(1) });
  const outcome = runAuction(online, market, bids);
  return { outcome, utility: workerUtility(market.workers[0]!, outcome.workers[0]!) };
}

it.each(Object.entries<AgentEntry>(agents))("%s is registered under its own name", (key, entry) => {
  const agent = isTunable(entry) ? entry() : entry;
  expect(agent.name).toBe(key);
  expect(agent.about).toMatch(/^[A-Z].*\.$/);
});

it("every file is registered under its name, and exports it in camel case", async () => {
  const files = readdirSync(new URL("../../agents/", import.meta.url)).filter(
    (file) => file.endsWith(".ts") && file !== "index.ts",
  );
  const names = files.map((file) => file.replace(/\.ts$/, ""));
  expect(Object.keys(agents).sort()).toEqual(names.sort());
  for (const [key, entry] of Object.entries<AgentEntry>(agents)) {
    const file = await import(`../../agents/${key}.ts`);
    expect(file[key.replace(/-(.)/g, (_, letter) => letter.toUpperCase())]).toBe(entry);
  }
});

it.each([
  [truthful, { price: 0.5, arrival: 2 }],
  [overbid({ factor: 3 }), { price: 1.5, arrival: 2 }],
  [underbid({ factor: 0.5 }), { price: 0.25, arrival: 2 }],
  [latecomer({ ticks: 2 }), { price: 0.5, arrival: 4 }],
  [priceAndDelay({ factor: 2, ticks: 1 }), { price: 1, arrival: 3 }],
  [lowBaller, { price: 0, arrival: 2 }],
])("$name bids what its name says", (agent, offer) => {
  expect(agent.bid(view, stream(1))).toEqual(offer);
});

it("noisy is sometimes above its cost, sometimes below, and never late", () => {
  const offers = Array.from({ length: 50 }, (_, k) => noisy().bid(view, stream(k)));
  expect(offers.some(({ price }) => price > 0.5) && offers.some(({ price }) => price < 0.5)).toBe(true);
  expect(offers.every(({ arrival }) => arrival === 2)).toBe(true);
});

describe("low-baller", () => {
  // B1 = 4, so alone a price up to B1/T = 1 is taken: 2 is not, and no other group sets a threshold.
  const market = { rules, workers: [worker(0, 2), worker(2, 0.5)] };

  it("[M3] is taken at the first step where the truth is not, here at a loss", () => {
    expect(played(market, truthful).outcome.workers[0]!.selectedAt).toBeNull();
    const { outcome, utility } = played(market, lowBaller);
    expect(outcome.workers[0]!.selectedAt).toBe(1);
    // It is taken first, then worker 2, exactly: 4·0.5·(1 + 1) ≤ 4. So ρ* = 4 / (4·2) = 0.5 for a cost of 2.
    expect(utility).toBeCloseTo(4 * 0.5 - 4 * 2, 12);
  });
});

describe("start-blocker", () => {
  // B1 = 2.02: alone a price up to 0.505 is taken. Worker 2 (0.51) never is; worker 1, of the other group, comes at 3.
  const market = {
    rules: { ...rules, firstRoundRatio: 2.02 / 16 },
    workers: [worker(0, 0.5), worker(2, 0.51), worker(1, 0.3, 3)],
  };

  it("[M6] moves the start from its own arrival to the next worker that can be taken", () => {
    expect(played(market, truthful).outcome.startDelay).toBe(0);
    expect(played(market, startBlocker).outcome.startDelay).toBe(2);
  });

  it("[M8] comes in by a later threshold, and gains: on time, round 2 has no other group to set a price", () => {
    // On time: 4·0.505, raised to 1.4175 in round 3 and to 2 in round 4: 2.02 + 1.825 + 0.5825 − 4·0.5.
    expect(played(market, truthful).utility).toBeCloseTo(2.4275, 12);
    // Two ticks later round 2 pays 0.835: 3·0.835 + 2·0.5825 + 0.5825 − 3·0.5.
    const { outcome, utility } = played(market, startBlocker);
    expect(outcome.workers[0]!.selectedAt).toBe(2);
    expect(utility).toBeCloseTo(2.7525, 12);
    expect(played(market, truthful).outcome.budgetEvents).toEqual([]);
  });

  it("[M5] is taken at no first step, even alone; who is too dear anyway tells the truth", () => {
    const alone = { rules, workers: [worker(0, 0.1)] };
    expect(played(alone, truthful).outcome.started).toBe(true);
    expect(played(alone, startBlocker).outcome.started).toBe(false);
    expect(startBlocker.bid({ ...view, self: worker(0, 3) }, stream(1)).price).toBe(3);
  });
});

describe("start-forcer", () => {
  // B1 = 2: alone a price up to 0.5 is taken, so nobody here is.
  const market = { rules: { ...rules, budget: 8 }, workers: [worker(0, 0.8), worker(1, 0.95)] };

  it("[M6] starts a task that the truth never starts, and here gains by the raises to come", () => {
    expect(played(market, truthful).outcome.started).toBe(false);
    const { outcome, utility } = played(market, startForcer);
    expect(outcome.startDelay).toBe(0);
    // 4·0.5, raised to 0.95 (worker 1, the first loser of its group) in round 2 and to 1 in round 4.
    expect(utility).toBeCloseTo(2 + 3 * 0.45 + 0.05 - 4 * 0.8, 12);
  });

  it("[M6] asks for its share of what the workers needed can be paid", () => {
    const three = { ...market, rules: { ...market.rules, minWorkers: 3 } };
    const bids = playMarket({
      market: { ...three, workers: [...market.workers, worker(2, 0.9)] },
      agents: () => startForcer,
      stream: stream(1),
    });
    expect(bids.map(({ price }) => price)).toEqual([0, 0, 0].fill(2 / 12));
    expect(runAuction(online, { ...three, workers: [...market.workers, worker(2, 0.9)] }, bids).started).toBe(
      true,
    );
  });

  it("tells the truth where that is low enough", () => {
    expect(startForcer.bid({ ...view, self: worker(0, 0.3) }, stream(1)).price).toBe(0.3);
  });
});

describe("best-responder", () => {
  it("does as well as the start-blocker and the start-forcer where they gain, and no worse than any agent anywhere", () => {
    fc.assert(
      fc.property(marketArbitrary({ minWorkers: 1, maxWorkers: 6 }), ({ rules, workers }) => {
        const market = {
          rules,
          workers: [...workers].sort((a, b) => a.id - b.id).map((w, id) => ({ ...w, id })),
        };
        const best = played(market, bestResponder).utility;
        for (const agent of builtInAgents())
          expect(best).toBeGreaterThanOrEqual(played(market, agent).utility - 1e-9 * (1 + rules.budget));
      }),
    );
  });

  it("answers the others' bids, not their costs", () => {
    const market = { rules: { ...rules, budget: 8 }, workers: [worker(0, 0.8), worker(1, 0.95)] };
    const answerTo = (rival: AnyAgent) =>
      playMarket({ market, agents: ({ id }) => (id === 0 ? bestResponder : rival), stream: stream(1) })[0]!;
    // Among the truthful the start must be forced; a rival that bids 0 starts the task itself, and waiting pays.
    expect(answerTo(truthful).price).toBeLessThanOrEqual(0.5);
    expect(answerTo(lowBaller)).toEqual({ worker: 0, price: 0.8, arrival: 1 });
  });
});

describe("learner", () => {
  const arms = [truthful, overbid({ factor: 2 }), latecomer()];
  const outcome: Outcome = {
    started: false,
    startDelay: null,
    workers: [],
    thresholds: [],
    budgetEvents: [],
  };
  const past = (price: number, arrival: number, utility: number): PastTask => ({
    rules,
    outcome,
    self: view.self,
    bid: { price, arrival },
    utility,
  });
  const truth = (utility: number) => past(0.5, 2, utility);
  const double = (utility: number) => past(1, 2, utility);
  const chances = (history: PastTask[]) => mixture(regretsOf(arms, history, 0.1), 0.1);

  /** Plays task after task, each arm paying what the table says. */
  function career(tasks: number, pays: (bid: PastTask["bid"]) => number, seed: number): PastTask[] {
    const history: PastTask[] = [];
    const agent = learnFrom(arms, 0.1);
    for (let k = 0; k < tasks; k++) {
      const { price, arrival } = agent.bid({ ...view, history }, stream(seed).fork(k));
      history.push(past(price, arrival, pays({ price, arrival })));
    }
    return history;
  }

  it("plays all of its menu evenly while it has no history", () => {
    expect(chances([])).toEqual([1 / 3, 1 / 3, 1 / 3]);
    const bids = Array.from({ length: 3000 }, (_, k) => learnFrom(arms, 0.1).bid(view, stream(k)));
    const counts = arms.map((arm) => {
      const { price, arrival } = arm.bid(view, stream(0));
      return bids.filter((bid) => bid.price === price && bid.arrival === arrival).length;
    });
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(100);
  });

  it("drifts toward what paid better", () => {
    const [honest, doubled] = chances([truth(1), double(3)]);
    expect(doubled).toBeGreaterThan(honest!);
    const [honestNow, doubledNow] = chances([truth(3), double(1)]);
    expect(honestNow).toBeGreaterThan(doubledNow!);
  });

  it("plays the best of its menu most of the time in the end, whichever it is", () => {
    for (const best of arms) {
      const target = best.bid(view, stream(0));
      const pays = ({ price, arrival }: PastTask["bid"]) =>
        5 + (price === target.price && arrival === target.arrival ? 1 : 0);
      const late = career(600, pays, 3).slice(300);
      const share = late.filter(({ utility }) => utility === 6).length / late.length;
      expect(share).toBeGreaterThan(0.75);
    }
  });

  it("does not mind the unit of money", () => {
    const cents = career(60, ({ price }) => price, 5).map(({ bid }) => bid);
    const euros = career(60, ({ price }) => 128 * price, 5).map(({ bid }) => bid);
    expect(euros).toEqual(cents);
  });

  it("learns nothing from a bid that is not on its menu, and something of every agent that would have made it", () => {
    expect(chances([past(0.77, 2, 9)])).toEqual(chances([]));
    const free = { ...truth(1), self: worker(0, 0, 2), bid: { price: 0, arrival: 2 } };
    const [first, second, third] = chances([free]);
    expect(first).toBe(second);
    expect(first).toBeGreaterThan(third!);
  });

  it("refuses a menu whose plays it could not recognise", () => {
    expect(() => learnFrom([truthful, noisy()], 0.1)).toThrow(
      "agent learner: cannot tell when it played noisy",
    );
    expect(() => learnFrom([learner()], 0.1)).toThrow("cannot tell when it played learner");
  });
});

describe("interim-responder", () => {
  const rules = { budget: 12, rounds: 10, ...paperRules } as const;
  const typed = { id: 0, reputation: 0.8, cost: 0.433, arrival: 1 };
  const agent = interimResponder({ workers: 10 });
  const asked = (self: Worker) => agent.bid({ self, rules, history: [] }, stream(1));

  it("asks less than its cost where that forces the start of a small market, and need not see anybody for it", () => {
    const { price, arrival } = asked(typed);
    expect(arrival).toBe(1);
    expect(price).toBeGreaterThan(0.3);
    expect(price).toBeLessThanOrEqual(0.42);
  });

  it("says the same however often and in whatever order it is asked", () => {
    const first = asked(typed);
    for (let budget = 1; budget < 30; budget += 2)
      agent.bid({ self: typed, rules: { ...rules, rounds: 2, budget }, history: [] }, stream(1));
    expect(asked(typed)).toEqual(first);
    expect(interimResponder({ workers: 10 }).bid({ self: typed, rules, history: [] }, stream(2))).toEqual(
      first,
    );
  });

  it("plays the belief that is stated: among many more workers it does otherwise", () => {
    const many = interimResponder({ workers: 60 }).bid({ self: typed, rules, history: [] }, stream(1));
    expect(many).not.toEqual(asked(typed));
  });
});

describe("colluders", () => {
  const partner = worker(1, 0.5, 1, 0.5);

  it("share a plan: whose reputation costs more asks for a multiple, the other tells the truth, and so does one alone", () => {
    const agent = colluders() as Agent;
    const dear: View = { ...view, self: partner, partner: view.self };
    expect(agent.bid({ ...view, partner }, stream(1))).toEqual({ price: 0.5, arrival: 2 });
    expect(agent.bid(dear, stream(1))).toEqual({ price: 1.5, arrival: 1 });
    expect(agent.bid(view, stream(1))).toEqual({ price: 0.5, arrival: 2 });
    const equal = { ...view.self, id: 7 };
    expect(agent.bid({ ...view, partner: equal }, stream(1)).price).toBe(0.5);
    expect(agent.bid({ ...view, self: equal, partner: view.self }, stream(1)).price).toBe(1.5);
  });

  it("are paired across the groups by id, then within the larger one; one may be left over", () => {
    const workers = [0, 2, 4, 6, 8, 1, 3, 9].map((id) => worker(id, 1));
    const agents = ({ id }: Worker) => (id === 9 ? overbid() : colluders());
    const pairs = [...partnersOf(workers, agents)].map(([id, other]) => [id, other.id]);
    expect(new Map(pairs as [number, number][])).toEqual(
      new Map([
        [0, 1],
        [1, 0],
        [2, 3],
        [3, 2],
        [4, 6],
        [6, 4],
      ]),
    );
    expect(partnersOf(workers, () => overbid()).size).toBe(0);
  });

  it("that are shown all bids gain together what the best joint lie gains, and never less than nothing", () => {
    const both = colluders({ plan: "best" });
    fc.assert(
      fc.property(marketArbitrary({ minWorkers: 2, maxWorkers: 4, maxRounds: 3 }), (market) => {
        const [first, second] = market.workers;
        const agents = ({ id }: Worker) => (id === first!.id || id === second!.id ? both : undefined);
        const bids = playMarket({ market, agents, stream: stream(1) });
        const sumIn = (outcome: Outcome) =>
          [first!, second!].reduce(
            (sum, self) => sum + workerUtility(self, outcome.workers.find(({ id }) => id === self.id)!),
            0,
          );
        const [best] = coalitionResponses(market, { coalitions: [[first!.id, second!.id]] }).pairs;
        const gain = sumIn(runAuction(online, market, bids)) - sumIn(runAuction(online, market));
        expect(gain).toBeGreaterThan(best!.gain - 1e-6 * (1 + market.rules.budget));
      }),
      { numRuns: 20 },
    );
  });
});
