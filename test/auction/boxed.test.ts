// biome-ignore-all lint/suspicious/noSelfCompare: whether an amount is itself is what is tested.
// biome-ignore-all lint/suspicious/noDoubleEquals: users' programs may compare so.
/** Programs of users' own: what they meet, and that it is the same in every arithmetic. */

import { inspect } from "node:util";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { attempts } from "../../analyses/frontier/attempts.js";
import type { Auction } from "../../src/auction/auction.js";
import { defineMechanism } from "../../src/auction/define-mechanism.js";
import { exactOutcome } from "../../src/auction/exact.js";
import { LinearForms } from "../../src/auction/linear-forms.js";
import { Lines, Planes } from "../../src/auction/lines.js";
import { type AnyMechanism, type Mechanism, runAuction } from "../../src/auction/mechanism.js";
import { priceCells, priceFunction } from "../../src/auction/price-pieces.js";
import { isBuiltIn, runProgram } from "../../src/auction/program.js";
import { tracing } from "../../src/auction/tracing.js";
import { Explorer, orthant } from "../../src/lib/cone.js";
import { InputError } from "../../src/lib/errors.js";
import { marketArbitrary } from "../../src/market/generators.js";
import { bidders, type Market, paperRules } from "../../src/market/market.js";
import { mechanisms } from "../../src/mechanisms/index.js";
import { prove } from "../../src/proofs/prove.js";
import { validateShape } from "../../src/proofs/shape.js";
import { bestResponses } from "../../src/responses/index.js";

const market: Market = {
  rules: { budget: 10, rounds: 2, ...paperRules },
  workers: [
    { id: 0, reputation: 1, cost: 1, arrival: 1 },
    { id: 1, reputation: 0.5, cost: 2, arrival: 2 },
    { id: 2, reputation: 1, cost: 0.5, arrival: 1 },
  ],
};

/** An untyped user's auction: whatever JavaScript lets it write. */
// biome-ignore lint/suspicious/noExplicitAny: what an untyped file can do is what is tested.
type Untyped = any;

const mine = (program: (auction: Untyped) => void): Mechanism =>
  defineMechanism({ name: "mine", about: "Mine.", program });

const bids = bidders(market.workers);
const question = { rules: market.rules, bids, worker: 0 };
const shapeOf = (mechanism: AnyMechanism) =>
  validateShape({ reputations: [1, 0.5, 1], rounds: 1 }, mechanism);

/** One program in every arithmetic, by the way that commands take. */
const ways: readonly (readonly [name: string, run: (mechanism: Mechanism) => unknown])[] = [
  ["numbers", (mechanism) => runAuction(mechanism, market)],
  ["traced numbers", (mechanism) => runAuction(mechanism, market, [], () => undefined)],
  ["fractions", (mechanism) => exactOutcome(mechanism, market.rules, bids)],
  ["lines", (mechanism) => priceFunction(mechanism, question)!.pieces(1)],
  [
    "planes",
    (mechanism) => [...priceCells(mechanism, { ...question, unknown: [0, 1], arithmetic: "numbers" })],
  ],
  [
    "forms",
    (mechanism) => [...priceCells(mechanism, { ...question, unknown: [0, 1], arithmetic: "fractions" })],
  ],
  ["a proof", (mechanism) => prove(shapeOf(mechanism), ["P5"])],
];

/** What one program notes in every arithmetic; the same program, so that nothing but the arithmetic differs. */
function notedIn(note: (auction: Untyped) => unknown): unknown[] {
  return ways.map(([, run]) => {
    let noted: unknown;
    run(
      mine((auction) => {
        noted ??= note(auction);
      }),
    );
    return noted;
  });
}

