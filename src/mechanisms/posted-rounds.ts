/**
 * A repair of the paper's mechanism that buys every round afresh. In each round each group may spend B/(2T); its
 * workers, by decreasing reputation, are offered Re · ρ* for this one round, where ρ* is the other group's threshold,
 * learned with β = share · B/(2T). A smaller share buys less, and cheaper.
 *
 * Why no lie gains. What a worker is offered in a round depends on the other group's bids (its price), on reputations
 * (its place in line) and on the bids of those before it in line (the money left): never on its own bid, and on its
 * arrival only in that there is no offer before it. Nothing is carried over, so no round touches another. Its utility is
 * a sum over rounds of "offer minus cost if I am in": asking the cost takes exactly the offers that cover it, coming
 * late only leaves some out. So the truth is a best response to any bids of the others, in any regime.
 *
 * What it gives up. A winner is promised one round and no more: a later arrival of higher reputation takes its place,
 * and as the other group grows its price falls. Money that a round does not use is lost, which hurts where few are there
 * early: the other group's price needs somebody in it, and a whole offer must fit in a 2T-th of the budget. The publisher
 * cannot wait for a minimum of workers.
 */

import { defineBuiltIn } from "../auction/define-mechanism.js";
import { withOptions } from "../auction/mechanism.js";
import { judgeAcross, sidesOf } from "../auction/rounds.js";

export const postedRounds = withOptions({ share: { default: 1, from: 0 } }, ({ share }) =>
  defineBuiltIn({
    name: "posted-rounds",
    about:
      "Repair: buys every round afresh at the other group's price; nobody gains by lying, nobody is promised more.",
    rule: [
      "A repair: every round is bought afresh, and each group may spend B/(2T) in it.",
      "By decreasing reputation, a group's workers are offered the other group's threshold times their reputation, for this one round.",
      "Money that a round does not use is lost; a share below 1 learns the threshold with less than B/(2T), and buys less, but cheaper.",
    ],
    promise: "No lie about price or arrival gains, under any budget.",
    source: "Made here, after the causes of gain found in the paper's auction.",
    truthful:
      "In every round a worker is made an offer that does not depend on its own bid, and no round touches another: " +
      "asking the cost takes exactly the offers that cover it, and coming late only misses some.",
    program(auction) {
      const { math, rules } = auction;
      const sides = sidesOf(auction, auction.byReputation());
      const half = math.over(math.over(rules.budget, math.known(2)), math.known(rules.rounds));
      const budget = math.times(math.known(share), half);
      auction.eachRound(({ round, clock }) => {
        const purses = [auction.purse(half), auction.purse(half)] as const;
        judgeAcross(auction, sides, { round, clock, budget, purses }, (worker, threshold, purse) =>
          auction.offer(worker, { round, buys: 1, purse, threshold, group: worker.group }),
        );
      });
    },
  }),
);
