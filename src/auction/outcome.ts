/** What comes of an auction, and what is read off it: utilities ([M12]) and each worker's regime. */

import type { Worker } from "../market/market.js";

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

/** A decision about a worker that money, not the price, made ([M9], [M10]). */
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

/**
 * What kind of truthful run a worker lives in: whether the task starts on time, and whether money ever refuses, caps or
 * denies something to the worker itself. Sufficiency is a property of a run, not of a budget.
 */
export const regimes = ["sufficient", "tight", "late start", "late and tight"] as const;

export type Regime = (typeof regimes)[number];

/** How a regime is written in an option and in the name of a file: without spaces. */
export const regimeSlug = (regime: Regime): string => regime.replaceAll(" ", "-");

/** What a regime is read from: an outcome, or an auction in any arithmetic. */
type RunFacts = Pick<Outcome, "startDelay" | "budgetEvents">;

/** Each worker's regime in a truthful run; in a task that never starts everybody is late and tight. */
export function regimesIn({ startDelay, budgetEvents }: RunFacts): (worker: number) => Regime {
  if (startDelay === null) return () => "late and tight";
  const turnedDown = new Set(budgetEvents.map(({ worker }) => worker));
  if (startDelay > 0) return (worker) => (turnedDown.has(worker) ? "late and tight" : "late start");
  return (worker) => (turnedDown.has(worker) ? "tight" : "sufficient");
}

/** One worker's regime in a truthful run. */
export const regimeOf = (outcome: RunFacts, worker: number): Regime => regimesIn(outcome)(worker);

/** The regime of workers who lie together: money decided if it did so about one of them. */
export function commonRegime(regimeOf: (worker: number) => Regime, workers: readonly number[]): Regime {
  const all = workers.map((worker) => regimeOf(worker));
  return all.find((regime) => regime === "tight" || regime === "late and tight") ?? all[0]!;
}
