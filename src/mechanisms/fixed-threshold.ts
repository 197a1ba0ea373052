/** The paper's first benchmark: one payment density for everybody and for all rounds. */

import { written } from "./auction.js";
import { withOptions } from "./mechanism.js";
import { playRounds } from "./rounds.js";

export const fixedThreshold = withOptions({ density: { default: 0.75, from: 0 } }, ({ density }) =>
  written({
    name: "fixed-threshold",
    about: "Online: admits whoever asks no more than a fixed payment density and still fits in the budget.",
    truthful:
      "A worker's offer per round is the same in every round, and when it comes does not depend on its own bid: " +
      "taking the first one, if it covers the cost, is best, and the truth does that.",
    text(auction) {
      const posting = { threshold: auction.math.known(density), purse: auction.purse(auction.rules.budget) };
      playRounds(auction, auction.byReputation(), () => posting);
    },
  }),
);
