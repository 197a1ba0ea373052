/**
 * A sample and a posted price, after Badanidiyuru, Kleinberg and Singer 2012: who arrives in the first half only shows what
 * the budget could buy, and everybody after that is offered a price at which it would buy a part of that.
 */

import type { Amount } from "../../auction/amounts.js";
import type { Candidate } from "../../auction/auction.js";
import { defineBuiltIn } from "../../auction/define-mechanism.js";
import { withOptions } from "../../auction/mechanism.js";

export const badanidiyuru = withOptions({ part: { default: 0.5, from: 0.001, to: 1 } }, ({ part }) =>
  defineBuiltIn({
    name: "badanidiyuru",
    about:
      "Online: the first half shows what the budget could buy; the others are offered a price made from that.",
    rule: [
      "Workers who arrive in the first half of the rounds only form the sample, and can never win; the budget would buy some reputation from them at their prices.",
      "Everybody after that is offered, in the round of its arrival and for all rounds that remain, the payment per reputation at which the budget buys half as much.",
      "Whoever asks no more is hired, in the order of ids, while the budget lasts.",
    ],
    promise: "A worker's own bid never sets the price it is offered.",
    source:
      "After Badanidiyuru, Kleinberg and Singer 2012, Learning on a Budget (EC; abstract read): the kind of rule it describes for random order, built from that, not its own.",
    year: 2012,
    adapted:
      "Only the abstract was read: a sample, an estimate of what the budget buys, and a posted price. Half the rounds as the sample, the greedy estimate and the half of it are chosen here; value is reputation, for which values add up.",
    comparison: "published",
    uses: { reputations: true, rounds: true, budget: true, groups: false, start: false },
    claims: [
      { property: "P1", where: "A posted price." },
      { property: "P2", quote: "Our mechanisms are subject to a budget constraint", where: "Abstract." },
      {
        property: "P5",
        quote: "a truthful mechanism that is O(1)-competitive but uses bidding rather than posted pricing",
        where: "Abstract, under random order: there no worker chooses when it arrives.",
      },
    ],
    program(auction) {
      const { math, zero, rules } = auction;
      const { rounds, budget } = rules;
      const half = Math.floor(rounds / 2);
      const early = auction.workers.filter(({ arrival }) => arrival <= half);
      const value = greedyValue(auction.byDensity(early));
      if (value === null) return;
      const threshold = math.over(budget, math.times(math.known(part * rounds), value));
      const purse = auction.purse(budget);
      for (let round = half + 1; round <= rounds; round++)
        for (const worker of auction.workers)
          if (worker.arrival === round)
            auction.offer(worker, { round, buys: rounds - round + 1, purse, threshold });

      /** What the budget buys by increasing density for all rounds, at prices bid; null if nothing. */
      function greedyValue(order: readonly Candidate[]): Amount | null {
        let cost = zero;
        let bought: Amount | null = null;
        for (const { price, reputation } of order) {
          cost = math.plus(cost, math.times(math.known(rounds), price));
          if (!math.atMost(cost, budget)) break;
          bought = math.plus(bought ?? zero, reputation);
        }
        return bought;
      }
    },
  }),
);