const refusals: readonly (readonly [does: string, step: (auction: Untyped) => unknown, line: string])[] = [
  ["compares a price with a number", ({ workers }) => workers[0].price <= 0.45, "uses an amount as a number"],
  ["compares two prices", ({ workers }) => workers[0].price < workers[1].price, "uses an amount as a number"],
  ["doubles a price", ({ workers }) => workers[0].price * 2, "uses an amount as a number"],
  ["halves the budget", ({ rules }) => rules.budget / 2, "uses an amount as a number"],
  ["adds to an amount", ({ zero }) => zero + 1, "uses an amount as a number"],
  ["converts with +", ({ workers }) => +workers[0].density, "uses an amount as a number"],
  ["negates", ({ workers }) => -workers[0].reputation, "uses an amount as a number"],
  ["calls Number", ({ zero }) => Number(zero), "uses an amount as a number"],
  ["calls Math.min", ({ rules }) => Math.min(rules.budget, 3), "uses an amount as a number"],
  ["asks isNaN", ({ zero }) => Number.isNaN(+zero), "uses an amount as a number"],
  ["asks for the value", ({ zero }) => zero.valueOf(), "uses an amount as a number"],
  ["compares loosely with a number", ({ zero }) => zero == 0, "uses an amount as a number"],
  ["prints it in a template", ({ zero }) => `${zero}`, "uses an amount as a text"],
  ["prints it with String", ({ zero }) => String(zero), "uses an amount as a text"],
  ["prints it in a language", ({ zero }) => zero.toLocaleString(), "uses an amount as a text"],
  ["uses it as a key", ({ zero }) => ({})[zero as string], "uses an amount as a text"],
  [
    "sorts by default",
    ({ workers }) => workers.map((w: Untyped) => w.price).sort(),
    "uses an amount as a text",
  ],
  ["writes it as JSON", ({ zero }) => JSON.stringify({ zero }), "uses an amount as JSON"],
  ["adds a text", ({ math, zero }) => math.plus(zero, "1"), 'uses "1" as an amount'],
  ["adds NaN", ({ math, zero }) => math.plus(zero, Number.NaN), "uses NaN as an amount"],
  ["adds what is infinite", ({ math, zero }) => math.plus(zero, 1 / 0), "uses Infinity as an amount"],
  ["adds nothing", ({ math, zero }) => math.plus(zero), "uses undefined as an amount"],
  ["adds a look-alike", ({ math, zero }) => math.plus(zero, { ...zero }), "uses an object as an amount"],
  ["knows what is no number", ({ math }) => math.known("3"), 'calls math.known("3")'],
  ["divides by zero", ({ math, zero }) => math.over(1, zero), "divides an amount by zero"],
  ["pays NaN", ({ workers }) => (workers[0].payment = Number.NaN), "uses NaN as an amount"],
  ["promises a text", ({ workers }) => (workers[0].promised = "much"), 'uses "much" as an amount'],
  ["works half a round", ({ workers }) => (workers[0].rounds = 0.5), "rounds must be an integer ≥ 0"],
  [
    "works a priced number of rounds",
    ({ workers }) => (workers[0].rounds = workers[0].price),
    "rounds must be",
  ],
  [
    "selects at no round",
    ({ workers }) => (workers[0].selectedAt = "1"),
    "selectedAt must be null or a round",
  ],
  ["sets the budget", ({ rules }) => (rules.budget = 99), "writes to what it may only read"],
  ["sets a price", ({ workers }) => (workers[0].price = 1), "writes to what it may only read"],
  ["sorts the workers themselves", ({ workers }) => workers.reverse(), "writes to what it may only read"],
  ["puts a field on the auction", (auction) => (auction.seen = true), "writes to what it may only read"],
  [
    "replaces a block",
    (auction) => (Object.getPrototypeOf(auction).offer = () => 1),
    "writes to what it may only read",
  ],
  ["replaces the arithmetic", ({ math }) => (math.atMost = () => true), "writes to what it may only read"],
  ["misspells a block", (auction) => auction.byCost(), "failed: TypeError: auction.byCost is not a function"],
  ["throws", () => JSON.parse("{"), "failed: SyntaxError"],
  ["is paid unselected", ({ workers }) => (workers[0].payment = 1), "worker 0: is paid, but not selected"],
  [
    "works after the end",
    (auction) => auction.hire(auction.workers[0], { round: 1, buys: 9, threshold: null }, auction.zero),
    "worker 0: works 9 rounds: must be from 1 to",
  ],
];

describe("amounts that floating point cannot hold", () => {
  const squared =
    (amount: number) =>
    ({ math }: Untyped) =>
      math.times(math.known(amount), amount);
  const beyond: readonly (readonly [does: string, amount: (auction: Untyped) => unknown])[] = [
    ["too large", squared(1e200)],
    ["too small", squared(1e-200)],
    ["the difference of two that are too large", (auction) => auction.math.minus(squared(1e200)(auction), 1)],
  ];

  it.each(beyond)("%s are refused in numbers, and exact in fractions", (_, amount) => {
    const mechanism = mine((auction) => {
      const limit = amount(auction);
      for (const worker of auction.workers)
        if (auction.math.atMost(worker.price, limit))
          auction.hire(worker, { round: 1, buys: 1, threshold: null }, 2);
    });
    expect(() => runAuction(mechanism, market)).toThrow("too large or too small for floating point");
    expect(() => exactOutcome(mechanism, market.rules, bids)).not.toThrow();
  });

  it("what is 0 because a factor is, or as a difference, is an amount like any other", () => {
    const mechanism = mine(({ math, workers }: Untyped) => {
      for (const zero of [math.times(0, 3), math.minus(2, 2), math.over(0, 7)])
        if (!math.atMost(workers[0].price, zero)) workers[0].promised = zero;
    });
    expect(() => runAuction(mechanism, market)).not.toThrow();
  });
});

