/** What a program sees of a sample rests on nothing that was not asked for: neither on the order of those taken, nor on an unknown budget. */

import { describe, expect, it } from "vitest";
import type { Auction } from "../../src/auction/auction.js";
import { runAuction } from "../../src/auction/mechanism.js";
import { allotmentOf } from "../../src/auction/outcome.js";
import { defineMechanism } from "../../src/index.js";
import { type Market, paperRules } from "../../src/market/market.js";
import { validatedMechanism } from "../../src/mechanisms/validate.js";
import { bestResponses } from "../../src/responses/index.js";

const mechanismOf = (program: (auction: Auction) => void) =>
  validatedMechanism(defineMechanism({ name: "mine", about: "Mine.", offline: true, program }));

/** Of equal reputation, with these costs. */
const marketOf = (...costs: number[]): Market => ({
  rules: { ...paperRules, budget: 1, rounds: 1 },
  workers: costs.map((cost, id) => ({ id, reputation: 1, cost, arrival: 1 })),
});

describe("[M3] what a share hands to a program", () => {
  const asked: number[][] = [];
  const firstGetsMore = mechanismOf((auction) => {
    const { math, rules } = auction;
    const purse = auction.purse(rules.budget);
    const ids: number[] = [];
    const purseOf = ({ id }: { id: number }) => {
      ids.push(id);
      return purse;
    };
    const terms = { buys: 1, budget: math.over(rules.budget, 2) };
    auction.buyAtOnce(auction.sample(), terms, { clock: 1, purseOf });
    asked.push(ids);
    const first = ids[0] === undefined ? undefined : auction.candidate(ids[0]);
    if (first) first.payment = math.plus(first.payment, math.over(rules.budget, 10));
  });

  it("purses are asked for by id, whatever the densities, of which the order is not asked for", () => {
    asked.length = 0;
    runAuction(firstGetsMore, marketOf(0.2, 0.1));
    expect(asked[0]).toEqual([0, 1]);
    const { exact, workers } = bestResponses(marketOf(0.2, 0.1), {
      mechanism: firstGetsMore,
      inFractions: true,
    });
    expect(exact).toBe(true);
    expect(workers.map(({ gain }) => gain)).toEqual([0, 0]);
  });

  it("who is taken is asked for too where only the budget of the share depends on the price", () => {
    const byOwnPrice = mechanismOf((auction) => {
      const { math, workers } = auction;
      const [liar, ...others] = workers;
      const { taken } = auction.sample(others).share({ buys: 1, budget: liar!.price });
      const payment = math.known(taken.length >= 2 ? 1 : 0.5);
      auction.hire(liar!, { round: 1, buys: 1, threshold: null }, payment);
    });
    const market = marketOf(0.1, 0.2, 0.3);
    const { exact, workers } = bestResponses(market, { mechanism: byOwnPrice, inFractions: true });
    const { gain, best } = workers[0]!;
    expect({ exact, gain }).toEqual({ exact: true, gain: 0.5 });
    const lie = { worker: 0, price: best.price, arrival: 1 };
    expect(allotmentOf(runAuction(byOwnPrice, market, [lie]), 0).payment).toBe(1);
  });
});
