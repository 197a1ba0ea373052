/** Rounds in which two groups judge each other from the very first on: no first step, no delayed start ([M7], [M8]). */

import type { Group } from "../market/market.js";
import type { Ledger, Purse, Terms } from "./ledger.js";
import type { Threshold } from "./mechanism.js";
import { byDensity, byReputation, sampleOf } from "./ranking.js";
import type { Sample } from "./sample.js";

/** What the publisher offers in a round. */
export interface Deal {
  /** The money of each group. */
  readonly purses: readonly [Purse, Purse];
  /** How many rounds are bought from whoever is admitted. */
  readonly buys: number;
  /** Whether a row is open to an offer. */
  isOpen(row: number): boolean;
}

/** A group as the sample that judges the other one, and in the line in which it is judged. */
interface Side {
  readonly sample: Sample;
  readonly line: Int32Array;
}

/** Plays rounds 1..T with one and the same β for all thresholds, and returns those. */
export function judgeAcross(ledger: Ledger, beta: number, dealOf: (round: number) => Deal): Threshold[] {
  const sides = [sideOf(ledger, 0), sideOf(ledger, 1)] as const;
  return Array.from({ length: ledger.rules.rounds }, (_, k) => {
    const round = k + 1;
    const deal = dealOf(round);
    const [group0, group1] = sides.map(({ sample }) => thresholdOf(sample, round, beta)) as [Price, Price];
    tellRound(ledger, sides, { round, beta, deal });
    judge(ledger, sides[0].line, { round, group: 0, threshold: group1, deal });
    judge(ledger, sides[1].line, { round, group: 1, threshold: group0, deal });
    return { round, group0, group1 };
  });
}

type Price = number | null;

function sideOf({ columns }: Ledger, group: Group): Side {
  const member = (row: number) => columns.odd[row] === group;
  return {
    sample: sampleOf(columns, byDensity(columns).filter(member)),
    line: byReputation(columns).filter(member),
  };
}

function thresholdOf(sample: Sample, round: number, beta: number): Price {
  const density = sample.share(round, 1, beta);
  return Number.isNaN(density) ? null : density;
}

interface Judgement extends Pick<Terms, "round" | "threshold"> {
  readonly group: Group;
  readonly deal: Deal;
}

/** One group by decreasing reputation; without a threshold nobody is looked at ([M4]). */
function judge(ledger: Ledger, line: Int32Array, { round, group, threshold, deal }: Judgement): void {
  if (threshold === null) return;
  const terms = { round, group, threshold, purse: deal.purses[group], buys: deal.buys };
  for (const row of line)
    if (ledger.columns.arrival[row]! <= round && deal.isOpen(row)) ledger.offer(row, terms);
}

function tellRound(
  { trace, columns }: Ledger,
  [even, odd]: readonly [Side, Side],
  { round, beta, deal: { purses } }: { round: number; beta: number; deal: Deal },
): void {
  trace?.({
    kind: "round",
    round,
    clock: round,
    sampleBudget: 2 * beta,
    shares: [
      even.sample.describe(round, 1, beta, columns.id),
      odd.sample.describe(round, 1, beta, columns.id),
    ],
    left: [purses[0].limit - purses[0].spent, purses[1].limit - purses[1].spent],
  });
}
