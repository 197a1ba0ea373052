/** Cells of several unknown prices: wherever the inequalities hold, the decisions are the same and payments are linear. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exactly, fraction } from "../../src/lib/fraction.js";
import { marketArbitrary } from "../../src/market/generators.js";
import { bidders } from "../../src/market/market.js";
import { cellAt, isIn, valueAt } from "../../src/mechanisms/cells.js";
import { exactOutcome } from "../../src/mechanisms/exact.js";
import { mechanisms } from "../../src/mechanisms/index.js";
import type { AnyMechanism } from "../../src/mechanisms/mechanism.js";

const all = Object.values<AnyMechanism>(mechanisms).map((mechanism) => [mechanism.name, mechanism] as const);
const markets = marketArbitrary({
  minWorkers: 3,
  maxWorkers: 5,
  maxRounds: 3,
  numbers: "coarse",
  maxRatio: 1,
});

describe.each(all)("%s", (_, mechanism) => {
  it("decides and pays in a cell as its forms say, at every point that the inequalities let in", () => {
    let [inside, outside] = [0, 0];
    fc.assert(
      fc.property(
        markets,
        fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 12 }),
        (market, steps) => {
          const unknown = market.workers.slice(0, 2).map(({ id }) => id);
          const bids = bidders(market.workers);
          const cell = cellAt(mechanism, { rules: market.rules, bids, unknown });
          const here = unknown.map((id) => exactly(bids.find((bid) => bid.id === id)!.price));
          expect(isIn(cell, here)).toBe(true);
          for (let k = 0; k + 1 < steps.length; k += 2) {
            const point = here.map((price, place) => price.add(fraction(steps[k + place]!, 100)));
            if (point.some((price) => price.lt(0))) continue;
            if (!isIn(cell, point)) {
              outside++;
              continue;
            }
            inside++;
            const told = bids.map((bid) =>
              unknown.includes(bid.id) ? { ...bid, price: point[unknown.indexOf(bid.id)]! } : bid,
            );
            const { startDelay, workers } = exactOutcome(mechanism, market.rules, told);
            expect(startDelay).toBe(cell.startDelay);
            for (const [row, { id, selectedAt, rounds, payment }] of workers.entries()) {
              expect(cell.workers[row]).toMatchObject({ id, selectedAt, rounds });
              expect(valueAt(cell.workers[row]!.payment, point).equals(payment)).toBe(true);
            }
          }
        },
      ),
      { numRuns: 60 },
    );
    expect(inside).toBeGreaterThan(10);
    expect(outside).toBeGreaterThan(10);
  });
});
