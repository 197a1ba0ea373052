/** The yardstick: a greedy knapsack of somebody who knows the costs and pays no more than them. */

import { hireWhileItFits } from "./greedy.js";
import { Ledger } from "./ledger.js";
import type { InformedMechanism } from "./mechanism.js";
import { byDensity } from "./ranking.js";

export const approximateOptimal: InformedMechanism = {
  name: "approximate-optimal",
  about:
    "Offline, knows the costs: hires by increasing cost per reputation whoever still fits, and pays the cost.",
  sees: "costs",
  offline: true,
  truthful: "Bids are not looked at: every worker is paid its cost or nothing.",
  decide(rules, bids, trace) {
    const atCost = bids.map(({ cost, ...bidder }) => ({ ...bidder, price: cost }));
    const ledger = new Ledger(rules, atCost, trace);
    return hireWhileItFits(ledger, byDensity(ledger.columns));
  },
};
