/** Asks every worker's agent for its bid, and holds agents to their word: traits are traits, and a bid is a bid. */

import { z } from "zod";
import { isPromise, oneLine, plainError } from "../lib/errors.js";
import type { Stream } from "../lib/random.js";
import { conforming, frozenCopy, isWriteToFrozen } from "../lib/schema.js";
import { type Bid, bidders, type Market, type Worker } from "../market/market.js";
import type { AnyMechanism, Outcome } from "../mechanisms/mechanism.js";
import { online } from "../mechanisms/online.js";
import { workerUtility } from "../mechanisms/outcome.js";
import {
  type AnyAgent,
  type InformedView,
  isInformed,
  type Offer,
  type PastTask,
  type View,
} from "./agent.js";

export interface Play {
  readonly market: Market;
  /** A worker without an agent tells the truth. */
  readonly agents: (worker: Worker) => AnyAgent | undefined;
  readonly stream: Stream;
  /** What each worker remembers; nothing if left out. */
  readonly history?: (worker: Worker) => readonly PastTask[];
  /** Shown to informed agents only. */
  readonly mechanism?: AnyMechanism;
  /** Told of every bid that had to be made legal. */
  readonly onCorrection?: (correction: Correction) => void;
}

/** A bid that was not legal, and what it became. */
export interface Correction {
  readonly agent: string;
  readonly worker: number;
  readonly said: Offer;
  readonly used: Offer;
}

/**
 * The bids of the workers that have an agent, in the order of the market. Each agent draws from a stream of its
 * worker's own. Informed agents are asked last and all at once: where they look at each other, they see the truth.
 */
export function playMarket(play: Play): Bid[] {
  const { market, agents, history, mechanism = online } = play;
  const rules = frozenCopy(market.rules);
  const players = market.workers.flatMap((self) => {
    const agent = agents(self);
    const view = () => ({
      self: frozenCopy(self),
      rules,
      history: Object.freeze([...(history?.(self) ?? [])]),
    });
    return agent ? [{ agent, view: view() }] : [];
  });
  const first = players.flatMap(({ agent, view }) => (isInformed(agent) ? [] : [ask(agent, view, play)]));
  const said = new Map(first.map((bid) => [bid.worker, bid]));
  const shown = frozenCopy(bidders(market.workers, first));
  return players.map(({ agent, view }) => {
    if (!isInformed(agent)) return said.get(view.self.id)!;
    const others = Object.freeze(shown.filter(({ id }) => id !== view.self.id));
    return ask(agent, { ...view, others, mechanism }, play);
  });
}

interface Asked<V> {
  readonly name: string;
  bid(view: V, random: Stream): Offer;
}

/** Whatever an agent does with its view, the market stays as it is: a view is a frozen copy. */
function ask<V extends View>(agent: Asked<V>, view: V, { stream, onCorrection }: Play): Bid {
  const { id } = view.self;
  const offer = agent.bid(Object.freeze(view), stream.fork(id));
  const bid = legalBid(offer, view, agent.name);
  const { worker, ...used } = bid;
  if (onCorrection && (used.price !== offer.price || used.arrival !== offer.arrival))
    onCorrection({ agent: agent.name, worker, said: { price: offer.price, arrival: offer.arrival }, used });
  return bid;
}

/** The legal bid nearest to an offer: price ≥ 0, arrival whole and from the true one to T. */
export function legalBid(offer: Offer, { self, rules }: Pick<View, "self" | "rules">, agent: string): Bid {
  const { price, arrival } = validateOffer(offer, `agent ${agent}`);
  return {
    worker: self.id,
    price: Math.max(0, price),
    arrival: Math.max(self.arrival, Math.min(Math.round(arrival), rules.rounds)),
  };
}

/** A task that has just been held, as one of its workers will remember it: frozen copies. */
export function remember(market: Market, bids: readonly Bid[], outcome: Outcome): (id: number) => PastTask {
  const self = new Map(market.workers.map((worker) => [worker.id, worker]));
  const said = new Map(bids.map((bid) => [bid.worker, bid]));
  const got = new Map(outcome.workers.map((allotment) => [allotment.id, allotment]));
  const known = frozenCopy({ rules: market.rules, outcome });
  return (id) => {
    const worker = self.get(id)!;
    const { price, arrival } = said.get(id) ?? { price: worker.cost, arrival: worker.arrival };
    const utility = workerUtility(worker, got.get(id)!);
    return Object.freeze({ ...known, ...frozenCopy({ self: worker, bid: { price, arrival } }), utility });
  };
}

const flag = z.boolean({ error: "true or false" });
const lies: readonly unknown[] = ["price", "time", "start"];
const liesError = { error: 'a list of "price", "time" and "start"' };

const agentSchema = z.object({
  name: z.string({ error: "a text" }),
  about: z.string({ error: "a text" }),
  traits: z.object(
    {
      stochastic: flag,
      lies: z
        .array(z.unknown(), liesError)
        .refine((all) => all.every((lie) => lies.includes(lie)), liesError),
      sees: z.enum(["own", "bids"], { error: '"own" or "bids"' }),
      learns: flag,
    },
    { error: "an object with stochastic, lies, sees and learns" },
  ),
  bid: z.custom((value) => typeof value === "function", { error: "a function" }),
});

const finite = z.number({ error: "a finite number" });

const offerSchema = z.object(
  { price: finite, arrival: finite },
  { error: "a bid: an object with price and arrival" },
);

/** What an agent said, if it is a bid at all; the source starts every message. */
function validateOffer(offer: unknown, source: string): Offer {
  if (isPromise(offer)) throw plainError(source, "must return a bid, not a promise: bid cannot be async");
  return conforming(offerSchema, offer, { source });
}

/** The agent with its failures and whatever it bids that is no bid put into one line, which the source starts. */
export function validatedAgent<A extends AnyAgent>(agent: A, source = `agent ${agent.name}`): A {
  conforming(agentSchema, agent, { source });
  return {
    ...agent,
    bid: (view: InformedView, random: Stream) => {
      const where = `${source}: bid of worker ${view.self.id}`;
      return validateOffer(
        attempt(() => agent.bid(view, random), where),
        where,
      );
    },
  };
}

function attempt(bid: () => unknown, source: string): unknown {
  try {
    return bid();
  } catch (error) {
    const what = isWriteToFrozen(error) ? "writes to the view it was given" : "failed";
    throw plainError(source, `${what}: ${oneLine(error)}`);
  }
}
