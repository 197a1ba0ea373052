import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defineMechanism } from "../../src/auction/define-mechanism.js";
import type { AnyMechanism } from "../../src/auction/mechanism.js";
import { type Regime, regimeOf } from "../../src/auction/outcome.js";
import { exactly } from "../../src/lib/fraction.js";
import { type Market, paperRules, type Rules, type Worker, workerOf } from "../../src/market/market.js";
import { bidGreedy } from "../../src/mechanisms/bid-greedy.js";
import { online } from "../../src/mechanisms/online/online.js";
import { replay } from "../../src/properties/certify.js";
import type { PropertyName } from "../../src/properties/properties.js";
import { Deviation } from "../../src/responses/search.js";
import { certified, certifiedVerdict } from "../../src/verdicts/certify.js";
import { check, type MarketWitness, type Verdict } from "../../src/verdicts/properties.js";
import { withoutText } from "../searched.js";
import { tiedMarkets } from "../tied-markets.js";

function certifiedOf(market: Market, property: PropertyName): Verdict {
  const [verdict] = check(market, { properties: [property] });
  return certifiedVerdict(market, verdict!, online);
}

const rulesOf = (rules: Partial<Rules>): Rules => ({
  budget: 8,
  rounds: 3,
  ...paperRules,
  firstRoundRatio: 0.5,
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
    const { verdict, witnesses } = certifiedOf(market, property);
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
    const [witness] = certifiedOf({ rules, workers }, "P5").witnesses;
    expect(witness).toMatchObject({ worker: 5, certified: true, exactPrice: "738/475" });
    expect(witness!.amount).toBeCloseTo(1.14368, 5);
  });

  it("P6: a time lie is told at the true price, and needs no fraction", () => {
    const [witness] = certifiedOf(market, "P6").witnesses;
    expect(witness).toMatchObject({ certified: true, lie: { worker: 1, price: 1, arrival: 3 } });
    expect(witness).not.toHaveProperty("exactPrice");
  });
});

/** A witness that somebody claims, right or wrong. */
const claimed = (
  property: PropertyName,
  worker: number | null,
  lie: Partial<MarketWitness> = {},
): MarketWitness => ({
  property,
  worker,
  regime: "sufficient",
  lie: null,
  amount: 1,
  ...lie,
});

const regimeIn = (market: Market, id: number, mechanism: AnyMechanism): Regime =>
  regimeOf(replay({ mechanism, market }).outcome, id);

/** The price of a witness's lie as a fraction. */
const priceOf = ({ lie, exactPrice }: MarketWitness): string =>
  exactPrice ?? exactly(lie!.price).toFraction();

/** What becomes of a verdict that rests on claimed witnesses. */
function verdictOn(market: Market, witnesses: readonly MarketWitness[], mechanism: AnyMechanism = online) {
  const property = witnesses[0]!.property;
  const broken = Object.fromEntries(witnesses.map(({ regime }) => [regime, "breaks"]));
  const byRegime = {
    sufficient: null,
    tight: null,
    "late start": null,
    "late and tight": null,
    ...broken,
  } as Verdict["byRegime"];
  const verdict: Verdict = { property, verdict: "breaks", byRegime, witnesses, method: "claimed" };
  return certifiedVerdict(market, verdict, mechanism);
}

