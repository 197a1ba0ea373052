/** Every property of a mechanism by the strongest method that applies. */

import { describe, expect, it } from "vitest";
import { defineMechanism } from "../../src/auction/define-mechanism.js";
import type { AnyMechanism, ClaimableProperty } from "../../src/auction/mechanism.js";
import type { Regime } from "../../src/auction/outcome.js";
import { mechanismNamed } from "../../src/mechanisms/index.js";
import {
  type AuditedProperty,
  auditMechanism,
  auditSize,
  howText,
  isBrokenClaim,
} from "../../src/verdicts/audit-mechanism.js";
import { explain } from "../../src/verdicts/explain.js";
import { withoutText } from "../searched.js";

const size = { ...auditSize, markets: 25 };

const audited = async (mechanism: AnyMechanism, change: object = {}) =>
  (await auditMechanism({ mechanism, named: mechanism.name, size: { ...size, ...change } }))!;

async function property(
  mechanism: AnyMechanism,
  wanted: ClaimableProperty,
  regime: Regime | null = null,
): Promise<AuditedProperty> {
  const { properties } = await audited(mechanism);
  return properties.find((one) => one.property === wanted && one.regime === regime)!;
}

describe("the strongest method that applies", () => {
  it("proves small shapes, and says which", async () => {
    const found = await property(mechanismNamed("vickrey"), "P5");
    expect(found).toMatchObject({ verdict: "proved for shapes", smallest: null, broken: 0, decided: true });
    expect(found.shapes).toEqual([
      "1x1",
      "1x3",
      "2x1",
      "2x2",
      "2x3",
      "3x1",
      "3x1 (reputations 1, 2, 4)",
      "3x2",
    ]);
    expect(found.bound).toBeCloseTo(3 / 25, 12);
    expect(found.claimed?.where).toContain("dominant strategy");
  });

  it("proves for any number of workers and rounds where that can be done, and says what it rests on", async () => {
    const row = async (name: string, wanted: ClaimableProperty, regime: Regime | null = null) => {
      const { properties } = await audited(mechanismNamed(name), { shapes: [], markets: 10 });
      return properties.find((one) => one.property === wanted && one.regime === regime)!;
    };
    expect(await row("posted-price", "joint")).toMatchObject({ verdict: "proved", given: [] });
    const share = await row("proportional-share", "P5");
    expect(share).toMatchObject({ verdict: "proved, given", given: [expect.stringContaining("[M3]")] });
    expect(howText(share)).toMatch(
      /^for any number of workers and rounds, .*, given: A proportional share \[M3\]/,
    );
    expect((await row("online:delay=shorten", "P6", "sufficient")).verdict).toBe("proved, given");
    expect((await row("online", "P6", "sufficient")).verdict).not.toMatch(/^proved/);
  });

  it("leaves out a shape of too many cells, and then has drawn markets alone", async () => {
    const { properties } = await audited(mechanismNamed("vickrey"), { mostCells: 0 });
    expect(properties.find((one) => one.property === "P5")).toMatchObject({
      verdict: "none found",
      shapes: [],
    });
  });

  it("finds on drawn markets what breaks, shrinks it, and says how it replays", async () => {
    const found = await property(mechanismNamed("fmore-first-score"), "P5");
    expect(found).toMatchObject({ verdict: "breaks", worst: null });
    expect(isBrokenClaim(found)).toBe(true);
    const { market, lie, replay } = found.smallest!;
    expect(market.workers).toHaveLength(1);
    expect(explain(market, lie!, { mechanism: mechanismNamed("fmore-first-score") }).gain).toBeGreaterThan(0);
    expect(replay).toMatch(/--mechanism fmore-first-score$/);
  });

  it("finds by a proof what no drawn market shows: Theorem 6 breaks where waiting moves the start", async () => {
    const found = await property(mechanismNamed("online"), "P6", "sufficient");
    expect(found).toMatchObject({ verdict: "breaks", broken: 0, worst: expect.closeTo(0.075, 3) });
    expect(found.claimed).toMatchObject({ where: "Theorem 6." });
    expect(howText(found)).toBe("by a proof, in a market that was not drawn");
  });

  it("a claim that is made of a break is none that breaks", async () => {
    const found = await property(mechanismNamed("first-price"), "P5");
    expect([found.verdict, isBrokenClaim(found)]).toEqual(["breaks", false]);
  });
});

it("looks at a sufficient budget too where a lie pays, but not where there is no budget", async () => {
  const regimesOf = async (name: string) =>
    (await audited(mechanismNamed(name))).properties
      .filter((one) => one.property === "P5")
      .map(({ regime }) => regime);
  expect(await regimesOf("flim")).toEqual([null, "sufficient"]);
  expect(await regimesOf("first-price")).toEqual([null]);
  expect(await regimesOf("vickrey")).toEqual([null]);
});

it("leaves the budget out where a mechanism looks at none, and measures by the dearest worker", async () => {
  const { properties } = await audited(mechanismNamed("first-price"));
  expect(properties.map((one) => one.property)).toEqual(["P1", "P4", "P5", "P6", "joint"]);
  // Two workers: the cheaper one is paid what the other asks. It gains less than what that one costs.
  const second = defineMechanism({
    name: "own-or-second",
    about: "Pays the cheapest half of what it asks and half of what the second asks.",
    uses: { budget: false },
    program(auction) {
      const { math } = auction;
      const [first, next] = auction.byPrice();
      if (first === undefined || next === undefined) return;
      const pay = math.over(math.plus(first.price, next.price), 2);
      auction.hire(first, { round: 1, buys: 1, threshold: null }, pay);
    },
  });
  const found = await property(second, "P5");
  expect(found.verdict).toBe("breaks");
  expect(found.worst).toBeGreaterThan(0);
  expect(found.worst).toBeLessThanOrEqual(1);
});

it("says why nothing is proved of a mechanism without a program", async () => {
  const plain = withoutText(mechanismNamed("vickrey")) as AnyMechanism;
  const found = await audited(plain, { markets: 4, workers: 2, rounds: 2 });
  expect(found.unprovable).toBe("it has no program that pays as it says");
  const [first] = found.properties;
  expect(first).toMatchObject({ verdict: "none found", shapes: [] });
});

it("sets what the publisher gets beside others, on the same markets", async () => {
  const others = [mechanismNamed("online"), mechanismNamed("rrafl")];
  const { publisher } = (await auditMechanism({
    mechanism: mechanismNamed("vickrey"),
    named: "vickrey",
    size: { ...size, markets: 1, shapes: [] },
    others,
  }))!;
  expect(publisher.map(({ mechanism }) => mechanism)).toEqual(["vickrey", "online", "rrafl"]);
  for (const { utility, spent, utilityPerUnitPaid } of publisher)
    expect(utilityPerUnitPaid).toBeCloseTo(utility / (125 * spent), 9);
});

it("ends where it is told to", async () => {
  const goesOn = (done: number) => done < 2;
  expect(
    await auditMechanism({ mechanism: mechanismNamed("vickrey"), named: "vickrey", size, goesOn }),
  ).toBeNull();
});
