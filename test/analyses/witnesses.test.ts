import { beforeAll, describe, expect, it } from "vitest";
import { type WitnessSettings, witnesses } from "../../analyses/witnesses.js";
import { runAuction } from "../../src/auction/mechanism.js";
import { regimeOf } from "../../src/auction/outcome.js";
import { bidGreedy } from "../../src/mechanisms/bid-greedy.js";
import { online } from "../../src/mechanisms/online/online.js";
import type { AnalysisResult } from "../../src/report/result.js";
import { explain } from "../../src/verdicts/explain.js";
import { check } from "../../src/verdicts/properties.js";
import { withoutText } from "../searched.js";
import { contextFor, expectExhibitsReplay, expectWellFormed, resultWith, rowsOf } from "./context.js";

const targets = witnesses.plan({ markets: 1, seeds: 1 }, contextFor("all")).map(({ cell }) => cell.target);

const few = targets.filter(({ regime, property, maxRatio }) =>
  regime === "tight" ? property !== "P6" : property === "P4" || (property === "P1" && maxRatio === 0.5),
);
const tiny: WitnessSettings = { markets: 250, seeds: 1, targets: few };

describe("witnesses", () => {
  let result: AnalysisResult;
  beforeAll(async () => {
    result = await resultWith(witnesses, contextFor("witnesses"), tiny);
  }, 120_000);

  it("is well formed, and the same for the same seed", async () => {
    expectWellFormed(result);
    expect(await resultWith(witnesses, contextFor("witnesses"), tiny)).toEqual(result);
    expect(await resultWith(witnesses, contextFor("other"), tiny)).not.toEqual(result);
  });

  it("has a row for every hunt, caught or not, and an exhibit for every catch", () => {
    const gallery = rowsOf(result, "witnesses");
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
    const gallery = new Map(rowsOf(result, "witnesses").map((row) => [row.witness, row]));
    for (const { name, market, lie } of result.exhibits!) {
      const { regime, amount, replay } = gallery.get(name)!;
      const { rules, workers } = JSON.parse(/^echo '(.*)' \|/.exec(String(replay))![1]!);
      // A replay leaves out how the paper is read where that is the default.
      expect({ rules: { firstStep: "algorithm", delay: "postpone", ...rules }, workers }).toEqual({
        rules: market.rules,
        workers: market.workers,
      });
      if (lie === null) continue;
      const { gain, truth, lie: lied } = explain(market, lie);
      expect(gain).toBeCloseTo(amount as number, 5);
      expect(regimeOf(runAuction(online, market), lie.worker)).toBe(regime);
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

  it("says where each gain comes from: parts that add up to it", () => {
    const rows = new Map(rowsOf(result, "witnesses").map((row) => [row.witness, row]));
    for (const { name, market, lie } of result.exhibits!) {
      if (lie === null) continue;
      const parts = String(rows.get(name)!.causes).split(", ");
      const amounts = parts.map((part) => Number(part.split(" ")[1]!.replace("−", "-").replace(",", "")));
      const { gain } = explain(market, lie);
      const most = Math.max(...amounts.map(Math.abs));
      expect(Math.abs(amounts.reduce((sum, one) => sum + one, 0) - gain)).toBeLessThan(0.02 * most);
    }
  });

  it("says in words how many hunts found something", () => {
    const { length } = result.exhibits!;
    expect(result.findings.at(-1)!.text).toContain(`${length} of ${few.length} hunts found a break`);
  });

  it("has words for a gallery with nothing in it, and for mechanisms without a twin", async () => {
    const nothing = {
      ...tiny,
      targets: targets.filter(({ property, maxRatio }) => property === "P2" && maxRatio === 0.5),
    };
    const empty = await resultWith(witnesses, contextFor("nothing"), nothing);
    expectWellFormed(empty);
    expect(empty.exhibits).toEqual([]);
    const other = await resultWith(witnesses, contextFor("greedy", withoutText(bidGreedy)), {
      ...tiny,
      markets: 25,
      targets: targets.filter(
        ({ property, regime, start }) => property === "P5" && regime !== "late start" && start === "kept",
      ),
    });
    expectWellFormed(other);
    expect(rowsOf(other, "witnesses").some(({ certified }) => certified === "no exact form")).toBe(true);
  });
});
