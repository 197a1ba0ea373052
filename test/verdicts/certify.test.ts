import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Deviation } from "../../src/best-response/search.js";
import { type Market, type Rules, type Worker, workerOf } from "../../src/market/market.js";
import { online } from "../../src/mechanisms/online.js";
import { type CertifiedVerdict, certifiedVerdict } from "../../src/verdicts/certify.js";
import { check, type PropertyName } from "../../src/verdicts/properties.js";
import { tiedMarkets } from "../tied-markets.js";

function certified(market: Market, property: PropertyName): CertifiedVerdict {
  const [verdict] = check(market, { properties: [property] });
  return certifiedVerdict(market, verdict!, online);
}

const rulesOf = (rules: Partial<Rules>): Rules => ({
  budget: 8,
  rounds: 3,
  firstRoundRatio: 0.5,
  minWorkers: 1,
  reading: "prose",
  ...rules,
});

const worker = (id: number, reputation: number, cost: number, arrival: number): Worker => ({
  id,
  reputation,
  cost,
  arrival,
});

describe("a lie that only a tie pays for is certified at the fraction where the tie is", () => {
  const market = { rules: rulesOf({}), workers: [worker(0, 0.7, 1, 2), worker(1, 1, 1, 1)] };

  it.each(["P5", "joint"] as const)("%s: worker 1 ties with worker 0 at 1/0.7", (property) => {
    const { verdict, witnesses } = certified(market, property);
    expect(verdict).toBe("breaks");
    expect(witnesses[0]).toMatchObject({
      certified: true,
      exactPrice: "10/7",
      lie: { worker: 1, price: 10 / 7, arrival: 1 },
      amount: 1 / 3,
    });
  });

  it("P5: also where the decimal beside the tie gains, but less", () => {
    const rules = rulesOf({ budget: 3.7, firstRoundRatio: 1, reading: "pseudocode" });
    const workers = [worker(5, 0.48, 0.72, 1), worker(2, 0.38, 1.23, 2), worker(7, 2, 1.2, 3)];
    const [witness] = certified({ rules, workers }, "P5").witnesses;
    expect(witness).toMatchObject({ worker: 5, certified: true, exactPrice: "738/475" });
    expect(witness!.amount).toBeCloseTo(1.14368, 5);
  });

  it("P6: a time lie is told at the true price, and needs no fraction", () => {
    const [witness] = certified(market, "P6").witnesses;
    expect(witness).toMatchObject({ certified: true, lie: { worker: 1, price: 1, arrival: 3 } });
    expect(witness).not.toHaveProperty("exactPrice");
  });
});

describe("where the largest witness does not stand in exact fractions", () => {
  const market = { rules: rulesOf({}), workers: [worker(0, 0.7, 1, 2), worker(1, 1, 1, 1)] };
  const [verdict] = check(market, { properties: ["joint"] });
  const [largest] = verdict!.witnesses;

  it("another lie of the same worker is certified", () => {
    const witnesses = [{ ...largest!, lie: { worker: 1, price: 1.1, arrival: 1 }, amount: 0.4 }];
    const found = certifiedVerdict(market, { ...verdict!, witnesses }, online);
    expect(found).toMatchObject({ verdict: "breaks", witnesses: [{ worker: 1, certified: true }] });
    expect(found.witnesses[0]!.amount).toBeCloseTo(1 / 3, 12);
  });

  it("or else one of another worker in the same regime", () => {
    const lie = { worker: 0, price: 0.5, arrival: 2 };
    const witnesses = [{ ...largest!, worker: 0, lie, amount: 0.4 }];
    expect(certifiedVerdict(market, { ...verdict!, witnesses }, online)).toMatchObject({
      verdict: "breaks",
      witnesses: [{ worker: 1, certified: true, lie: { worker: 1 } }],
    });
  });
});

it("in markets full of ties every break is certified, and its witness replays in floating point", () => {
  fc.assert(
    fc.property(tiedMarkets(), (market) => {
      for (const verdict of check(market)) {
        const { verdict: judgement, byRegime, witnesses } = certifiedVerdict(market, verdict, online);
        expect({ judgement, byRegime }).toEqual({ judgement: verdict.verdict, byRegime: verdict.byRegime });
        for (const { lie, amount } of witnesses) {
          if (lie === null) continue;
          const { cost, arrival } = workerOf(market, lie.worker);
          const deviation = new Deviation(online, market, workerOf(market, lie.worker));
          const gain = deviation.utility(lie.price, lie.arrival) - deviation.utility(cost, arrival);
          expect(Math.abs(gain - amount)).toBeLessThanOrEqual(1e-9 * market.rules.budget);
        }
      }
    }),
    { numRuns: 600 },
  );
});
