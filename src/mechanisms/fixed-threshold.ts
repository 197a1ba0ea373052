/** The paper's first benchmark: one payment density for everybody and for all rounds. */

import { defineBuiltIn } from "../auction/define-mechanism.js";
import { withOptions } from "../auction/mechanism.js";
import { playRounds } from "../auction/rounds.js";

export const fixedThreshold = withOptions({ density: { default: 0.75, from: 0 } }, ({ density }) =>
  defineBuiltIn({
    name: "fixed-threshold",
    about: "Online: admits whoever asks no more than a fixed payment density and still fits in the budget.",
    rule: [
      "One payment per reputation, 0.75, for everybody and all rounds.",
      "In each round, by decreasing reputation, whoever asks no more is admitted for the rounds that remain, if the payment fits in what is left of the budget.",
    ],
    promise: "No lie gains: no bid moves any offer.",
    source: "The paper's first benchmark.",
    truthful:
      "A worker's offer per round is the same in every round, and when it comes does not depend on its own bid: " +
      "taking the first one, if it covers the cost, is best, and the truth does that.",
    program(auction) {
      const posting = { threshold: auction.math.known(density), purse: auction.purse(auction.rules.budget) };
      playRounds(auction, auction.byReputation(), () => posting);
    },
  }),
);
