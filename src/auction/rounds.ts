/** How auctions go through their workers: all at once, or round by round. */

import type { Group } from "../market/market.js";
import type { Amount } from "./amounts.js";
import { type Auction, type Candidate, concerns, type Purse, type Sample, upToAsked } from "./auction.js";

/** Goes through workers in order and hires for all rounds, at the price asked, whoever still fits in the budget. */
export function hireWhileItFits(auction: Auction, order: readonly Candidate[]): void {
  const { budget, rounds } = auction.rules;
  const terms = { round: 1, buys: rounds, purse: auction.purse(budget), threshold: null };
  for (const worker of upToAsked(auction, order)) auction.offer(worker, terms);
}

/** Hires the winners for all rounds, each at its pay per round, whatever the budget, and leaves out the others. */
export function hireForAllRounds(
  auction: Auction,
  winners: readonly Candidate[],
  payOf: (winner: Candidate) => Amount,
): void {
  const { math, rules, workers } = auction;
  const terms = { round: 1, buys: rules.rounds, purse: auction.purse(rules.budget) };
  for (const worker of workers) {
    if (!winners.includes(worker)) {
      auction.pass(worker, { ...terms, threshold: null });
      continue;
    }
    const pay = payOf(worker);
    const threshold = math.over(pay, worker.reputation);
    auction.hire(worker, { ...terms, threshold }, math.times(math.known(rules.rounds), pay));
  }
}

/** What a round offers: a payment density, or none ([M4]), and the money for it. */
export interface Posting {
  readonly threshold: Amount | number | null;
  readonly purse: Purse;
}

/**
 * Rounds 1..T of an auction that starts on time with the workers present. A worker that is admitted works all remaining rounds
 * and is raised to higher thresholds; one that is refused is considered again.
 */
export function playRounds(
  auction: Auction,
  line: readonly Candidate[],
  postingOf: (round: number) => Posting,
): void {
  if (!concerns(auction, line)) return;
  auction.eachRound(({ round, clock, buys }) => {
    const { threshold, purse } = postingOf(round);
    if (threshold === null) return;
    const terms = { round, buys, purse, threshold };
    for (const worker of auction.present(line, clock)) {
      if (worker.selectedAt === null) auction.offer(worker, terms);
      else auction.raise(worker, terms);
    }
  });
}

/** A group as the sample that judges the other one, and in the line in which it is judged. */
interface Side {
  readonly group: Group;
  readonly sample: Sample;
  readonly line: readonly Candidate[];
}

/** What a round offers to a group. */
interface Deal {
  readonly round: number;
  /** The clock tick by which one must have arrived. */
  readonly clock: number;
  /** β: what the other group's sample may spend. */
  readonly budget: Amount | number;
  /** The money of each group. */
  readonly purses: readonly [Purse, Purse];
}

/** The two groups, in the order in which their workers are judged. */
export function sidesOf(auction: Auction, order: readonly Candidate[]): [Side, Side] {
  const side = (group: Group): Side => {
    const line = order.filter((worker) => worker.group === group);
    return { group, sample: auction.sample(auction.workers.filter((one) => one.group === group)), line };
  };
  return [side(0), side(1)];
}

/**
 * One round in which each group is judged by the other's threshold ([M7], [M8]); without one nobody is looked at ([M4]).
 * How one group fares changes neither the threshold nor the money of the other, so a group that is not asked about is
 * left out.
 */
export function judgeAcross(
  auction: Auction,
  sides: readonly [Side, Side],
  deal: Deal,
  judge: (worker: Candidate, threshold: Amount, purse: Purse) => void,
): void {
  const { round, clock, budget, purses } = deal;
  const terms = { by: clock, buys: 1, budget };
  const samples = [sides[0].sample, sides[1].sample] as const;
  auction.announceRound({ round, clock, budget, samples, purses });
  const found: (Amount | null)[] = [null, null];
  for (const { group, line } of sides) {
    if (!concerns(auction, line)) continue;
    found[1 - group] = sides[1 - group]!.sample.threshold(terms);
  }
  for (const { group, line } of sides) {
    const threshold = found[1 - group]!;
    if (threshold === null || !concerns(auction, line)) continue;
    for (const worker of auction.present(line, clock)) judge(worker, threshold, purses[group]);
  }
  auction.recordThresholds(round, found[0]!, found[1]!);
}
