/** The bounds of the largest expected gain, counted where the truth is known. */

import { expect, it } from "vitest";
import { stream } from "../../src/lib/random.js";
import { Landscape } from "../../src/responses/landscape.js";
import { SimultaneousBound } from "../../src/responses/largest-gain.js";

/**
 * Sealed bids against one rival whose price is uniform on [0, 1]: a price p wins with probability 1 − p and is paid. At
 * cost c the truth earns 0 and p earns (p − c)(1 − p), at most (1 − c)²/4.
 */
function payYourBid(rivals: readonly number[]): Landscape {
  const landscape = new Landscape(1, 1);
  for (const [k, rival] of rivals.entries()) {
    const add = landscape.begin(k, 1);
    add(0, { payment: 0, rounds: 1 }, { payment: 0, slope: 1, rounds: 1 });
    add(rival, { payment: rival, rounds: 1 }, { payment: 0, slope: 0, rounds: 0 });
  }
  return landscape.settle();
}

/** The same, paid the rival's price: no bid beats the truth, which earns (1 − c)²/2. */
function secondPrice(rivals: readonly number[]): Landscape {
  const landscape = new Landscape(1, 1);
  for (const [k, rival] of rivals.entries()) {
    const add = landscape.begin(k, 1);
    add(0, { payment: rival, rounds: 1 }, { payment: rival, slope: 0, rounds: 1 });
    add(rival, { payment: rival, rounds: 1 }, { payment: 0, slope: 0, rounds: 0 });
  }
  return landscape.settle();
}

const costs = [0, 0.2, 0.4, 0.6];

/** In how many of so many studies the upper bound lies below the largest expected gain, and how far above it on average. */
function study(make: typeof payYourBid, truthOf: (rival: number, cost: number) => number, largest: number) {
  const [studies, draws] = [200, 60];
  let [missed, above] = [0, 0];
  for (let s = 0; s < studies; s++) {
    const random = stream("coverage").fork(s);
    const rivals = Array.from({ length: draws }, () => random.next());
    const landscape = make(rivals);
    const bound = new SimultaneousBound(draws, 120, random.fork("multipliers"));
    for (const cost of costs)
      bound.add(
        landscape.process({ cost, arrival: 1 }),
        rivals.map((rival) => truthOf(rival, cost)),
      );
    const most = Math.max(...costs.map((cost) => landscape.best({ cost, arrival: 1 }).gain));
    const high = most + bound.margin();
    if (high < largest) missed++;
    above += (high - largest) / studies;
  }
  return { missed: missed / studies, above };
}

it("the upper bound of ε holds in 97.5 % of studies where bids are paid, and is no wider than it must be", () => {
  const { missed, above } = study(payYourBid, () => 0, 1 / 4);
  expect(missed).toBeLessThanOrEqual(0.05);
  expect(above).toBeLessThan(0.2);
});

it("it holds where no lie gains, and lies that lose do not widen it", () => {
  const truthOf = (rival: number, cost: number) => (rival >= cost ? rival - cost : 0);
  const { missed, above } = study(secondPrice, truthOf, 0);
  expect(missed).toBe(0);
  expect(above).toBeLessThan(0.07);
});
