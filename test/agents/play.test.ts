import { describe, expect, it } from "vitest";
import { respondBy } from "../../agents/best-responder.js";
import { latecomer } from "../../agents/latecomer.js";
import { noisy } from "../../agents/noisy.js";
import { overbid } from "../../agents/overbid.js";
import { priceAndDelay } from "../../agents/price-and-delay.js";
import { truthful } from "../../agents/truthful.js";
import { type Agent, type PastTask, type View, withDelay } from "../../src/agents/agent.js";
import { type Correction, legalBid, playMarket, remember } from "../../src/agents/play.js";
import { runAuction } from "../../src/auction/mechanism.js";
import { stream } from "../../src/lib/random.js";
import { type Market, paperRules } from "../../src/market/market.js";
import { online } from "../../src/mechanisms/online/online.js";

const market: Market = {
  rules: { ...paperRules, budget: 8, rounds: 4 },
  workers: [
    { id: 3, reputation: 0.5, cost: 0.2, arrival: 2 },
    { id: 0, reputation: 0.9, cost: 0.4, arrival: 1 },
    { id: 1, reputation: 0.7, cost: 0.3, arrival: 1 },
  ],
};
const saying = (offer: unknown): Agent => ({ ...truthful, name: "odd", bid: () => offer as never });

describe("a market is played", () => {
  it("with one legal bid per worker, in the order of the market", () => {
    const agents = { 0: overbid({ factor: 2 }), 1: latecomer({ ticks: 9 }), 3: truthful };
    const bids = playMarket({ market, agents: ({ id }) => agents[id as 0 | 1 | 3], stream: stream(1) });
    expect(bids).toEqual([
      { worker: 3, price: 0.2, arrival: 2 },
      { worker: 0, price: 0.8, arrival: 1 },
      { worker: 1, price: 0.3, arrival: 4 },
    ]);
  });

  it("where who has no agent tells the truth, which needs no bid", () => {
    const bids = playMarket({
      market,
      agents: ({ id }) => (id === 0 ? overbid({ factor: 2 }) : undefined),
      stream: stream(1),
    });
    expect(bids).toEqual([{ worker: 0, price: 0.8, arrival: 1 }]);
  });

  it("so that one worker's draws never shift another's", () => {
    const all = playMarket({ market, agents: () => noisy(), stream: stream(1) });
    const two = playMarket({
      market,
      agents: ({ id }) => (id === 3 ? truthful : noisy()),
      stream: stream(1),
    });
    const alone = playMarket({
      market: { ...market, workers: market.workers.slice(1) },
      agents: () => noisy(),
      stream: stream(1),
    });
    expect(two.slice(1)).toEqual(all.slice(1));
    expect(alone).toEqual(all.slice(1));
    expect(
      new Set(all.map(({ worker, price }) => price / market.workers.find((w) => w.id === worker)!.cost)).size,
    ).toBe(3);
  });

  it("asking informed agents last, with the others' bids and the auction, and the truth of each other", () => {
    const seen: unknown[] = [];
    const spy = respondBy((shown, id, mechanism) => {
      seen.push({ shown, id, mechanism });
      return { price: 9, arrival: 4 };
    });
    const agents = { 0: spy, 1: spy, 3: overbid({ factor: 2 }) };
    const bids = playMarket({ market, agents: ({ id }) => agents[id as 0 | 1 | 3], stream: stream(1) });
    expect(bids.slice(1)).toEqual([
      { worker: 0, price: 9, arrival: 4 },
      { worker: 1, price: 9, arrival: 4 },
    ]);
    const [three, zero, one] = market.workers;
    const workers = [zero, { ...three, cost: 0.4 }, one];
    expect(seen[0]).toEqual({ shown: { rules: market.rules, workers }, id: 0, mechanism: online });
    expect(seen).toHaveLength(2);
  });

  it("with the history each worker remembers", () => {
    const bids = [{ worker: 0, price: 0.1, arrival: 2 }];
    const outcome = runAuction(online, market, bids);
    const memory = remember({ market, bids, outcome });
    const parrot: Agent = { ...truthful, bid: ({ history }) => history[0]!.bid };
    const again = playMarket({
      market,
      agents: () => parrot,
      stream: stream(1),
      history: ({ id }) => [memory(id)],
    });
    expect(again).toEqual([
      { worker: 3, price: 0.2, arrival: 2 },
      ...bids,
      { worker: 1, price: 0.3, arrival: 1 },
    ]);
    const { payment, rounds } = outcome.workers[0]!;
    expect(rounds).toBeGreaterThan(0);
    expect(memory(0).utility).toBe(payment - 0.4 * rounds);
  });
});