describe("a lie is replayed at its own price, or at the exact tie that its price stands for", () => {
  const long = {
    rules: rulesOf({ budget: 4, rounds: 2 }),
    workers: [worker(0, 0.385293, 0.782215, 1), worker(1, 0.617479, 0.925102, 1)],
  };
  const bidOf = (market: Market, { worker: id, price }: { worker: number; price: number }) => {
    const { arrival } = workerOf(market, id);
    const regime = regimeIn(market, id, online);
    const witness = claimed("P5", id, { lie: { worker: id, price, arrival }, regime });
    const found = certified(market, witness, online);
    return [found.certified, priceOf(found)];
  };

  it("as worker 1 does with worker 0, at 0.782215 · 0.617479 / 0.385293", () => {
    expect(bidOf(long, { worker: 1, price: 1.2535948900836504 })).toEqual([true, "96600267197/77058600000"]);
  });

  it("[M8] as worker 0 does with its threshold 0.65 / 0.412948 in round 2", () => {
    const workers = [worker(0, 0.804661, 0.539114, 2), worker(1, 0.412948, 0.040733, 3)];
    const market = { rules: rulesOf({ budget: 6, firstRoundRatio: 0.3 }), workers };
    const above = 1.2665750893574979 * (1 + 3e-14);
    expect(bidOf(market, { worker: 0, price: above })).toEqual([true, "10460593/8258960"]);
  });

  it.each([1e-6, 1e-3, 1, 1e3])("and nowhere else, at the scale of %d", (scale) => {
    const rules = { ...long.rules, budget: 4 * scale };
    const workers = long.workers.map((one) => ({ ...one, cost: Number((one.cost * scale).toPrecision(6)) }));
    const price = Number((1.3456789012345 * scale).toPrecision(14));
    const [sure, told] = bidOf({ rules, workers }, { worker: 1, price });
    expect(sure).toBe(true);
    const [above, below = 1] = String(told).split("/").map(Number);
    expect(Math.abs(above! / below / price - 1)).toBeLessThan(2e-13);
  });

  it("P6: at the true price, though that looks like a tie that gains more", () => {
    const workers = [worker(0, 0.7, 1, 2), worker(1, 1, 1.4285714285714, 1)];
    const lie = { worker: 1, price: 1.4285714285714, arrival: 1 };
    const market = { rules: rulesOf({}), workers };
    const regime = regimeIn(market, 1, online);
    const told = (property: PropertyName) =>
      priceOf(certified(market, claimed(property, 1, { lie, regime }), online));
    expect(told("P6")).toBe("7142857142857/5000000000000");
    expect(told("P5")).toBe("10/7");
  });
});

it("a verdict is about the regime that fractions tell, where numbers tell another", () => {
  const market = { rules: rulesOf({}), workers: [worker(0, 0.7, 1, 2), worker(1, 1, 1, 1)] };
  const [verdict] = check(market, { properties: ["joint"] });
  const [witness] = verdict!.witnesses;
  const regime = witness!.regime === "tight" ? "sufficient" : "tight";
  const mistaken = { ...verdict!, witnesses: [{ ...witness!, regime } as const] };
  const byRegime = { ...verdict!.byRegime, [regime]: "breaks", [witness!.regime]: null };
  expect(certifiedVerdict(market, { ...mistaken, byRegime }, online)).toMatchObject({
    verdict: "breaks",
    byRegime: { [regime]: "none found", [witness!.regime]: "breaks" },
    witnesses: [{ worker: 1, regime: witness!.regime, certified: true }],
  });
});

describe("what a witness says besides its amount must be so in exact fractions too", () => {
  const market = { rules: rulesOf({}), workers: [worker(0, 0.7, 1, 2), worker(1, 1, 1, 1)] };
  const [witness] = check(market, { properties: ["joint"] })[0]!.witnesses;
  const isCertified = (change: Partial<MarketWitness>) =>
    certified(market, { ...witness!, ...change }, online).certified;

  it("its regime, and whether the start moves", () => {
    expect(isCertified({})).toBe(true);
    expect(isCertified({ regime: "late start" })).toBe(false);
    expect([true, false].map((startMoved) => isCertified({ startMoved })).sort()).toEqual([false, true]);
  });

  it("P5, P6: its lie misstates nothing else", () => {
    const lie = { ...witness!.lie!, arrival: 2 };
    expect(isCertified({ property: "P6" })).toBe(false);
    expect(isCertified({ property: "P5", lie })).toBe(false);
    expect(isCertified({ lie: { ...witness!.lie!, arrival: 9 } })).toBe(false);
  });
});

/** Hires for one round, for a quarter of the budget, who has a rival of the same price per reputation. */
const tiesPay = defineMechanism({
  name: "ties-pay",
  about: "Pays who ties.",
  program: (auction) => {
    const { math, rules, workers } = auction;
    const alike = (a: (typeof workers)[number], b: typeof a) =>
      math.atMost(a.density, b.density) && math.atMost(b.density, a.density);
    for (const one of workers)
      if (workers.some((other) => other.id !== one.id && alike(one, other)))
        auction.hire(one, { round: 1, buys: 1, threshold: null }, math.over(rules.budget, math.known(4)));
  },
});

