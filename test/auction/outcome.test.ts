/** From an outcome to utilities, the publisher's account, regimes and the record that `run --json` prints. */

import { describe, expect, it } from "vitest";
import { exactOutcome } from "../../src/auction/exact.js";
import { type Outcome, runAuction } from "../../src/auction/mechanism.js";
import {
  commonRegime,
  publisherAccount,
  regimeOf,
  regimeSlug,
  regimes,
  regimesIn,
  workerUtility,
} from "../../src/auction/outcome.js";
import { recordRun } from "../../src/auction/run-record.js";
import { bidders, type Market, paperRules, type Rules } from "../../src/market/market.js";
import { bidGreedy } from "../../src/mechanisms/bid-greedy.js";
import { online } from "../../src/mechanisms/online/online.js";
import { bestResponses, pieceResponses } from "../../src/responses/index.js";
import { explain } from "../../src/verdicts/explain.js";
import { marketOf } from "../mechanisms/hand-solved.js";

const outcome = (part: Partial<Outcome> = {}): Outcome => ({
  started: true,
  startDelay: 0,
  workers: [
    { id: 0, selectedAt: 1, rounds: 3, payment: 2 },
    { id: 1, selectedAt: 3, rounds: 1, payment: 0.5 },
    { id: 2, selectedAt: null, rounds: 0, payment: 0 },
  ],
  thresholds: [{ round: 2, group0: 1, group1: null }],
  budgetEvents: [],
  ...part,
});

describe("[M12] utilities", () => {
  it("of a worker: what it is paid, less its cost for every round it works", () => {
    expect(workerUtility({ cost: 0.5 }, outcome().workers[0]!)).toBe(2 - 3 * 0.5);
    expect(workerUtility({ cost: 0.5 }, outcome().workers[2]!)).toBe(0);
  });

  it("of the publisher: reputation for every round worked, and that per unit paid", () => {
    const workers = [0.5, 2, 7].map((reputation, id) => ({ id, reputation }));
    expect(publisherAccount(workers, outcome())).toEqual({
      spent: 2.5,
      publisherUtility: 3 * 0.5 + 2,
      utilityPerUnitPaid: 3.5 / 2.5,
    });
    expect(publisherAccount([], outcome({ workers: [] }))).toEqual({
      spent: 0,
      publisherUtility: 0,
      utilityPerUnitPaid: null,
    });
  });
});

describe("regimes", () => {
  const refused = (worker: number) => outcome({ budgetEvents: [{ round: 2, worker, kind: "refused" }] });

  it.each(["refused", "capped", "denied"] as const)(
    "[M9] [M10] a worker that money %s is tight, and nobody else of its group or of the other",
    (kind) => {
      const run = outcome({ budgetEvents: [{ round: 2, worker: 2, kind }] });
      expect([0, 1, 2].map((id) => regimeOf(run, id))).toEqual(["sufficient", "sufficient", "tight"]);
      const late = { ...run, startDelay: 1 };
      expect([0, 1, 2].map((id) => regimeOf(late, id))).toEqual([
        "late start",
        "late start",
        "late and tight",
      ]);
    },
  );

  it("[M6] in a task that never starts everybody is late and tight", () => {
    const never = outcome({ started: false, startDelay: null });
    expect([0, 1].map((id) => regimeOf(never, id))).toEqual(["late and tight", "late and tight"]);
  });

  it("of a pair, money decided if it did so about either", () => {
    const common = (run: Outcome, ...pair: number[]) => commonRegime(regimesIn(run), pair);
    expect(common(refused(2), 0, 2)).toBe("tight");
    expect(common(refused(2), 2, 0)).toBe("tight");
    expect(common(refused(2), 0, 1)).toBe("sufficient");
    expect(common({ ...refused(2), startDelay: 1 }, 0, 2)).toBe("late and tight");
    expect(common({ ...refused(2), startDelay: 1 }, 0, 1)).toBe("late start");
  });

  it("has a name without spaces for every regime", () => {
    expect(regimes.map(regimeSlug)).toEqual(["sufficient", "tight", "late-start", "late-and-tight"]);
  });
});

