/**
 * The interface of a strategic worker: from what it may see and a random stream to a bid. An agent is a plain value;
 * it keeps nothing between calls, so the same view and stream give the same bid.
 */

import type { Stream } from "../lib/random.js";
import type { Bid, Bidder, Rules, Worker } from "../market/market.js";
import type { AnyMechanism, Outcome } from "../mechanisms/mechanism.js";

/** What a worker says, without its name. */
export type Offer = Omit<Bid, "worker">;

/** A task that is over, as one worker remembers it: what everybody knows of it, and its own part. */
export interface PastTask {
  readonly rules: Rules;
  readonly outcome: Outcome;
  /** Its own type then, its own bid, and what came of it: p − c·r. */
  readonly self: Worker;
  readonly bid: Offer;
  readonly utility: number;
}

/** All that a worker may see before it bids. */
export interface View {
  readonly self: Worker;
  readonly rules: Rules;
  /** Oldest first; empty at the first task. */
  readonly history: readonly PastTask[];
}

/** What no worker sees in life: the bids of all the others, and the auction itself to try lies on. */
export interface InformedView extends View {
  readonly others: readonly Bidder[];
  readonly mechanism: AnyMechanism;
}

/** "price": may bid another price than its cost. "time": may come late. "start": means to move the start by it. */
export type Lie = "price" | "time" | "start";

export interface Traits {
  /** Whether it draws from its stream. */
  readonly stochastic: boolean;
  readonly lies: readonly Lie[];
  readonly sees: "own" | "bids";
  /** Whether past tasks matter to it. */
  readonly learns: boolean;
}

interface Named {
  readonly name: string;
  /** One sentence for lists. */
  readonly about: string;
}

export interface Agent extends Named {
  readonly traits: Traits & { readonly sees: "own" };
  /** Bids are made legal afterwards: price ≥ 0, arrival whole and from the true one to T. */
  bid(view: View, random: Stream): Offer;
}

export interface InformedAgent extends Named {
  readonly traits: Traits & { readonly sees: "bids" };
  bid(view: InformedView, random: Stream): Offer;
}

export type AnyAgent = Agent | InformedAgent;

export const isInformed = (agent: AnyAgent): agent is InformedAgent => agent.traits.sees === "bids";
