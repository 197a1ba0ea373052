/** The first-price auction for hiring: the cheapest win, and are paid what they ask. */

import { defineBuiltIn } from "../../auction/define-mechanism.js";
import { withOptions } from "../../auction/mechanism.js";
import { hireForAllRounds } from "../../auction/rounds.js";

export const firstPrice = withOptions({ winners: { default: 1, from: 1, whole: true } }, ({ winners }) =>
  defineBuiltIn({
    name: "first-price",
    about: "Offline: hires who asks least, and pays the bid.",
    rule: ["Offline: sees everybody at round 1.", "Hires the one worker who asks least, and pays its bid."],
    promise: "None for truthfulness: a winner who asks a little more is paid more.",
    source: "Textbook: the sealed-bid first-price auction, for hiring.",
    adapted: "Winners work all rounds; option winners hires more than one. There is no reserve price.",
    comparison: "published",
    offline: true,
    uses: { reputations: false, rounds: true, budget: false, groups: false, start: false },
    keepsBudget: () => false,
    claims: [
      { property: "P1", where: "Textbook: a winner is paid its bid, which is no less than its cost." },
      {
        property: "P5",
        says: "breaks",
        where: "Textbook: in a first-price auction for hiring it pays to ask for more than the cost.",
      },
    ],
    program(auction) {
      const cheapest = auction.byPrice().slice(0, winners);
      hireForAllRounds(auction, cheapest, ({ price }) => price);
    },
  }),
);
