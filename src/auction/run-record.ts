/** A run as others rely on it: the record that `run --json` prints. */

import { type Bid, type Bidder, bidders, type Market } from "../market/market.js";
import { type AnyMechanism, runAuction } from "./mechanism.js";
import { type Outcome, type PublisherAccount, publisherAccount, workerUtility } from "./outcome.js";
import type { TraceEvent } from "./trace-events.js";

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
  const outcome = runAuction(mechanism, market, bids, traced ? (event) => trace.push(event) : undefined);
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
