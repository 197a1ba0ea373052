import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { marketArbitrary } from "../../../src/market/generators.js";
import { type Bid, type Market, paperRules } from "../../../src/market/market.js";
import { type Exhibits, fieldsOf, stateFrom } from "../../../src/report/page/live-bench/link.js";
import {
  type BenchState,
  bidOf,
  MOST_WORKERS,
  withBid,
  withDraw,
  withNewWorker,
  withoutWorker,
  withRule,
  withText,
  withWorker,
} from "../../../src/report/page/live-bench/state.js";
import type { Exhibit } from "../../../src/report/result.js";

const market: Market = {
  rules: { budget: 12, rounds: 5, ...paperRules },
  workers: [
    { id: 0, reputation: 0.5, cost: 0.2, arrival: 1 },
    { id: 3, reputation: 1, cost: 0.4, arrival: 2 },
    { id: 4, reputation: 0.8, cost: 0.3, arrival: 1 },
  ],
};
const lie: Bid = { worker: 3, price: 0.1, arrival: 4 };
const exhibit: Exhibit = { name: "one", title: "One", market, mechanism: "rrafl", lie };

const partner: Bid = { worker: 0, price: 0.9, arrival: 3 };
const pair: Exhibit = { ...exhibit, name: "pair", others: [partner] };

const exhibits: Exhibits = {
  at: (path) => [exhibit, pair].find(({ name }) => path === `analysis/${name}`),
  first: "analysis/one",
};

const read = (address: string): BenchState =>
  stateFrom(Object.fromEntries(new URLSearchParams(address)), exhibits);

/** The address of an exhibit with some parts of the state changed. */
const withChanges = (changes: object, path = "analysis/one"): string =>
  String(new URLSearchParams({ exhibit: path, bench: JSON.stringify(changes) }));

/** The state as somebody sees it who follows a link to it. */
const followed = (state: BenchState): BenchState => read(String(new URLSearchParams(fieldsOf(state))));

