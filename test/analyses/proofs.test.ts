import { beforeAll, describe, expect, it } from "vitest";
import { type ProofSettings, proofs } from "../../analyses/proofs.js";
import type { AnyMechanism } from "../../src/auction/mechanism.js";
import { fraction } from "../../src/lib/fraction.js";
import { paperRules, type Reading } from "../../src/market/market.js";
import { mechanisms } from "../../src/mechanisms/index.js";
import { prove } from "../../src/proofs/prove.js";
import type { AnalysisResult, Row } from "../../src/report/result.js";
import { checkedResult } from "../../src/report/validate.js";
import { explain } from "../../src/verdicts/explain.js";
import { isLong } from "../long.js";
import { withoutText } from "../searched.js";
import { contextFor, expectExhibitsReplay, expectWellFormed, resultWith, rowsOf } from "./context.js";

const tiny: ProofSettings = {
  examined: [3, 3, 2],
  otherReading: [2, 2, 2],
  others: [2, 2, 2],
  offline: [2, 2],
  unequal: [{ reputations: [1, 2], rounds: 3 }],
};

const named = (name: string): AnyMechanism => Object.values(mechanisms).find((one) => one.name === name)!;

/** "online, pseudocode" is a mechanism and its reading. */
const split = (label: unknown): [AnyMechanism, Reading] => {
  const [name, reading = "prose"] = String(label).split(", ");
  return [named(name!), reading as Reading];
};

