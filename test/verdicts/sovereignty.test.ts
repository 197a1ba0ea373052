/** P4: whether some bid gets a worker selected and paid, held against plain runs at a price of every piece. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AnyMechanism, runAuction } from "../../src/auction/mechanism.js";
import type { Market, Worker } from "../../src/market/market.js";
import { mechanisms } from "../../src/mechanisms/index.js";
import { pieces } from "../../src/responses/index.js";
import { examine } from "../../src/verdicts/properties.js";
import { tiedMarkets } from "../tied-markets.js";

/** Now and then somebody has no reputation, or more must be there than ever are. */
const markets = fc
  .tuple(tiedMarkets(), fc.integer({ min: 0, max: 9 }), fc.constantFrom(1, 1, 2, 3))
  .map(([{ rules, workers }, dull, minWorkers]) => ({
    rules: { ...rules, minWorkers },
    workers: workers.map((one, k) => (k === dull ? { ...one, reputation: 0 } : one)),
  }));

function paidSomewhere(mechanism: AnyMechanism, market: Market, worker: Worker): boolean {
  return pieces(market, worker.id, mechanism)!.some(({ from, to, arrival }) => {
    const price = to === Number.POSITIVE_INFINITY ? 2 * from + 1 : (from + to) / 2;
    const told = runAuction(mechanism, market, [{ worker: worker.id, price, arrival }]);
    const { selectedAt, payment } = told.workers.find(({ id }) => id === worker.id)!;
    return selectedAt !== null && payment > 1e-9 * market.rules.budget;
  });
}

describe.each(
  Object.values(mechanisms).map((mechanism): [string, AnyMechanism] => [mechanism.name, mechanism]),
)("%s", (_, mechanism) => {
  it("a worker has a winning bid just if a plain run pays it for one", () => {
    fc.assert(
      fc.property(markets, (market) => {
        const [found] = examine(market, { mechanism, properties: ["P4"] });
        const without = new Set(found!.witnesses.map(({ worker }) => worker));
        for (const worker of market.workers)
          expect(!without.has(worker.id), JSON.stringify(worker)).toBe(
            paidSomewhere(mechanism, market, worker),
          );
      }),
      { numRuns: 100 },
    );
  });
});
