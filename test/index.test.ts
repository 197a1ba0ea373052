import { describe, expect, it } from "vitest";
import { truthful } from "../agents/truthful.js";
import {
  type Agent,
  bestResponses,
  check,
  explain,
  explainCoalition,
  hunt,
  InputError,
  type Market,
  mechanisms,
  paperRules,
  parseMarket,
  pieces,
  playMarket,
  prove,
  run,
  runAuction,
  stream,
  tryAgent,
  validateMarket,
  type Worker,
} from "../src/index.js";

const worker = (change: Partial<Worker> = {}): Worker => ({
  id: 0,
  reputation: 1,
  cost: 0.5,
  arrival: 1,
  ...change,
});
const rules = { ...paperRules, budget: 8, rounds: 4 };
const good: Market = { rules, workers: [worker(), worker({ id: 1, cost: 0.6 })] };
const agents = () => truthful;

/** What the library is called with, and the words in which the command line refuses it. */
const bad: readonly (readonly [string, unknown, string])[] = [
  [
    "a NaN cost",
    { rules, workers: [worker({ cost: Number.NaN })] },
    "workers[0].cost: must be a number ≥ 0, got NaN",
  ],
  [
    "one id twice",
    { rules, workers: [worker(), worker()] },
    "workers[1].id: must be unique (workers[0] has it too), got 0",
  ],
  [
    "a negative reputation",
    { rules, workers: [worker({ reputation: -0.2 })] },
    "workers[0].reputation: must be a number ≥ 0, got -0.2",
  ],
  [
    "an arrival after the end",
    { rules, workers: [worker({ arrival: 5 })] },
    "workers[0].arrival: must be an integer from 1 to 4, got 5",
  ],
  [
    "an endless budget",
    { rules: { ...rules, budget: Infinity }, workers: [] },
    "rules.budget: must be a number ≥ 0, got Infinity",
  ],
  [
    "a misspelt rule",
    { rules: { ...rules, buget: 1 }, workers: [] },
    'rules.buget: unknown field; did you mean "budget"?',
  ],
  ["no market", undefined, "must be a market: an object with rules and workers, got undefined"],
];

const entries: readonly (readonly [string, (market: Market) => unknown])[] = [
  ["validateMarket", (market) => validateMarket(market)],
  ["bestResponses", (market) => bestResponses(market)],
  ["check", (market) => check(market)],
  ["explain", (market) => explain(market, { worker: 0, price: 1, arrival: 1 })],
  ["explainCoalition", (market) => explainCoalition(market, [{ worker: 0, price: 1, arrival: 1 }])],
  ["run", (market) => run(market)],
  ["hold", (market) => runAuction(mechanisms.online, market)],
  ["pieces", (market) => pieces(market, 0)],
  ["playMarket", (market) => playMarket({ market, agents, stream: stream(1) })],
  [
    "tryAgent",
    (market) => tryAgent({ market, agent: truthful, mechanism: mechanisms.online, stream: stream(1) }),
  ],
];

describe.each(bad)("a market with %s", (_, market, message) => {
  it.each(entries)("is refused by %s in the words of the command line", (_, call) => {
    const refuse = () => call(market as Market);
    expect(refuse).toThrow(InputError);
    expect(refuse).toThrow(`market: ${message}`);
  });
});

it("a known market of a hunt that is none is refused, too", () => {
  const target = {
    property: "P5",
    regime: "sufficient",
    start: "any",
    mechanism: mechanisms.online,
  } as const;
  const known = [good, { rules, workers: [worker({ cost: -1 })] }];
  expect(() => hunt({ target, seed: 1, markets: 1, known })).toThrow(
    "known[1]: workers[0].cost: must be a number ≥ 0, got -1",
  );
});

it.each([
  [
    () => explain(good, { worker: 7, price: 1, arrival: 1 }),
    "bids: [0].worker: must be the id of a worker in market, got 7",
  ],
  [
    () => explain(good, { worker: 0, price: Number.NaN, arrival: 1 }),
    "bids: [0].price: must be a number ≥ 0, got NaN",
  ],
  [
    () => runAuction(mechanisms.online, good, [{ worker: 0, price: -1, arrival: 1 }]),
    "bids: [0].price: must be a number ≥ 0, got -1",
  ],
  [
    () => bestResponses(good, { workers: [0, 9] }),
    "options: workers[1]: must be the id of a worker in the market, got 9",
  ],
])("bids and ids are held against the market: %#", (call, message) => {
  expect(call).toThrow(InputError);
  expect(call).toThrow(message);
});

