/** The rounds of an online auction that starts on time: everybody who has arrived is looked at, by decreasing reputation. */

import type { Ledger, Purse } from "./ledger.js";

/** What a round offers: a payment density and the money for it. */
export interface Posting {
  readonly threshold: number | null;
  readonly purse: Purse;
}

/**
 * Plays rounds 1..T over a line of rows. Who is admitted works all remaining rounds and is raised to higher thresholds;
 * who is refused is looked at again. A round without a threshold admits nobody ([M4]).
 */
export function playRounds(ledger: Ledger, line: Int32Array, postingOf: (round: number) => Posting): void {
  const { rounds } = ledger.rules;
  for (let round = 1; round <= rounds; round++) {
    const { threshold, purse } = postingOf(round);
    if (threshold === null) continue;
    const terms = { round, buys: rounds - round + 1, purse, threshold };
    for (const row of line) {
      if (ledger.columns.arrival[row]! > round) continue;
      if (ledger.selectedAt[row]! > 0) ledger.raise(row, terms);
      else ledger.offer(row, terms);
    }
  }
}
