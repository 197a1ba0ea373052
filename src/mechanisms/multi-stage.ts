/** Many stages, after Zhao et al. 2014 (OMG): each twice as long and twice as rich as the one before it. */

import type { Amount } from "../auction/amounts.js";
import type { Auction } from "../auction/auction.js";
import { defineBuiltIn } from "../auction/define-mechanism.js";
import { type Posting, playRounds } from "../auction/rounds.js";

export const multiStage = defineBuiltIn({
  name: "multi-stage",
  about:
    "Online: stages that double in length and money, each at a price learned from all who came before it.",
  rule: [
    "Stages double in length and in money.",
    "At the end of a stage, everybody who has arrived sets the payment per reputation of the next.",
    "Workers are admitted at it while the stage's money lasts, and raised when it rises.",
  ],
  promise: "A worker's own bid never sets the price at which it is admitted.",
  source: "After Zhao et al. 2014 (OMG).",
  year: 2014,
  adapted:
    "Value is reputation, and a winner works all rounds that remain. Departures, which no bid here can name, are left out: everybody stays.",
  claims: [
    { property: "P1", quote: "individual rationality", where: "Abstract: what OMZ and OMG satisfy." },
    { property: "P2", quote: "budget feasibility", where: "Abstract: what OMZ and OMG satisfy." },
    { property: "P5", quote: "truthfulness", where: "Abstract: what OMZ and OMG satisfy." },
    {
      property: "P6",
      quote: "truthfulness",
      where: "Abstract; OMG is for workers who choose when they arrive.",
    },
  ],
  program: (auction) => playRounds(auction, auction.byReputation(), stages(auction)),
});

/** Stage j = J … 0 ends at round ⌊T/2^j⌋ and may spend up to B/2^j in all; the first has no threshold. */
function stages(auction: Auction): (round: number) => Posting {
  const { math, zero } = auction;
  const { rounds, budget } = auction.rules;
  const sample = auction.sample();
  const purse = auction.purse(zero);
  let parts = 2 ** (31 - Math.clz32(rounds)); // 2^J with J = ⌊log₂ T⌋, exactly
  let end = 1;
  let threshold: Amount | null = null;
  return (round) => {
    if (round > end) {
      parts /= 2;
      purse.limit = math.over(budget, math.known(parts));
      threshold = auction.learn(sample, {
        by: end,
        buys: 1,
        budget: math.over(purse.limit, math.known(rounds)),
      });
      end = Math.floor(rounds / parts);
    }
    return { threshold, purse };
  };
}