describe("[P4] an exclusion is certified where no bid in exact fractions is paid", () => {
  const excluded = (market: Market, id: number, mechanism: AnyMechanism = online) =>
    certified(market, claimed("P4", id, { regime: regimeIn(market, id, mechanism) }), mechanism).certified;
  const alone = { rules: rulesOf({}), workers: [worker(0, 1, 1, 1)] };

  it("not where a bid of any price but 0 is", () => {
    expect(excluded(alone, 0, bidGreedy)).toBe(false);
  });

  it("not where only cheap bids are", () => {
    expect(excluded(alone, 0)).toBe(false);
  });

  it("not where only a tie is, at a fraction that no decimal writes", () => {
    const workers = [worker(0, 0.385293, 0.782215, 1), worker(1, 0.617479, 0.925102, 1)];
    expect(excluded({ rules: rulesOf({}), workers }, 1, tiesPay)).toBe(false);
    expect(excluded({ rules: rulesOf({}), workers: workers.slice(1) }, 1, tiesPay)).toBe(true);
  });

  it("[M6] as it is for a worker alone where two are needed", () => {
    expect(excluded({ ...alone, rules: rulesOf({ minWorkers: 2 }) }, 0)).toBe(true);
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

  it("the one that gains most, at any arrival for a joint lie", () => {
    const workers = [worker(0, 2, 0, 1), worker(1, 3, 2, 3)];
    const where = { rules: rulesOf({ firstRoundRatio: 0.3 }), workers };
    const lie = { worker: 0, price: 3, arrival: 1 };
    const { witnesses } = verdictOn(where, [claimed("joint", 0, { lie })]);
    expect(witnesses).toMatchObject([{ worker: 0, lie: { arrival: 2 } }]);
    expect(witnesses[0]!.amount).toBeCloseTo(8 / 15, 12);
    expect(verdictOn(where, [claimed("P5", 0, { lie })])).toMatchObject({
      verdict: "none found",
      byRegime: { sufficient: "none found" },
      witnesses: [],
    });
  });

  it("P1, P6: but no lie about the price stands for a loss or for a lie about time", () => {
    const alone = { rules: rulesOf({}), workers: [worker(0, 1, 1, 1)] };
    const late = { worker: 0, price: 1, arrival: 2 };
    for (const witness of [claimed("P1", 0), claimed("P6", 0, { lie: late })])
      expect(verdictOn(alone, [witness], bidGreedy).verdict).toBe("none found");
    const lie = { worker: 0, price: 1, arrival: 1 };
    expect(verdictOn(alone, [claimed("P5", 0, { lie })], bidGreedy).verdict).toBe("breaks");
  });

  it("or else the largest of the others' in the same regime, and none of another regime", () => {
    const workers = [worker(0, 2, 0.1, 1), worker(1, 2, 0.3, 3), worker(2, 2, 1, 1)];
    const where = { rules: rulesOf({ budget: 9, firstRoundRatio: 0.3 }), workers };
    const lie = { worker: 1, price: 0.3, arrival: 3 };
    const witnesses = (regime: Regime) =>
      verdictOn(where, [claimed("joint", 1, { lie, regime })]).witnesses.map(({ worker }) => worker);
    expect(witnesses("tight")).toEqual([2]);
    expect(witnesses("sufficient")).toEqual([0]);
    expect(witnesses("late start")).toEqual([]);
  });

  it("and what stands in one regime says nothing of another", () => {
    const lie = { worker: 0, price: 1, arrival: 2 };
    const nothing = claimed("joint", 0, { lie, regime: "late start" });
    expect(verdictOn(market, [{ ...largest! }, nothing])).toMatchObject({
      verdict: "breaks",
      byRegime: { [largest!.regime]: "breaks", "late start": "none found" },
    });
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

describe("what there is nothing to ask about", () => {
  it("a verdict without witnesses stays as it is: P3 is never decided, on no worker either", () => {
    expect(certifiedOf({ rules: rulesOf({}), workers: [] }, "P3").verdict).toBe("not proved");
  });

  it("a witness against a mechanism without exact form stays, and is neither certified nor refuted", () => {
    const market = { rules: rulesOf({}), workers: [worker(0, 1, 1, 1)] };
    const mechanism = withoutText(bidGreedy);
    const witness = claimed("P5", 0, { lie: { worker: 0, price: 2, arrival: 1 } });
    expect(verdictOn(market, [witness], mechanism).witnesses).toEqual([{ ...witness, certified: null }]);
    expect(certified(market, witness, mechanism)).toEqual({ ...witness, certified: null });
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
