/** A fixed posted price: take it or leave it, one worker after another while the budget lasts. */

import { defineBuiltIn } from "../../auction/define-mechanism.js";
import { withOptions } from "../../auction/mechanism.js";

export const postedPrice = withOptions({ price: { default: 0.3, from: 0 } }, ({ price }) =>
  defineBuiltIn({
    name: "posted-price",
    about: "Offline: offers everybody one price per round that nobody's bid moves, while the budget lasts.",
    rule: [
      "Offline: sees everybody at round 1.",
      "In the order of ids, whoever asks no more than the posted price, 0.3 a round unless said otherwise, is hired at it for all rounds, if that fits in what is left of the budget.",
    ],
    promise: "No lie gains: no bid moves any offer.",
    source: "Textbook: a take-it-or-leave-it price.",
    adapted:
      "The order is that of ids. A worker whose pay does not fit is passed over, and the next is looked at.",
    comparison: "published",
    offline: true,
    uses: { reputations: false, rounds: true, budget: true, groups: false, start: false },
    truthful:
      "Arrivals are not looked at, and neither the price nor the money left for a worker depends on its own bid: asking " +
      "the cost takes the offer exactly where it covers the cost.",
    claims: [
      { property: "P1", where: "Textbook." },
      { property: "P2", where: "By the rule: an offer that does not fit is not made." },
      {
        property: "P5",
        where: "Textbook: accepting exactly the offers above one's cost is a dominant strategy.",
      },
    ],
    program(auction) {
      const { math, rules } = auction;
      const terms = { round: 1, buys: rules.rounds, purse: auction.purse(rules.budget) };
      for (const worker of auction.workers)
        auction.offer(worker, { ...terms, threshold: math.over(math.known(price), worker.reputation) });
    },
  }),
);
