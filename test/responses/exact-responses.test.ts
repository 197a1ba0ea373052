/** What an answer rests on: whole price lines in fractions, plain runs, and where the two are held together. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exactOutcome, exactUtility } from "../../src/auction/exact.js";
import { type AnyMechanism, type Mechanism, runAuction } from "../../src/auction/mechanism.js";
import { defineMechanism } from "../../src/index.js";
import { toNumber } from "../../src/lib/fraction.js";
import { stream } from "../../src/lib/random.js";
import { drawMarket } from "../../src/market/draw.js";
import { bidders, type Market, paperRules } from "../../src/market/market.js";
import { mechanisms } from "../../src/mechanisms/index.js";
import { validatedMechanism } from "../../src/mechanisms/validate.js";
import { coalitionResponses } from "../../src/responses/coalition.js";
import { EXACT_UP_TO } from "../../src/responses/exact-responses.js";
import { bestResponses } from "../../src/responses/index.js";
import { priceLine } from "../../src/responses/price-line.js";
import { check } from "../../src/verdicts/properties.js";
import { responseVectors } from "../golden.js";
import { tiedMarkets } from "../tied-markets.js";

const drawn = (workers: number, rounds: number): Market =>
  drawMarket({ rules: { ...paperRules, budget: workers, rounds }, workers }, stream(workers));

/** A user's own program that does as a built-in one does. */
const copied = (mechanism: Mechanism): AnyMechanism =>
  validatedMechanism(
    defineMechanism({
      name: "mine",
      about: "As a built-in one.",
      program: (auction) => mechanism.program!(auction),
    }),
  );

const mine = copied(mechanisms["proportional-share"]);

describe("the word for an answer", () => {
  it("is computed in studies: exact of what is built in, and not of a user's own program", () => {
    const market = drawn(4, 3);
    const wordOf = (mechanism: AnyMechanism) => {
      const { method, exact } = bestResponses(market, { mechanism });
      return { method, exact };
    };
    expect(wordOf(mechanisms.online)).toEqual({ method: "computed", exact: true });
    expect(wordOf(mechanisms.pruning)).toEqual({ method: "computed", exact: true });
    expect(wordOf(mine)).toEqual({ method: "computed", exact: false });
  });

  it("is exact where fractions are asked for, up to the stated size", () => {
    const ask = (workers: number, rounds: number, mechanism: AnyMechanism) => {
      const { method, exact } = bestResponses(drawn(workers, rounds), { mechanism, inFractions: true });
      return { method, exact };
    };
    expect(ask(3, 3, mine)).toEqual({ method: "exact", exact: true });
    const beyond = EXACT_UP_TO / 2 + 1;
    expect(ask(beyond, 2, mine)).toEqual({ method: "computed", exact: false });
    expect(ask(beyond, 2, mechanisms.online)).toEqual({ method: "computed", exact: true });
  });

  it("lets a property hold only where it is exact", () => {
    const market = drawn(4, 2);
    const verdict = (inFractions: boolean) => {
      const responses = bestResponses(market, { mechanism: mine, inFractions });
      return check(market, { mechanism: mine, responses, properties: ["P5"] })[0];
    };
    expect(verdict(true)).toMatchObject({ verdict: "holds", method: "exact" });
    expect(verdict(false)).toMatchObject({ verdict: "none found", method: "computed in floating point" });
  });
});

describe("whole price lines in fractions", () => {
  it("give the vectors' gains", () => {
    for (const { market, expect: expected } of responseVectors.slice(0, 12)) {
      const { method, workers } = bestResponses(market, { inFractions: true });
      expect(method).toBe("exact");
      for (const { id, gain } of expected)
        expect(workers.find((one) => one.id === id)!.gain).toBeCloseTo(gain, 6);
    }
  });

  it.each(Object.entries<AnyMechanism>(mechanisms))("agree with what is computed: %s", (_, mechanism) => {
    fc.assert(
      fc.property(tiedMarkets(), (market) => {
        const { workers, method } = bestResponses(market, { mechanism, inFractions: true });
        expect(method).toBe("exact");
        for (const { id, gain, truthful, knifeEdge } of workers) {
          if (knifeEdge) continue;
          const worker = market.workers.find((one) => one.id === id)!;
          const { joint } = priceLine(market, worker, mechanism);
          const utility = joint.utility === null ? Number.POSITIVE_INFINITY : toNumber(joint.utility);
          if (utility !== truthful + gain) expect(utility).toBeCloseTo(truthful + gain, 6);
        }
      }),
      { numRuns: 6 },
    );
  });
});

/** Two decisions that hang on prices nearer to each other than numbers can tell. */
const nearlyTied = validatedMechanism(
  defineMechanism({
    name: "nearly-tied",
    about: "Pays 2 between two prices that count as one in floating point, and 1 up to the first.",
    offline: true,
    program(auction) {
      const { math } = auction;
      const one = math.known(1);
      const bit = math.over(one, math.known(1e13));
      for (const worker of auction.workers) {
        const above = !math.atMost(worker.price, one);
        const within = math.atMost(worker.price, math.plus(one, bit));
        if (!within) continue;
        const payment = above ? math.known(2) : one;
        auction.hire(worker, { round: 1, buys: 1, threshold: null }, payment);
      }
    },
  }),
);

