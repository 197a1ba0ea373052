/** A loss, an overspending or a gain that floating point counts as nothing is one where verdicts are exact. */

import { describe, expect, it } from "vitest";
import type { Auction } from "../../src/auction/auction.js";
import { defineMechanism } from "../../src/auction/define-mechanism.js";
import type { Mechanism } from "../../src/auction/mechanism.js";
import { type Market, paperRules } from "../../src/market/market.js";
import { validatedMechanism } from "../../src/mechanisms/validate.js";
import { vanilla } from "../../src/mechanisms/vanilla.js";
import type { PropertyName } from "../../src/properties/properties.js";
import { bestResponses } from "../../src/responses/index.js";
import { certifiedVerdict } from "../../src/verdicts/certify.js";
import { check } from "../../src/verdicts/properties.js";

const market: Market = {
  rules: { ...paperRules, budget: 10, rounds: 2 },
  workers: [
    { id: 0, reputation: 1, cost: 1, arrival: 1 },
    { id: 1, reputation: 1, cost: 2, arrival: 2 },
  ],
};

/** Less than floating point tells from nothing beside amounts of 1 and more ([M13]). */
const LITTLE = 1e-13;

const paying = (
  pay: (auction: Auction, worker: Auction["workers"][number]) => ReturnType<Auction["math"]["known"]>,
) =>
  validatedMechanism(
    defineMechanism({
      name: "mine",
      about: "Mine.",
      program: (auction) => {
        for (const worker of auction.workers)
          auction.hire(worker, { round: 1, buys: 1, threshold: null }, pay(auction, worker));
      },
    }),
  );

const underpaying = paying(({ math }, { price }) => math.minus(price, LITTLE));
const overspending = paying(({ math, rules }) => math.plus(math.over(rules.budget, 2), LITTLE));
const rewarding = paying(({ math }, { price }) =>
  math.atMost(price, math.known(1.5)) ? math.known(2) : math.plus(2, LITTLE),
);

const verdictOn = (property: PropertyName, mechanism: ReturnType<typeof paying>) => {
  const responses = bestResponses(market, { mechanism, inFractions: true });
  const [verdict] = check(market, { mechanism, properties: [property], responses });
  return certifiedVerdict(market, verdict!, mechanism);
};

describe("an amount of 1e-13", () => {
  it.each([
    ["P1", underpaying, LITTLE],
    ["P2", overspending, 2 * LITTLE],
    ["P5", rewarding, LITTLE],
    ["joint", rewarding, LITTLE],
  ] as const)("breaks %s, certified", (property, mechanism, amount) => {
    const { verdict, witnesses } = verdictOn(property, mechanism);
    expect(verdict).toBe("breaks");
    expect(witnesses[0]).toMatchObject({ certified: true });
    expect(witnesses[0]!.amount / amount).toBeCloseTo(1, 9);
  });

  it("is no knife edge, and no contradiction", () => {
    const { workers, exact } = bestResponses(market, { mechanism: rewarding, inFractions: true });
    expect(exact).toBe(true);
    expect(workers[0]).toMatchObject({ gain: LITTLE, priceGain: LITTLE, timeGain: 0 });
    expect(workers[0]).not.toHaveProperty("knifeEdge");
    expect(workers[1]).toMatchObject({ gain: 0 });
  });
});

it("what one run shows is exact: of users' programs always, of others where that is asked for", () => {
  const methodOf = (mechanism: Mechanism, inFractions: boolean) =>
    check(market, { mechanism, properties: ["P1", "P2"], inFractions }).map(({ method }) => method);
  const sound = paying(({ rules, math }) => math.over(rules.budget, 4)) as Mechanism;
  expect(methodOf(sound, false)).toEqual(["one run, exact", "one run, exact"]);
  expect(methodOf(vanilla, false)).toEqual(["one run", "one run"]);
  expect(methodOf(vanilla, true)).toEqual(["one run, exact", "one run, exact"]);
});

it("in a market too large for that, nothing holds of a user's program by floating point", () => {
  const { rules, workers } = market;
  const large = { rules: { ...rules, rounds: 10_000 }, workers };
  const verdicts = check(large, { mechanism: underpaying, properties: ["P1", "P2"] });
  expect(verdicts.map(({ verdict, method }) => [verdict, method])).toEqual([
    ["none found", "one run in floating point"],
    ["none found", "one run in floating point"],
  ]);
});

it("P4 holds of a user's program where a run in fractions pays everybody", () => {
  const tied = paying(({ math }, { price }) =>
    math.atMost(math.plus(price, 1), 1 - LITTLE) ? math.known(2) : math.known(0),
  );
  const of = (mechanism: typeof tied) => check(market, { mechanism, properties: ["P4"] })[0];
  expect(of(underpaying)).toMatchObject({ verdict: "holds", method: "exact" });
  // Only the tie of floating point pays a bid of 0.
  expect(of(tied)!.verdict).not.toBe("holds");
});
