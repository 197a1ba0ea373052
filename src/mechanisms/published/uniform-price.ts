/** The uniform-price auction for hiring k workers of unit supply: the k cheapest win, all paid the price of the next. */

import { defineBuiltIn } from "../../auction/define-mechanism.js";
import { withOptions } from "../../auction/mechanism.js";
import { hireForAllRounds } from "../../auction/rounds.js";

export const uniformPrice = withOptions({ winners: { default: 2, from: 1, whole: true } }, ({ winners }) =>
  defineBuiltIn({
    name: "uniform-price",
    about: "Offline: hires the k workers who ask least, and pays all of them what the next one asks.",
    rule: [
      "Offline: sees everybody at round 1.",
      "Hires the k workers who ask least, two unless said otherwise, and pays each the price of the first not hired.",
      "With k workers or fewer nobody is hired, for there is no such price.",
    ],
    promise: "No misstated price gains, for each worker sells one unit.",
    source: "Textbook: the uniform-price auction of the (k + 1)th price, with unit supply.",
    adapted: "A unit is one worker for all rounds. There is no reserve price.",
    comparison: "published",
    offline: true,
    uses: { reputations: false, rounds: true, budget: false, groups: false, start: false },
    keepsBudget: () => false,
    truthful:
      "Arrivals are not looked at, and a winner's pay is the k-th lowest price of the others: asking the cost wins " +
      "exactly where that pay covers it.",
    claims: [
      { property: "P1", where: "Textbook." },
      {
        property: "P5",
        where: "Textbook: with unit supply, truth is a dominant strategy at the (k + 1)th price.",
      },
    ],
    program(auction) {
      const order = auction.byPrice();
      const next = order[winners];
      hireForAllRounds(auction, next === undefined ? [] : order.slice(0, winners), () => next!.price);
    },
  }),
);
