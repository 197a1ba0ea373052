import { describe, expect, it } from "vitest";
import {
  type Allotment,
  type Bidder,
  bestResponses,
  check,
  InputError,
  type Mechanism,
  mechanisms,
  type Outcome,
  type Rules,
  run,
  runAuction,
} from "../../src/index.js";
import { validatedMechanism, validateOutcome } from "../../src/mechanisms/validate.js";
import { isExact } from "../../src/responses/index.js";
import { marketOf } from "./hand-solved.js";

const greedy = mechanisms["bid-greedy"];

const market = marketOf(4, 2, [
  [1, 0.5, 1],
  [1, 0.7, 1],
  [0.5, 0.9, 2],
]);

const mine = (decide: Mechanism["decide"]): Mechanism => ({
  name: "mine",
  about: "Mine.",
  offline: true,
  decide,
});

const changing = (change: (outcome: Outcome, rules: Rules) => object): Mechanism =>
  mine((rules, bids) => change(greedy.decide(rules, bids), rules) as Outcome);

const changingWorkers = (change: (workers: readonly Allotment[]) => unknown): Mechanism =>
  changing((outcome) => ({ ...outcome, workers: change(outcome.workers) }));

const changingFirst = (change: object): Mechanism =>
  changingWorkers(([first, ...rest]) => [{ ...first, ...change }, ...rest]);

/** Each of them was believed, or ended in an internal error. */
const broken: readonly (readonly [string, Mechanism, string])[] = [
  ["pays NaN", changingFirst({ payment: Number.NaN }), "worker 0: payment: must be a finite number, got NaN"],
  ["pays a text", changingFirst({ payment: "1" }), 'worker 0: payment: must be a finite number, got "1"'],
  [
    "pays without end",
    changingFirst({ payment: Infinity }),
    "worker 0: payment: must be a finite number, got Infinity",
  ],
  [
    "promises to pay",
    changingFirst({ payment: Promise.resolve(1) }),
    "worker 0: payment: must be a finite number, got a promise",
  ],
  [
    "writes to its rules",
    mine((rules, bids) => greedy.decide(Object.assign(rules, { budget: 99 }), bids)),
    "writes to what it may only read: TypeError: Cannot assign to read only property 'budget'",
  ],
  [
    "sorts its bids in place",
    mine((rules, bids) =>
      greedy.decide(
        rules,
        (bids as Bidder[]).sort((a, b) => b.price - a.price),
      ),
    ),
    "writes to what it may only read: TypeError: Cannot assign to read only property '0'",
  ],
  [
    "writes to a bid",
    mine((rules, bids) =>
      greedy.decide(
        rules,
        bids.map((bid) => Object.assign(bid, { price: 0 })),
      ),
    ),
    "writes to what it may only read: TypeError: Cannot assign to read only property 'price'",
  ],
  [
    "lists somebody twice",
    changingWorkers(([first, ...rest]) => [first, first, ...rest]),
    "workers[1].id: must be 1 (everybody once, by increasing id), got 0",
  ],
  [
    "forgets somebody",
    changingWorkers(([first]) => [first]),
    "workers[1].id: must be 1 (everybody once, by increasing id), got undefined",
  ],
  [
    "makes somebody up",
    changingWorkers((all) => [...all, { ...all[0], id: 7 }]),
    "workers[3].id: must be absent (everybody once, by increasing id), got 7",
  ],
  [
    "has somebody work 20 of 2 rounds",
    changingFirst({ rounds: 20 }),
    "worker 0: rounds: must be an integer from 1 to 2, for it is selected in round 1 of 2, got 20",
  ],
  [
    "selects after the end",
    changingFirst({ selectedAt: 3 }),
    "worker 0: selectedAt: must be an integer from 1 to 2, or null, got 3",
  ],
  [
    "pays the unselected",
    changingFirst({ selectedAt: null, rounds: 0 }),
    "worker 0: payment: must be 0, for it is not selected, got 1",
  ],
  [
    "employs the unselected",
    changingFirst({ selectedAt: null, payment: 0 }),
    "worker 0: rounds: must be 0, for it is not selected, got 2",
  ],
  [
    "selects though it never started",
    changing((outcome) => ({ ...outcome, started: false, startDelay: null })),
    "worker 0: selectedAt: must be null, for the task never started, got 1",
  ],
  [
    "starts without a delay",
    changing((outcome) => ({ ...outcome, startDelay: null })),
    "startDelay: must be an integer ≥ 0, for the task started, got null",
  ],
  [
    "is async",
    mine((rules, bids) => Promise.resolve(greedy.decide(rules, bids)) as never),
    "must return an outcome, not a promise: decide cannot be async",
  ],
  [
    "returns nothing",
    mine(() => undefined as never),
    "must be an outcome: an object with started, startDelay, workers, thresholds and budgetEvents, got undefined",
  ],
  [
    "has no budget events",
    changing(({ budgetEvents: _, ...outcome }) => outcome),
    'budgetEvents: missing, must be a list of what money alone decided, each { round, worker, kind: "refused", "capped" or "denied" }, and [] if it decided nothing',
  ],
  [
    "has no thresholds",
    changing(({ thresholds: _, ...outcome }) => outcome),
    "thresholds: missing, must be a list of { round, group0, group1 }, and [] where no group sets a threshold",
  ],
  [
    "has a budget event of a stranger",
    changing((outcome) => ({ ...outcome, budgetEvents: [{ round: 1, worker: 9, kind: "refused" }] })),
    "budgetEvents[0].worker: must be the id of a worker, got 9",
  ],
  [
    "has a budget event after the end",
    changing((outcome) => ({ ...outcome, budgetEvents: [{ round: 3, worker: 0, kind: "refused" }] })),
    "budgetEvents[0].round: must be an integer from 1 to 2, got 3",
  ],
  [
    "throws",
    mine(() => {
      throw new RangeError("out of\nmoney");
    }),
    "failed: RangeError: out of",
  ],
];

