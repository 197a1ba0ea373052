/** The yardstick: a greedy knapsack of somebody who knows the costs and pays no more than them. */

import { defineYardstick } from "../auction/define-mechanism.js";
import { hireWhileItFits } from "../auction/rounds.js";

export const approximateOptimal = defineYardstick({
  name: "approximate-optimal",
  about:
    "Offline, knows the costs: hires by increasing cost per reputation whoever still fits, and pays the cost.",
  rule: [
    "Offline, and it knows the true costs.",
    "By increasing cost per reputation, hires whoever's cost still fits in the budget.",
    "Pays the cost.",
  ],
  promise: "No auction can do this: it is the limit that others are held to.",
  source: "A greedy knapsack, as the paper describes it.",
  offline: true,
  truthful: "Bids are not looked at: every worker is paid its cost or nothing.",
  program: (auction) => hireWhileItFits(auction, auction.byDensity()),
});
