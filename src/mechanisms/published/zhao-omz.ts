/**
 * OMZ of Zhao, Li and Ma 2014: workers who come and leave at once, each decided on when it arrives. Stages double in length
 * and in money; when one ends, everybody who has come sets the price of the next.
 */

import type { Amount } from "../../auction/amounts.js";
import { defineBuiltIn } from "../../auction/define-mechanism.js";

export const zhaoOmz = defineBuiltIn({
  name: "zhao-omz",
  about:
    "Online: each worker is decided on when it arrives, for one round, at a price learned from those before.",
  rule: [
    "Stages double in length and in money, and everybody who has arrived by the end of one sets the payment per reputation of the next.",
    "A worker is looked at in the round of its arrival only, in the order of ids: if it asks no more and the pay fits in the stage's money, it is hired for that round.",
    "In the first stage nobody is hired.",
  ],
  promise: "A worker's own bid never sets the price it is offered.",
  source:
    "Zhao, Li and Ma 2014, How to Crowdsource Tasks Truthfully without Sacrificing Utility (INFOCOM; abstract read, the rule is second-hand).",
  year: 2014,
  adapted:
    "Value is reputation, and a worker does one round of work. The factor by which the paper lowers its threshold is left out, and so are departures, which no bid here can name: everybody leaves at once.",
  comparison: "published",
  uses: { reputations: true, rounds: true, budget: true, groups: false, start: false },
  claims: [
    { property: "P1", quote: "individual rationality", where: "Abstract: what OMZ and OMG satisfy." },
    { property: "P2", quote: "budget feasibility", where: "Abstract: what OMZ and OMG satisfy." },
    {
      property: "P5",
      quote: "truthfulness",
      where: "Abstract; of OMZ for workers who come and leave at once, who cannot lie about their arrival.",
    },
  ],
  program(auction) {
    const { math, zero, rules } = auction;
    const { rounds, budget } = rules;
    const sample = auction.sample();
    const purse = auction.purse(zero);
    let parts = 2 ** (31 - Math.clz32(rounds)); // 2^J with J = ⌊log₂ T⌋, exactly
    let end = 1;
    let threshold: Amount | null = null;
    for (let round = 1; round <= rounds; round++) {
      if (round > end) {
        parts /= 2;
        purse.limit = math.over(budget, math.known(parts));
        threshold = auction.learn(sample, { by: end, buys: 1, budget: purse.limit });
        end = Math.floor(rounds / parts);
      }
      if (threshold === null) continue;
      for (const worker of auction.workers)
        if (worker.arrival === round) auction.offer(worker, { round, buys: 1, purse, threshold });
    }
  },
});
