import * as fc from "fast-check";
import { expect, it } from "vitest";
import { runAuction } from "../../src/auction/mechanism.js";
import { allotmentOf, workerUtility } from "../../src/auction/outcome.js";
import { stream } from "../../src/lib/random.js";
import { drawMarkets } from "../../src/market/draw.js";
import { paperRules } from "../../src/market/market.js";
import { mechanismNamed } from "../../src/mechanisms/index.js";
import {
  bestPoint,
  type DesignPoint,
  frontierOf,
  isAdmissible,
  measuring,
  nearBest,
} from "../../src/verdicts/design.js";

const rules = { ...paperRules, budget: 12, rounds: 5 };
const markets = [...drawMarkets({ rules, workers: 10 }, 12, stream("design"))];
const online = mechanismNamed("online");
const measure = measuring({ reference: online, markets, lieMarkets: 12 });

it("a mechanism relative to itself gives 1 of everything, with no spread", () => {
  const { relative } = measure("itself", online);
  for (const { mean, low, high, n } of Object.values(relative)) {
    expect(mean).toBeCloseTo(1, 12);
    expect(low).toBeCloseTo(1, 12);
    expect(high).toBeCloseTo(1, 12);
    expect(n).toBe(12);
  }
});

it("measures are ratios of means over markets, [M12]", () => {
  const half = mechanismNamed("fixed-threshold:density=0.6");
  const means = [half, online].map((mechanism) => {
    const paid = markets.map((market) =>
      runAuction(mechanism, market).workers.reduce((sum, { payment }) => sum + payment, 0),
    );
    return paid.reduce((a, b) => a + b, 0);
  });
  expect(measure(0.6, half).relative.spent.mean).toBeCloseTo(means[0]! / means[1]!, 12);
});

it("the lie that rules a value out replays with its gain, and no later market is looked at", () => {
  const greedy = mechanismNamed("bid-greedy");
  const { lies } = measure("bid-greedy", greedy);
  const { market: place, bid, gain } = lies.largest!;
  const market = markets[place]!;
  const worker = market.workers.find(({ id }) => id === bid.worker)!;
  const utility = (bids: readonly (typeof bid)[]) =>
    workerUtility(worker, allotmentOf(runAuction(greedy, market, bids), bid.worker));
  expect(utility([bid]) - utility([])).toBeCloseTo(gain, 6);
  expect(gain).toBeGreaterThan(0);
  expect(lies.markets).toBe(place + 1);
  expect(isAdmissible(measure("bid-greedy", greedy))).toBe(false);
});

it("a value is admissible only where lies were looked for", () => {
  const unasked = measuring({ reference: online, markets, lieMarkets: 0 });
  expect(isAdmissible(unasked("itself", mechanismNamed("posted-rounds")))).toBe(false);
  expect(isAdmissible(measure("itself", mechanismNamed("posted-rounds")))).toBe(true);
});

const estimate = (mean: number) => ({ mean, low: mean, high: mean, n: 9 });
const pointArbitrary = fc
  .record({
    utility: fc.integer({ min: 1, max: 6 }),
    unit: fc.integer({ min: 1, max: 6 }),
    gainers: fc.nat(1),
  })
  .map(
    ({ utility, unit, gainers }): DesignPoint<number> => ({
      value: 0,
      mechanism: "any",
      relative: {
        utility: estimate(utility),
        utilityPerUnitPaid: estimate(unit),
        spent: estimate(utility / unit),
      },
      lies: { exact: true, markets: 1, workers: 1, gainers, largest: null },
    }),
  );

it("the frontier holds admissible points only, none of them beaten, and beats or equals all others", () => {
  fc.assert(
    fc.property(fc.array(pointArbitrary, { maxLength: 12 }), (points) => {
      const frontier = frontierOf(points);
      const of = ({ relative }: DesignPoint<number>) => [
        relative.utility.mean,
        relative.utilityPerUnitPaid.mean,
      ];
      const atLeast = (one: DesignPoint<number>, other: DesignPoint<number>) =>
        of(one).every((value, k) => value >= of(other)[k]!);
      for (const point of points.filter(isAdmissible))
        expect(frontier.some((other) => atLeast(other, point))).toBe(true);
      for (const point of frontier) {
        expect(isAdmissible(point)).toBe(true);
        for (const other of points.filter(isAdmissible))
          if (atLeast(other, point)) expect(of(other)).toEqual(of(point));
      }
    }),
  );
});

it("the best point has most of the goal among those that meet every demand", () => {
  fc.assert(
    fc.property(
      fc.array(pointArbitrary, { maxLength: 12 }),
      fc.integer({ min: 1, max: 6 }),
      (points, least) => {
        const demands = [{ measure: "utility", atLeast: least }] as const;
        const best = bestPoint(points, "utilityPerUnitPaid", demands);
        const fit = points.filter((point) => isAdmissible(point) && point.relative.utility.mean >= least);
        expect(best?.relative.utilityPerUnitPaid.mean ?? null).toBe(
          fit.length === 0 ? null : Math.max(...fit.map(({ relative }) => relative.utilityPerUnitPaid.mean)),
        );
        if (best) expect(fit).toContain(best);
      },
    ),
  );
});

it("new values lie half-way between the best and its neighbours", () => {
  expect(nearBest([0, 1, 0.5], 0.5)).toEqual([0.25, 0.75]);
  expect(nearBest([0, 1, 0.5], 1)).toEqual([0.75]);
  expect(nearBest([1], 1)).toEqual([]);
});
