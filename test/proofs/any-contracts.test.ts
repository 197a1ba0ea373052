/** What proofs for any number take of shares, on random samples in exact fractions with many ties. */

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { defineMechanism } from "../../src/auction/define-mechanism.js";
import { exactOutcome } from "../../src/auction/exact.js";
import { type Fraction, fraction } from "../../src/lib/fraction.js";
import { paperRules } from "../../src/market/market.js";

interface Other {
  readonly reputation: number;
  readonly density: number;
}

const other = fc.record({
  reputation: fc.constantFrom(1, 2, 3),
  density: fc.integer({ min: 0, max: 12 }).map((quarters) => quarters / 4),
});

const share = defineMechanism({
  name: "share",
  about: "A share among all.",
  offline: true,
  program: (auction) => {
    auction.buyAtOnce(auction.sample(), { buys: 1, budget: auction.rules.budget }, { clock: 1 });
  },
});

/** What the worker is paid per unit of reputation; null where it is not taken. */
function paid(
  others: readonly Other[],
  worker: Other & { readonly id: number },
  budget: number,
): Fraction | null {
  const rules = { budget, rounds: 1, ...paperRules };
  const ids = others.map((_, k) => (k < worker.id ? k : k + 1));
  const bids = [...others.map((one, k) => ({ ...one, id: ids[k]! })), worker].map(
    ({ id, reputation, density }) => ({
      id,
      reputation,
      price: density * reputation,
      arrival: 1,
    }),
  );
  const found = exactOutcome(share, rules, bids).workers.find(({ id }) => id === worker.id)!;
  return found.selectedAt === null ? null : found.payment.div(worker.reputation);
}

const budget = fc.integer({ min: 1, max: 24 }).map((quarters) => quarters / 4);
const prices = Array.from({ length: 49 }, (_, k) => k / 16);

it("[M3] takes a worker below one density that its own does not move, not above it, and pays it that density", () => {
  fc.assert(
    fc.property(
      fc.array(other, { maxLength: 6 }),
      fc.constantFrom(1, 2, 3),
      fc.nat(6),
      budget,
      (others, reputation, place, money) => {
        const id = Math.min(place, others.length);
        const at = (density: number) => paid(others, { id, reputation, density }, money);
        const critical = at(0)!;
        for (const density of prices) {
          const got = at(density);
          if (critical.gt(density)) expect(got?.equals(critical)).toBe(true);
          if (critical.lt(density)) expect(got).toBeNull();
          if (got !== null) expect(got.equals(critical)).toBe(true);
        }
      },
    ),
    { numRuns: 40 },
  );
});

it("[M3] what is critical for a worker does not rise as more come", () => {
  fc.assert(
    fc.property(
      fc.array(other, { maxLength: 8 }),
      other,
      fc.constantFrom(1, 2, 3),
      budget,
      (others, more, reputation, money) => {
        const critical = (sample: readonly Other[]) =>
          paid(sample, { id: 0, reputation, density: 0 }, money)!;
        expect(critical([...others, more]).lte(critical(others))).toBe(true);
        // A share pays no more than it may.
        expect(
          critical(others)
            .mul(reputation)
            .lte(fraction(4 * money, 4)),
        ).toBe(true);
      },
    ),
    { numRuns: 300 },
  );
});
