/**
 * A descending clock with a budget: the price per round falls, workers who ask more leave, and the clock stops when all
 * who are left can be paid. It is the deferred-acceptance clock of Milgrom and Segal with one price for all.
 */

import type { Amount } from "../../auction/amounts.js";
import type { Auction, Candidate } from "../../auction/auction.js";
import { defineBuiltIn } from "../../auction/define-mechanism.js";
import { hireForAllRounds } from "../../auction/rounds.js";

export const clockAuction = defineBuiltIn({
  name: "clock-auction",
  about: "Offline: lowers one price per round until all who would still work at it fit in the budget.",
  rule: [
    "Offline: sees everybody at round 1.",
    "One price per round falls, and whoever asks more leaves.",
    "It stops when all who are left can be paid out of the budget, and they are hired at it for all rounds.",
  ],
  promise: "No misstated price gains, and no group of workers all gain without paying each other.",
  source:
    "Milgrom and Segal, Deferred-Acceptance Auctions and Radio Spectrum Reallocation (abstract of 2015 read), with one price for all and the stopping rule of a hard budget.",
  year: 2015,
  adapted:
    "One clock for everybody instead of a price for each bidder. Of two workers who ask the same, the larger id leaves first.",
  comparison: "published",
  offline: true,
  uses: { reputations: false, rounds: true, budget: true, groups: false, start: false },
  truthful:
    "Arrivals are not looked at, and until a worker leaves its price changes nothing: it can choose at which price to " +
    "leave, and leaving at its cost is best.",
  claims: [
    { property: "P1", where: "By the rule: whoever stays is paid no less than it asks." },
    {
      property: "P2",
      quote:
        "DA auctions can balance a number of goals, including efficiency, revenue, and a budget constraint.",
      where: "Abstract.",
    },
    {
      property: "P5",
      quote: "DA clock auctions are obviously strategy-proof, (weakly) group strategy-proof",
      where: "Abstract, for single-minded bidders with private values.",
    },
  ],
  program(auction) {
    const { left, price } = stopped(auction);
    hireForAllRounds(auction, left, () => price!);
  },
});

interface Stopped {
  readonly left: readonly Candidate[];
  /** Per round; null where everybody has left. */
  readonly price: Amount | null;
}

/** Where the clock stops. With k workers left that is at B / (T · k), or above it where the last one left. */
function stopped(auction: Auction): Stopped {
  const { math, rules } = auction;
  const order = auction.byPrice();
  let clock: Amount | null = null;
  for (let k = order.length; k > 0; k--) {
    const affordable = math.over(rules.budget, math.known(rules.rounds * k));
    const price = clock !== null && math.atMost(clock, affordable) ? clock : affordable;
    const dearest = order[k - 1]!;
    if (math.atMost(dearest.price, price)) return { left: order.slice(0, k), price };
    clock = dearest.price;
  }
  return { left: [], price: null };
}
