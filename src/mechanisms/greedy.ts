/** Offline hiring of whoever still fits, at the price it asks. */

import type { Ledger } from "./ledger.js";
import type { Outcome } from "./mechanism.js";

/** Goes through rows in order and hires for all rounds; one that does not fit is skipped and the next is tried. */
export function hireWhileItFits(ledger: Ledger, order: Int32Array): Outcome {
  const { budget, rounds } = ledger.rules;
  const terms = { round: 1, buys: rounds, purse: { limit: budget, spent: 0 }, threshold: null };
  for (const row of order) ledger.offer(row, terms);
  return ledger.outcome();
}
