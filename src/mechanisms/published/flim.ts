/**
 * The FLIM rule of public code for federated learning under a budget: the most workers whose prices are below an equal share
 * of it are hired, and paid the share or the price of the next one, whichever is lower. Where everybody is hired there is no
 * next one, and the dearest worker's own price takes its place.
 */

import type { Amount } from "../../auction/amounts.js";
import { defineBuiltIn } from "../../auction/define-mechanism.js";
import { hireForAllRounds } from "../../auction/rounds.js";

export const flim = defineBuiltIn({
  name: "flim",
  about: "Offline: hires the cheapest workers who ask less than an equal share of the budget.",
  rule: [
    "Offline: sees everybody at round 1.",
    "Hires the k workers who ask least for the largest k of whom the k-th asks less than a k-th of the budget.",
    "Pays each a k-th of the budget or the next worker's price, whichever is lower; where there is no next worker, the k-th worker's own price takes its place.",
  ],
  promise: "Unknown: the paper behind the code was not read.",
  source:
    "FLIM.py of Hylan-J/Incentive-Mechanism-for-Federated-Learning-with-Budget-Constraints-under-Unbalanced-Data, public code for a paper in Chinese; its rule is restated.",
  adapted:
    "The code holds one auction in each round with that round's budget; here one is held with B/T, for all rounds.",
  comparison: "published",
  offline: true,
  uses: { reputations: false, rounds: true, budget: true, groups: false, start: false },
  claims: [],
  program(auction) {
    const { math, rules } = auction;
    const order = auction.byPrice();
    const shareOf = (k: number): Amount => math.over(rules.budget, math.known(rules.rounds * k));
    let hired = 0;
    while (hired < order.length && !math.atMost(shareOf(hired + 1), order[hired]!.price)) hired++;
    if (hired === 0) return;
    const share = shareOf(hired);
    const { price } = order[hired] ?? order[hired - 1]!;
    const pay = math.atMost(price, share) ? price : share;
    hireForAllRounds(auction, order.slice(0, hired), () => pay);
  },
});