/** What the error says, to the letter. */
function complaint(act: () => unknown): string {
  try {
    act();
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

describe("an address", () => {
  it("that says nothing opens the first exhibit with a lie", () => {
    expect(read("")).toMatchObject({ market, mechanism: "rrafl", worker: 3, bids: [lie] });
  });

  it("opens an exhibit with its market, its mechanism and its lie", () => {
    expect(read("exhibit=analysis/one")).toMatchObject({
      market,
      mechanism: "rrafl",
      worker: 3,
      bids: [lie],
    });
  });

  it("with bids puts them in place of the lie; the others then tell the truth", () => {
    const bid = { worker: 0, price: 0.9, arrival: 3 };
    const linked = read(withChanges({ worker: 0, bids: [bid] }));
    expect([linked.worker, linked.bids]).toEqual([0, [bid]]);
    expect(read(withChanges({ bids: [] })).bids).toEqual([]);
  });

  it("of workers who lie together opens all their lies; who is listed takes their place, also if nobody is", () => {
    const together = read("exhibit=analysis/pair");
    expect(together.bids).toEqual([lie, partner]);
    expect(fieldsOf(together)).toEqual({ exhibit: "analysis/pair" });
    const alone = { ...together, bids: [lie] };
    expect(followed(alone).bids).toEqual([lie]);
    const other = { ...together, bids: [lie, { worker: 4, price: 0.6, arrival: 2 }] };
    expect(followed(other).bids).toEqual(other.bids);
    expect(followed({ ...together, worker: 0 })).toMatchObject({ worker: 0, bids: [lie, partner] });
  });

  it("with another mechanism keeps the rest", () => {
    expect(read(withChanges({ mechanism: "online" }))).toMatchObject({ mechanism: "online", bids: [lie] });
  });

  it("with numbers to draw means a drawn market, of the paper's rounds and ratio", () => {
    const { market: drawn, origin } = read('bench={"draw":{"workers":7,"seed":"3"}}');
    expect(origin).toEqual({ kind: "drawn", workers: 7, seed: "3" });
    expect(drawn.workers).toHaveLength(7);
    expect(drawn.rules).toMatchObject({ rounds: 10, firstRoundRatio: 0.35 });
  });

  it("of an exhibit that this report does not have draws a market, and keeps one that it says", () => {
    expect(read("exhibit=other/none").origin.kind).toBe("drawn");
    const kept = read(withChanges({ market }, "other/none"));
    expect([kept.origin, kept.market]).toEqual([{ kind: "own" }, market]);
  });

  it.each([
    [
      { market: { ...market, rules: { ...market.rules, budget: -5 } } },
      "link: rules.budget: must be a number ≥ 0, got -5",
    ],
    [{ market: { ...market, workers: [] } }, "link: workers: must hold at least one worker"],
    [
      { bids: [{ worker: 3, price: 0.1, arrival: 9 }] },
      "link: [0].arrival: must be an integer from 2 (the true arrival of worker 3) to 5, got 9",
    ],
    [{ bids: "none" }, 'link: must be a list of bids, got "none"'],
    [{ worker: "3" }, 'link: worker: must be the id of a worker, or null, got "3"'],
    [{ mechanisms: "rrafl" }, 'link: mechanisms: unknown field; did you mean "mechanism"?'],
    [{ draw: { workers: 1 } }, "link: draw.seed: missing, must be a text"],
  ])("that is wrong is refused in the words of the command line: %j", (changes, message) => {
    expect(complaint(() => read(withChanges(changes)))).toBe(message);
  });

  it("that is cut off is refused", () => {
    expect(complaint(() => read('exhibit=analysis/one&bench={"worker":'))).toMatch(/^link: not valid JSON/);
    const draw = '{"draw":{"workers":0,"seed":"1"}}';
    expect(complaint(() => read(`bench=${draw}`))).toBe(
      `workers: must be an integer from 1 to ${MOST_WORKERS}, got 0`,
    );
  });

  it.each(["exhibit=analysis/one&budget=9", "workers=7&seed=3", "exhibit=own&changed=1_0.5_0.2_1"])(
    "of an earlier version is refused with what to do: %s",
    (address) => {
      expect(complaint(() => read(address))).toBe(
        "link: it was made by an earlier version, and this page cannot read such links: take the market as JSON from where the link was made, and paste it here",
      );
    },
  );

  it("is short: it names an exhibit, and holds only the parts that were changed", () => {
    expect(fieldsOf(read(""))).toEqual({ exhibit: "analysis/one" });
    const other = fieldsOf({ ...read(""), mechanism: "online" });
    expect(other).toEqual({ exhibit: "analysis/one", bench: '{"mechanism":"online"}' });
    const changed = fieldsOf(withRule(read(""), "budget", 9));
    expect(Object.keys(JSON.parse(changed.bench!))).toEqual(["market"]);
  });

  it("carries the whole state, whatever was changed", () => {
    const actions = fc.array(
      fc.oneof(
        fc.record({
          kind: fc.constant("rule" as const),
          budget: fc.double({ min: 1, max: 99, noNaN: true }),
        }),
        fc.record({
          kind: fc.constant("worker" as const),
          row: fc.nat(),
          cost: fc.double({ min: 0.1, max: 2, noNaN: true }),
        }),
        fc.record({
          kind: fc.constant("bid" as const),
          row: fc.nat(),
          price: fc.double({ min: 0.1, max: 2, noNaN: true }),
        }),
        fc.record({ kind: fc.constant("add" as const) }),
        fc.record({ kind: fc.constant("remove" as const), row: fc.nat() }),
        fc.record({ kind: fc.constant("choose" as const), row: fc.nat() }),
        fc.record({ kind: fc.constant("beside" as const) }),
        fc.record({ kind: fc.constant("draw" as const), workers: fc.integer({ min: 1, max: 9 }) }),
        fc.record({ kind: fc.constant("paste" as const), market: marketArbitrary({ minWorkers: 1 }) }),
      ),
      { maxLength: 6 },
    );
    type Action = Parameters<Parameters<typeof actions.map>[0]>[0][number];
    const act = (state: BenchState, action: Action): BenchState => {
      const { workers } = state.market;
      const row = "row" in action ? action.row % workers.length : 0;
      const { id } = workers[row]!;
      if (action.kind === "rule") return withRule(state, "budget", action.budget);
      if (action.kind === "worker") return withWorker(state, row, { cost: action.cost });
      if (action.kind === "bid") return withBid(state, id, { price: action.price });
      if (action.kind === "add") return withNewWorker(state);
      if (action.kind === "remove") return workers.length > 1 ? withoutWorker(state, row) : state;
      if (action.kind === "choose") return { ...state, worker: id };
      if (action.kind === "beside") return { ...state, compared: ["vanilla", "online:reading=pseudocode"] };
      if (action.kind === "draw") return withDraw(state, { workers: action.workers, seed: "x y&z" });
      return withText(state, JSON.stringify(action.market), "m.json");
    };
    const byId = <Item>(items: readonly Item[], id: (item: Item) => number) =>
      [...items].sort((a, b) => id(a) - id(b));
    const comparable = (state: BenchState) => ({
      ...state,
      // The order of workers and of bids means nothing.
      market: { ...state.market, workers: byId(state.market.workers, ({ id }) => id) },
      bids: byId(state.bids, ({ worker }) => worker),
    });
    fc.assert(
      fc.property(actions, (list) => {
        const state = list.reduce(act, read(""));
        expect(comparable(followed(state))).toEqual(comparable(state));
      }),
    );
  });
});

describe("a change", () => {
  const state = read("exhibit=analysis/one");

  it("of the rules keeps what everybody says", () => {
    expect(withRule(state, "budget", 3)).toMatchObject({ market: { rules: { budget: 3 } }, bids: [lie] });
  });

  it("of a worker's type keeps the truth of whoever told it, and a bid that still can be", () => {
    const dearer = withWorker(state, 0, { cost: 0.25 });
    expect(bidOf(dearer, dearer.market.workers[0]!).price).toBe(0.25);
    const later = withWorker(state, 1, { arrival: 5 });
    expect(later.bids).toEqual([{ ...lie, arrival: 5 }]);
  });

  it("of an id takes the worker's bid along", () => {
    const renamed = withWorker(state, 1, { id: 8 });
    expect(renamed).toMatchObject({ worker: 8, bids: [{ ...lie, worker: 8 }] });
    expect(complaint(() => withWorker(state, 1, { id: 0 }))).toBe(
      "market: workers[1].id: must be unique (workers[0] has it too), got 0",
    );
  });

  it("to the truth is no bid", () => {
    expect(withBid(state, 3, { price: 0.4, arrival: 2 }).bids).toEqual([]);
  });

  it("lets two workers lie at once", () => {
    const both = withBid(state, 0, { arrival: 3 });
    expect(both.bids).toEqual([lie, { worker: 0, price: 0.2, arrival: 3 }]);
    expect(withoutWorker(both, 1)).toMatchObject({
      worker: 4,
      bids: [{ worker: 0, price: 0.2, arrival: 3 }],
    });
  });

  it.each([
    ["a budget", () => withRule(state, "budget", -5), "market: rules.budget: must be a number ≥ 0, got -5"],
    [
      "a text",
      () => withRule(state, "budget", "much"),
      'market: rules.budget: must be a number ≥ 0, got "much"',
    ],
    [
      "the rounds",
      () => withRule(state, "rounds", 1),
      "market: workers[1].arrival: must be an integer from 1 to 1, got 2",
    ],
    [
      "no workers",
      () => withDraw(state, { workers: 0, seed: "1" }),
      "workers: must be an integer from 1 to 500, got 0",
    ],
    [
      "a reputation",
      () => withWorker(state, 1, { reputation: -0.2 }),
      "market: workers[1].reputation: must be a number ≥ 0, got -0.2",
    ],
    ["a price", () => withBid(state, 0, { price: -1 }), "bids: [0].price: must be a number ≥ 0, got -1"],
    [
      "an arrival",
      () => withBid(state, 3, { arrival: 1 }),
      "bids: [0].arrival: must be an integer from 2 (the true arrival of worker 3) to 5, got 1",
    ],
  ])("that is wrong is refused in the words of the command line: %s", (_, act, message) => {
    expect(complaint(act)).toBe(message);
  });
});

describe("text", () => {
  const state = read("exhibit=analysis/one");
  const workers = [{ id: 7, reputation: 0.5, cost: 0.2, arrival: 2 }];

  it("of a market takes the place of the market, and everybody tells the truth", () => {
    const json = JSON.stringify({ rules: { budget: 3, rounds: 2 }, workers });
    const taken = withText(state, json, "m.json");
    expect(taken).toMatchObject({ origin: { kind: "own" }, worker: null, bids: [] });
    expect(taken.market).toEqual({ rules: { ...market.rules, budget: 3, rounds: 2 }, workers });
    expect(withText(state, `${json}\n{"rules": 1}\n`, "m.jsonl").market).toEqual(taken.market);
  });

  it("of workers as CSV keeps the rules", () => {
    const csv = "cost,id,arrival,reputation\n0.2,7,2,0.5\n";
    expect(withText(state, csv, "m.csv").market).toEqual({ rules: market.rules, workers });
  });

  it("of bids as JSON keeps the market", () => {
    const taken = withText(state, '[{"worker": 4, "price": 0.5}, {"worker": 0, "price": 0.2}]', "bids.json");
    expect(taken).toMatchObject({ market, worker: 4, bids: [{ worker: 4, price: 0.5, arrival: 1 }] });
  });

  it.each([
    ["", "text: empty, must hold JSON"],
    ["{", "text: not valid JSON at column 2: the text ends too early"],
    ['{"rules": {"budget": 3, "rounds": 2}, "workers": []}', "text: workers: must hold at least one worker"],
    [
      "id,cost\n",
      "text: line 1: column reputation is missing; the header is id,reputation,cost,arrival, in any order",
    ],
    ['[{"worker": 9}]', "text: [0].worker: must be the id of a worker in the market on the bench, got 9"],
  ])("that is wrong is refused with what is wrong with it: %j", (text, message) => {
    expect(complaint(() => withText(state, text, "text"))).toBe(message);
  });

  it("of a file that is neither is refused as on the command line", () => {
    expect(complaint(() => withText(state, "\u0089PNG", "picture.png"))).toMatch(
      /^picture\.png: not valid JSON/,
    );
    expect(complaint(() => withText(state, "hello", "notes.txt"))).toMatch(/^notes\.txt: not valid JSON/);
  });

  it("of more workers than a table can show is refused", () => {
    const many = Array.from({ length: 501 }, (_, id) => `${id},1,1,1`).join("\n");
    expect(complaint(() => withText(state, `id,reputation,cost,arrival\n${many}`, "m.csv"))).toBe(
      "m.csv: workers: the bench takes at most 500, got 501",
    );
  });
});
