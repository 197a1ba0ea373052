/** Mechanisms under which a lie gains without bound. */

import { defineMechanism } from "../src/index.js";

/** The second price, but with nobody else to set it the winner's own. */
export const vickrey = defineMechanism({
  name: "vickrey",
  about: "Offline: hires the cheapest for a round at the next price, or its own where it is alone.",
  offline: true,
  program(auction) {
    const [first, second] = auction.byPrice();
    if (first) auction.hire(first, { round: 1, buys: 1, threshold: null }, (second ?? first).price);
  },
});

/** Everybody can be the dearest, and then names its pay. */
export const dearest = defineMechanism({
  name: "dearest",
  about: "Offline: hires the dearest for a round at its own price.",
  offline: true,
  program(auction) {
    const last = auction.byPrice().at(-1);
    if (last) auction.hire(last, { round: 1, buys: 1, threshold: null }, last.price);
  },
});
