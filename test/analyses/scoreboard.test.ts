import * as fc from "fast-check";
import { expect, it } from "vitest";
import { lookAt } from "../../analyses/shared/gains/breaks.js";
import { type LieCase, lieCases, mergeTallies, tally } from "../../analyses/shared/gains/scoreboard.js";
import { marketArbitrary } from "../../src/market/generators.js";
import { online } from "../../src/mechanisms/online.js";
import { regimes } from "../../src/mechanisms/outcome.js";

const markets = fc.array(marketArbitrary({ minWorkers: 1, maxWorkers: 6, maxRounds: 4, maxRatio: 0.9 }), {
  minLength: 1,
  maxLength: 12,
});

it("tallies of single markets, merged, are the tally of all of them", () => {
  fc.assert(
    fc.property(markets, (drawn) => {
      const looks = drawn.map((market, k) => ({ ...lookAt(market, { mechanism: online }), name: String(k) }));
      for (const property of ["P2", "P4", "P5", "joint"] as const)
        for (const regime of regimes)
          for (const lies of Object.keys(lieCases) as LieCase[]) {
            const question = { property, regime, lies };
            const merged = looks.map((look) => tally([look], question)).reduce(mergeTallies);
            expect(merged).toEqual(tally(looks, question));
          }
    }),
    { numRuns: 40 },
  );
});
