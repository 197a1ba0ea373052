import { beforeAll, describe, expect, it } from "vitest";
import { type PublishedSettings, published } from "../../analyses/published.js";
import { mechanismNamed, mechanisms } from "../../src/mechanisms/index.js";
import { published as library } from "../../src/mechanisms/published/index.js";
import type { AnalysisResult } from "../../src/report/result.js";
import { auditSize } from "../../src/verdicts/audit-mechanism.js";
import { explain } from "../../src/verdicts/explain.js";
import { contextFor, expectWellFormed, resultWith, rowsOf } from "./context.js";

const small: PublishedSettings = {
  size: { ...auditSize, markets: 10, shapes: auditSize.shapes.slice(0, 6) },
  mechanisms: ["online", "vickrey", "fmore-first-score", "flim"],
};

describe("published", () => {
  let result: AnalysisResult;
  beforeAll(async () => {
    result = await resultWith(published, contextFor("published"), small);
  }, 120_000);

  it("looks at every published mechanism, and at those with claims", () => {
    const all = published.plan({ size: auditSize }, contextFor(1)).map(({ cell }) => cell.mechanism);
    for (const name of [...Object.keys(library), "online", "multi-stage"]) expect(all).toContain(name);
    expect(all).not.toContain("vanilla");
    const own = { ...mechanisms.vanilla, name: "own" };
    const [first] = published.plan({ size: auditSize }, contextFor(1, own));
    expect(first!.cell.mechanism).toBe("own");
  });

  it("is well formed, and the same for the same seed", async () => {
    expectWellFormed(result);
    expect(await resultWith(published, contextFor("published"), small)).toEqual(result);
  });

  it("sets each claim beside what is found", () => {
    const found = new Map(
      rowsOf(result, "claims").map(({ mechanism, property, claimed, verdict }) => [
        `${mechanism} ${property}`,
        [claimed, verdict],
      ]),
    );
    expect(found.get("vickrey P5")).toEqual(["holds", "proved for shapes"]);
    expect(found.get("fmore-first-score P5")).toEqual(["holds", "breaks"]);
    expect(found.get("flim P5")).toEqual([null, "breaks"]);
    expect(found.get("online P6 in regime sufficient")).toEqual(["holds", "breaks"]);
  });

  it("opens every break on the bench, where the lie gains", () => {
    const rows = rowsOf(result, "claims").filter(({ verdict }) => verdict === "breaks");
    expect(rows.map(({ witness }) => witness)).toEqual(result.exhibits!.map(({ name }) => name));
    for (const { market, mechanism, lie } of result.exhibits!) {
      if (lie === null) continue;
      expect(explain(market, lie, { mechanism: mechanismNamed(mechanism) }).gain).toBeGreaterThan(0);
    }
  });

  it("names the claims that break", () => {
    const [first, second] = result.findings;
    expect(first!.text).toContain("P6 in regime sufficient of `online`");
    expect(first!.text).toContain("P5 of `fmore-first-score`");
    expect(second!.text).toContain("`flim`");
  });
});
