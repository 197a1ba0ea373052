/** The steps of a hunt, on mechanisms that overspend in markets that are known beforehand. */

import { describe, expect, it } from "vitest";
import type { Mechanism } from "../../../src/auction/mechanism.js";
import { stream } from "../../../src/lib/random.js";
import { drawFrom, type MarketRange, marketsIn } from "../../../src/market/generators.js";
import { type Market, paperRules, type Rules } from "../../../src/market/market.js";
import {
  budgetShare,
  type HuntOptions,
  type HuntProgress,
  hunt,
} from "../../../src/verdicts/counterexamples/search.js";
import type { Target } from "../../../src/verdicts/counterexamples/violations.js";

/** A mechanism that overspends by this share of the budget. */
const overspending = (share: (rules: Rules, workers: number) => number): Mechanism => ({
  name: "overspending",
  about: "Pays one worker the budget and more.",
  decide: (rules, bids) => ({
    started: true,
    startDelay: 0,
    workers: bids.map(({ id }, k) => ({
      id,
      selectedAt: 1,
      rounds: 0,
      payment: k === 0 ? rules.budget * (1 + share(rules, bids.length)) : 0,
    })),
    thresholds: [],
    budgetEvents: [],
  }),
});

const where = (holds: (rules: Rules, workers: number) => boolean): Mechanism =>
  overspending((rules, workers) => (holds(rules, workers) ? 1 : 0));

const nowhere = where(() => false);

const huntFor = (mechanism: Mechanism, options: Partial<HuntOptions> = {}, about: Partial<Target> = {}) =>
  hunt({
    target: { property: "P2", regime: "sufficient", start: "any", mechanism, ...about },
    seed: 1,
    markets: 60,
    ...options,
  });

const sizeOf = ({ market }: { market: Market }) => [market.workers.length, market.rules.rounds];

/** Of so many workers and rounds. */
const marketOf = (workers: number, rounds: number, rules: Partial<Rules> = {}): Market => ({
  rules: { budget: 3.25, rounds, ...paperRules, ...rules },
  workers: Array.from({ length: workers }, (_, id) => ({ id, reputation: 1, cost: 0.5, arrival: 1 })),
});

const drawn = (
  count: number,
  range: MarketRange = { readings: ["prose", "pseudocode"], maxRatio: 0.5 },
): Market[] => [...drawFrom(marketsIn(range), count, stream(1))];

/** How many workers count: reputation 0 is never selected ([M1]). */
const trusted = ({ workers }: Market) => workers.filter(({ reputation }) => reputation > 0).length;

describe("what a hunt says it has seen", () => {
  it("is what it has drawn: markets, those with a worker of the regime, and workers", async () => {
    const { found, smallest, strong, searched, shareBound, stopped } = await huntFor(nowhere);
    const workers = drawn(60).reduce((sum, market) => sum + market.workers.length, 0);
    expect([found, smallest, strong, stopped]).toEqual([null, null, null, false]);
    expect(searched).toEqual({
      known: 0,
      markets: 60,
      byRegime: {
        sufficient: { markets: 60, workers },
        tight: { markets: 0, workers: 0 },
        "late start": { markets: 0, workers: 0 },
        "late and tight": { markets: 0, workers: 0 },
      },
      unconfirmed: 0,
      evaluations: 0,
      smaller: 0,
    });
    expect(shareBound).toBe(3 / 60);
  });

  it("bounds no regime that nobody was in, and nothing where something was found", async () => {
    expect((await huntFor(nowhere, {}, { regime: "tight" })).shareBound).toBeNull();
    expect((await huntFor(where(() => true))).shareBound).toBeNull();
  });

  it("is the first market drawn that breaks the property, drawn from the range that was asked for", async () => {
    const many = (_: Rules, workers: number) => workers >= 6;
    const range = { readings: ["pseudocode"] as const, maxRatio: 0.2 };
    for (const [options, markets] of [
      [{}, drawn(60)],
      [range, drawn(60, range)],
    ] as const) {
      const { found, searched } = await huntFor(where(many), options);
      const first = markets.findIndex((market) => trusted(market) >= 6);
      expect(found).toMatchObject({ market: markets[first], origin: "drawn", certified: false });
      expect(searched.markets).toBe(first + 1);
    }
  });
});

