import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bestResponses, searchResponses } from "../../src/best-response/index.js";
import { marketArbitrary } from "../../src/market/arbitraries.js";
import { mechanisms } from "../../src/mechanisms/index.js";
import type { AnyMechanism } from "../../src/mechanisms/mechanism.js";
import { mechanismNamed } from "../../src/mechanisms/variant.js";

const proved = Object.values<AnyMechanism>(mechanisms).filter(({ truthful }) => truthful !== undefined);

describe("a mechanism with a proof that no lie gains", () => {
  it.each(proved.map((mechanism) => [mechanism.name, mechanism] as const))(
    "%s: the search, which knows nothing of the proof, finds no gain either",
    (_, mechanism) => {
      const markets = marketArbitrary({ minWorkers: 1, maxWorkers: 6, maxRounds: 4 });
      fc.assert(
        fc.property(markets, fc.nat(), (market, pick) => {
          const { id } = market.workers[pick % market.workers.length]!;
          const [found] = searchResponses(market, { mechanism, workers: [id], effort: 800 }).workers;
          expect(found!.gain).toBe(0);
          expect(bestResponses(market, { mechanism, workers: [id] })).toMatchObject({
            exact: true,
            workers: [{ id, truthful: found!.truthful, gain: 0 }],
          });
        }),
        { numRuns: 60 },
      );
    },
  );

  it("keeps it in every variant, and a mechanism of somebody else's claims nothing by saying so", () => {
    const [market] = fc.sample(marketArbitrary({ minWorkers: 3 }), 1);
    const respond = (mechanism: AnyMechanism) => bestResponses(market!, { mechanism, effort: 100 });
    expect(respond(mechanismNamed("fixed-threshold:density=0.5")).exact).toBe(true);
    expect(respond({ ...mechanisms["bid-greedy"], truthful: "believe me" }).exact).toBe(false);
  });
});