it("what the command line fills in, the library does", () => {
  const market = { rules: { budget: 8, rounds: 4 }, workers: good.workers };
  expect(bestResponses(market as Market)).toEqual(bestResponses(good));
  expect(parseMarket(JSON.stringify(market), "m.json")).toEqual(validateMarket(market));
});

describe("an agent of one's own is refused in one line:", () => {
  const mine = (change: object): Agent => ({ ...truthful, name: "mine", ...change });
  const saying = (bid: Agent["bid"]) => mine({ bid });
  const broken: readonly (readonly [string, Agent, string])[] = [
    [
      "writes to its own cost",
      saying(({ self }) => ({ price: 0, arrival: Object.assign(self, { cost: 0 }).arrival })),
      "agent mine: bid of worker 0: writes to what it may only read: TypeError: Cannot assign to read only property 'cost'",
    ],
    [
      "writes to the rules",
      saying(({ rules }) => ({ price: 0, arrival: Object.assign(rules, { budget: 99 }).rounds })),
      "agent mine: bid of worker 0: writes to what it may only read: ",
    ],
    [
      "is async",
      mine({ bid: async () => ({ price: 0, arrival: 1 }) }),
      "agent mine: bid of worker 0: must return a bid, not a promise: bid cannot be async",
    ],
    [
      "bids NaN",
      saying(() => ({ price: Number.NaN, arrival: 1 })),
      "agent mine: bid of worker 0: price: must be a finite number, got NaN",
    ],
    [
      "bids a text",
      saying(() => ({ price: "1" as never, arrival: 1 })),
      'agent mine: bid of worker 0: price: must be a finite number, got "1"',
    ],
    [
      "throws",
      saying(() => {
        throw new Error("no\nidea");
      }),
      "agent mine: bid of worker 0: failed: no",
    ],
    [
      "has no traits",
      mine({ traits: undefined }),
      "agent mine: traits: missing, must be an object with stochastic, lies, sees and learns",
    ],
    [
      "sees what there is not",
      mine({ traits: { ...truthful.traits, sees: "all" } }),
      'agent mine: traits.sees: must be "own" or "bids", got "all"',
    ],
  ];
  it.each(broken)("one that %s", (_, agent, message) => {
    const attempt = () => [
      ...tryAgent({ market: good, agent, mechanism: mechanisms.online, stream: stream(1) }),
    ];
    expect(attempt).toThrow(InputError);
    expect(attempt).toThrow(message);
  });

  it("no agent's gain is above the best possible", () => {
    const [trial] = tryAgent({
      market: good,
      agent: saying(() => ({ price: 0, arrival: 1 })),
      mechanism: mechanisms.online,
      stream: stream(1),
    });
    expect(trial!.gain).toBeLessThanOrEqual(trial!.bestGain! + 1e-9);
  });
});

describe("prove", () => {
  it("settles claims for a shape, and refuses what is none", () => {
    const shape = { rounds: 2, reputations: ["1", 1] };
    const worst = (claims: ReturnType<typeof prove>) =>
      claims.filter(({ verdict }) => verdict === "breaks").map((claim) => [claim.regime, claim.worst]);
    expect(worst(prove(shape, ["P5"]))).toEqual([["late and tight", "3/20"]]);
    expect(worst(prove({ ...shape, mechanism: mechanisms["falling-price"] }))).toEqual([]);
    const refused: readonly (readonly [object, string])[] = [
      [{ rounds: 0 }, "shape: rounds: must be an integer from 1 to 1000, got 0"],
      [{ rounds: 1.5 }, "shape: rounds: must be an integer from 1 to 1000, got 1.5"],
      [{ reputations: [] }, "shape: reputations: must be a list of 1 to 12 reputations"],
      [{ reputations: ["1/0"] }, 'shape: reputations[0]: must be a number, or a fraction such as "7/20"'],
      [{ reputations: [-1] }, "shape: reputations[0]: must be a number"],
      [{ firstRoundRatio: "3/2" }, 'such as "7/20", from 0 to 1, got "3/2"'],
      [{ arrivals: [1, 3] }, "shape: arrivals: must be 2 integers from 1 to 2, one per worker"],
      [{ ratio: 1 }, "shape: ratio: unknown field"],
      [{ rounds: 200, reputations: [1, 1] }, "2 workers can arrive in 40000 ways in 200 rounds"],
    ];
    for (const [change, words] of refused) {
      expect(() => prove({ ...shape, ...change })).toThrow(InputError);
      expect(() => prove({ ...shape, ...change })).toThrow(words);
    }
    expect(() => prove(shape, ["P4" as "P5"])).toThrow("properties: must be among P1, P2, P5, P6, joint");
  });
});
