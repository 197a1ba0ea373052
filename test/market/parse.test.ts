import { describe, expect, it } from "vitest";
import { InputError } from "../../src/lib/errors.js";
import { paperRules } from "../../src/market/market.js";
import { completeBids, parseBids, parseMarket, validateMarket } from "../../src/market/parse.js";

const worker = (fields: object = {}) => ({ id: 0, reputation: 0.62, cost: 0.31, arrival: 1, ...fields });
const market = (workers: unknown[] = [worker()], rules: object = {}) => ({
  rules: { budget: 125, rounds: 10, ...rules },
  workers,
});

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
  throw new Error("no error");
}

const complaint = (value: unknown) => complaintAbout(JSON.stringify(value));
const complaintAbout = (text: string) => messageOf(() => parseMarket(text, "m.json"));

describe("a market", () => {
  it("[M5] [M6] [M11] takes the paper's rules where they are left out", () => {
    const { rules } = parseMarket(JSON.stringify(market()), "m.json");
    expect(rules).toEqual({
      budget: 125,
      rounds: 10,
      firstRoundRatio: 0.35,
      minWorkers: 1,
      reading: "prose",
      firstStep: "algorithm",
      delay: "postpone",
    });
  });

  it("keeps what it says", () => {
    const full = market([worker(), worker({ id: 7, cost: 0, arrival: 10 })], {
      firstRoundRatio: 1,
      minWorkers: 0,
      reading: "pseudocode",
      firstStep: "prose",
      delay: "concentrate",
    });
    expect(parseMarket(JSON.stringify(full), "m.json")).toEqual(full);
    expect(parseMarket(`\uFEFF${JSON.stringify(full)}`, "m.json")).toEqual(full);
  });

  it("reads −0 as 0", () => {
    const text =
      '{"rules":{"budget":1,"rounds":1},"workers":[{"id":0,"reputation":1,"cost":-0,"arrival":1}]}';
    expect(Object.is(parseMarket(text, "m.json").workers[0]!.cost, 0)).toBe(true);
  });

  it("names file, field and value, as the contract shows", () => {
    const workers = [0, 1, 2, 3].map((id) => worker({ id, reputation: id === 3 ? -0.2 : 1 }));
    expect(complaint(market(workers))).toBe("m.json: workers[3].reputation: must be a number ≥ 0, got -0.2");
  });

  it.each([
    ["too small", worker({ cost: 1e-13 }), "cost: must be 0 or a number from 1e-12 to 1e12, got 1e-13"],
    [
      "too large",
      worker({ reputation: 2e12 }),
      "reputation: must be 0 or a number from 1e-12 to 1e12, got 2000000000000",
    ],
    ["negative", worker({ cost: -1 }), "cost: must be a number ≥ 0, got -1"],
    ["missing", { id: 0, reputation: 1, arrival: 1 }, "cost: missing, must be a number ≥ 0"],
    ["null", worker({ cost: null }), "cost: must be a number ≥ 0, got null"],
    ["a string", worker({ cost: "0.3" }), 'cost: must be a number ≥ 0, got "0.3"'],
    ["a fraction for an id", worker({ id: 1.5 }), "id: must be an integer ≥ 0, at most 2^53 − 1, got 1.5"],
    [
      "an unsafe id",
      worker({ id: 2 ** 53 }),
      "id: must be an integer ≥ 0, at most 2^53 − 1, got 9007199254740992",
    ],
    ["an arrival before 1", worker({ arrival: 0 }), "arrival: must be an integer from 1 to rounds, got 0"],
    ["an arrival after T", worker({ arrival: 11 }), "arrival: must be an integer from 1 to 10, got 11"],
    [
      "an arrival between ticks",
      worker({ arrival: 1.5 }),
      "arrival: must be an integer from 1 to rounds, got 1.5",
    ],
    ["unknown", worker({ colour: 1 }), "colour: unknown field; known are id, reputation, cost, arrival"],
    [
      "misspelt",
      { id: 0, reputaton: 1, cost: 1, arrival: 1 },
      'reputaton: unknown field; did you mean "reputation"?',
    ],
  ])("does not take a worker's field that is %s", (_, bad, message) => {
    expect(complaint(market([worker({ id: 9 }), bad]))).toBe(`m.json: workers[1].${message}`);
  });

  it.each([
    [{ budget: 1e308 }, "budget: must be 0 or a number from 1e-12 to 1e12, got 1e+308"],
    [{ budget: -1 }, "budget: must be a number ≥ 0, got -1"],
    [{ rounds: 0 }, "rounds: must be an integer from 1 to 10000, got 0"],
    [{ rounds: 10_001 }, "rounds: must be an integer from 1 to 10000, got 10001"],
    [{ rounds: 2.5 }, "rounds: must be an integer from 1 to 10000, got 2.5"],
    [{ firstRoundRatio: 1.01 }, "firstRoundRatio: must be a number from 0 to 1, got 1.01"],
    [{ firstRoundRatio: -0.1 }, "firstRoundRatio: must be a number from 0 to 1, got -0.1"],
    [{ minWorkers: -1 }, "minWorkers: must be an integer ≥ 0, got -1"],
    [{ reading: "poetry" }, 'reading: must be "prose" or "pseudocode", got "poetry"'],
    [
      { ratio: 0.3 },
      "ratio: unknown field; known are budget, rounds, firstRoundRatio, minWorkers, reading, firstStep, delay",
    ],
    [{ firstStep: "code" }, 'firstStep: must be "algorithm" or "prose", got "code"'],
    [{ delay: "wait" }, 'delay: must be "postpone", "shorten" or "concentrate", got "wait"'],
    [{ minworkers: 3 }, 'minworkers: unknown field; did you mean "minWorkers"?'],
    [{ budget: undefined }, "budget: missing, must be a number ≥ 0"],
  ])("does not take the rules %j", (rules, message) => {
    expect(complaint(market([], rules))).toBe(`m.json: rules.${message}`);
  });

  it("does not take an id twice", () => {
    expect(complaint(market([worker({ id: 4 }), worker(), worker({ id: 4 })]))).toBe(
      "m.json: workers[2].id: must be unique (workers[0] has it too), got 4",
    );
  });

  it.each([
    ["NaN", "NaN"],
    ["Infinity", "Infinity"],
    ["-Infinity", "-Infinity"],
    ["1e999", "Infinity"],
  ])("names the field that holds %s", (written, shown) => {
    const text = JSON.stringify(market([worker({ id: 1 }), worker({ cost: 17 })])).replace("17", written);
    expect(complaintAbout(text)).toBe(`m.json: workers[1].cost: must be a number ≥ 0, got ${shown}`);
  });

  it("reads NaN as a word, not inside of a string", () => {
    expect(complaintAbout('{"NaN \\" NaN": NaN}')).toBe(
      'm.json: "NaN \\" NaN": unknown field; known are rules, workers, id',
    );
  });

  it.each([
    ["", "empty, must hold JSON"],
    [" \n ", "empty, must hold JSON"],
    ["5", "must be a market: an object with rules and workers, got 5"],
    ["null", "must be a market: an object with rules and workers, got null"],
    ["[]", "must be a market: an object with rules and workers, got []"],
    ["{}", "rules: missing, must be an object with budget and rounds"],
    ['{"rules": 1, "workers": []}', "rules: must be an object with budget and rounds, got 1"],
    ['{"rules": {"budget": 1, "rounds": 1}, "workers": {}}', "workers: must be a list of workers, got {}"],
    [
      '{"rules": {"budget": 1, "rounds": 1}, "workers": [[]]}',
      /^workers\[0\]: must be an object with id, .*, got \[\]$/,
    ],
    ['{"__proto__": {"rules": 1}}', "__proto__: unknown field; known are rules, workers, id"],
    ['{"rules":\n {"budget": 12', "not valid JSON at line 2, column 15: the text ends too early"],
    ['{"rules":\n {"bud', "not valid JSON at line 2, column 7: the text ends too early"],
    ["{\n  'rules': 1}", /^not valid JSON at line 2, column 3: /],
    [
      "{}\n{}",
      /^not valid JSON at line 2, column 1: .* \(several markets go into a .jsonl file, one per line\)$/,
    ],
    ["rubbish", /^not valid JSON: Unexpected token 'r'/],
    ['{"rules": NaN', /^not valid JSON: Unexpected token 'N'/],
  ])("is not %j", (text, message) => {
    const rest = complaintAbout(text).replace(/^m\.json: /, "");
    if (typeof message === "string") expect(rest).toBe(message);
    else expect(rest).toMatch(message);
  });

  it.each([
    ["bare", "x".repeat(1e7)],
    ["with line breaks", "x\n".repeat(5e6)],
    ["a string", JSON.stringify("x".repeat(1e7))],
    ["an unterminated string", `"${"\\n".repeat(5e6)}`],
    ["a key", JSON.stringify({ ["k".repeat(1e7)]: 1 })],
    ["a key with spaces", JSON.stringify({ ["k ".repeat(5e6)]: 1 })],
    ["words for numbers", `[${"NaN,".repeat(2.5e6)}`],
    ["deep", "[".repeat(1e7)],
    ["deep and complete", "[".repeat(5e6) + "]".repeat(5e6)],
    ["a reading", JSON.stringify(market([], { reading: "prose".repeat(2e6) }))],
  ])("ten megabytes of rubbish (%s) make one short line", (_, text) => {
    const message = complaintAbout(text);
    expect(message.length).toBeLessThan(220);
    expect(message).not.toContain("\n");
  });

  it("may be ten megabytes long", () => {
    const many = Array.from({ length: 160_000 }, (_, id) => worker({ id, arrival: (id % 10) + 1 }));
    const text = JSON.stringify(market(many));
    expect(text.length).toBeGreaterThan(8e6);
    expect(parseMarket(text, "m.json").workers).toHaveLength(160_000);
  });
});