const source = "mechanism mine: decide on a market of 3 workers with budget 4 and 2 rounds";

describe.each(broken)("a mechanism that %s", (_, mechanism, message) => {
  it.each([
    ["check", () => check(market, { mechanism })],
    ["bestResponses", () => bestResponses(market, { mechanism })],
    ["hold", () => runAuction(mechanism, market)],
  ])("is refused by %s in one line", (_, ask) => {
    const thrown = thrownBy(ask);
    expect(thrown).toBeInstanceOf(InputError);
    expect((thrown as Error).message).toContain(`${source}: ${message}`);
    expect((thrown as Error).message).not.toContain("\n");
  });
});

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

describe("a mechanism that answers differently when asked twice", () => {
  it("is refused in one line that names the worker", () => {
    const lottery = changingFirst({});
    let calls = 0;
    const random = mine((rules, bids) => {
      const outcome = lottery.decide(rules, bids);
      const workers = outcome.workers.map((one) => (one.id === 1 ? { ...one, payment: calls++ / 7 } : one));
      return { ...outcome, workers };
    });
    expect(() => bestResponses(market, { mechanism: random })).toThrow(
      /^mechanism mine: decide on .* rounds: worker 1: payment: must be the same when asked twice, got [\d.e-]+, then [\d.e-]+ \(one that draws says stochastic: true and/,
    );
  });

  it("is found out late, too", () => {
    let calls = 0;
    const late = changing((outcome) => ({ ...outcome, startDelay: calls++ < 300 ? 0 : calls }));
    expect(() => bestResponses(market, { mechanism: late })).toThrow(
      "startDelay: must be the same when asked twice, got ",
    );
  });
});

it("a sound mechanism decides as it would without being looked at, and its variants are looked at too", () => {
  const sound = { ...mechanisms["fixed-threshold"] };
  const validated = validatedMechanism(sound);
  expect(runAuction(validated, market)).toEqual(runAuction(mechanisms["fixed-threshold"], market));
  expect(validatedMechanism(validated)).toBe(validated);
  expect(validatedMechanism(mechanisms.online)).toBe(mechanisms.online);
  const varying: Mechanism = { ...changingFirst({}), vary: () => changingFirst({ payment: Number.NaN }) };
  expect(() => runAuction(validatedMechanism(varying).vary!({}), market)).toThrow(
    "worker 0: payment: must be a finite",
  );
});

it.each(Object.entries(mechanisms))("%s returns outcomes that are whole", (_, mechanism) => {
  const outcome = runAuction(mechanism, market);
  expect(validateOutcome(outcome, { rules: market.rules, bids: market.workers, source: "" })).toEqual(
    outcome,
  );
});

it("a worker is tight where what the mechanism returns says that money refused it", () => {
  const tight = { ...market, rules: { ...market.rules, budget: 1.2 } };
  const { workers } = bestResponses(tight, { mechanism: mine(greedy.decide) });
  const refused = run(tight, { mechanism: mine(greedy.decide) }).budgetEvents.map(({ worker }) => worker);
  expect(refused).not.toEqual([]);
  for (const { id, regime } of workers) expect(regime).toBe(refused.includes(id) ? "tight" : "sufficient");
});

it("a text counts only with the decisions made from it: a copy that decides otherwise is searched", () => {
  const copy = validatedMechanism({
    ...mechanisms["posted-rounds"],
    decide: mechanisms["bid-greedy"].decide,
  });
  expect(isExact(copy)).toBe(false);
  expect(isExact(validatedMechanism({ ...mechanisms["posted-rounds"], name: "mine" }))).toBe(true);
});

describe("what a mechanism says of itself", () => {
  const mine = { ...mechanisms["bid-greedy"], name: "mine" };
  it.each([
    [
      { claims: [{ property: "P9", where: "Here." }] },
      'claims[0].property: must be one of P1, P2, P4, P5, P6, joint, got "P9"',
    ],
    [{ claims: [{ property: "P5" }] }, "claims[0].where: missing, must be where the source says so, a text"],
    [
      { claims: [{ property: "P5", where: "Here.", quot: "…" }] },
      'claims[0].quot: unknown field; did you mean "quote"?',
    ],
    [{ uses: { budgets: false } }, 'uses.budgets: unknown field; did you mean "budget"?'],
    [{ uses: { budget: 0 } }, "uses.budget: must be true or false, got 0"],
  ])("is refused by field: %j", (said, message) => {
    expect(() => validatedMechanism({ ...mine, ...said } as never)).toThrow(`mechanism mine: ${message}`);
  });

  it("is kept", () => {
    const claims = [{ property: "P5", where: "Here." }] as const;
    expect(validatedMechanism({ ...mine, claims, uses: { budget: false } })).toMatchObject({ claims });
  });
});
