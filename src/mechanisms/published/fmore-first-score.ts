/** FMore with the first-score rule: the highest scores win, a score being weighted quality less price, and are paid their bids. */

import { defineBuiltIn } from "../../auction/define-mechanism.js";
import { withOptions } from "../../auction/mechanism.js";
import { hireForAllRounds } from "../../auction/rounds.js";
import { byScore, fmore, fmoreOptions } from "./shared/fmore.js";

export const fmoreFirstScore = withOptions(fmoreOptions, ({ winners, weight }) =>
  defineBuiltIn({
    ...fmore,
    name: "fmore-first-score",
    about: "Offline: hires the highest scores, weighted reputation less price, and pays the bids.",
    rule: [
      "Offline: sees everybody at round 1.",
      "A score is the reputation, times a weight of 1 unless said otherwise, less the price per round.",
      "The highest scores win, two unless said otherwise, and are paid what they ask.",
    ],
    promise: "The paper's abstract calls it incentive compatible.",
    program(auction) {
      hireForAllRounds(auction, byScore(auction, weight).slice(0, winners), ({ price }) => price);
    },
  }),
);
