import { describe, expect, it } from "vitest";
import { runAuction } from "../../../src/auction/mechanism.js";
import { allotmentOf, regimes, workerUtility } from "../../../src/auction/outcome.js";
import { stream } from "../../../src/lib/random.js";
import { drawFrom, marketsIn } from "../../../src/market/generators.js";
import type { Bid, Market } from "../../../src/market/market.js";
import { paperRules, workerOf } from "../../../src/market/market.js";
import { mechanismNamed } from "../../../src/mechanisms/index.js";
import { bestResponses } from "../../../src/responses/index.js";
import { hunt } from "../../../src/verdicts/counterexamples/search.js";
import {
  confirm,
  type Target,
  type Violation,
  violations,
  violationText,
} from "../../../src/verdicts/counterexamples/violations.js";

const online = mechanismNamed("online");
const target: Target = { property: "pair", regime: "tight", start: "any", mechanism: online };

/** By hand, [M5]: worker 2 is the first loser and sets the density by which worker 0 is paid for both rounds. */
const market: Market = {
  rules: { budget: 2, rounds: 2, ...paperRules },
  workers: [
    { id: 0, reputation: 1, cost: 0, arrival: 1 },
    { id: 1, reputation: 1, cost: 1, arrival: 1 },
    { id: 2, reputation: 1, cost: 0.1, arrival: 1 },
  ],
};

const gainOf = ({ lie, partner }: Violation, of: Market): number => {
  const bids = [lie!, partner!];
  const sum = (said: readonly Bid[]) => {
    const outcome = runAuction(online, of, said);
    return bids.reduce(
      (total, { worker }) => total + workerUtility(workerOf(of, worker), allotmentOf(outcome, worker)),
      0,
    );
  };
  return sum(bids) - sum([]);
};

describe("a pair that gains though neither could alone", () => {
  const [found] = violations(market, target);

  it("is found with both bids, which replay with their gain", () => {
    expect([found!.lie!.worker, found!.partner!.worker].sort()).toEqual([0, 2]);
    expect(gainOf(found!, market)).toBeCloseTo(found!.amount, 6);
    const { workers } = bestResponses(market);
    for (const id of [0, 2]) expect(workers.find((one) => one.id === id)!.gain).toBe(0);
  });

  it("is confirmed in exact fractions, and not with bids that gain nothing or in another regime", () => {
    expect(confirm(online, market, found!)).toBe(true);
    const truth = {
      ...found!,
      lie: { worker: 0, price: 0, arrival: 1 },
      partner: { worker: 2, price: 0.1, arrival: 1 },
    };
    expect(confirm(online, market, truth)).toBe(false);
    expect(confirm(online, market, { ...found!, regime: "sufficient" })).toBe(false);
    expect(confirm(online, market, { ...found!, startMoved: true })).toBe(false);
  });

  it("is told with who bids what", () => {
    expect(violationText(found!, market)).toMatch(
      /^workers \d and \d gain [\d.]+ together, neither alone: \d (bidding|telling).*, \d (bidding|telling)/,
    );
  });

  it("keeps the named worker in it, and is none of another regime", () => {
    for (const { lie } of violations(market, target, 2)) expect(lie!.worker).toBe(2);
    expect(violations(market, target, 1)).toEqual([]);
    expect(violations(market, { ...target, regime: "late start" })).toEqual([]);
  });

  it("is never one of whom somebody could gain alone", () => {
    const drawn = drawFrom(marketsIn({ readings: ["prose"], maxRatio: 0.5, mostWorkers: 4 }), 40, stream(3));
    const pairs = [...drawn].flatMap((one) =>
      regimes.flatMap((regime) => violations(one, { ...target, regime }).map((pair) => ({ one, pair }))),
    );
    expect(pairs.length).toBeGreaterThan(3);
    for (const { one, pair } of pairs)
      for (const { worker } of [pair.lie!, pair.partner!])
        expect(bestResponses(one, { workers: [worker] }).workers[0]!.gain).toBe(0);
  });

  it("is searched for in small markets and shrunk; what is found is certified", async () => {
    const { found: first, smallest } = await hunt({
      ...{ target, seed: 1, markets: 60, mostWorkers: 5 },
    });
    expect(first!.market.workers.length).toBeLessThanOrEqual(5);
    expect(smallest!.certified).toBe(true);
    expect(smallest!.market.workers.length).toBeLessThanOrEqual(3);
    expect(gainOf(smallest!.violation, smallest!.market)).toBeCloseTo(smallest!.violation.amount, 6);
  });
});
