/** The second-price auction of Vickrey 1961 for hiring: the cheapest wins, and is paid the second lowest price. */

import { defineBuiltIn } from "../../auction/define-mechanism.js";
import { hireForAllRounds } from "../../auction/rounds.js";

export const vickrey = defineBuiltIn({
  name: "vickrey",
  about: "Offline: hires who asks least, and pays what the second asks.",
  rule: [
    "Offline: sees everybody at round 1.",
    "Hires the one worker who asks least, and pays the second lowest price.",
    "With fewer than two workers nobody is hired, for there is no second price.",
  ],
  promise: "No misstated price gains.",
  source: "Textbook: Vickrey 1961, Counterspeculation, Auctions, and Competitive Sealed Tenders.",
  year: 1961,
  adapted: "The winner works all rounds. There is no reserve price.",
  comparison: "published",
  offline: true,
  uses: { reputations: false, rounds: true, budget: false, groups: false, start: false },
  keepsBudget: () => false,
  truthful:
    "Arrivals are not looked at, and the winner's pay is the lowest price of the others: asking the cost wins exactly " +
    "where that pay covers it.",
  claims: [
    { property: "P1", where: "Textbook." },
    { property: "P5", where: "Textbook: truth is a dominant strategy in a second-price auction." },
  ],
  program(auction) {
    const [cheapest, second] = auction.byPrice();
    const winners = cheapest === undefined || second === undefined ? [] : [cheapest];
    hireForAllRounds(auction, winners, () => second!.price);
  },
});
