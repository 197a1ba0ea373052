/** The yardstick: a greedy knapsack of somebody who knows the costs and pays no more than them. */

import { informed } from "./auction.js";
import { hireWhileItFits } from "./rounds.js";

export const approximateOptimal = informed({
  name: "approximate-optimal",
  about:
    "Offline, knows the costs: hires by increasing cost per reputation whoever still fits, and pays the cost.",
  offline: true,
  truthful: "Bids are not looked at: every worker is paid its cost or nothing.",
  text: (auction) => hireWhileItFits(auction, auction.byDensity()),
});
