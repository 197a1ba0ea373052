import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exactOutcome } from "../../src/auction/exact.js";
import { type AnyMechanism, runAuction } from "../../src/auction/mechanism.js";
import { regimes } from "../../src/auction/outcome.js";
import { toNumber } from "../../src/lib/fraction.js";
import { marketArbitrary } from "../../src/market/generators.js";
import { bidders, type Market } from "../../src/market/market.js";
import { bidGreedy } from "../../src/mechanisms/bid-greedy.js";
import { mechanisms } from "../../src/mechanisms/index.js";
import { online } from "../../src/mechanisms/online/online.js";
import { bestResponses, pieceResponses, pieces, searchResponses } from "../../src/responses/index.js";
import { certifiedVerdict } from "../../src/verdicts/certify.js";
import { huntedProperties, violations } from "../../src/verdicts/counterexamples/violations.js";
import { explain } from "../../src/verdicts/explain.js";
import { audit } from "../../src/verdicts/myerson.js";
import { check } from "../../src/verdicts/properties.js";
import { tiedMarkets } from "../tied-markets.js";

/** The decimal k places further: 0.3 becomes 3e-10, as it reads. */
const shifted = (amount: number, power: number): number => {
  const [digits, exponent = "0"] = String(amount).split("e");
  return Number(`${digits}e${Number(exponent) + power}`);
};

const scaled = ({ rules, workers }: Market, power: number): Market => ({
  rules: { ...rules, budget: shifted(rules.budget, power) },
  workers: workers.map((worker) => ({ ...worker, cost: shifted(worker.cost, power) })),
});

/** What is not measured in money, and stays. */
const COUNTS = new Set([
  "id",
  "worker",
  "round",
  "clock",
  "rounds",
  "arrival",
  "selectedAt",
  "startDelay",
  "evaluations",
  "decisions",
  "reputation",
  "minWorkers",
  "roundsBought",
  "roundsBelow",
  "roundsAbove",
  "pool",
  "taken",
  "group",
]);

/** The same result, its amounts multiplied; they may differ by rounding only, which the budget measures. */
function expectScaled(large: unknown, small: unknown, factor: number, noise: number, path = ""): void {
  const field = path.split(".").findLast((step) => !/^\d+$/.test(step)) ?? "";
  const isMoney = !COUNTS.has(field) || path.includes(".causes.");
  if (typeof small === "number" && typeof large === "number" && isMoney) {
    if (small === large / factor) return;
    expect(Math.abs(large / factor - small), path).toBeLessThanOrEqual(noise);
  } else if (typeof small === "object" && small !== null) {
    expect(Object.keys(large as object), path).toEqual(Object.keys(small));
    for (const [key, value] of Object.entries(small))
      expectScaled((large as Record<string, unknown>)[key], value, factor, noise, `${path}.${key}`);
  } else expect(large, path).toEqual(small);
}

const decimals = fc.oneof(
  tiedMarkets(),
  marketArbitrary({ minWorkers: 1, maxWorkers: 5, maxRounds: 4, numbers: "coarse", maxRatio: 1 }),
);

const powers = fc.integer({ min: -9, max: 9 });

/** A result of a market and of the market at another scale, where the budget stays between 1e-9 and 1e9. */
function holdsAtEveryScale(resultOf: (market: Market) => unknown, numRuns: number, share = 1e-9): void {
  fc.assert(
    fc.property(decimals, powers, (market, power) => {
      const { budget } = market.rules;
      fc.pre(shifted(budget, power) >= 1e-9 && shifted(budget, power) <= 1e9);
      const noise = share * Math.max(budget, ...market.workers.map(({ cost }) => cost));
      expectScaled(resultOf(scaled(market, power)), resultOf(market), 10 ** power, noise);
    }),
    { numRuns },
  );
}

const byName = Object.values(mechanisms).map((mechanism): [string, AnyMechanism] => [
  mechanism.name,
  mechanism,
]);

/** These have prices of their own, or weigh reputation against prices, whatever the others' scale. */
const unscaled = [
  "fixed-threshold",
  "learned-price",
  "posted-price",
  "fmore-first-score",
  "fmore-second-score",
];
const scaling = byName.filter(([name]) => !unscaled.includes(name));

describe("results scale with prices and budget, from 1e-9 to 1e9", () => {
  it.each(scaling)("run: %s", (_, mechanism) => {
    holdsAtEveryScale((market) => runAuction(mechanism, market), 300);
  });

  it("the rational twin", () => {
    const amount = (value: unknown) =>
      typeof value === "object" && value !== null && "d" in value ? toNumber(value as never) : value;
    holdsAtEveryScale(({ rules, workers }) => {
      const { narrowestGap, ...outcome } = exactOutcome(online, rules, bidders(workers));
      return JSON.parse(JSON.stringify(outcome, (_, value) => amount(value)));
    }, 200);
  });

  it("best-response, and the utility at every price", () => {
    holdsAtEveryScale((market) => bestResponses(market), 1500);
    holdsAtEveryScale((market) => market.workers.map(({ id }) => pieces(market, id)), 300);
  });

  it("best responses from pieces and by search", () => {
    const gains = ({ workers }: ReturnType<typeof bestResponses>) =>
      workers.map(({ truthful, gain, priceGain, timeGain, regime }) => [
        { truthful, gain, priceGain, timeGain, regime },
      ]);
    holdsAtEveryScale((market) => gains(pieceResponses(market, online)), 25, 1e-6);
    holdsAtEveryScale((market) => gains(searchResponses(market, { mechanism: bidGreedy })), 25, 1e-6);
  });

  it("check: verdicts, witnesses, certificates and Myerson's audit", () => {
    holdsAtEveryScale(
      (market) =>
        check(market).map((verdict) => {
          const certified = certifiedVerdict(market, verdict, online);
          // A fraction is text: its decimal is compared as the lie's price.
          return { ...certified, witnesses: certified.witnesses.map(({ exactPrice, ...rest }) => rest) };
        }),
      200,
    );
    holdsAtEveryScale((market) => market.workers.map(({ id }) => audit(market, id)), 300);
  });

  it("explain: kinds and causes of the best lies", () => {
    holdsAtEveryScale(
      (market) =>
        bestResponses(market).workers.map(({ id, best }) => {
          const { difference, ...rest } = explain(market, {
            worker: id,
            price: best.price,
            arrival: best.arrival,
          });
          return { ...rest, clock: difference?.clock ?? null };
        }),
      400,
    );
  });

  it("hunt: what breaks in a market", () => {
    holdsAtEveryScale(
      (market) =>
        huntedProperties.map((property) =>
          regimes.map((regime) => violations(market, { property, regime, start: "any", mechanism: online })),
        ),
      150,
    );
  });
});
