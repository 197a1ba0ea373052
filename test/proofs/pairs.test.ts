/** Proofs about two workers who lie together: worst cases worked out by hand, that no market exceeds and witnesses show. */

import { describe, expect, it } from "vitest";
import { runAuction } from "../../src/auction/mechanism.js";
import { commonRegime, regimesIn } from "../../src/auction/outcome.js";
import { exactly, fraction, parseFraction } from "../../src/lib/fraction.js";
import { stream } from "../../src/lib/random.js";
import { type Market, paperRules } from "../../src/market/market.js";
import { mechanismNamed, mechanisms } from "../../src/mechanisms/index.js";
import { inNumbers } from "../../src/proofs/find-witness.js";
import { type ProvedClaim, prove } from "../../src/proofs/prove.js";
import { coalitionResponses } from "../../src/responses/coalition.js";

const proved = (name: string, workers = 2): ProvedClaim[] =>
  prove(
    {
      ...{ ...paperRules, rounds: 2, firstRoundRatio: exactly(paperRules.firstRoundRatio) },
      mechanism: mechanismNamed(name),
      reputations: Array.from({ length: workers }, () => fraction(1)),
    },
    ["pair"],
  );

const verdicts = (claims: readonly ProvedClaim[]) =>
  Object.fromEntries(
    claims
      .filter(({ cells }) => cells > 0)
      .map(({ regime, start, worst }) => [`${regime}, start ${start}`, worst]),
  );

const names = Object.keys(mechanisms);

it("settles a claim per regime and start, in the cells of costs and both prices", () => {
  const claims = proved("online");
  expect(new Set(claims.map(({ property }) => property))).toEqual(new Set(["pair"]));
  expect(claims).toHaveLength(8);
  expect(verdicts(claims)).toEqual({
    "sufficient, start kept": "7/80",
    "sufficient, start moved": "7/40",
    "tight, start kept": "0",
    "tight, start moved": "0",
    "late start, start kept": "7/80",
    "late start, start moved": "0",
    "late and tight, start kept": "0",
    "late and tight, start moved": "3/20",
  });
});

it("[M5] the 7/80 by hand: who would share the first step asks more, and its partner is paid twice the price", () => {
  // B1 = 0.35 buys 2 rounds. With the truth both are taken at ρ* = 0.35 / (2 · 2); if worker 1 asks 0.175, worker 0 is alone
  // at ρ* = 0.175. In round 2 both are worth the threshold 0.25 either way, so that only the first round's price differs.
  const rules = { ...paperRules, budget: 1, rounds: 2 };
  const workers = [0, 0.0875].map((cost, id) => ({ id, reputation: 1, cost, arrival: 1 }));
  const [pair] = coalitionResponses({ rules, workers }).pairs;
  expect(pair!.gain).toBeCloseTo(7 / 80, 12);
});

it("proves that no pair gains where offers are posted and money lasts, and where costs are known", () => {
  for (const name of ["fixed-threshold", "learned-price", "posted-rounds"])
    expect(verdicts(proved(name))["sufficient, start kept"], name).toBe("0");
  expect(new Set(Object.values(verdicts(proved("approximate-optimal"))))).toEqual(new Set(["0"]));
});

it("pay-your-bid rules: one of two takes the whole budget, at no cost", () => {
  for (const name of ["vanilla", "bid-greedy"])
    expect(Object.values(verdicts(proved(name))), name).toEqual(["1", "1"]);
});

describe.each(names)("%s", (name) => {
  const mechanism = mechanismNamed(name);
  const claims = proved(name);
  const regimeOf = (market: Market) =>
    commonRegime(
      regimesIn(runAuction(mechanism, market)),
      market.workers.map(({ id }) => id),
    );

  it("the witness of a broken claim is of its regime, and the exact best joint lie gains no less in it", () => {
    for (const { witness, worst, attained, regime } of claims) {
      if (witness === null) continue;
      const { gain, share } = witness;
      const { market, bid, partner } = inNumbers(witness)!;
      expect(regimeOf(market)).toBe(regime);
      expect([bid!.worker, partner!.worker]).toEqual([0, 1]);
      if (attained && name !== "learned-price") expect(share).toBe(worst);
      const [pair] = coalitionResponses(market, { mechanism }).pairs;
      expect(pair!.gain).toBeGreaterThanOrEqual(parseFraction(gain).valueOf() - 1e-9);
    }
  });

  it("no drawn market gains a larger share of its budget than the worst case of its regime", () => {
    const random = stream(name);
    for (let k = 0; k < 40; k++) {
      const tie = random.next() < 0.5;
      const cost = () => (tie ? Math.floor(random.next() * 9) / 16 : random.next() / 2);
      const workers = [0, 1].map((id) => ({
        ...{ id, reputation: 1, cost: cost() },
        arrival: 1 + Math.floor(random.next() * 2),
      }));
      const market = { rules: { ...paperRules, budget: 1, rounds: 2 }, workers };
      const [pair] = coalitionResponses(market, { mechanism }).pairs;
      const bounds = claims.filter(({ regime }) => regime === regimeOf(market));
      const most = Math.max(
        ...bounds.map(({ worst }) => (worst === "unbounded" ? Infinity : parseFraction(worst).valueOf())),
      );
      expect(pair!.gain, JSON.stringify(market)).toBeLessThanOrEqual(most + 1e-9);
    }
  });
});
