import { describe, expect, it } from "vitest";
import { runAuction } from "../../../src/auction/mechanism.js";
import { regimeOf } from "../../../src/auction/outcome.js";
import { type Market, paperRules } from "../../../src/market/market.js";
import { mechanisms } from "../../../src/mechanisms/index.js";
import { budgetShare, type HuntOptions, hunt } from "../../../src/verdicts/counterexamples/search.js";
import { smallerCases } from "../../../src/verdicts/counterexamples/shrink.js";
import { confirm, type Target, violations } from "../../../src/verdicts/counterexamples/violations.js";
import { withoutText } from "../../searched.js";

const target = (about: Partial<Target>): Target => ({
  property: "P5",
  regime: "sufficient",
  start: "any",
  mechanism: mechanisms.online,
  ...about,
});

const options = (about: Partial<Target>, rest: Partial<HuntOptions> = {}): HuntOptions => ({
  target: target(about),
  seed: "k",
  markets: 500,
  ...rest,
});

/** Pays critical prices, but nobody has proved it: its lies are searched. */
const searchedShare = { ...withoutText(mechanisms["proportional-share"]), name: "searched-share" };

describe("a hunt that finds", () => {
  const moved = target({ start: "moved" });

  it("reports the smallest market and the smallest with 80 % of what was found, both confirmed and minimal", async () => {
    const { found, smallest, strong } = await hunt(options(moved));
    for (const { market, violation, certified } of [found!, smallest!, strong!]) {
      expect(certified).toBe(true);
      expect(confirm(mechanisms.online, market, violation)).toBe(true);
      expect(violation.startMoved).toBe(true);
      expect(regimeOf(runAuction(mechanisms.online, market), violation.worker!)).toBe("sufficient");
    }
    expect(budgetShare(strong!)).toBeGreaterThanOrEqual(0.8 * budgetShare(found!));
    expect(smallest!.market.workers.length).toBeLessThanOrEqual(strong!.market.workers.length);
    expect([smallest!.minimal, strong!.minimal]).toEqual([true, true]);
  });

  it("ends where no step of the shrinker leads on", async () => {
    const { smallest } = await hunt(options(moved));
    const { market, violation } = smallest!;
    for (const next of smallerCases({ market, worker: violation.worker })) {
      const left = next.market.rules.firstRoundRatio > 0.5 ? [] : violations(next.market, moved, next.worker);
      expect(left).toEqual([]);
    }
  });

  it("replays: the same seed finds the same, another seed another", async () => {
    const first = await hunt(options(moved));
    expect(await hunt(options(moved))).toEqual(first);
    expect((await hunt(options(moved, { seed: "j" }))).found).not.toEqual(first.found);
  });

  it.each(["1", "2"])("goes on to fewer rounds than steps alone lead to, seed %s", async (seed) => {
    const { smallest } = await hunt(options({ property: "P6", regime: "tight", start: "kept" }, { seed }));
    expect(smallest!.market.workers).toHaveLength(2);
    expect(smallest!.market.rules.rounds).toBe(2);
  });

  it("stays with the reading it was asked for, though the other is the simpler", async () => {
    const { smallest } = await hunt(options({ regime: "tight" }, { readings: ["pseudocode"] }));
    expect(smallest!.market.rules.reading).toBe("pseudocode");
  });

  it("reports no amount to keep where a break has none", async () => {
    const { smallest, strong } = await hunt(options({ property: "P4" }));
    expect(smallest!.market.workers).toHaveLength(2);
    expect(strong).toBeNull();
  });

  it("[M11] lowers payments below cost only where the first step takes more than half", async () => {
    const report = await hunt(options({ property: "P1", regime: "tight" }, { maxRatio: 0.95, seed: "a" }));
    expect(report.smallest!.market.rules.reading).toBe("pseudocode");
    expect(report.smallest!.market.rules.firstRoundRatio).toBeGreaterThan(0.5);
  });
});