describe.each(refusals)("a program that %s", (_, step, line) => {
  it.each(ways)("is refused in one line in %s", (_, run) => {
    const thrown = thrownBy(() => run(mine((auction) => void step(auction))));
    expect(thrown).toBeInstanceOf(InputError);
    const { message } = thrown as InputError;
    expect(message).toMatch(/^mechanism mine: /);
    expect(message).toContain(line);
    expect(message).not.toContain("\n");
  });
});

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

it("the line that refuses an operator names what to call", () => {
  const text = mine(({ workers }) => workers[0].price <= 1);
  expect(() => runAuction(text, market)).toThrow(
    "mechanism mine: its program uses an amount as a number: compare amounts with math.atMost(a, b), calculate with " +
      "math.plus, math.minus, math.times and math.over, and write a number as math.known(x)",
  );
});

it.each(ways)("an error of the arithmetic that a program catches still refuses it, in %s", (_, run) => {
  const hiding = mine((auction) => {
    try {
      if (auction.workers[0].price <= 0.45) auction.zero.valueOf();
    } catch {}
  });
  expect(() => run(hiding)).toThrow("uses an amount as a number");
});

it("what is not linear in a price cannot be told from what is by catching", () => {
  const telling = mine((auction) => {
    const { math, workers } = auction;
    let known = true;
    try {
      math.times(workers[0].price, workers[0].price);
    } catch {
      known = false;
    }
    if (!known) auction.hire(workers[0], { round: 1, buys: 1, threshold: null }, 1);
  });
  expect(bestResponses(market, { mechanism: telling })).toMatchObject({ exact: false });
  expect(() => prove(shapeOf(telling), ["P5"])).toThrow("multiplies two amounts");
});

it("a plain number where an amount is asked for counts as known, in every arithmetic", () => {
  const tripled = mine((auction) => {
    const { math, workers, rules } = auction;
    for (const worker of workers) {
      const most = math.over(rules.budget, 3);
      if (!math.atMost(math.times(worker.price, 3), most)) continue;
      auction.hire(
        worker,
        { round: 1, buys: 1, threshold: 0 },
        math.plus(math.minus(1, 0.5), math.over(1, 2)),
      );
    }
  });
  for (const [, run] of ways) expect(() => run(tripled)).not.toThrow();
  expect(runAuction(tripled, market).workers.map(({ payment }) => payment)).toEqual([1, 0, 1]);
});

