/** Proportional share (Singer 2010): the paper's first step with the whole budget and everybody in it. */

import { defineBuiltIn } from "../auction/define-mechanism.js";

export const proportionalShare = defineBuiltIn({
  name: "proportional-share",
  about: "Offline: shares the whole budget in proportion to reputation among the lowest densities.",
  rule: [
    "Offline: sees everybody at round 1.",
    "By increasing price per reputation, takes workers while each asks no more than its share of the budget in proportion to reputation.",
    "Pays all of them the same amount per reputation.",
  ],
  promise: "Pays critical prices: no misstated price gains.",
  source: "Singer's proportional share, [M3] over the whole budget.",
  year: 2010,
  claims: [
    {
      property: "P2",
      quote:
        "under the constraint that the sum of the payments provided by the mechanism does not exceed a given budget",
      where: "Abstract.",
    },
    {
      property: "P5",
      quote: "the study of truthful mechanism design with a sharp budget constraint",
      where: "Said of it by Chen, Gravin and Lu 2011, introduction.",
    },
  ],
  offline: true,
  truthful:
    "Arrivals are not looked at, and a winner is paid its critical price: whoever asks less is hired at that same pay, " +
    "whoever asks more is not.",
  program(auction) {
    const { rounds, budget } = auction.rules;
    auction.buyAtOnce(auction.sample(), { buys: rounds, budget }, { clock: 1 });
  },
});
