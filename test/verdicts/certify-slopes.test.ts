/** A witness that does not stand is replaced by a simple price on the better half of what a sloped piece gains. */

import { expect, it } from "vitest";
import type { AnyMechanism } from "../../src/auction/mechanism.js";
import { type Market, paperRules } from "../../src/market/market.js";
import { mechanisms } from "../../src/mechanisms/index.js";
import { certifiedVerdict } from "../../src/verdicts/certify.js";
import { check } from "../../src/verdicts/properties.js";
import { hiringBetween } from "../hiring-between.js";

const market: Market = {
  rules: { budget: 10, rounds: 2, ...paperRules, firstRoundRatio: 0.5 },
  workers: [{ id: 0, reputation: 1, cost: 1, arrival: 1 }],
};

/** What stands in place of a price lie that gains nothing. */
function replaced(mechanism: AnyMechanism) {
  const [verdict] = check(market, { mechanism, properties: ["P5"] });
  const lie = { worker: 0, price: 1, arrival: 1 };
  const witnesses = verdict!.witnesses.map((witness) => ({ ...witness, lie }));
  return certifiedVerdict(market, { ...verdict!, witnesses }, mechanism).witnesses;
}

it("rising: paid its bid up to 5, a worker of cost 1 gains more than half of 8 from 3 on", () => {
  expect(replaced(mechanisms["bid-greedy"])).toMatchObject([
    { certified: true, lie: { worker: 0, price: 4, arrival: 1 }, amount: 6 },
  ]);
});

it("rising, between 2 and 6, paid twice its price: half of what 6 gains is gained at 3.5", () => {
  const double = hiringBetween(2, 6, (price, math) => math.times(price, math.known(2)));
  expect(replaced(double)).toMatchObject([{ lie: { price: 4 }, amount: 6 }]);
});

it("falling, between 1.2 and 6.2, paid 8.2 less its price: half of what 1.2 gains is gained at 3.7", () => {
  const less = hiringBetween(1.2, 6.2, (price, math) => math.minus(math.known(8.2), price));
  expect(replaced(less)).toMatchObject([{ lie: { price: 2 }, amount: 4.2 }]);
});