describe("the record of a run", () => {
  // B = 4, T = 2, paid the bid: worker 1 (0.5) for 1, then worker 0 (1.2) for 2.4, in two rounds each.
  const market = marketOf(4, 2, [
    [1, 1, 1],
    [2, 0.5, 2],
  ]);
  const request = {
    market,
    mechanism: bidGreedy,
    bids: [{ worker: 0, price: 1.2, arrival: 2 }],
    traced: false,
  };

  it("holds what was bid, what came of it at the true cost, and the publisher's account", () => {
    expect(recordRun(request)).toEqual({
      mechanism: "bid-greedy",
      started: true,
      startDelay: 0,
      spent: expect.closeTo(3.4, 12),
      publisherUtility: 6,
      utilityPerUnitPaid: expect.closeTo(6 / 3.4, 12),
      workers: [
        {
          id: 0,
          price: 1.2,
          arrival: 2,
          selectedAt: 1,
          rounds: 2,
          payment: 2.4,
          utility: expect.closeTo(0.4, 12),
        },
        { id: 1, price: 0.5, arrival: 2, selectedAt: 1, rounds: 2, payment: 1, utility: 0 },
      ],
      thresholds: [],
      budgetEvents: [],
    });
  });

  it("names the agent and holds the trace where there is one", () => {
    const record = recordRun({ ...request, mechanism: online, agent: "overbid", traced: true });
    expect(record.agent).toBe("overbid");
    expect(record.trace!.length).toBeGreaterThan(0);
    expect("trace" in recordRun(request) || "agent" in recordRun(request)).toBe(false);
  });
});

const rulesOf = (budget: number, rounds: number, firstRoundRatio: number): Rules => ({
  budget,
  rounds,
  ...paperRules,
  firstRoundRatio,
});

const worker = (id: number, reputation: number, cost: number, arrival: number) => ({
  id,
  reputation,
  cost,
  arrival,
});

describe("[M10] a worker whose group was denied a raise because nothing was left", () => {
  /*
   * First: B1 = 2 goes to worker 1, all of its group's half; worker 0 then sets 1 / 0.5 = 2 for it.
   * Second: B1 = 0.9 buys workers 0 and 2 at ρ* = 0.9 / (4 · 1.8) = 0.125, so that group 0 has 1 − 0.9 = 0.1 left. In
   * round 2 worker 1 sets 19/120, and raising worker 2 costs (19/120 − 0.125) · 1 · 3 = 0.1: exactly what is left.
   */
  const cases: { market: Market; liar: number; price: number; gain: number }[] = [
    {
      market: { rules: rulesOf(4, 2, 0.5), workers: [worker(0, 0.5, 1, 1), worker(1, 1, 1, 1)] },
      liar: 1,
      price: 2,
      gain: 1,
    },
    {
      market: {
        rules: rulesOf(2, 4, 0.45),
        workers: [worker(0, 0.8, 0.1, 1), worker(1, 1, 0, 2), worker(2, 1, 0, 1)],
      },
      liar: 0,
      price: 0.12,
      gain: 0.1,
    },
  ];

  it.each(cases)(
    "is in a tight market, and may gain by a lie that keeps the start (worker $liar)",
    ({ market, liar, price, gain }) => {
      const { budgetEvents } = runAuction(online, market);
      expect(budgetEvents.some(({ kind }) => kind === "denied")).toBe(true);
      expect(exactOutcome(online, market.rules, bidders(market.workers)).budgetEvents).toEqual(budgetEvents);
      expect(regimeOf(runAuction(online, market), liar)).toBe("tight");
      for (const { workers } of [bestResponses(market), pieceResponses(market, online)])
        expect(workers.find(({ id }) => id === liar)!.regime).toBe("tight");
      expect(explain(market, { worker: liar, price, arrival: 1 }).gain).toBeCloseTo(gain, 12);
    },
  );
});