describe("bids", () => {
  const of = parseMarket(
    JSON.stringify(market([worker({ id: 3, arrival: 4 }), worker({ id: 8 })])),
    "m.json",
  );
  const read = (bids: unknown) =>
    completeBids(parseBids(JSON.stringify(bids), "b.json"), of, { source: "b.json", market: "m.json" });

  it("tell the truth where they say nothing", () => {
    expect(read([{ worker: 3, price: 0.2, arrival: 5 }, { worker: 8 }])).toEqual([
      { worker: 3, price: 0.2, arrival: 5 },
      { worker: 8, price: 0.31, arrival: 1 },
    ]);
    expect(read([])).toEqual([]);
  });

  it.each([
    [
      { worker: 3, arrival: 3 },
      "[0].arrival: must be an integer from 4 (the true arrival of worker 3) to 10, got 3",
    ],
    [
      { worker: 3, arrival: 11 },
      "[0].arrival: must be an integer from 4 (the true arrival of worker 3) to 10, got 11",
    ],
    [{ worker: 3, arrival: 0 }, "[0].arrival: must be an integer from 1 to rounds, got 0"],
    [{ worker: 3, price: 1e-20 }, "[0].price: must be 0 or a number from 1e-12 to 1e12, got 1e-20"],
    [{ worker: 3, price: -1 }, "[0].price: must be a number ≥ 0, got -1"],
    [{ worker: 5, price: 1 }, "[0].worker: must be the id of a worker in m.json, got 5"],
    [{ price: 1 }, "[0].worker: missing, must be an integer ≥ 0, at most 2^53 − 1"],
    [{ worker: 3, prize: 1 }, '[0].prize: unknown field; did you mean "price"?'],
    [7, "[0]: must be an object with worker, price and arrival, got 7"],
  ])("%j is refused", (bid, message) => {
    expect(messageOf(() => read([bid]))).toBe(`b.json: ${message}`);
  });

  it("hold one bid per worker", () => {
    expect(messageOf(() => read([{ worker: 3 }, { worker: 8 }, { worker: 3 }]))).toBe(
      "b.json: [2].worker: must be unique ([0] is a bid of the same worker), got 3",
    );
  });

  it("are a list", () => {
    expect(messageOf(() => read({ worker: 3 }))).toBe('b.json: must be a list of bids, got {"worker":3}');
  });
});

