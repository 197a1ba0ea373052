/** The readable program of the paper's algorithms. */

import type { Amount } from "../../auction/amounts.js";
import type { Auction, Candidate, Purse } from "../../auction/auction.js";
import { judgeAcross, sidesOf } from "../../auction/rounds.js";

export function program(auction: Auction): void {
  const half = auction.math.over(auction.rules.budget, auction.math.known(2));
  const purses = [auction.purse(half), auction.purse(half)] as const;
  if (firstStep(auction, purses)) laterRounds(auction, purses);
}

/** Lines 9–17 of Algorithm 3, repeated a clock tick later while too few are taken ([M5], [M6]); whether the task starts. */
function firstStep(auction: Auction, purses: readonly [Purse, Purse]): boolean {
  const { rules } = auction;
  const everybody = auction.sample();
  const purseOf = ({ group }: Candidate) => purses[group];
  const ownTwice = rules.firstStep === "prose";
  return auction.startWhen(({ clock, round, buys }) => {
    const terms = { by: clock, buys, budget: firstBudget(auction, buys), ownTwice };
    return auction.buyAtOnce(everybody, terms, { clock, round, enough: rules.minWorkers, purseOf });
  });
}

/** B1 = ratio · B ([M5]), of which a start that shortens the task spends only its part ([M6]). */
function firstBudget({ math, rules }: Auction, buys: number): Amount {
  const whole = math.times(rules.firstRoundRatio, rules.budget);
  if (rules.delay !== "shorten") return whole;
  return math.times(whole, math.over(math.known(buys), math.known(rules.rounds)));
}

/** Lines 18–27 of Algorithm 3: in each round the groups judge each other ([M7], [M8], [M11]). */
function laterRounds(auction: Auction, purses: readonly [Purse, Purse]): void {
  const { reading } = auction.rules;
  const order = reading === "prose" ? auction.byReputation() : auction.byReputation("increasing");
  const sides = sidesOf(auction, order);
  auction.eachRound(({ round, clock, buys }) => {
    const deal = { round, clock, budget: sampleBudget(auction, round), purses };
    judgeAcross(auction, sides, deal, (worker, threshold, purse) => {
      const terms = { round, buys, purse, threshold, group: worker.group };
      if (worker.selectedAt === null) auction.offer(worker, terms);
      else auction.raise(worker, terms, reading);
    });
  });
}

/** β = B'/2 with B' = (B1 + (B − B1)(t − 1)/(T − 1)) / T ([M7]). */
function sampleBudget(auction: Auction, round: number): Amount {
  const { math, rules } = auction;
  const first = math.times(rules.firstRoundRatio, rules.budget);
  const later = math.times(math.minus(rules.budget, first), auction.progress(round));
  return math.over(math.over(math.plus(first, later), math.known(2)), math.known(rules.rounds));
}
