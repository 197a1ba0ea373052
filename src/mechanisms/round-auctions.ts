/**
 * A repair that holds one auction per round: in each, everybody who has arrived takes part in a proportional share ([M3]) of
 * that round's money, without groups, and winners are paid for that one round. A round's money is fixed beforehand: it
 * rises as the paper's sample budget does ([M7]), as more workers are there later, and adds up to a share of the budget.
 *
 * Why no lie gains. A proportional share pays critical prices: at whatever lower price a winner is hired at the same pay, at
 * any higher one it is not. So in each round asking the cost is best, whatever the others bid. No round touches another, for
 * nothing is carried over: asking the cost is best in all of them, and who comes late only misses rounds, none of which
 * would have cost it anything.
 *
 * What it gives up. A winner is promised one round and no more, and the publisher cannot wait for a minimum of workers. The
 * paper's auction spends about three quarters of the budget; with 0.76 of it this one buys a little more from workers who
 * tell the truth, in all and per unit paid. No truthful mechanism could buy much more for that money. With all of it
 * (share=1) it buys about a quarter more than the paper's, at a price some 5 % higher.
 */

import type { Amount } from "../auction/amounts.js";
import type { Auction } from "../auction/auction.js";
import { defineBuiltIn } from "../auction/define-mechanism.js";
import { withOptions } from "../auction/mechanism.js";

export const roundAuctions = withOptions({ share: { default: 0.76, from: 0, to: 1 } }, ({ share }) =>
  defineBuiltIn({
    name: "round-auctions",
    about: "Repair: a proportional share among all who have arrived, held afresh in every round.",
    rule: [
      "A repair: every round is bought afresh, in an auction among all who have arrived.",
      "By increasing price per reputation, takes workers while each asks no more than its share of the round's money in proportion to reputation, and pays all of them the same per reputation.",
      "The money of the rounds is fixed beforehand, rises from the first to the last, and adds up to 0.76 of the budget, or the share that is set.",
    ],
    promise: "No lie about price or arrival gains, under any budget.",
    source: "Made here: Singer's proportional share in every round, with the paper's rising sample budget.",
    truthful:
      "In every round a winner is paid its critical price, and no round touches another: asking the cost is best in each, " +
      "and coming late only misses some.",
    program(auction) {
      const { math } = auction;
      const sample = auction.sample();
      auction.eachRound(({ round, clock }) => {
        const budget = math.times(math.known(share), roundBudget(auction, round));
        auction.buyShare(sample, { round, by: clock, buys: 1, budget });
      });
    },
  }),
);

/** B · w_t / Σ w, with w rising from the first-round ratio to 1. */
function roundBudget(auction: Auction, round: number): Amount {
  const { math, rules } = auction;
  const { budget, rounds, firstRoundRatio: first } = rules;
  const one = math.known(1);
  const risen = math.times(math.minus(one, first), auction.progress(round));
  const sum = math.times(math.over(math.known(rounds), math.known(2)), math.plus(one, first));
  return math.times(math.over(math.plus(first, risen), sum), budget);
}
