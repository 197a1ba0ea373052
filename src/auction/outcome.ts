/** What comes of an auction, and what is read off it: utilities ([M12]) and each worker's regime. */

import { groupOf, type Worker } from "../market/market.js";

export interface Allotment<Value = number> {
  readonly id: number;
  /** The first round worked; null if never selected. */
  readonly selectedAt: number | null;
  /** How many rounds are worked. */
  readonly rounds: number;
  readonly payment: Value;
}

/** The payment density each group's sample sets in a round; null where there is none ([M4]). */
export interface Threshold<Value = number> {
  readonly round: number;
  readonly group0: Value | null;
  readonly group1: Value | null;
}

/** A decision that money, not the price, made ([M9], [M10]): the group's, or everybody's where there are no groups. */
export interface BudgetEvent {
  readonly round: number;
  readonly worker: number;
  readonly kind: "refused" | "capped" | "denied";
}

/** In numbers, or in exact fractions. */
export interface Outcome<Value = number> {
  readonly started: boolean;
  /** d: clock ticks the start was delayed by; null if the task never started. */
  readonly startDelay: number | null;
  /** Everybody, by id. */
  readonly workers: readonly Allotment<Value>[];
  readonly thresholds: readonly Threshold<Value>[];
  readonly budgetEvents: readonly BudgetEvent[];
}

/** p_i − c_i · r_i, with the true cost. */
export const workerUtility = ({ cost }: Pick<Worker, "cost">, { payment, rounds }: Allotment): number =>
  payment - cost * rounds;

/** What a worker gets; `outcome` may be one in fractions. */
export const allotmentOf = <Got extends { readonly id: number }>(
  { workers }: { readonly workers: readonly Got[] },
  worker: number,
): Got => workers.find(({ id }) => id === worker)!;

export interface PublisherAccount {
  readonly spent: number;
  /** Σ Re_i · r_i. */
  readonly publisherUtility: number;
  /** Null when nothing was paid. */
  readonly utilityPerUnitPaid: number | null;
}

export function publisherAccount(
  workers: readonly Pick<Worker, "id" | "reputation">[],
  outcome: Outcome,
): PublisherAccount {
  const reputation = new Map(workers.map((worker) => [worker.id, worker.reputation]));
  let spent = 0;
  let publisherUtility = 0;
  for (const { id, payment, rounds } of outcome.workers) {
    spent += payment;
    publisherUtility += reputation.get(id)! * rounds;
  }
  return { spent, publisherUtility, utilityPerUnitPaid: spent > 0 ? publisherUtility / spent : null };
}

/** What kind of truthful run a worker lives in. Sufficiency is a property of a run, not of a budget. */
export const regimes = ["sufficient", "tight", "late start"] as const;

export type Regime = (typeof regimes)[number];

/** What a regime is read from: an outcome, or an auction in any arithmetic. */
interface RunFacts extends Pick<Outcome, "startDelay" | "budgetEvents"> {
  readonly thresholds: readonly unknown[];
}

/** Each worker's regime in a truthful run; money is the own group's where a mechanism has groups, everybody's else. */
export function regimesIn(outcome: RunFacts): (worker: number) => Regime {
  if (outcome.startDelay !== 0) return () => "late start";
  const grouped = outcome.thresholds.length > 0;
  const poolOf = (worker: number) => (grouped ? groupOf(worker) : null);
  const bound = new Set(outcome.budgetEvents.map(({ worker }) => poolOf(worker)));
  return (worker) => (bound.has(poolOf(worker)) ? "tight" : "sufficient");
}

/** One worker's regime in a truthful run. */
export const regimeOf = (outcome: RunFacts, worker: number): Regime => regimesIn(outcome)(worker);
