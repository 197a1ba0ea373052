/** The same question has the same answer: nothing is drawn, no clock is read, and one that answers otherwise is refused. */

import fs from "node:fs";
import os from "node:os";
import { describe, expect, it } from "vitest";
import { askAgain } from "../../src/auction/ask-again.js";
import type { Auction } from "../../src/auction/auction.js";
import { whileDeciding } from "../../src/auction/deciding.js";
import { defineMechanism } from "../../src/auction/define-mechanism.js";
import { exactOutcome } from "../../src/auction/exact.js";
import { type AnyMechanism, type Mechanism, runAuction } from "../../src/auction/mechanism.js";
import { priceCells, priceFunction } from "../../src/auction/price-pieces.js";
import { Explorer, orthant } from "../../src/lib/cone.js";
import { type Bidder, bidders, type Market, paperRules, type Rules } from "../../src/market/market.js";
import { mechanisms } from "../../src/mechanisms/index.js";
import { validatedMechanism } from "../../src/mechanisms/validate.js";
import { prove } from "../../src/proofs/prove.js";
import { validateShape } from "../../src/proofs/shape.js";
import { bestResponses } from "../../src/responses/index.js";

const market: Market = {
  rules: { budget: 10, rounds: 2, ...paperRules },
  workers: [
    { id: 0, reputation: 1, cost: 1, arrival: 1 },
    { id: 1, reputation: 1, cost: 2, arrival: 1 },
  ],
};

const bids = bidders(market.workers);
const question = { rules: market.rules, bids, worker: 0 };

const mine = (program: (auction: Auction) => void): Mechanism =>
  defineMechanism({ name: "mine", about: "Mine.", program });

const ways: readonly (readonly [name: string, run: (mechanism: Mechanism) => unknown])[] = [
  ["numbers", (mechanism) => runAuction(validatedMechanism(mechanism), market)],
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
  [
    "a proof",
    (mechanism) =>
      prove(validateShape({ reputations: [1, 1], rounds: 1 }, mechanism as AnyMechanism), ["P5"]),
  ],
];

const sources: readonly (readonly [name: string, read: () => unknown])[] = [
  ["Math.random", () => Math.random()],
  ["new Date()", () => new Date()],
  ["Date()", () => Date()],
  ["Date.now", () => Date.now()],
  ["performance.now", () => performance.now()],
  ["crypto.getRandomValues", () => crypto.getRandomValues(new Uint8Array(1))],
  ["crypto.randomUUID", () => crypto.randomUUID()],
  ["process.hrtime", () => process.hrtime()],
  ["process.hrtime.bigint", () => process.hrtime.bigint()],
  ["new Event", () => new Event("tick").timeStamp],
  ["Intl.DateTimeFormat", () => new Intl.DateTimeFormat("en", { fractionalSecondDigits: 3 }).format()],
  ["Intl.DateTimeFormat", () => Intl.DateTimeFormat("en").format()],
  ["os.uptime", () => os.uptime()],
  ["os.loadavg", () => os.loadavg()],
  ["os.freemem", () => os.freemem()],
  ["fs.readFileSync", () => fs.readFileSync("package.json", "utf8")],
  ["fs.statSync", () => fs.statSync("package.json").atimeMs],
  ["fs.existsSync", () => fs.existsSync("package.json")],
  ["process.pid", () => process.pid],
  ["process.ppid", () => process.ppid],
];

const verb = (name: string) => (/^process\.p?pid$/.test(name) ? "reads" : "calls");

describe.each(sources)("%s", (name, read) => {
  it.each(ways)("is refused in one line while a program decides, in %s", (_, run) => {
    expect(() => run(mine(() => void read()))).toThrow(
      `mechanism mine: its program ${verb(name)} ${name} while it decides: `,
    );
  });

  it("is refused while a plain decide of a user's does, and serves everybody else, also after a throw", () => {
    const plain = validatedMechanism({
      name: "plain",
      about: "Plain.",
      decide: (...asked: Parameters<Mechanism["decide"]>) => {
        read();
        return mechanisms["bid-greedy"].decide(...asked);
      },
    });
    expect(() => runAuction(plain, market)).toThrow(`: ${verb(name)} ${name} while it decides`);
    expect(read).not.toThrow();
    expect(() =>
      whileDeciding(() => {
        throw new RangeError("its own");
      }),
    ).toThrow("its own");
    expect(read).not.toThrow();
  });
});

it("a date that is given is as good as a number", () => {
  const year = whileDeciding(() => new Date(2026, 0, 1).getFullYear() + new Date("2026-01-01").getUTCMonth());
  expect(year).toBe(2026);
  expect(new Date() instanceof Date).toBe(true);
  expect(Number.isNaN(new Date().getFullYear())).toBe(false);
});

