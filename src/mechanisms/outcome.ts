/** What is read off an outcome: utilities ([M12]), each worker's regime, and the record that `run --json` prints. */

import { type Bid, type Bidder, bidders, groupOf, type Market, type Worker } from "../market/market.js";
import { type Allotment, type AnyMechanism, hold, type Outcome } from "./mechanism.js";
import type { TraceEvent } from "./trace.js";

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

interface WorkerRecord {
  readonly id: number;
  /** As bid. */
  readonly price: number;
  /** As bid. */
  readonly arrival: number;
  readonly selectedAt: number | null;
  readonly rounds: number;
  readonly payment: number;
  readonly utility: number;
}

/** A run as others rely on it: the object `run --json` prints. */
export interface RunRecord extends PublisherAccount, Pick<Outcome, "thresholds" | "budgetEvents"> {
  readonly mechanism: string;
  /** Who played, if anybody did. */
  readonly agent?: string;
  readonly started: boolean;
  readonly startDelay: number | null;
  readonly workers: readonly WorkerRecord[];
  readonly trace?: readonly TraceEvent[];
}

interface RunRequest {
  readonly market: Market;
  readonly mechanism: AnyMechanism;
  readonly agent?: string | undefined;
  readonly bids: readonly Bid[];
  readonly traced: boolean;
}

/** Holds the auction and draws up the record. */
export function recordRun({ market, mechanism, agent, bids, traced }: RunRequest): RunRecord {
  const trace: TraceEvent[] = [];
  const outcome = hold(mechanism, market, bids, traced ? (event) => trace.push(event) : undefined);
  const { started, startDelay, thresholds, budgetEvents } = outcome;
  return {
    mechanism: mechanism.name,
    ...(agent !== undefined && { agent }),
    started,
    startDelay,
    ...publisherAccount(market.workers, outcome),
    workers: workerRecords(market, bidders(market.workers, bids), outcome),
    thresholds,
    budgetEvents,
    ...(traced && { trace }),
  };
}

function workerRecords(market: Market, said: readonly Bidder[], outcome: Outcome): WorkerRecord[] {
  const truth = new Map(market.workers.map((worker, k) => [worker.id, { worker, bidder: said[k]! }]));
  return outcome.workers.map((allotment) => {
    const { worker, bidder } = truth.get(allotment.id)!;
    const { id, selectedAt, rounds, payment } = allotment;
    const { price, arrival } = bidder;
    return { id, price, arrival, selectedAt, rounds, payment, utility: workerUtility(worker, allotment) };
  });
}