describe("proofs", () => {
  let result: AnalysisResult;
  let claims: readonly Row[];
  beforeAll(async () => {
    result = await resultWith(proofs, contextFor("proofs"), tiny);
    claims = rowsOf(result, "claims");
  });

  it("is well formed, says at most four things, and nothing of it depends on the seed", async () => {
    expectWellFormed(result);
    expect(checkedResult(result)).toEqual(result);
    expect(result.findings.length).toBeLessThanOrEqual(4);
    for (const { weight } of result.findings) expect(weight).toBeLessThan(90);
    const few = { ...tiny, examined: [2, 2], otherReading: [], others: [], offline: [], unequal: [] };
    expect(await resultWith(proofs, contextFor("a"), few)).toEqual(
      await resultWith(proofs, contextFor("b"), few),
    );
  });

  it("says of every shape what a proof of that shape says", () => {
    const shapes = new Set(
      claims.map(({ mechanism, workers, rounds, reputations }) =>
        JSON.stringify([mechanism, workers, rounds, reputations]),
      ),
    );
    expect(shapes.size).toBe(8 + 1 + 6 + 6 * 6 + 4 * 5);
    // One in six, and all of them in `npm run test:all`.
    for (const text of [...shapes].filter((_, k) => isLong || k % 6 === 0)) {
      const [label, workers, rounds, reputations] = JSON.parse(text);
      const [mechanism, reading] = split(label);
      const own = reputations === "equal" ? Array(workers).fill(1) : reputations.split(", ").map(Number);
      const shape = {
        mechanism,
        rounds,
        reputations: own.map((one: number) => fraction(one)),
        ...paperRules,
        firstRoundRatio: fraction(7, 20),
        reading,
      };
      const stated = claims.filter((row) =>
        [row.mechanism, row.workers, row.rounds, row.reputations].every(
          (cell, k) => cell === JSON.parse(text)[k],
        ),
      );
      const known = prove(shape).filter(({ cells }) => cells > 0);
      expect(
        stated.map(({ property, regime, start, verdict, worst, cells }) => [
          property,
          regime,
          start,
          verdict,
          worst,
          cells,
        ]),
      ).toEqual(
        known.map(({ property, regime, start, verdict, worst, cells }) => [
          property,
          regime,
          start,
          verdict,
          verdict === "proved" ? null : worst,
          cells,
        ]),
      );
    }
  });

  it("shows every worst case in a market that replays, and comes within 1 % of it", () => {
    const exhibits = new Map(result.exhibits!.map((exhibit) => [exhibit.name, exhibit]));
    expect(exhibits.size).toBe(result.exhibits!.length);
    for (const exhibit of exhibits.values())
      expectExhibitsReplay({ ...result, exhibits: [exhibit] }, named(exhibit.mechanism));
    const broken = claims.filter(({ verdict }) => verdict === "breaks");
    expect(broken.length).toBeGreaterThan(20);
    for (const { witness, share, mechanism, property, start, attained } of broken) {
      const { market, lie } = exhibits.get(String(witness))!;
      const [auction, reading] = split(mechanism);
      expect(market.rules.reading).toBe(reading);
      const { gain, truth, lie: told } = explain(market, lie!, { mechanism: auction });
      const near = gain / market.rules.budget / (share as number);
      expect(near).toBeGreaterThan(0.99 - 1e-5);
      expect(near).toBeLessThan(attained === "yes" ? 1 + 1e-9 : 1);
      const { cost, arrival } = market.workers.find(({ id }) => id === lie!.worker)!;
      if (property === "P5") expect(lie!.arrival).toBe(arrival);
      if (property === "P6") expect(lie!.price).toBe(cost);
      expect(truth.startDelay === told.startDelay).toBe(start === "kept");
    }
    for (const { verdict, witness, share } of claims)
      if (verdict === "proved") expect([witness, share]).toEqual([null, 0]);
  });

  it("calls proved what no shape up to the stated numbers breaks, and nothing else", () => {
    for (const { provedFor, worst, mechanism, property, regime, start } of rowsOf(result, "summary")) {
      const own = claims.filter(
        (row) =>
          row.reputations === "equal" &&
          [row.mechanism, row.property, row.regime, row.start].join() ===
            [mechanism, property, regime, start].join(),
      );
      const extents = [...String(provedFor).matchAll(/(\d+) workers? and (\d+) rounds?/g)].map(
        ([, workers, rounds]) => [Number(workers), Number(rounds)] as const,
      );
      for (const row of own) {
        const within = extents.some(
          ([workers, rounds]) => (row.workers as number) <= workers && (row.rounds as number) <= rounds,
        );
        if (within) expect(row.verdict).toBe("proved");
      }
      expect(worst === null).toBe(own.every(({ verdict }) => verdict === "proved"));
    }
    const notes = new Map(result.mechanismNotes!.map(({ mechanism, text }) => [mechanism, text]));
    const honest = ["fixed-threshold", "posted-rounds", "falling-price", "round-auctions", "rrafl"];
    for (const name of honest)
      expect(notes.get(name)).toMatch(/^Proved for .*: no lie about price, arrival or both gains\.$/);
    // That of approximate-optimal, which is shown the costs, would say nothing.
    for (const name of ["vanilla", "bid-greedy", "two-stage", "multi-stage", "approximate-optimal"])
      expect(notes.has(name)).toBe(false);
    expect(notes.get("online")).toMatch(
      /: with a sufficient budget no lie gains that leaves the start where/,
    );
  });

  it("puts on the first screen what is proved of the mechanism examined", async () => {
    expect(result.firstScreenNote).toBe(
      "Proved for up to 2 equally reputed workers and 3 rounds, all costs, budgets and arrivals: with a sufficient budget only a lie that moves the start gains, at most 3/40 of the budget.",
    );
    const few = { examined: [2, 4], otherReading: [], others: [], offline: [], unequal: [] };
    // 2 workers were settled up to 4 rounds, but 1 worker up to 2 only.
    const online = await resultWith(proofs, contextFor("few"), few);
    expect(online.firstScreenNote).toContain("up to 2 equally reputed workers and 2 rounds");
    const vanilla = await resultWith(proofs, contextFor("few", mechanisms.vanilla), few);
    expect(vanilla.firstScreenNote).toBeUndefined();
    const repair = await resultWith(proofs, contextFor("few", mechanisms["falling-price"]), few);
    expect(repair.firstScreenNote).toMatch(/: no lie about price, arrival or both gains\.$/);
    expect(repair.findings[0]!.text).toContain("What this report says of larger markets is sampled");
  });

  it("states worst cases as they are: 13/40 of the budget as a limit where it is tight", () => {
    const text = result.findings.map((finding) => finding.text).join(" ");
    expect(text).toContain("is 13/40 (tight)");
    expect(text).toContain("the whole budget under vanilla");
    expect(
      claims.find(
        ({ mechanism, workers, rounds, property, regime, start }) =>
          [mechanism, workers, rounds, property, regime, start].join() === "online,3,2,P5,tight,kept",
      ),
    ).toMatchObject({
      worst: "13/40",
      attained: "as a limit",
    });
  });

  it("says so where nothing can be proved about the mechanism examined", async () => {
    const searched: AnyMechanism = { ...withoutText(mechanisms.rrafl), name: "searched" };
    const few = { ...tiny, others: [1], offline: [1] };
    const other = await resultWith(proofs, contextFor("none", searched, [searched, mechanisms.rrafl]), few);
    expectWellFormed(other);
    expect(other.findings[0]!.text).toContain("Nothing can be proved about `searched`");
    expect(other.firstScreenNote).toBeUndefined();
    expect(rowsOf(other, "claims").every(({ mechanism }) => mechanism === "rrafl")).toBe(true);
  });
});
