/**
 * A repair of the paper's mechanism that keeps its promise: a winner works all remaining rounds, at a pay fixed when it
 * is admitted. Groups judge each other from round 1 on, without a first step and without waiting for a minimum, and all
 * thresholds are learned with the sample budget of round 1, β = B1/(2T), which the paper then raises round by round.
 * Admission and the groups' money are as in [M9].
 *
 * Why no lie gains. With β fixed, a threshold can only fall as more of a group arrive: it is the highest x at which all
 * who ask less than x cost no more than β at x, and every arrival adds to that cost. So the offers a worker meets per
 * round, Re · ρ*, never rise. Neither their height nor whether they fit depends on its own bid or arrival as long as it
 * is not admitted: the price is the other group's, the place in line its reputation's, the money left the others' doing.
 * The first offer that fits is thus the best it will ever get, per round and in rounds. Asking the cost takes it if it
 * covers the cost, and nothing later would cover it if it does not; coming late only misses it. This removes all three
 * causes of gain: to reserve a place early (places only get cheaper), to wait for a better price (there is none; hence no
 * repricing), and to move the start or the first step's price (there are none).
 *
 * What it gives up. Early workers are paid for the thin market they come into, late ones get less for the same work.
 * The publisher cannot turn leftover money into higher prices, and cannot wait for a minimum of workers. A larger
 * firstRoundRatio buys more work at worse prices.
 */

import { defineBuiltIn } from "../auction/define-mechanism.js";
import { judgeAcross, sidesOf } from "../auction/rounds.js";

export const fallingPrice = defineBuiltIn({
  name: "falling-price",
  about: "Repair: prices that only fall, so the first offer is the best; winners work all remaining rounds.",
  rule: [
    "A repair: groups judge each other from round 1 on, without a first step.",
    "Thresholds are learned with the sample budget of round 1 throughout, so that offers can only fall.",
    "A worker admitted works all rounds that remain, at a pay fixed then.",
  ],
  promise: "No lie about price or arrival gains, under any budget.",
  source: "Made here, after the causes of gain found in the paper's auction.",
  truthful:
    "Prices never rise, and until it is admitted a worker's own bid changes no offer it meets: the first offer that fits " +
    "is the best it will get, asking the cost takes it exactly if it covers the cost, and coming late only misses it.",
  program(auction) {
    const { math, rules } = auction;
    const sides = sidesOf(auction, auction.byReputation());
    const first = math.times(rules.firstRoundRatio, rules.budget);
    const budget = math.over(math.over(first, math.known(2)), math.known(rules.rounds));
    const half = math.over(rules.budget, math.known(2));
    const purses = [auction.purse(half), auction.purse(half)] as const;
    auction.eachRound(({ round, clock, buys }) => {
      judgeAcross(auction, sides, { round, clock, budget, purses }, (worker, threshold, purse) => {
        if (worker.selectedAt === null)
          auction.offer(worker, { round, buys, purse, threshold, group: worker.group });
      });
    });
  },
});