it("is told of bids that had to be made legal, and of no others", () => {
  const told: Correction[] = [];
  const agents = { 0: saying({ price: -1, arrival: 1 }), 1: truthful, 3: saying({ price: 0.5, arrival: 1 }) };
  const bids = playMarket({
    market,
    agents: ({ id }) => agents[id as 0 | 1 | 3],
    stream: stream(1),
    onCorrection: (correction) => void told.push(correction),
  });
  expect(bids.map(({ price, arrival }) => [price, arrival])).toEqual([
    [0.5, 2],
    [0, 1],
    [0.3, 1],
  ]);
  expect(told).toEqual([
    { agent: "odd", worker: 3, said: { price: 0.5, arrival: 1 }, used: { price: 0.5, arrival: 2 } },
    { agent: "odd", worker: 0, said: { price: -1, arrival: 1 }, used: { price: 0, arrival: 1 } },
  ]);
});

it("agents that come late do so within the task, so that nothing has to be corrected", () => {
  const told: Correction[] = [];
  const late = [latecomer({ ticks: 9 }), priceAndDelay({ ticks: 9 }), withDelay(truthful, 9)];
  for (const agent of late)
    playMarket({
      market,
      agents: () => agent,
      stream: stream(1),
      onCorrection: (one) => void told.push(one),
    });
  expect(told).toEqual([]);
});

it("hands out copies: what an agent writes to its view, its past included, changes no market", () => {
  const memory = remember({ market, bids: [], outcome: runAuction(online, market) });
  const writes: ((view: View) => void)[] = [
    ({ self }) => Object.assign(self, { cost: 0 }),
    ({ rules }) => Object.assign(rules, { budget: 99 }),
    ({ history }) => Object.assign(history[0]!.self, { cost: 0 }),
    ({ history }) => Object.assign(history[0]!.outcome.workers[0]!, { payment: 99 }),
    ({ history }) => (history as PastTask[]).pop(),
  ];
  const before = structuredClone(market);
  for (const write of writes) {
    const bid: Agent["bid"] = (view, random) => {
      write(view);
      return truthful.bid(view, random);
    };
    const writer = { ...truthful, bid };
    const history = ({ id }: { id: number }) => [memory(id)];
    expect(() => playMarket({ market, agents: () => writer, stream: stream(1), history })).toThrow(TypeError);
  }
  expect(market).toEqual(before);
});

describe("a bid is made legal", () => {
  const view = { self: market.workers[0]!, rules: market.rules };

  it("with a price ≥ 0 and a whole arrival from the true one to T", () => {
    expect(legalBid({ price: -1, arrival: 1 }, view, "x")).toEqual({ worker: 3, price: 0, arrival: 2 });
    expect(legalBid({ price: 0.7, arrival: 3.4 }, view, "x")).toEqual({ worker: 3, price: 0.7, arrival: 3 });
    expect(legalBid({ price: 0.7, arrival: 99 }, view, "x")).toEqual({ worker: 3, price: 0.7, arrival: 4 });
  });

  it.each([
    [{ price: Number.NaN, arrival: 2 }, "agent odd: price: must be a finite number, got NaN"],
    [
      { price: 1, arrival: Number.POSITIVE_INFINITY },
      "agent odd: arrival: must be a finite number, got Infinity",
    ],
    [{ price: "1", arrival: 2 }, 'agent odd: price: must be a finite number, got "1"'],
    [{ price: 1 }, "agent odd: arrival: missing, must be a finite number"],
    [undefined, "agent odd: must be a bid: an object with price and arrival, got undefined"],
    [Promise.resolve(1), "agent odd: must return a bid, not a promise: bid cannot be async"],
  ])("or is an error that names the agent: %j", (offer, message) => {
    expect(() => playMarket({ market, agents: () => saying(offer), stream: stream(1) })).toThrow(message);
  });
});