describe("what is known", () => {
  const tooFew = marketOf(1, 1);
  const large = marketOf(3, 2);
  const many = where((_, workers) => workers >= 2);

  it("is all tried, and found instead of drawing", async () => {
    const { found, searched } = await huntFor(many, { known: [tooFew, large, tooFew] });
    expect(found).toMatchObject({ market: large, origin: "known" });
    expect(searched).toMatchObject({ known: 3, markets: 0 });
  });

  it("is not taken from outside the range", async () => {
    const wild = [marketOf(3, 2, { firstRoundRatio: 0.9 }), marketOf(3, 2, { reading: "pseudocode" })];
    const { found } = await huntFor(many, { known: wild, readings: ["prose"], markets: 0 });
    expect(found).toBeNull();
  });
});

describe("the smallest", () => {
  it.each<[string, Mechanism, number[], number]>([
    ["one size is below two workers and one round", where((_, workers) => workers >= 2), [2, 1], 1],
    ["two are below two workers and two rounds", where(({ rounds }, w) => w >= 2 && rounds >= 2), [2, 2], 2],
    ["one is below one worker and two rounds", where(({ rounds }) => rounds >= 2), [1, 2], 1],
    ["none is below one worker and one round", where(() => true), [1, 1], 0],
  ])("is looked for in every size below it: %s", async (_, mechanism, size, sizes) => {
    const { smallest, searched } = await huntFor(mechanism, { known: [marketOf(4, 3)] });
    expect(sizeOf(smallest!)).toEqual(size);
    expect(smallest!.minimal).toBe(true);
    expect(searched.smaller).toBe(60 * sizes);
  });

  it("may have fewer workers and more rounds than what steps lead to", async () => {
    const either = where(({ rounds }, workers) => workers >= 3 || rounds >= 4);
    const { smallest } = await huntFor(either, { known: [marketOf(3, 1)] });
    expect(sizeOf(smallest!)).toEqual([1, 4]);
    const more = where(({ rounds }, workers) => workers >= 3 || (workers === 1 && rounds >= 6));
    expect(sizeOf((await huntFor(more, { known: [marketOf(3, 1)] })).smallest!)).toEqual([3, 1]);
    const equal = where(({ rounds }, workers) => rounds >= 6 && (workers >= 3 || workers === 1));
    expect(sizeOf((await huntFor(equal, { known: [marketOf(3, 6)] })).smallest!)).toEqual([1, 6]);
  });

  it("is shrunk from the smallest that is known, not from the strongest", async () => {
    // No step leads from four workers to one.
    const apart = overspending((_, workers) => (workers === 4 ? 1 : workers === 1 ? 0.5 : 0));
    const { found, smallest } = await huntFor(apart, { known: [marketOf(4, 1), marketOf(1, 2)], markets: 0 });
    expect([sizeOf(found!), sizeOf(smallest!)]).toEqual([
      [4, 1],
      [1, 1],
    ]);
  });
});