/** Hires one for a round at its price, in an order by keys below 0. */
const dearestFirst = validatedMechanism(
  defineMechanism({
    name: "dearest-first",
    about: "Hires the dearest, if it asks no more than 2.",
    offline: true,
    program(auction) {
      const { math, workers } = auction;
      const order = math.sorted(workers, ({ price }) => math.minus(0, price));
      const first = order.find(({ price }) => math.atMost(-2, math.minus(0, price)));
      if (first) auction.hire(first, { round: 1, buys: 1, threshold: null }, first.price);
    },
  }),
);

describe("[M13] amounts below 0", () => {
  it("tie where they are equal, in numbers as in fractions", () => {
    const rules = { ...paperRules, budget: 4, rounds: 1 };
    const workers = [0, 1].map((id) => ({ id, reputation: 1, cost: 1.4, arrival: 1 }));
    const { method, workers: found } = bestResponses(
      { rules, workers },
      { mechanism: dearestFirst, inFractions: true },
    );
    expect(method).toBe("exact");
    // At the tie the smaller id is hired ([M2]); the other one has to ask for more, and 2 is the most there is.
    expect(found.map(({ truthful, gain, best }) => [truthful, gain, best.price])).toEqual([
      [0, expect.closeTo(0.6, 12), 2],
      [0, expect.closeTo(0.6, 12), 2],
    ]);
    expect(runAuction(dearestFirst, { rules, workers }).workers.map(({ payment }) => payment)).toEqual([
      1.4, 0,
    ]);
  });
});

describe("what is computed is held to plain runs", () => {
  const market: Market = {
    rules: { ...paperRules, budget: 4, rounds: 1 },
    workers: [{ id: 0, reputation: 1, cost: 0.5, arrival: 1 }],
  };

  it("[M13] the bid that is named brings in fractions what is said, and not only up to rounding", () => {
    const costs = [
      // The other's price is just above 3/10: what fits beside it ends just below 6/10, and no price attains it.
      [0.1, 0.30000000000000004],
      // Three rounds at 2/3, which no decimal writes.
      [0, 1],
    ];
    for (const [k, [own, other]] of costs.entries()) {
      const rounds = k === 0 ? 1 : 3;
      const rules = { ...paperRules, budget: k === 0 ? 0.9 : 2, rounds };
      const of = (id: number, cost: number) => ({ id, reputation: 1, cost, arrival: 1 });
      const asked: Market = { rules, workers: [of(0, own!), of(1, other!)] };
      const mechanism = mechanisms["bid-greedy"];
      const { best } = bestResponses(asked, { mechanism, inFractions: true }).workers[0]!;
      const lie = { worker: 0, price: best.price, arrival: 1 };
      const { workers } = exactOutcome(mechanism, rules, bidders(asked.workers, [lie]));
      expect(toNumber(exactUtility(own!, workers[0]!))).toBeCloseTo(best.utility, 8);
      expect(best.utility).toBeGreaterThan(0.4);
    }
  });

  it("[M13] at a knife edge the fractions' answer is given, and marked", () => {
    const { workers } = bestResponses(market, { mechanism: nearlyTied, inFractions: true });
    expect(workers[0]).toMatchObject({ gain: 1, knifeEdge: true });
    const verdicts = check(market, {
      mechanism: nearlyTied,
      responses: bestResponses(market, { mechanism: nearlyTied, inFractions: true }),
      properties: ["P5"],
    });
    expect(verdicts[0]!.method).toBe("exact, at a knife edge");
  });

  it("a program that does otherwise when its price is unknown is a contradiction, which names the market", () => {
    let plain = false;
    const twoFaced = defineMechanism({
      name: "two-faced",
      about: "Pays more in plain runs.",
      offline: true,
      program(auction) {
        for (const worker of auction.workers)
          auction.hire(worker, { round: 1, buys: 1, threshold: null }, auction.math.known(plain ? 2 : 1));
      },
    });
    const { decide } = twoFaced;
    const mechanism = {
      ...twoFaced,
      decide: Object.assign((...asked: Parameters<typeof decide>) => {
        plain = true;
        try {
          return decide(...asked);
        } finally {
          plain = false;
        }
      }, decide),
    };
    expect(() => bestResponses(market, { mechanism, source: "m.json" })).toThrow(
      /^m\.json: internal contradiction about mechanism two-faced: worker 0 was computed to get .* in a plain run/,
    );
    const both = { ...market, workers: [...market.workers, { ...market.workers[0]!, id: 1 }] };
    expect(() => coalitionResponses(both, { mechanism })).toThrow("internal contradiction");
  });
});
