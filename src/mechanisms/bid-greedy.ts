/** Bid greedy: the cheapest workers, whatever their reputation as long as they have one, paid what they ask. */

import { hireWhileItFits } from "./greedy.js";
import { Ledger } from "./ledger.js";
import type { Mechanism } from "./mechanism.js";
import { ranked } from "./ranking.js";

export const bidGreedy: Mechanism = {
  name: "bid-greedy",
  about: "Offline: hires by increasing price whoever still fits in the budget, and pays the bid.",
  offline: true,
  decide(rules, bids, trace) {
    const ledger = new Ledger(rules, bids, trace);
    const { price } = ledger.columns;
    return hireWhileItFits(
      ledger,
      ranked(ledger.columns, (row) => price[row]!),
    );
  },
};
