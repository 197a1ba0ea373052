/** Cells of several unknown prices: every point is in one of them, and there payments are as its forms say. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exactOutcome } from "../../src/auction/exact.js";
import type { AnyMechanism } from "../../src/auction/mechanism.js";
import { allotmentOf } from "../../src/auction/outcome.js";
import { priceCells } from "../../src/auction/price-pieces.js";
import { contains } from "../../src/lib/cone.js";
import { fraction } from "../../src/lib/fraction.js";
import { dot } from "../../src/lib/integer-vector.js";
import { marketArbitrary } from "../../src/market/generators.js";
import { bidders } from "../../src/market/market.js";
import { mechanisms } from "../../src/mechanisms/index.js";

const all = Object.values<AnyMechanism>(mechanisms).map((mechanism) => [mechanism.name, mechanism] as const);
const markets = marketArbitrary({
  minWorkers: 3,
  maxWorkers: 4,
  maxRounds: 2,
  numbers: "coarse",
  maxRatio: 1,
});

/** Hundredths of a price, small enough to meet ties. */
const hundredths = fc.integer({ min: 0, max: 120 });

describe.each(all)("%s", (_, mechanism) => {
  it.each(["fractions", "numbers"] as const)(
    "decides and pays in the one cell that a point is in as its forms say, in %s",
    (arithmetic) => {
      fc.assert(
        fc.property(
          markets,
          fc.array(fc.tuple(hundredths, hundredths), { minLength: 5, maxLength: 5 }),
          (market, points) => {
            const unknown = market.workers.slice(0, 2).map(({ id }) => id);
            const bids = bidders(market.workers);
            const cells = [...priceCells(mechanism, { rules: market.rules, bids, unknown, arithmetic })];
            for (const [x, y] of points) {
              const at = [100, x, y];
              const here = cells.filter(({ cone }) => contains(cone, at));
              expect(here).toHaveLength(1);
              const [{ auction, form }] = here as [(typeof here)[0]];
              const prices = "sees" in mechanism ? [] : [fraction(x, 100), fraction(y, 100)];
              const told = bids.map((bid) => ({
                ...bid,
                price: prices[unknown.indexOf(bid.id)] ?? bid.price,
              }));
              const outcome = exactOutcome(mechanism, market.rules, told);
              expect(auction.startDelay).toBe(outcome.startDelay);
              for (const id of unknown) {
                const { rounds, selectedAt, payment } = allotmentOf(outcome, id);
                const nobody = { rounds: 0, selectedAt: null, payment: auction.zero };
                const cell = auction.candidate(id) ?? nobody;
                expect(cell).toMatchObject({ rounds, selectedAt });
                const { top, below } = form(cell.payment);
                expect(Number(dot(top, at)) / Number(below) / 100).toBeCloseTo(payment.valueOf(), 9);
              }
            }
          },
        ),
        { numRuns: 15 },
      );
    },
  );
});
