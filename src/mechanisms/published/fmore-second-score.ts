/** FMore with the second-score rule: the highest scores win, each paid so much that its score would equal the best one that lost. */

import { defineBuiltIn } from "../../auction/define-mechanism.js";
import { withOptions } from "../../auction/mechanism.js";
import { hireForAllRounds } from "../../auction/rounds.js";
import { byScore, fmore, fmoreOptions } from "./shared/fmore.js";

export const fmoreSecondScore = withOptions(fmoreOptions, ({ winners, weight }) =>
  defineBuiltIn({
    ...fmore,
    name: "fmore-second-score",
    about: "Offline: hires the highest scores, and pays each down to the best score that loses.",
    rule: [
      "Offline: sees everybody at round 1.",
      "A score is the reputation, times a weight of 1 unless said otherwise, less the price per round; the highest win, two unless said otherwise.",
      "Each winner is paid the price at which its score would equal the best one that loses; where none loses, nobody is hired.",
    ],
    promise: "No misstated price gains; the paper's abstract calls it incentive compatible.",
    truthful:
      "Arrivals are not looked at, and a winner's pay is the price at which its score would equal that of the best loser: " +
      "asking the cost wins exactly where that pay covers it.",
    program(auction) {
      const { math } = auction;
      const order = byScore(auction, weight);
      const loser = order[winners];
      const winning = loser === undefined ? [] : order.slice(0, winners);
      hireForAllRounds(auction, winning, ({ reputation }) =>
        math.plus(loser!.price, math.times(math.known(weight), math.minus(reputation, loser!.reputation))),
      );
    },
  }),
);
