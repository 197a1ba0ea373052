import { beforeAll, describe, expect, it } from "vitest";
import { preys } from "../../analyses/witnesses/quarries.js";
import { galleryOf, type WitnessSettings, witnesses, witnessSettings } from "../../analyses/witnesses.js";
import { bidGreedy } from "../../src/mechanisms/bid-greedy.js";
import { hold } from "../../src/mechanisms/mechanism.js";
import { online } from "../../src/mechanisms/online.js";
import { regimeOf } from "../../src/mechanisms/outcome.js";
import type { AnalysisResult } from "../../src/report/result.js";
import { explain } from "../../src/verdicts/explain.js";
import { check } from "../../src/verdicts/properties.js";
import { withoutText } from "../searched.js";
import { contextFor, expectExhibitsReplay, expectWellFormed, rowsOf } from "./context.js";

const few = preys.filter(({ regime, property, maxRatio }) =>
  regime === "tight" ? property !== "P6" : property === "P4" || (property === "P1" && maxRatio === 0.5),
);
const tiny: WitnessSettings = { markets: 250, seeds: 1, fewer: 10, preys: few };

describe("witnesses", () => {
  let result: AnalysisResult;
  beforeAll(async () => {
    result = await galleryOf(contextFor("gallery"), tiny);
  }, 120_000);

  it("is well formed, and the same for the same seed", async () => {
    expectWellFormed(result);
    expect(await galleryOf(contextFor("gallery"), tiny)).toEqual(result);
    expect(await galleryOf(contextFor("other"), tiny)).not.toEqual(result);
  });

  it("has a row for every hunt, caught or not, and an exhibit for every catch", () => {
    const gallery = rowsOf(result, "gallery");
    expect(gallery).toHaveLength(few.length);
    const caught = gallery.filter(({ result: found }) => found !== "nothing found");
    expect(result.exhibits!.map(({ name }) => name)).toEqual(caught.map(({ witness }) => witness));
    expect(caught.length).toBeGreaterThan(5);
    for (const { certified, workers } of caught) {
      expect(certified).toBe("yes");
      expect(workers as number).toBeLessThanOrEqual(4);
    }
    for (const { bound, result: found } of gallery)
      if (found === "nothing found") expect(bound).not.toBeNull();
  });

  it("replays: the lie gains what the gallery says, in the regime it says, and keeps or moves the start", () => {
    expectExhibitsReplay(result);
    const gallery = new Map(rowsOf(result, "gallery").map((row) => [row.witness, row]));
    for (const { name, market, lie } of result.exhibits!) {
      const { regime, amount, replay } = gallery.get(name)!;
      expect(String(replay)).toContain(JSON.stringify(market));
      if (lie === null) continue;
      const { gain, truth, lie: lied } = explain(market, lie);
      expect(gain).toBeCloseTo(amount as number, 5);
      expect(regimeOf(hold(online, market), lie.worker)).toBe(regime);
      if (name.includes("start "))
        expect(truth.startDelay !== lied.startDelay).toBe(name.includes("start moved"));
    }
  });

  it("breaks without a lie where none is needed", () => {
    for (const { name, market, lie } of result.exhibits!) {
      if (lie !== null) continue;
      const [property] = name.split(",");
      expect(check(market).find((verdict) => verdict.property === property)!.verdict).toBe("breaks");
    }
  });

  it("sets both runs side by side; their utilities differ by the gain", () => {
    const runs = rowsOf(result, "runs");
    for (const { name, market, lie } of result.exhibits!) {
      if (lie === null) continue;
      const mine = runs.filter(({ witness }) => witness === name);
      const utility = mine.find(({ what }) => what === "utility")!;
      const { gain } = explain(market, lie);
      expect(Number(utility.lying) - Number(utility.honest)).toBeCloseTo(gain, 4);
      expect(mine.some(({ what }) => String(what).startsWith("first decision"))).toBe(true);
    }
  });

  it("has causes that add up to the gain", () => {
    for (const { name, market, lie } of result.exhibits!) {
      if (lie === null) continue;
      const causes = rowsOf(result, "causes").filter(({ witness }) => witness === name);
      const total = causes.reduce((sum, { amount }) => sum + (amount as number), 0);
      expect(total).toBeCloseTo(explain(market, lie).gain, 5);
    }
  });

  it("says in words how many hunts found something", () => {
    const { length } = result.exhibits!;
    expect(result.findings[0]!.text).toContain(`${length} of ${few.length} hunts found a break`);
  });

  it("has words for a gallery with nothing in it, and for mechanisms without a twin", async () => {
    const nothing = {
      ...tiny,
      preys: preys.filter(({ property, maxRatio }) => property === "P2" && maxRatio === 0.5),
    };
    const empty = await galleryOf(contextFor("nothing"), nothing);
    expectWellFormed(empty);
    expect(empty.exhibits).toEqual([]);
    const other = await galleryOf(contextFor("greedy", withoutText(bidGreedy)), {
      ...tiny,
      preys: preys.filter(
        ({ property, regime, start }) => property === "P5" && regime !== "late start" && start === "kept",
      ),
    });
    expectWellFormed(other);
    expect(rowsOf(other, "gallery").some(({ certified }) => certified === "no exact form")).toBe(true);
  });

  it("has settings for both profiles", () => {
    expect(witnesses.name).toBe("witnesses");
    expect(witnessSettings.full.markets).toBeGreaterThan(witnessSettings.quick.markets);
  });
});
