import { mean } from "d3-array";
import { expect, it } from "vitest";
import { truthfulLimit } from "../../analyses/frontier/truthful-limit.js";
import { runAuction } from "../../src/auction/mechanism.js";
import { publisherAccount } from "../../src/auction/outcome.js";
import { stream } from "../../src/lib/random.js";
import { drawMarkets } from "../../src/market/draw.js";
import { paperRules } from "../../src/market/market.js";
import { mechanismNamed } from "../../src/mechanisms/index.js";

const drawn = { workers: 40, rounds: 10 };
const rules = { ...paperRules, rounds: 10, budget: 50 };
const markets = [...drawMarkets({ rules, workers: 40 }, 200, stream("limit"))];

it("is what hiring by virtual cost gets in drawn markets, its spending counted in virtual costs", () => {
  // 2c − l with l = Re/3 + 1/15; whoever's is at most 0.7 per reputation works from its arrival on.
  const hired = markets.map(({ workers }) =>
    workers
      .map(({ cost, reputation, arrival }) => ({
        virtual: 2 * cost - reputation / 3 - 1 / 15,
        reputation,
        rounds: 11 - arrival,
      }))
      .filter(({ virtual, reputation }) => virtual <= 0.7 * reputation),
  );
  const of = (value: (one: (typeof hired)[0][0]) => number) =>
    mean(hired, (some) => some.reduce((sum, one) => sum + value(one) * one.rounds, 0))!;
  const limit = truthfulLimit(
    drawn,
    of(({ virtual }) => virtual),
  );
  expect(Math.abs(limit / of(({ reputation }) => reputation) - 1)).toBeLessThan(0.03);
});

it("rises with the money, ever more slowly, until everybody works", () => {
  const at = [10, 20, 40, 80, 1000, 2000].map((spent) => truthfulLimit(drawn, spent));
  expect(at).toEqual([...at].sort((a, b) => a - b));
  expect(at[1]! - at[0]!).toBeGreaterThan((at[2]! - at[1]!) / 2);
  expect(at[5]).toBeCloseTo(at[4]!, 9);
});

it.each(["posted-rounds", "falling-price", "round-auctions", "round-auctions:share=1", "learned-price"])(
  "is not exceeded by %s, in which no lie gains",
  (name) => {
    const mechanism = mechanismNamed(name);
    const accounts = markets.map((market) => publisherAccount(market.workers, runAuction(mechanism, market)));
    const utility = mean(accounts, ({ publisherUtility }) => publisherUtility)!;
    const limit = truthfulLimit(drawn, mean(accounts, ({ spent }) => spent)!);
    expect(utility / limit).toBeLessThan(1.005);
    expect(utility / limit).toBeGreaterThan(0.85);
  },
);
