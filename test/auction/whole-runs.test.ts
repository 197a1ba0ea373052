/** What a strong word rests on are whole runs: nobody and no event is left out because it "cannot matter". */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Auction } from "../../src/auction/auction.js";
import { defineMechanism } from "../../src/auction/define-mechanism.js";
import { Lines } from "../../src/auction/lines.js";
import { type Mechanism, runAuction } from "../../src/auction/mechanism.js";
import { priceFunction } from "../../src/auction/price-pieces.js";
import { runProgram } from "../../src/auction/program.js";
import { hireWhileItFits, judgeAcross, playRounds, sidesOf } from "../../src/auction/rounds.js";
import { marketArbitrary } from "../../src/market/generators.js";
import { bidders } from "../../src/market/market.js";
import { mechanisms } from "../../src/mechanisms/index.js";
import { prove } from "../../src/proofs/prove.js";
import { validateShape } from "../../src/proofs/shape.js";

it("a proof about two-stage tells what money decided about the liar from what it decided about others", () => {
  const shape = { reputations: [1, 1, 1], rounds: 3, arrivals: [1, 1, 2] };
  const claims = prove(validateShape(shape, mechanisms["two-stage"]), ["P6"]);
  const worst = claims.filter(({ start }) => start === "kept").map(({ regime, worst }) => [regime, worst]);
  expect(worst).toEqual([
    ["sufficient", "1"],
    ["tight", "0"],
    ["late start", "0"],
    ["late and tight", "0"],
  ]);
});

const mine = (program: (auction: Auction) => void): Mechanism =>
  defineMechanism({ name: "mine", about: "Mine.", program });

/** Programs in which how one worker fares reaches others by ways that the blocks alone do not have. */
const programs: readonly (readonly [name: string, mechanism: Mechanism])[] = [
  [
    "shares one purse between the groups",
    mine((auction) => {
      const { math, rules } = auction;
      const sides = sidesOf(auction, auction.byReputation());
      const purse = auction.purse(math.over(rules.budget, 2));
      for (let round = 1; round <= rules.rounds; round++) {
        const deal = {
          round,
          clock: round,
          budget: math.over(rules.budget, 4),
          purses: [purse, purse] as const,
        };
        judgeAcross(auction, sides, deal, (worker, threshold, from) => {
          if (worker.selectedAt === null)
            auction.offer(worker, { round, buys: rules.rounds - round + 1, purse: from, threshold });
        });
      }
    }),
  ],
  [
    "goes through its rounds twice with one purse",
    mine((auction) => {
      const { math, rules } = auction;
      const purse = auction.purse(rules.budget);
      const lines = [0, 1].map((group) => auction.byReputation().filter((one) => one.group === group));
      for (const line of lines)
        playRounds(auction, line, () => ({ threshold: math.over(rules.budget, 3 * rules.rounds), purse }));
    }),
  ],
  [
    "pays the last of the line from what those behind it in another line left",
    mine((auction) => {
      const [first, ...others] = auction.byReputation();
      if (first === undefined) return;
      hireWhileItFits(auction, others);
      const { math, rules } = auction;
      const rest = others.reduce((left, { payment }) => math.minus(left, payment), rules.budget);
      auction.hire(first, { round: 1, buys: 1, threshold: null }, rest);
    }),
  ],
];

const markets = marketArbitrary({ minWorkers: 2, maxWorkers: 5, maxRounds: 3, maxRatio: 1 });

describe.each(programs)("a user's program that %s", (_, mechanism) => {
  it("is run whole, whoever is asked about", () => {
    fc.assert(
      fc.property(markets, ({ rules, workers }) => {
        const bids = bidders(workers);
        const run = (only?: readonly number[]) =>
          runProgram(mechanism, rules, bids, { math: new Lines(), only }).outcome();
        for (const { id } of workers) expect(run([id])).toEqual(run());
      }),
      { numRuns: 100 },
    );
  });

  it("gives a worker on a line what it gives it on numbers", () => {
    fc.assert(
      fc.property(markets, fc.nat(), fc.double({ min: 0, max: 2, noNaN: true }), (market, pick, price) => {
        const { id, arrival } = market.workers[pick % market.workers.length]!;
        const lines = priceFunction(mechanism, {
          rules: market.rules,
          bids: bidders(market.workers),
          worker: id,
        })!;
        const given = runAuction(mechanism, market, [{ worker: id, price, arrival }]).workers.find(
          (one) => one.id === id,
        )!;
        const { selectedAt, rounds, utilityFrom } = lines.at(price, arrival);
        expect({ selectedAt, rounds }).toEqual({ selectedAt: given.selectedAt, rounds: given.rounds });
        expect(Math.abs(utilityFrom - given.payment)).toBeLessThanOrEqual(1e-9 * market.rules.budget);
      }),
      { numRuns: 100 },
    );
  });
});