describe("what a mechanism does not use may be left out", () => {
  const all = { budget: true, rounds: true, reputation: true, arrival: true };

  it("reputation and arrival are then 1, there is one round, and the budget is what everybody costs", () => {
    const workers = [
      { id: 0, cost: 2 },
      { id: 1, cost: 3 },
    ];
    expect(validateMarket({ workers }, "m.json", all)).toEqual({
      rules: { ...paperRules, rounds: 1, budget: 5 },
      workers: workers.map((one) => ({ ...one, reputation: 1, arrival: 1 })),
    });
    expect(validateMarket({ rules: { rounds: 3 }, workers }, "m.json", all).rules.budget).toBe(15);
    expect(validateMarket({ workers: [] }, "m.json", all).rules).toMatchObject({ rounds: 1, budget: 1 });
  });

  it("what is there is taken as it is", () => {
    const market = {
      rules: { ...paperRules, budget: 7, rounds: 2 },
      workers: [{ id: 0, reputation: 0.5, cost: 2, arrival: 2 }],
    };
    expect(validateMarket(market, "m.json", all)).toEqual(market);
  });

  it.each([
    [{ rules: { rounds: 1 }, workers: [] }, {}, "m.json: rules.budget: missing, must be a number ≥ 0"],
    [{ workers: [] }, {}, "m.json: rules: missing, must be an object with budget and rounds"],
    [{ workers: [{ id: 0 }] }, all, "m.json: workers[0].cost: missing, must be a number ≥ 0"],
    [{ workers: [{ id: 0, cost: "1" }] }, all, "m.json: workers[0].cost: must be a number ≥ 0"],
    [
      { rules: { budget: 1, rounds: 1 }, workers: [{ id: 0, cost: 1 }] },
      { arrival: true },
      "m.json: workers[0].reputation: missing, must be a number ≥ 0",
    ],
  ])("all else must be there: %j", (market, leftOut, message) => {
    expect(() => validateMarket(market, "m.json", leftOut)).toThrow(message);
  });
});
