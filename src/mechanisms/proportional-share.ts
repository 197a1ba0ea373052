/** Proportional share (Singer 2010): the paper's first step with the whole budget and everybody in it. */

import { Ledger } from "./ledger.js";
import type { Mechanism } from "./mechanism.js";
import { byDensity, sampleOf } from "./ranking.js";

export const proportionalShare: Mechanism = {
  name: "proportional-share",
  about: "Offline: shares the whole budget in proportion to reputation among the lowest densities.",
  offline: true,
  truthful:
    "Arrivals are not looked at, and a winner is paid its critical price: whoever asks less is hired at that same pay, " +
    "whoever asks more is not.",
  decide(rules, bids, trace) {
    const ledger = new Ledger(rules, bids, trace);
    const { columns } = ledger;
    const { rounds, budget } = rules;
    const order = byDensity(columns);
    const pool = sampleOf(columns, order);
    const density = pool.share(rounds, rounds, budget);
    const winners = order.subarray(0, pool.taken);
    const payments = Array.from(winners, (row) => rounds * columns.reputation[row]! * density);
    for (const [k, row] of winners.entries())
      ledger.hire(row, { round: 1, buys: rounds, threshold: density }, payments[k]!);
    trace?.({
      kind: "start",
      clock: 1,
      share: pool.describe(rounds, rounds, budget, columns.id),
      minWorkers: 0,
      enough: true,
      payments: Array.from(winners, (row, k) => ({ worker: columns.id[row]!, payment: payments[k]! })),
    });
    return ledger.outcome();
  },
};
