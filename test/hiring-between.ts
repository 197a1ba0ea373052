/** Mechanisms of which the utility at every price is known beforehand: whoever asks between two prices is hired. */

import type { Amount, Arithmetic } from "../src/auction/amounts.js";
import { defineMechanism } from "../src/auction/define-mechanism.js";

/** Hires for two rounds whoever asks between two prices. */
export const hiringBetween = (low: number, high: number, pay: (price: Amount, math: Arithmetic) => Amount) =>
  defineMechanism({
    name: "between",
    about: "Hires between two prices.",
    program: (auction) => {
      const { math, workers } = auction;
      for (const worker of workers) {
        const { price } = worker;
        if (math.atMost(price, math.known(low)) || !math.atMost(price, math.known(high))) continue;
        auction.hire(worker, { round: 1, buys: 2, threshold: null }, pay(price, math));
      }
    },
  });
