/** The paper read in every way ([M5], [M6], [M11]): one auction in program, engine, exact search, and in what is said of lies. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exactOutcome } from "../../src/auction/exact.js";
import { runAuction } from "../../src/auction/mechanism.js";
import { regimesIn } from "../../src/auction/outcome.js";
import { toNumber } from "../../src/lib/fraction.js";
import { marketArbitrary } from "../../src/market/generators.js";
import { bidders, delays, firstSteps, type Market, paperRules, workerOf } from "../../src/market/market.js";
import { parseMarket } from "../../src/market/parse.js";
import { mechanismNamed } from "../../src/mechanisms/index.js";
import { online } from "../../src/mechanisms/online/online.js";
import { onlineResponses } from "../../src/mechanisms/online/solver.js";
import { coalitionResponses } from "../../src/responses/coalition.js";
import { bestResponses, pieceResponses } from "../../src/responses/index.js";
import { explain } from "../../src/verdicts/explain.js";
import { numbered, readingVectors } from "../golden.js";
import { tiedMarkets } from "../tied-markets.js";

const readings = firstSteps.flatMap((firstStep) => delays.map((delay) => ({ firstStep, delay })));

const under = (market: Market, rules: Partial<Market["rules"]>): Market => ({
  ...market,
  rules: { ...market.rules, ...rules },
});

const markets = fc.oneof(
  marketArbitrary({ numbers: "coarse", maxWorkers: 7, maxRounds: 5 }),
  marketArbitrary({ numbers: "generic", maxWorkers: 7, maxRounds: 5 }),
  tiedMarkets(),
);
const inAnyReading = fc
  .tuple(markets, fc.constantFrom(...readings))
  .map(([market, rules]) => under(market, rules));

it.each(numbered(readingVectors))(
  "[M5] [M6] the exact search starts from the truth of reading vector %i",
  (_, vector) => {
    const { market, expect: expected } = vector;
    for (const { id, truthful } of onlineResponses(market).workers) {
      const { selectedAt, payment } = expected.workers.find((worker) => worker.id === id)!;
      const rounds = selectedAt === null ? 0 : market.rules.rounds - selectedAt + 1;
      expect(truthful).toBeCloseTo(payment - rounds * workerOf(market, id).cost, 8);
    }
  },
);

it("[M5] [M6] the structural search finds what the program's price lines find", () => {
  // The same program under another identity, for which no structure is known.
  const plain = { ...online };
  fc.assert(
    fc.property(inAnyReading, (market) => {
      const found = onlineResponses(market).workers;
      const near = 1e-9 * Math.max(1, market.rules.budget);
      for (const [k, other] of pieceResponses(market, plain)!.workers.entries()) {
        for (const gain of ["truthful", "gain", "priceGain", "timeGain"] as const)
          expect(Math.abs(found[k]![gain] - other[gain])).toBeLessThanOrEqual(near);
        expect(found[k]!.regime).toBe(other.regime);
      }
    }),
    { numRuns: 300, seed: 3 },
  );
});

it("[M5] [M6] joint lies gain the same with the bound as without", () => {
  const plain = { ...online };
  const small = fc
    .tuple(marketArbitrary({ maxWorkers: 4, maxRounds: 3 }), fc.constantFrom(...readings))
    .map(([market, rules]) => under(market, rules));
  fc.assert(
    fc.property(small, (market) => {
      const [bounded, all] = [online, plain].map((mechanism) => coalitionResponses(market, { mechanism }));
      for (const [k, { gain }] of bounded!.pairs.entries())
        expect(Math.abs(gain - all!.pairs[k]!.gain)).toBeLessThanOrEqual(
          1e-9 * Math.max(1, market.rules.budget),
        );
    }),
    { numRuns: 60, seed: 4 },
  );
});

it("[M6] where the start is on time, every delay is the same auction", () => {
  let [onTime, late] = [0, 0];
  fc.assert(
    fc.property(markets, fc.constantFrom(...firstSteps), (market, firstStep) => {
      const [postponed, ...others] = delays.map((delay) =>
        runAuction(online, under(market, { firstStep, delay })),
      );
      if (postponed!.startDelay !== 0) {
        late++;
        return;
      }
      onTime++;
      for (const other of others) expect(other).toEqual(postponed);
    }),
    { numRuns: 500, seed: 5 },
  );
  expect(Math.min(onTime, late)).toBeGreaterThan(50);
});

it("[M5] [M6] the defaults are the algorithm and a start that is postponed, left out, written, or set as options", () => {
  const [written, options] = ["", "firstStep=algorithm,delay=postpone"].map((settings) =>
    mechanismNamed(settings === "" ? "online" : `online:${settings}`),
  );
  fc.assert(
    fc.property(markets, (market) => {
      const { firstStep: _, delay: __, ...rules } = market.rules;
      const read = parseMarket(JSON.stringify({ ...market, rules }), "m.json");
      expect(read.rules).toEqual({ ...rules, firstStep: paperRules.firstStep, delay: paperRules.delay });
      const outcome = runAuction(written!, market);
      expect(runAuction(written!, read)).toEqual(outcome);
      expect(runAuction(options!, read)).toEqual(outcome);
    }),
    { numRuns: 100, seed: 6 },
  );
});

describe("an option of the mechanism", () => {
  const text = (rules: object) =>
    JSON.stringify({
      rules: { budget: 6, rounds: 3, minWorkers: 2, ...rules },
      workers: [1, 2, 2].map((arrival, id) => ({ id, reputation: 1, cost: 0.2, arrival })),
    });
  const read = (rules: object) => parseMarket(text(rules), "m.json");

  it("[M6] fills in what the market leaves out", () => {
    const delays = ["postpone", "shorten", "concentrate"].map((delay) => {
      const outcome = runAuction(mechanismNamed(`online:delay=${delay}`), read({}));
      expect(outcome).toEqual(runAuction(online, read({ delay })));
      return JSON.stringify(outcome);
    });
    expect(new Set(delays).size).toBe(3);
  });

  it("may say what the market says, and nothing else", () => {
    const shorten = mechanismNamed("online:delay=shorten");
    expect(runAuction(shorten, read({ delay: "shorten" })).started).toBe(true);
    for (const ask of [
      runAuction,
      (mechanism: typeof shorten, market: Market) => bestResponses(market, { mechanism }),
    ])
      expect(() => ask(shorten, read({ delay: "postpone" }))).toThrow(
        'm.json: rules.delay: must be "shorten", as the mechanism\'s option delay=shorten says, or left out, got "postpone"',
      );
    expect(() =>
      runAuction(mechanismNamed("online:firstStep=prose"), read({ firstStep: "algorithm" })),
    ).toThrow('m.json: rules.firstStep: must be "prose"');
  });
});

it("regimes partition: of every worker one, by the start and by what money did to itself, in numbers and fractions", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(inAnyReading, (market) => {
      const outcome = runAuction(online, market);
      const twin = exactOutcome(online, market.rules, bidders(market.workers));
      fc.pre(twin.narrowestGap > 1e-9);
      for (const { id, regime } of onlineResponses(market).workers) {
        const late = outcome.startDelay !== 0;
        const money = !outcome.started || outcome.budgetEvents.some(({ worker }) => worker === id);
        const expected = late ? (money ? "late and tight" : "late start") : money ? "tight" : "sufficient";
        expect([regime, regimesIn(outcome)(id), regimesIn(twin)(id)]).toEqual([expected, expected, expected]);
        seen.add(regime);
      }
    }),
    { numRuns: 400, seed: 7 },
  );
  expect(seen.size).toBe(4);
});

it("[M12] what an explanation says of a lie adds up to its gain, and blames the budget only where money decided", () => {
  fc.assert(
    fc.property(inAnyReading, fc.nat(), (market, pick) => {
      fc.pre(market.workers.length > 0);
      const { id } = market.workers[pick % market.workers.length]!;
      const lie = { worker: id, price: 0, arrival: workerOf(market, id).arrival };
      const explained = explain(market, lie);
      const { rounds, price, budget, start } = explained.causes!;
      const near = 1e-9 * Math.max(1, market.rules.budget);
      expect(Math.abs(rounds + price + budget + start - explained.gain)).toBeLessThanOrEqual(near);
      const events = [[], [lie]].flatMap((bids) => runAuction(online, market, bids).budgetEvents);
      if (events.length === 0) expect(Math.abs(budget)).toBeLessThanOrEqual(near);
    }),
    { numRuns: 300, seed: 8 },
  );
});

it("[M5] by the prose who is taken asks no more than it is paid: no truthful worker loses, and the budget of the step is kept", () => {
  fc.assert(
    fc.property(markets, fc.constantFrom(...delays), (market, delay) => {
      const prose = under(market, { firstStep: "prose", delay });
      const twin = exactOutcome(online, prose.rules, bidders(prose.workers));
      for (const { id, payment, rounds } of twin.workers)
        if (rounds > 0 && market.rules.reading === "prose")
          expect(toNumber(payment)).toBeGreaterThanOrEqual(rounds * workerOf(market, id).cost * (1 - 1e-9));
    }),
    { numRuns: 200, seed: 9 },
  );
});