describe("what cannot be trapped is the same in every arithmetic", () => {
  const looks: readonly (readonly [string, (auction: Untyped) => unknown])[] = [
    [
      "===",
      ({ math, zero }) => [zero === zero, math.known(1) === math.known(1), math.plus(zero, 0) === zero],
    ],
    [
      "=== of fields",
      ({ workers: [a] }) => [a.price === a.price, a.price === a.density, a.payment === a.payment],
    ],
    [
      "=== of what an operation leaves as it is",
      ({ math, workers: [a] }) => [math.times(1, a.price) === a.price, math.over(a.price, 1) === a.price],
    ],
    ["=== with numbers", ({ zero, rules }) => [zero === 0, rules.budget === 1, rules.rounds >= 1]],
    ["!", ({ zero, workers }) => [!zero, !workers[0].price, Boolean(zero)]],
    ["typeof", ({ zero, workers }) => [typeof zero, typeof workers[0].price, typeof workers[0].promised]],
    [
      "includes",
      ({ zero, math }) => [[zero].includes(zero), [math.known(0)].includes(zero), [0].includes(zero)],
    ],
    [
      "switch",
      ({ workers }) => {
        switch (workers[0].price) {
          case 1:
            return "one";
          default:
            return "other";
        }
      },
    ],
    ["a property that is not there", ({ workers, zero }) => [zero.value, zero.n, zero.top, workers[0].clock]],
    ["keys", ({ zero, workers }) => [Object.keys(zero), Object.keys(workers[0]), JSON.stringify(workers[0])]],
    ["in", ({ zero }) => ["value" in zero, "slope" in zero, "top" in zero, "n" in zero]],
    ["a deep copy", ({ zero }) => structuredClone(zero)],
    [
      "numbers' own questions",
      ({ zero }) => [Number.isFinite(zero), Number.isInteger(zero), Array.isArray(zero)],
    ],
    [
      "the class",
      ({ zero, workers }) => [zero.constructor.name, Object.prototype.toString.call(workers[0].price)],
    ],
    ["frozenness", ({ zero, workers }) => [Object.isFrozen(zero), Object.isFrozen(workers)]],
    [
      "what Node prints",
      ({ workers, zero, math }) => inspect([zero, workers[0].price, math.known(7), workers[0]]),
    ],
    [
      "what the auction has",
      (auction) => [
        Object.keys(auction),
        ...[
          "trace",
          "value",
          "outcome",
          "peeking",
          "bids",
          "budgetEvents",
          "arrivalMatters",
          "only",
          "thresholds",
        ].map((name) => auction[name]),
      ],
    ],
    [
      "what the arithmetic has",
      ({ math }) => [Object.keys(math), math.value, math.isKnown, math.constructor.name],
    ],
    [
      "what a sample has",
      (auction) => {
        const sample = auction.sample();
        return [Object.keys(sample), sample.describe, sample.workers.map(({ id }: Untyped) => id)];
      },
    ],
    [
      "how often a key is asked for",
      ({ math, workers, zero }) => {
        const asked: number[] = [];
        math.sorted(workers, ({ id }: Untyped) => {
          asked.push(id);
          return zero;
        });
        return asked.length / workers.length;
      },
    ],
  ];

  it.each(looks)("%s", (_, look) => {
    const [first, ...others] = notedIn(look);
    // A proof has other workers and budgets; what is noted here is of none of them.
    for (const other of others) expect(other).toEqual(first);
    expect(first).not.toBeUndefined();
  });

  it("=== of what any sequence of operations makes", () => {
    const operation = fc.tuple(
      fc.constantFrom("plus", "minus", "times", "over"),
      fc.nat(),
      fc.constantFrom(0, 1, 2, 0.5),
    );
    fc.assert(
      fc.property(fc.array(operation, { minLength: 1, maxLength: 8 }), (operations) => {
        const compared = notedIn(({ math, zero, workers: [worker] }) => {
          const made = [zero, worker.price, math.known(1), math.known(1)];
          for (const [name, pick, by] of operations)
            if (name !== "over" || by !== 0) made.push(math[name](made[pick % made.length], by));
          return made.map((a) => made.map((b) => a === b));
        });
        for (const other of compared) expect(other).toEqual(compared[0]);
      }),
      { numRuns: 40 },
    );
  });
});

it("an amount of another run is refused", () => {
  let kept: unknown;
  const keeping = mine((auction) => {
    auction.math.plus(kept ?? auction.zero, 1);
    kept = auction.zero;
  });
  expect(runAuction(keeping, market).started).toBe(true);
  expect(() => runAuction(keeping, market)).toThrow("uses an amount of another run");
});

it("the class of an amount opens none, and makes none that counts", () => {
  const forging = mine(({ zero, math }) => {
    expect(Object.getOwnPropertyNames(zero.constructor).sort()).toEqual([
      "isBox",
      "length",
      "name",
      "prototype",
    ]);
    math.plus(new zero.constructor(5, math), 1);
  });
  expect(() => runAuction(forging, market)).toThrow("uses an amount of another run");
});

it("the order of a sample's prices cannot be read off: those taken come by id, as do all", () => {
  const orders: number[][] = [];
  const reading = mine((auction) => {
    const sample = auction.sample();
    const { taken } = sample.share({ buys: 1, budget: auction.rules.budget });
    orders.push(
      sample.workers.map(({ id }: Untyped) => id),
      taken.map(({ id }: Untyped) => id),
    );
  });
  runAuction(reading, market);
  expect(orders).toEqual([
    [0, 1, 2],
    [0, 1, 2],
  ]);
});

