/** Bid greedy: the cheapest workers, whatever their reputation as long as they have one, paid what they ask. */

import { defineBuiltIn } from "../auction/define-mechanism.js";
import { hireWhileItFits } from "../auction/rounds.js";

export const bidGreedy = defineBuiltIn({
  name: "bid-greedy",
  about: "Offline: hires by increasing price whoever still fits in the budget, and pays the bid.",
  rule: [
    "Offline: sees everybody at round 1.",
    "By increasing price, hires whoever's bid still fits in the budget.",
    "Pays the bid.",
  ],
  promise: "None: who is hired could have asked for more.",
  source: "As the paper describes it.",
  offline: true,
  program: (auction) => hireWhileItFits(auction, auction.byPrice()),
});
