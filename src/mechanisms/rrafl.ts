/** RRAFL (Zhang et al. 2021): offline, the cheapest densities are paid the density of the first one left out. */

import type { Amount } from "../auction/amounts.js";
import type { Auction, Candidate } from "../auction/auction.js";
import { defineBuiltIn } from "../auction/define-mechanism.js";

export const rrafl = defineBuiltIn({
  name: "rrafl",
  about: "Offline: hires the lowest densities and pays each the density of the first worker left out.",
  rule: [
    "Offline: sees everybody at round 1.",
    "By increasing price per reputation, hires the largest number of workers who can all be paid the price per reputation of the first worker not hired.",
    "The last of the list is never hired.",
  ],
  promise: "Pays critical prices: no misstated price gains.",
  source: "After Zhang et al. 2021 (RRAFL), as the paper describes it.",
  offline: true,
  truthful:
    "Arrivals are not looked at, and a winner is paid its critical price: whoever asks less is hired at that same pay, " +
    "whoever asks more is not.",
  program(auction) {
    const { math, rules } = auction;
    const order = auction.byDensity();
    const winners = cutOff(auction, order);
    const threshold = winners === 0 ? null : order[winners]!.density;
    const terms = { round: 1, buys: rules.rounds, purse: auction.purse(rules.budget), threshold };
    for (const [k, worker] of order.entries()) {
      if (threshold === null || k >= winners) auction.pass(worker, { ...terms, threshold: null });
      else
        auction.admit(
          worker,
          terms,
          math.times(math.known(rules.rounds), math.times(worker.reputation, threshold)),
        );
    }
  },
});

/** The largest k with T · ρ_{k+1} · Σ_{i≤k} Re_i ≤ B. */
function cutOff({ math, rules, zero }: Auction, order: readonly Candidate[]): number {
  let winners = 0;
  let sum: Amount = zero;
  for (let k = 1; k < order.length; k++) {
    sum = math.plus(sum, order[k - 1]!.reputation);
    const cost = math.times(math.times(math.known(rules.rounds), sum), order[k]!.density);
    if (math.atMost(cost, rules.budget)) winners = k;
  }
  return winners;
}