describe("a hunt that finds nothing", () => {
  it("bounds the share of markets by the rule of three, over those with a worker of the regime", async () => {
    const { found, searched, shareBound, stopped } = await hunt(
      options({ property: "P2" }, { markets: 300 }),
    );
    expect(found).toBeNull();
    expect(searched.markets).toBe(300);
    expect(searched.byRegime.sufficient.markets).toBeGreaterThan(50);
    expect(shareBound).toBe(3 / searched.byRegime.sufficient.markets);
    expect(stopped).toBe(false);
  });

  it("counts the breaks that could not be confirmed", async () => {
    const never = { confirm: () => false, markets: 300 };
    const { found, searched } = await hunt(options({ regime: "tight" }, never));
    expect(found).toBeNull();
    expect(searched.unconfirmed).toBeGreaterThan(0);
  });

  it("bounds nothing where lies are searched for: the search can miss in every market", async () => {
    const sought = { property: "P5", mechanism: searchedShare, regime: "sufficient" } as const;
    const { found, searched, shareBound } = await hunt(options(sought, { markets: 20 }));
    expect(found).toBeNull();
    expect(searched.byRegime.sufficient.markets).toBeGreaterThan(5);
    expect(shareBound).toBeNull();
    const runs = await hunt(options({ ...sought, property: "P2" }, { markets: 20 }));
    expect(runs.shareBound).toBe(Math.min(1, 3 / runs.searched.byRegime.sufficient.markets));
    expect((await hunt(options({ ...sought, property: "P4" }, { markets: 20 }))).shareBound).toBeNull();
  });

  it("has no bound where it has seen nobody of the regime", async () => {
    expect((await hunt(options({}, { markets: 0 }))).shareBound).toBeNull();
  });
});

/** The pivotal worker 0 prices itself out of an early start: see the paper's proof of P5, which fixes the start. */
const pivotal: Market = {
  rules: { budget: 1, rounds: 3, ...paperRules },
  workers: [
    { id: 0, reputation: 1, cost: 0.1, arrival: 1 },
    { id: 1, reputation: 0.7, cost: 0, arrival: 3 },
  ],
};

const harmless: Market = { ...pivotal, workers: pivotal.workers.slice(0, 1) };

describe("what is known", () => {
  it("is tried before anything is drawn", async () => {
    const { found, searched } = await hunt(options({}, { known: [harmless, pivotal] }));
    expect(found).toMatchObject({ market: pivotal, origin: "known", violation: { worker: 0 } });
    expect(searched).toMatchObject({ known: 2, markets: 0 });
  });

  it("gives way to the stronger of two, as a share of the budget: [M1] a market and its double are the same", async () => {
    const double = {
      rules: { ...pivotal.rules, budget: 2 },
      workers: pivotal.workers.map((worker) => ({ ...worker, cost: 2 * worker.cost })),
    };
    const { found } = await hunt(options({}, { known: [pivotal, double] }));
    expect(found!.market).toEqual(pivotal);
    const dearer = {
      ...pivotal,
      workers: pivotal.workers.map((w) => (w.id === 0 ? { ...w, cost: 0.11 } : w)),
    };
    const shareIn = (market: Market) =>
      budgetShare({ market, violation: violations(market, target({}))[0]! });
    expect(shareIn(dearer)).toBeGreaterThan(shareIn(pivotal));
    expect((await hunt(options({}, { known: [pivotal, dearer] }))).found!.market).toEqual(dearer);
  });

  it("is not forgotten where another is stronger: the smallest known is where shrinking begins", async () => {
    const first = await hunt(options({ start: "moved" }));
    const known = [first.found!, first.strong!, first.smallest!].map(({ market }) => market);
    const second = await hunt(options({ start: "moved" }, { known }));
    expect(second.smallest).toEqual(first.smallest);
    expect(second.strong).toEqual(first.strong);
  });

  it("is no find where it does not break the property in that regime", async () => {
    const { found, searched } = await hunt(
      options({ regime: "late start" }, { known: [pivotal], markets: 0 }),
    );
    expect(found).toBeNull();
    expect(searched.known).toBe(1);
  });
});

describe("a hunt that is stopped", () => {
  it("while drawing, says how far it came", async () => {
    const goesOn = ({ markets }: { markets: number }) => markets < 40;
    const { searched, stopped } = await hunt(options({ property: "P2" }, { goesOn }));
    expect([searched.markets, stopped]).toEqual([40, true]);
  });

  it("while shrinking, keeps what it has", async () => {
    const goesOn = async ({ phase }: { phase: string }) => phase !== "shrinking";
    const { found, smallest, stopped } = await hunt(options({ start: "moved" }, { goesOn }));
    expect(smallest).toMatchObject({ minimal: false, violation: { worker: found!.violation.worker } });
    expect(stopped).toBe(true);
  });
});

describe("mechanisms without an exact method", () => {
  it("are hunted by search: paying the bid breaks P5 at once", async () => {
    const { found } = await hunt(
      options(
        { mechanism: withoutText(mechanisms["bid-greedy"]) },
        { markets: 20, goesOn: ({ phase }) => phase !== "shrinking" },
      ),
    );
    expect(found!.violation.amount).toBeGreaterThan(0);
    expect(found!.certified).toBe(false);
  });
});
