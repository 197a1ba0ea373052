/** From an outcome to utilities, the publisher's account, regimes and the record that `run --json` prints. */

import { describe, expect, it } from "vitest";
import { bidGreedy } from "../../src/mechanisms/bid-greedy.js";
import type { Outcome } from "../../src/mechanisms/mechanism.js";
import { online } from "../../src/mechanisms/online.js";
import { publisherAccount, recordRun, regimeOf, workerUtility } from "../../src/mechanisms/outcome.js";
import { marketOf } from "./hand-solved.js";

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

  it("a start that is late or never comes is a late start, whatever the money did", () => {
    expect(regimeOf(outcome({ startDelay: 1 }), 0)).toBe("late start");
    expect(regimeOf({ ...refused(0), startDelay: 2 }, 0)).toBe("late start");
    expect(regimeOf(outcome({ started: false, startDelay: null }), 0)).toBe("late start");
  });

  it("[M9] [M10] money that made a decision in the own group makes it tight", () => {
    expect([0, 1, 2].map((id) => regimeOf(refused(2), id))).toEqual(["tight", "sufficient", "tight"]);
    expect([0, 1].map((id) => regimeOf(refused(1), id))).toEqual(["sufficient", "tight"]);
    expect(regimeOf(outcome(), 0)).toBe("sufficient");
  });

  it("where a mechanism has no groups, money is everybody's", () => {
    expect([0, 1].map((id) => regimeOf({ ...refused(1), thresholds: [] }, id))).toEqual(["tight", "tight"]);
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
