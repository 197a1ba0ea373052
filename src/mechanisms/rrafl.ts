/** RRAFL (Zhang et al. 2021): offline, the cheapest densities are paid the density of the first one left out. */

import { atMost } from "../lib/tolerance.js";
import { Ledger } from "./ledger.js";
import type { Mechanism } from "./mechanism.js";
import { byDensity, densityOf } from "./ranking.js";

export const rrafl: Mechanism = {
  name: "rrafl",
  about: "Offline: hires the lowest densities and pays each the density of the first worker left out.",
  offline: true,
  truthful:
    "Arrivals are not looked at, and a winner is paid its critical price: whoever asks less is hired at that same pay, " +
    "whoever asks more is not.",
  decide(rules, bids, trace) {
    const ledger = new Ledger(rules, bids, trace);
    const order = byDensity(ledger.columns);
    const { winners, density } = cutOff(ledger, order);
    const { reputation } = ledger.columns;
    const purse = { limit: rules.budget, spent: 0 };
    const terms = { round: 1, buys: rules.rounds, purse, threshold: density };
    for (const [k, row] of order.entries()) {
      if (density !== null && k < winners)
        ledger.admit(row, terms, rules.rounds * reputation[row]! * density);
      else ledger.pass(row, { ...terms, threshold: null });
    }
    return ledger.outcome();
  },
};

/** The largest k with T · ρ_{k+1} · Σ_{i≤k} Re_i ≤ B, and that ρ_{k+1}. */
function cutOff({ columns, rules }: Ledger, order: Int32Array): { winners: number; density: number | null } {
  let winners = 0;
  let sum = 0;
  for (let k = 1; k < order.length; k++) {
    sum += columns.reputation[order[k - 1]!]!;
    if (atMost(rules.rounds * densityOf(columns, order[k]!) * sum, rules.budget)) winners = k;
  }
  return { winners, density: winners === 0 ? null : densityOf(columns, order[winners]!) };
}