describe("when a worker arrives", () => {
  const paying = (arrivalOf: (worker: Untyped) => number | undefined) =>
    mine((auction) => {
      for (const worker of auction.workers)
        if (arrivalOf(worker) === 1)
          auction.hire(worker, { round: 1, buys: 1, threshold: null }, auction.rules.budget);
    });
  const timed = (mechanism: Mechanism) => {
    const prices = priceFunction(mechanism, question)!;
    prices.pieces(1);
    return prices.arrivalMatters;
  };

  it("is noticed when it is read, also where the program catches what the reading throws", () => {
    expect(timed(paying(({ arrival }) => arrival))).toBe(true);
    const swallowing = paying((worker) => {
      try {
        return worker.arrival;
      } catch {
        return 2;
      }
    });
    expect(timed(swallowing)).toBe(true);
    const broken = prove(validateShape({ reputations: [1], rounds: 2 }, swallowing), ["P6"]);
    expect(broken.some(({ verdict }) => verdict === "breaks")).toBe(true);
  });

  it("is in no field that is not noticed", () => {
    expect(
      runAuction(
        paying(({ clock }) => clock),
        market,
      ).workers.every(({ rounds }) => rounds === 0),
    ).toBe(true);
  });
});

describe("programs that are built in", () => {
  const all = Object.values<AnyMechanism>(mechanisms).map(
    (mechanism) => [mechanism.name, mechanism] as const,
  );

  it("are marked, and no copy or field of a user's marks another one", () => {
    for (const [, { program: text }] of all) expect(isBuiltIn(text!)).toBe(true);
    const { program: text } = mechanisms["two-stage"];
    expect(isBuiltIn((auction: Auction) => text!(auction))).toBe(false);
    expect(isBuiltIn(mine(() => undefined).program!)).toBe(false);
  });

  const tried = attempts.map(({ mechanism }) => [mechanism.name, mechanism] as const);

  it.each([...all, ...tried])("%s decides the same boxed and whole as it does unboxed", (_, mechanism) => {
    fc.assert(
      fc.property(marketArbitrary({ minWorkers: 1, maxWorkers: 6, maxRounds: 4, maxRatio: 1 }), (given) => {
        const bidding = bidders(given.workers);
        const run = (boxed: boolean, only?: readonly number[]) => {
          const events: unknown[] = [];
          const trace = only ? undefined : (event: unknown) => events.push(event);
          const ran = runProgram(mechanism, given.rules, bidding, {
            math: new Lines(),
            observe: trace && tracing(trace),
            boxed,
            only,
          });
          return { outcome: ran.outcome(), events, ran };
        };
        const [boxed, plain] = [run(true), run(false)];
        expect(boxed.outcome).toEqual(plain.outcome);
        expect(boxed.events).toEqual(plain.events);
        for (const { id } of bidding)
          expect(run(false, [id]).ran.candidate(id)).toEqual(boxed.ran.candidate(id));
      }),
      { numRuns: 60 },
    );
  });

  it.each(all)("%s has the same cells boxed as unboxed, in planes", (_, mechanism) => {
    const cellsOf = (boxed: boolean) => {
      const explorer = new Explorer(orthant([true, false], true));
      const math = new Planes(1, explorer);
      const cells: unknown[] = [];
      while (explorer.begin()) {
        const priceOf = ({ id }: { id: number }) => (id === 0 ? math.unknown(1) : undefined);
        const run = runProgram(mechanism, market.rules, bids, { math, priceOf, boxed });
        const { payment, ...decided } = run.candidate(0)!;
        cells.push([explorer.region.generators, decided, math.linear(payment)]);
      }
      return cells;
    };
    expect(cellsOf(true)).toEqual(cellsOf(false));
  });

  it("are boxed where a strong word rests on them", () => {
    const seen: string[] = [];
    const { program: text } = mechanisms.rrafl;
    const spying = {
      name: "spy",
      program: (auction: Auction) => {
        seen.push(typeof auction.zero);
        text!(auction);
      },
    };
    const explorer = new Explorer(orthant([true, true]));
    while (explorer.begin()) runProgram(spying, market.rules, bids, { math: new LinearForms(2, explorer) });
    expect(new Set(seen)).toEqual(new Set(["object"]));
  });
});

it("pay-your-bid below a price is refused wherever it is used, not proved", () => {
  const paysBid = mine((auction) => {
    for (const worker of auction.workers)
      if (worker.price <= 0.45) auction.hire(worker, { round: 1, buys: 1, threshold: null }, worker.price);
  });
  for (const ask of [
    () => bestResponses(market, { mechanism: paysBid }),
    () => prove(shapeOf(paysBid), ["P5"]),
  ])
    expect(ask).toThrow("mechanism mine: its program uses an amount as a number");
});
