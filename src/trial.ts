/** Tries an agent on one worker after another, each alone among truthful others. */

import type { AnyAgent } from "./agent.js";
import type { Bid, Market } from "./market.js";
import { type AnyMechanism, hold } from "./mechanism.js";
import { playMarket } from "./play.js";
import type { Stream } from "./random.js";
import { workerUtility } from "./utility.js";

/** What the agent's bid would have got a worker, beside what the truth gets it. */
export interface Trial {
  readonly worker: number;
  readonly bid: Bid;
  /** Utilities with the true cost. */
  readonly truthful: number;
  readonly utility: number;
  readonly gain: number;
}

export interface TrialSetting {
  readonly market: Market;
  readonly agent: AnyAgent;
  readonly mechanism: AnyMechanism;
  readonly stream: Stream;
  /** Everybody if left out. */
  readonly worker?: number | undefined;
}

/** One trial per worker, by id. */
export function tryAgent({ market, agent, mechanism, stream, worker }: TrialSetting): Trial[] {
  const truth = hold(mechanism, market);
  const cost = new Map(market.workers.map((self) => [self.id, self.cost]));
  return truth.workers.flatMap((allotment, row) => {
    const { id } = allotment;
    if (worker !== undefined && worker !== id) return [];
    const self = { cost: cost.get(id)! };
    const agents = (other: { readonly id: number }) => (other.id === id ? agent : undefined);
    const [bid] = playMarket({ market, agents, stream, mechanism });
    const truthful = workerUtility(self, allotment);
    const utility = workerUtility(self, hold(mechanism, market, [bid!]).workers[row]!);
    return [{ worker: id, bid: bid!, truthful, utility, gain: utility - truthful }];
  });
}
