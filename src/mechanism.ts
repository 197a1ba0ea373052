/** The interface of an auction: from public rules and bids to an outcome. A mechanism sees no costs, by type. */

import { type Bid, type Bidder, bidders, type Market, type Rules } from "./market.js";
import type { TraceEvent } from "./trace.js";

export interface Allotment {
  readonly id: number;
  /** The first round worked; null if never selected. */
  readonly selectedAt: number | null;
  /** How many rounds are worked. */
  readonly rounds: number;
  readonly payment: number;
}

/** The payment density each group's sample sets in a round; null where there is none ([M4]). */
export interface Threshold {
  readonly round: number;
  readonly group0: number | null;
  readonly group1: number | null;
}

/** A decision that the group's money, not the price, made ([M9], [M10]). */
export interface BudgetEvent {
  readonly round: number;
  readonly worker: number;
  readonly kind: "refused" | "capped";
}

export interface Outcome {
  readonly started: boolean;
  /** d: clock ticks the start was delayed by; null if the task never started. */
  readonly startDelay: number | null;
  /** Everybody, by id. */
  readonly workers: readonly Allotment[];
  readonly thresholds: readonly Threshold[];
  readonly budgetEvents: readonly BudgetEvent[];
}

/** Collects a run's decisions as they are taken. */
export type TraceSink = (event: TraceEvent) => void;

interface Named {
  readonly name: string;
  /** One sentence for lists. */
  readonly about: string;
}

/** An auction decides from bids and reputations alone. With a sink, it tells every decision and the numbers behind it. */
export interface Mechanism extends Named {
  decide(rules: Rules, bids: readonly Bidder[], trace?: TraceSink): Outcome;
}

/** A yardstick that is shown the true costs: no mechanism could be. */
export interface InformedMechanism extends Named {
  readonly sees: "costs";
  decide(rules: Rules, bids: readonly (Bidder & { readonly cost: number })[], trace?: TraceSink): Outcome;
}

export type AnyMechanism = Mechanism | InformedMechanism;

/** Holds the auction: workers become bidders (their costs stay behind) and the mechanism decides. */
export function hold(
  mechanism: AnyMechanism,
  { rules, workers }: Market,
  bids: readonly Bid[] = [],
  trace?: TraceSink,
): Outcome {
  const said = bidders(workers, bids);
  if (!("sees" in mechanism)) return mechanism.decide(rules, said, trace);
  const informed = said.map((bidder, k) => ({ ...bidder, cost: workers[k]!.cost }));
  return mechanism.decide(rules, informed, trace);
}
