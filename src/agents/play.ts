/** Asks every worker's agent for its bid. */

import { InputError } from "../lib/errors.js";
import type { Stream } from "../lib/random.js";
import { type Bid, bidders, type Market, type Worker } from "../market/market.js";
import type { AnyMechanism, Outcome } from "../mechanisms/mechanism.js";
import { online } from "../mechanisms/online.js";
import { workerUtility } from "../mechanisms/utility.js";
import { type AnyAgent, isInformed, type Offer, type PastTask, type View } from "./agent.js";

export interface Play {
  readonly market: Market;
  /** Who has none tells the truth. */
  readonly agents: (worker: Worker) => AnyAgent | undefined;
  readonly stream: Stream;
  /** What each worker remembers; nothing if left out. */
  readonly history?: (worker: Worker) => readonly PastTask[];
  /** Shown to informed agents only. */
  readonly mechanism?: AnyMechanism;
}

/**
 * The bids of the workers that have an agent, in the order of the market. Each agent draws from a stream of its
 * worker's own. Informed agents are asked last and all at once: where they look at each other, they see the truth.
 */
export function playMarket({ market, agents, stream, history, mechanism = online }: Play): Bid[] {
  const cast = market.workers.flatMap((self) => {
    const agent = agents(self);
    return agent ? [{ agent, view: { self, rules: market.rules, history: history?.(self) ?? [] } }] : [];
  });
  const first = cast.flatMap(({ agent, view }) => (isInformed(agent) ? [] : [ask(agent, view, stream)]));
  const said = new Map(first.map((bid) => [bid.worker, bid]));
  const shown = bidders(market.workers, first);
  return cast.map(({ agent, view }) => {
    if (!isInformed(agent)) return said.get(view.self.id)!;
    const others = shown.filter(({ id }) => id !== view.self.id);
    return ask(agent, { ...view, others, mechanism }, stream);
  });
}

interface Asked<V> {
  readonly name: string;
  bid(view: V, random: Stream): Offer;
}

const ask = <V extends View>(agent: Asked<V>, view: V, stream: Stream): Bid =>
  legalBid(agent.bid(view, stream.fork(view.self.id)), view, agent.name);

/** The legal bid nearest to an offer: price ≥ 0, arrival whole and from the true one to T. */
export function legalBid(offer: Offer, { self, rules }: Pick<View, "self" | "rules">, agent: string): Bid {
  const price = finite(offer, "price", agent);
  const arrival = Math.round(finite(offer, "arrival", agent));
  return {
    worker: self.id,
    price: Math.max(0, price),
    arrival: Math.max(self.arrival, Math.min(arrival, rules.rounds)),
  };
}

/** Agents come from users' own files: what they return is checked, whatever its type says. */
function finite(offer: Offer, field: keyof Offer, agent: string): number {
  const value: unknown = (offer as Offer | undefined)?.[field];
  if (typeof value === "number" && Number.isFinite(value)) return value;
  const problem = { source: `agent ${agent}`, path: [field], expected: "a finite number" };
  throw new InputError({ ...problem, kind: "invalid", got: value });
}

/** A task that has just been held, as one of its workers will remember it. */
export function remember(market: Market, bids: readonly Bid[], outcome: Outcome): (id: number) => PastTask {
  const self = new Map(market.workers.map((worker) => [worker.id, worker]));
  const said = new Map(bids.map((bid) => [bid.worker, bid]));
  const got = new Map(outcome.workers.map((allotment) => [allotment.id, allotment]));
  return (id) => {
    const worker = self.get(id)!;
    const { price, arrival } = said.get(id) ?? { price: worker.cost, arrival: worker.arrival };
    const utility = workerUtility(worker, got.get(id)!);
    return { rules: market.rules, outcome, self: worker, bid: { price, arrival }, utility };
  };
}
