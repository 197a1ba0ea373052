/** The paper's first benchmark: one payment density for everybody and for all rounds. */

import { Ledger } from "./ledger.js";
import { type Mechanism, withOptions } from "./mechanism.js";
import { byReputation } from "./ranking.js";
import { playRounds } from "./rounds.js";

export const fixedThreshold: Mechanism = withOptions(
  { density: { default: 0.75, from: 0 } },
  ({ density }) => ({
    name: "fixed-threshold",
    about: "Online: admits whoever asks no more than a fixed payment density and still fits in the budget.",
    truthful:
      "A worker's offer per round is the same in every round, and when it comes does not depend on its own bid: " +
      "taking the first one, if it covers the cost, is best, and the truth does that.",
    decide(rules, bids, trace) {
      const ledger = new Ledger(rules, bids, trace);
      const posting = { threshold: density, purse: { limit: rules.budget, spent: 0 } };
      playRounds(ledger, byReputation(ledger.columns), () => posting);
      return ledger.outcome();
    },
  }),
);
