/**
 * Vickrey, Clarke and Groves for k identical units: here a unit is one round of work, of which every worker can sell up to
 * T. The units are bought where they cost least, and a winner is paid what its units would cost from the others.
 */

import type { Amount } from "../../auction/amounts.js";
import type { Candidate } from "../../auction/auction.js";
import { defineBuiltIn } from "../../auction/define-mechanism.js";
import { withOptions } from "../../auction/mechanism.js";

export const vcg = withOptions({ units: { default: 3, from: 1, whole: true } }, ({ units }) =>
  defineBuiltIn({
    name: "vcg",
    about:
      "Offline: buys k rounds of work where they cost least, each winner paid what the others would cost.",
    rule: [
      "Offline: sees everybody at round 1. So many rounds of work are bought in all: three unless said otherwise.",
      "By increasing price, each worker sells as many of its T rounds as are still wanted.",
      "A winner is paid what its rounds would cost from those that the others have left; where any worker could not be replaced, nobody is hired.",
    ],
    promise: "No misstated price gains.",
    source: "Textbook: Vickrey 1961, Clarke 1971, Groves 1973, for identical units.",
    year: 1973,
    adapted: "A unit is a round of work of any worker. There is no reserve price.",
    comparison: "published",
    offline: true,
    uses: { reputations: false, rounds: true, budget: false, groups: false, start: false },
    keepsBudget: () => false,
    truthful:
      "Arrivals are not looked at, and a winner's utility is what all others cost without it, less what everybody costs " +
      "with it: asking the cost makes the latter least.",
    claims: [
      { property: "P1", where: "Textbook." },
      { property: "P5", where: "Textbook: truth is a dominant strategy under VCG." },
    ],
    program(auction) {
      const { rounds } = auction.rules;
      const order = auction.byPrice();
      if ((order.length - 1) * rounds < units) return;
      let wanted = units;
      const sold = new Map<Candidate, number>();
      for (const worker of order) {
        sold.set(worker, Math.min(rounds, wanted));
        wanted -= sold.get(worker)!;
      }
      for (const worker of order) {
        const buys = sold.get(worker)!;
        const terms = { round: 1, buys, threshold: null };
        if (buys === 0) auction.pass(worker, { ...terms, purse: auction.purse(auction.zero) });
        else auction.hire(worker, terms, costElsewhere(worker, buys));
      }

      /** What some rounds of a worker cost from what the others have left, the cheapest first. */
      function costElsewhere(worker: Candidate, buys: number): Amount {
        const { math } = auction;
        let [missing, cost] = [buys, auction.zero];
        for (const other of order) {
          if (other === worker) continue;
          const taken = Math.min(missing, rounds - sold.get(other)!);
          cost = math.plus(cost, math.times(math.known(taken), other.price));
          missing -= taken;
        }
        return cost;
      }
    },
  }),
);
