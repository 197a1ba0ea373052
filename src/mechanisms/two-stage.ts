/** Two stages, after Babaioff et al. 2008: the first half only teaches the price, the second half is hired at it. */

import { defineBuiltIn } from "../auction/define-mechanism.js";
import { playRounds } from "../auction/rounds.js";

export const twoStage = defineBuiltIn({
  name: "two-stage",
  about:
    "Online: who arrives in the first half only sets the price; the others are hired at it while money lasts.",
  rule: [
    "Workers who arrive in the first half of the rounds only form the sample and can never win.",
    "Their bids set one payment per reputation.",
    "The others are admitted at it, by decreasing reputation, while the budget lasts.",
  ],
  promise: "A worker's own bid never sets the price it is offered.",
  source: "After Babaioff et al. 2008.",
  program(auction) {
    const { math, rules } = auction;
    const half = Math.floor(rules.rounds / 2);
    const threshold = auction.learn(auction.sample(), {
      by: half,
      buys: 1,
      budget: math.over(rules.budget, math.known(rules.rounds)),
    });
    const line = auction.byReputation().filter(({ arrival }) => arrival > half);
    const purse = auction.purse(rules.budget);
    playRounds(auction, line, (round) => ({ threshold: round > half ? threshold : null, purse }));
  },
});
