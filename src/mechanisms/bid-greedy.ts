/** Bid greedy: the cheapest workers, whatever their reputation as long as they have one, paid what they ask. */

import { written } from "./auction.js";
import { hireWhileItFits } from "./rounds.js";

export const bidGreedy = written({
  name: "bid-greedy",
  about: "Offline: hires by increasing price whoever still fits in the budget, and pays the bid.",
  offline: true,
  text: (auction) => hireWhileItFits(auction, auction.byPrice()),
});