describe("a program that answers differently", () => {
  /** Pays one unit until it has been run so often, and two from then on. */
  const drifting = (runs: number) => {
    let run = 0;
    return mine((auction) => {
      const pay = run++ < runs ? 1 : 2;
      for (const worker of auction.workers)
        if (auction.math.atMost(worker.price, 3))
          auction.hire(worker, { round: 1, buys: 1, threshold: null }, pay);
    });
  };

  it.each(ways.slice(1))("from its second run on is refused in %s", (_, run) => {
    expect(() => run(drifting(1))).toThrow(
      /^mechanism mine: .*differently when asked again \(one that draws/,
    );
  });

  it.each(ways.slice(2))(
    "later on is refused at the end in %s, for what it answered first is asked again",
    (_, run) => {
      let runs = 0;
      const counted = mine((auction) => {
        runs++;
        const { math } = auction;
        for (const worker of auction.workers) math.atMost(worker.price, math.known(1));
      });
      run(counted);
      // The very last run is the first question again: by then it must not have changed.
      expect(() => run(drifting(runs - 1))).toThrow("answers differently when asked again");
    },
  );

  it("in what it compares only, is refused where cells are gone through", () => {
    let run = 0;
    const straying = mine(({ workers, math }) => {
      math.atMost(workers[0]!.price, run++ === 0 ? 1 : 0.5);
    });
    const asked = { ...question, unknown: [0], arithmetic: "fractions" as const };
    expect(() => [...priceCells(straying, asked)]).toThrow("answers differently when asked again");
  });

  it("by a plain decide is refused when an old question is asked again, and never called broken", () => {
    let calls = 0;
    const base = mechanisms["bid-greedy"];
    const late: Mechanism = {
      name: "late",
      about: "Changes.",
      decide(rules, given) {
        const outcome = base.decide(rules, given);
        return calls++ < 50
          ? outcome
          : { ...outcome, workers: outcome.workers.map((one) => ({ ...one, payment: 2 * one.payment })) };
      },
    };
    expect(() => bestResponses(market, { mechanism: validatedMechanism(late) })).toThrow(
      /^mechanism late: decide on .*: (answers differently when asked again|worker \d: payment: must be the same)/,
    );
  });

  it("is found by asking the truth and the witness again", () => {
    let generous = false;
    const base = mechanisms["bid-greedy"];
    const turning = validatedMechanism({
      name: "turning",
      about: "Turns generous.",
      decide: (rules: Rules, given: readonly Bidder[]) =>
        base.decide(generous ? { ...rules, budget: 2 * rules.budget } : rules, given),
    });
    const lie = [{ worker: 0, price: 4, arrival: 1 }];
    runAuction(turning, market);
    runAuction(turning, market, lie);
    expect(() => askAgain(turning, market, lie)).not.toThrow();
    generous = true;
    expect(() => askAgain(turning, market, lie)).toThrow("answers differently when asked again");
  });
});

describe("a user's field does not stand for its decisions", () => {
  const { decide } = mechanisms["bid-greedy"];
  const postedRounds = mechanisms["posted-rounds"];

  it.each([
    ["a variant", { variantOf: { mechanism: postedRounds, rules: {} } }],
    ["a repriced program", { program: postedRounds.program!, repriced: (byProgram: unknown) => byProgram }],
    ["a program", { program: postedRounds.program! }],
    ["a program of one that draws", { program: postedRounds.program!, stochastic: true }],
  ])("%s", (_, fields) => {
    const held = validatedMechanism({ name: "mine", about: "Mine.", decide, ...fields } as Mechanism);
    expect([held.program, held.variantOf, held.repriced]).toEqual([undefined, undefined, undefined]);
  });

  it("a mark that says that decisions are by a program has them made by it", () => {
    const other = Object.assign((...asked: Parameters<typeof decide>) => decide(...asked), {
      [Symbol.for("candor.program")]: postedRounds.program,
    });
    const forged = validatedMechanism({ ...postedRounds, name: "mine", decide: other });
    expect(runAuction(forged, market)).toEqual(runAuction(postedRounds, market));
  });
});

describe("an explorer's repeated run", () => {
  it("divides nothing off, and strays where it decides what does not hold in all of the region", () => {
    const explorer = new Explorer(orthant([true, false]));
    explorer.begin();
    explorer.decide([-1, 1]);
    const { region, point } = explorer;
    const ask = (form: number[]) => explorer.repeat(region, point, () => explorer.decide(form)).strays;
    expect(ask([-1, 1])).toBe(false);
    expect(ask([-1, 2])).toBe(true);
    expect([explorer.region, explorer.point]).toEqual([region, point]);
    expect([explorer.begin(), explorer.begin()]).toEqual([true, false]);
  });
});
