/** Tries an agent on one worker after another, each alone among truthful others. */

import type { AnyAgent } from "../agents/agent.js";
import { type Correction, playMarket } from "../agents/play.js";
import { type AnyMechanism, runAuction } from "../auction/mechanism.js";
import { workerUtility } from "../auction/outcome.js";
import type { Stream } from "../lib/random.js";
import type { Market, Worker } from "../market/market.js";
import { bestResponses, isExact } from "./index.js";
import { expected } from "./search.js";

/** What the agent's bid would have got a worker, beside what the truth gets it. */
export interface Trial {
  readonly id: number;
  /** As the agent bids. */
  readonly price: number;
  readonly arrival: number;
  /** Utilities with the true cost. */
  readonly truthful: number;
  readonly utility: number;
  readonly gain: number;
  /** The most that any lie could gain; null where the mechanism's best responses are not exact. */
  readonly bestGain: number | null;
  /** What the agent said, where that was not legal and had to be corrected. */
  readonly said?: Correction["said"];
}

export interface TrialSetting {
  readonly market: Market;
  readonly agent: AnyAgent;
  readonly mechanism: AnyMechanism;
  readonly stream: Stream;
  /** Everybody if left out. */
  readonly worker?: number | undefined;
}

/** One trial per worker, by id, each made when it is asked for. */
export function* tryAgent({ market, agent, mechanism, stream, worker }: TrialSetting): Generator<Trial> {
  const mean = expected(mechanism);
  const most = bestGains(market, mechanism, worker);
  const types = new Map(market.workers.map((self) => [self.id, self]));
  for (const [row, truth] of runAuction(mean, market).workers.entries()) {
    const { id } = truth;
    if (worker !== undefined && worker !== id) continue;
    const agents = (self: Worker) => (self.id === id ? agent : undefined);
    let said: Correction["said"] | undefined;
    const onCorrection = (correction: Correction) => {
      said = correction.said;
    };
    const bids = playMarket({ market, agents, stream, mechanism, onCorrection });
    const { price, arrival } = bids[0]!;
    const self = types.get(id)!;
    const truthful = workerUtility(self, truth);
    const utility = workerUtility(self, runAuction(mean, market, bids).workers[row]!);
    const gain = utility - truthful;
    const bestGain = most.get(id) ?? null;
    yield { id, price, arrival, truthful, utility, gain, bestGain, ...(said && { said }) };
  }
}

function bestGains(market: Market, mechanism: AnyMechanism, worker?: number): Map<number, number> {
  if (!isExact(mechanism)) return new Map();
  const { workers } = bestResponses(market, {
    mechanism,
    ...(worker !== undefined && { workers: [worker] }),
  });
  return new Map(workers.map(({ id, gain }) => [id, gain]));
}
