/** Proportional share (Singer 2010): the paper's first step with the whole budget and everybody in it. */

import { written } from "./auction.js";

export const proportionalShare = written({
  name: "proportional-share",
  about: "Offline: shares the whole budget in proportion to reputation among the lowest densities.",
  offline: true,
  truthful:
    "Arrivals are not looked at, and a winner is paid its critical price: whoever asks less is hired at that same pay, " +
    "whoever asks more is not.",
  text(auction) {
    const { rounds, budget } = auction.rules;
    auction.buyAtOnce(auction.sample(), { buys: rounds, budget }, { clock: 1 });
  },
});
