/** Many stages, after Zhao et al. 2014 (OMG): each twice as long and twice as rich as the one before it. */

import { Ledger } from "./ledger.js";
import type { Mechanism } from "./mechanism.js";
import { byDensity, byReputation, sampleOf } from "./ranking.js";
import { type Posting, playRounds } from "./rounds.js";

export const multiStage: Mechanism = {
  name: "multi-stage",
  about:
    "Online: stages that double in length and money, each at a price learned from all who came before it.",
  decide(rules, bids, trace) {
    const ledger = new Ledger(rules, bids, trace);
    playRounds(ledger, byReputation(ledger.columns), stages(ledger));
    return ledger.outcome();
  },
};

/** Stage j = J … 0 ends at round ⌊T/2^j⌋ and may spend up to B/2^j in all; the first has no threshold. */
function stages(ledger: Ledger): (round: number) => Posting {
  const { rounds, budget } = ledger.rules;
  const sample = sampleOf(ledger.columns, byDensity(ledger.columns));
  const purse = { limit: 0, spent: 0 };
  let parts = 2 ** (31 - Math.clz32(rounds)); // 2^J with J = ⌊log₂ T⌋, exactly
  let end = 1;
  let threshold: number | null = null;
  return (round) => {
    if (round > end) {
      parts /= 2;
      purse.limit = budget / parts;
      threshold = ledger.learn(sample, end, budget / (parts * rounds));
      end = Math.floor(rounds / parts);
    }
    return { threshold, purse };
  };
}