describe("the strong one", () => {
  const byRounds = overspending(({ rounds }) => rounds / 10);

  it("keeps at least 80 % of the share that was found, and the smallest anything", async () => {
    const { found, smallest, strong } = await huntFor(byRounds, { known: [marketOf(2, 10)] });
    expect([found, strong, smallest].map((one) => sizeOf(one!))).toEqual([
      [2, 10],
      [1, 8],
      [1, 1],
    ]);
    expect([strong!.minimal, smallest!.minimal]).toEqual([true, true]);
    expect(budgetShare(found!)).toBeCloseTo(1, 12);
    expect(budgetShare({ ...found!, market: marketOf(2, 10, { budget: 6.5 }) })).toBeCloseTo(0.5, 12);
  });

  it("is the smallest itself where that keeps as much", async () => {
    const { smallest, strong } = await huntFor(
      where(() => true),
      { known: [marketOf(2, 3)] },
    );
    expect(strong).toEqual(smallest);
  });

  it("is of the strongest that is known, as a share of the budget", async () => {
    const known = [marketOf(1, 2, { budget: 9 }), marketOf(1, 5), marketOf(1, 3)];
    const { found } = await huntFor(byRounds, { known });
    expect(found!.market.rules.rounds).toBe(5);
  });
});

describe("confirming", () => {
  const many = where((_, workers) => workers >= 3);
  const breaking = drawn(60).filter((market) => trusted(market) >= 3).length;

  it("certifies: what is confirmed is certified, as found and at its smallest", async () => {
    const { found, smallest } = await huntFor(many, { confirm: () => true });
    expect([found!.certified, smallest!.certified]).toEqual([true, true]);
  });

  it("refutes: every market that breaks only in floating point is counted, and none is found", async () => {
    const { found, searched } = await huntFor(many, { confirm: () => false });
    expect(found).toBeNull();
    expect(breaking).toBeGreaterThan(5);
    expect(searched.unconfirmed).toBe(breaking);
  });

  it("leaves open: what cannot be confirmed is found, but not certified", async () => {
    const { found } = await huntFor(many, { confirm: () => null });
    expect(found!.certified).toBe(false);
  });
});

describe("a hunt asks whether to go on", () => {
  const many = where((_, workers) => workers >= 2);

  it("before each known market, each one drawn and each step of shrinking, and says how far it is", async () => {
    const asked: HuntProgress[] = [];
    const goesOn = (progress: HuntProgress) => asked.push(progress) > 0;
    const { searched } = await huntFor(many, { known: [marketOf(1, 1)], goesOn });
    const of = (phase: HuntProgress["phase"]) => asked.filter((progress) => progress.phase === phase);
    expect(of("known")).toEqual([{ phase: "known", markets: 0, evaluations: 0 }]);
    expect(of("drawing").map(({ markets }) => markets)).toEqual(
      Array.from({ length: searched.markets }, (_, k) => k),
    );
    expect(of("shrinking").at(-1)!.evaluations).toBe(searched.evaluations);
    expect(of("shrinking")[0]).toEqual({ phase: "shrinking", markets: searched.markets, evaluations: 1 });
    expect(of("shrinking")).toHaveLength(searched.evaluations + searched.smaller);
  });

  it.each([false, Promise.resolve(false)])(
    "and ends at once where it is not to, with what it has",
    async (answer) => {
      const first = await huntFor(many, { known: [marketOf(2, 1)], goesOn: () => answer });
      expect(first).toMatchObject({
        found: null,
        smallest: null,
        stopped: true,
        searched: { known: 0, markets: 0 },
      });
      const goesOn = ({ phase }: HuntProgress) => (phase === "shrinking" ? answer : true);
      const { found, smallest, searched, stopped } = await huntFor(many, { known: [marketOf(5, 3)], goesOn });
      expect(sizeOf(found!)).toEqual([5, 3]);
      expect(smallest!.minimal).toBe(false);
      expect([stopped, searched.smaller]).toEqual([true, 0]);
    },
  );

  it("also while smaller sizes are drawn", async () => {
    let drawing = 0;
    const goesOn = ({ evaluations }: HuntProgress) => evaluations < 1 || drawing++ < 300;
    const { smallest, searched, stopped } = await huntFor(many, {
      known: [marketOf(2, 1)],
      goesOn,
      markets: 9000,
    });
    expect(sizeOf(smallest!)).toEqual([2, 1]);
    expect(searched.smaller).toBeLessThan(300);
    expect(stopped).toBe(true);
  });
});
