/** Two stages, after Babaioff et al. 2008: the first half only teaches the price, the second half is hired at it. */

import { Ledger } from "./ledger.js";
import type { Mechanism } from "./mechanism.js";
import { byDensity, byReputation, sampleOf } from "./ranking.js";
import { playRounds } from "./rounds.js";

export const twoStage: Mechanism = {
  name: "two-stage",
  about:
    "Online: who arrives in the first half only sets the price; the others are hired at it while money lasts.",
  decide(rules, bids, trace) {
    const ledger = new Ledger(rules, bids, trace);
    const { columns } = ledger;
    const half = Math.floor(rules.rounds / 2);
    const threshold = ledger.learn(sampleOf(columns, byDensity(columns)), half, rules.budget / rules.rounds);
    const line = byReputation(columns).filter((row) => columns.arrival[row]! > half);
    const purse = { limit: rules.budget, spent: 0 };
    playRounds(ledger, line, (round) => ({ threshold: round > half ? threshold : null, purse }));
    return ledger.outcome();
  },
};
