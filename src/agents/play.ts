/** Asks every worker's agent for its bid, and holds agents to their word: traits are traits, and a bid is a bid. */

import { z } from "zod";
import type { Allotment, AnyMechanism, Outcome } from "../auction/mechanism.js";
import { workerUtility } from "../auction/outcome.js";
import {
  isPromise,
  isWriteToFrozen,
  oneLine,
  plainError,
  readable,
  showValue,
  withPlace,
} from "../lib/errors.js";
import { type Stream, shuffled } from "../lib/random.js";
import { conforming, frozenCopy } from "../lib/schema.js";
import { type Bid, bidders, byId, groupOf, type Market, type Worker } from "../market/market.js";
import { online } from "../mechanisms/online/online.js";
import {
  type AnyAgent,
  type Effort,
  type InformedView,
  isInformed,
  kindsOfLies,
  type Offer,
  type PastTask,
  shareOf,
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
  const partners = partnersOf(market.workers, agents);
  const players = market.workers.flatMap((self) => {
    const agent = agents(self);
    const partner = partners.get(self.id);
    const view = { self, rules, history: history?.(self) ?? [], ...(partner && { partner }) };
    return agent ? [{ agent, view: shown(view) }] : [];
  });
  const first = players.flatMap(({ agent, view }) => (isInformed(agent) ? [] : [ask(agent, view, play)]));
  const said = new Map(first.map((bid) => [bid.worker, bid]));
  const all = frozenCopy(bidders(market.workers, first));
  return players.map(({ agent, view }) => {
    if (!isInformed(agent)) return said.get(view.self.id)!;
    const others = Object.freeze(all.filter(({ id }) => id !== view.self.id));
    return ask(agent, { ...view, others, mechanism }, play);
  });
}

/** Whatever an agent does with its view, the market stays as it is: a view is a frozen copy. */
const shown = ({ self, rules, history, partner }: View): View =>
  Object.freeze({
    self: frozenCopy(self),
    rules: Object.isFrozen(rules) ? rules : frozenCopy(rules),
    history: Object.freeze([...history]),
    ...(partner && { partner: frozenCopy(partner) }),
  });

/**
 * Who shares a plan with whom. Among those who play one agent of coalitions, by id, the first of a group is with the first of the
 * other, and so on; who is left over in the larger group, with the next in it. The last may be without a partner.
 */
export function partnersOf(workers: readonly Worker[], agents: Play["agents"]): ReadonlyMap<number, Worker> {
  const partners = new Map<number, Worker>();
  const joining = byId(workers).filter((worker) => agents(worker)?.traits.lies.includes("coalition"));
  for (const name of new Set(joining.map((worker) => agents(worker)!.name))) {
    const own = joining.filter((worker) => agents(worker)!.name === name);
    const [even, odd] = ([0, 1] as const).map((group) => own.filter(({ id }) => groupOf(id) === group));
    const pairs = Math.min(even!.length, odd!.length);
    const rest = [...even!.slice(pairs), ...odd!.slice(pairs)];
    const order = [...even!.slice(0, pairs).flatMap((worker, k) => [worker, odd![k]!]), ...rest];
    for (let k = 0; k + 1 < order.length; k += 2) {
      partners.set(order[k]!.id, order[k + 1]!);
      partners.set(order[k + 1]!.id, order[k]!);
    }
  }
  return partners;
}

interface Asked<V> {
  readonly name: string;
  bid(view: V, random: Stream): Offer;
}

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

/** Whether an agent takes a new name before a task. */
export const renames = (agent: AnyAgent | undefined, view: View, newcomer: number): boolean =>
  agent?.renames ? answered(agent, "renames", flag, () => agent.renames!(shown(view), newcomer)) : false;

/** How an agent trains; without one, on all its data. */
export const effortOf = (agent: AnyAgent | undefined, view: View): Effort =>
  agent?.effort ? answered(agent, "effort", effortSchema, () => agent.effort!(shown(view))) : 1;

function answered<T>({ name }: AnyAgent, verb: string, schema: z.ZodType<T>, answer: () => unknown): T {
  const source = `agent ${name}: ${verb}`;
  return conforming(schema, attempt(answer, source), { source });
}

/** What a task came to for a worker, p − c·r, when its effort is what it is. */
export const earned = (worker: Worker, allotment: Allotment, effort?: Effort): number =>
  workerUtility({ ...worker, cost: worker.cost * shareOf(effort) }, allotment);

/** An auction that was held. */
export interface HeldTask {
  readonly market: Market;
  readonly bids: readonly Bid[];
  readonly outcome: Outcome;
  /** By id, of those who do not train on all their data. */
  readonly efforts?: Readonly<Record<string, Effort>>;
}

/** A task that has just been held, as one of its workers will remember it: frozen copies. */
export function remember({ market, bids, outcome, efforts = {} }: HeldTask): (id: number) => PastTask {
  const self = new Map(market.workers.map((worker) => [worker.id, worker]));
  const said = new Map(bids.map((bid) => [bid.worker, bid]));
  const got = new Map(outcome.workers.map((allotment) => [allotment.id, allotment]));
  const known = frozenCopy({ rules: market.rules, outcome });
  return (id) => {
    const worker = self.get(id)!;
    const { price, arrival } = said.get(id) ?? { price: worker.cost, arrival: worker.arrival };
    const utility = earned(worker, got.get(id)!, efforts[id]);
    return Object.freeze({ ...known, ...frozenCopy({ self: worker, bid: { price, arrival } }), utility });
  };
}

const flag = z.boolean({ error: "true or false" });
const liesError = { error: `a list of some of "${kindsOfLies.join('", "')}"` };
const verb = z.custom((value) => typeof value === "function", { error: "a function" });

const agentSchema = z.object({
  name: z.string({ error: "a text" }),
  about: z.string({ error: "a text" }),
  traits: z.object(
    {
      stochastic: flag,
      lies: z
        .array(z.unknown(), liesError)
        .refine((all) => all.every((lie) => (kindsOfLies as readonly unknown[]).includes(lie)), liesError),
      sees: z.enum(["own", "bids"], { error: '"own" or "bids"' }),
      learns: flag,
    },
    { error: "an object with stochastic, lies, sees and learns" },
  ),
  bid: verb,
  renames: verb.optional(),
  effort: verb.optional(),
});

const effortSchema = z.custom<Effort>(
  (value) => value === "noise" || (typeof value === "number" && value >= 0 && value <= 1),
  { error: 'a number from 0 to 1, or "noise"' },
);

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
      const offer = attempt(() => agent.bid(view, random), where);
      return validateOffer(offer, where);
    },
  };
}

function attempt(bid: () => unknown, source: string): unknown {
  try {
    return bid();
  } catch (thrown) {
    const error = readable(thrown);
    const what = isWriteToFrozen(error) ? "writes to what it may only read" : "failed";
    throw plainError(source, withPlace(`${what}: ${oneLine(error)}`, error));
  }
}

/** These workers, a share of all, or whoever no other agent plays. */
type Whom = { readonly ids: readonly number[] } | { readonly share: number } | "others";

/** One of several agents in a population, as in "shirker@3,7", "overbid@25%" and "learner" for the others. */
export interface Player {
  /** As it was named, for messages and tables. */
  readonly name: string;
  readonly agent: AnyAgent;
  readonly whom: Whom;
}

/** Splits "shirker@3,7" into the agent and whom it plays. */
export function splitPlayer(text: string): { readonly agent: string; readonly whom: Whom } {
  const [, agent = text, whom] = /^(.*)@([\d\s.,%]+)$/s.exec(text) ?? [];
  if (whom === undefined) return { agent, whom: "others" };
  if (/^[\d.]+%$/.test(whom)) {
    const share = Number(whom.slice(0, -1)) / 100;
    if (share > 0 && share <= 1) return { agent, whom: { share } };
  } else if (/^\d+(,\d+)*$/.test(whom)) return { agent, whom: { ids: whom.split(",").map(Number) } };
  throw plainError(
    `--agent ${showValue(text)}`,
    "behind the @ must stand workers, as in @3,7, or a share of them above 0 and up to 100 %, as in @25%",
  );
}

/** Who plays each of these workers: first those that are named, then shares, drawn from the rest; the others keep to themselves. */
export function playersOf(
  players: readonly Player[],
  ids: readonly number[],
  stream: Stream,
): ReadonlyMap<number, Player> {
  const played = new Map<number, Player>();
  const claim = (player: Player, id: number) => {
    if (!ids.includes(id)) throw plainError(`--agent ${player.name}`, `there is no worker ${id}`);
    const other = played.get(id);
    if (other) throw plainError(`--agent ${player.name}`, `worker ${id} is played by ${other.name} already`);
    played.set(id, player);
  };
  for (const player of players)
    if (player.whom !== "others" && "ids" in player.whom) for (const id of player.whom.ids) claim(player, id);
  const free = ids.filter((id) => !played.has(id));
  const rest = shuffled(free, stream);
  for (const player of players) for (const id of some(player, ids.length, rest)) played.set(id, player);
  const [others, second] = players.filter(({ whom }) => whom === "others");
  if (second)
    throw plainError(
      `--agent ${second.name}`,
      `plays all others, and so does ${others!.name}; @ says who plays whom`,
    );
  if (others) for (const id of rest) played.set(id, others);
  return played;
}

/** Takes a share of all workers out of those that are left. */
function some({ name, whom }: Player, all: number, rest: number[]): number[] {
  if (whom === "others" || "ids" in whom) return [];
  const count = Math.round(whom.share * all);
  if (count <= rest.length) return rest.splice(0, count);
  throw plainError(
    `--agent ${name}`,
    `of ${all} workers ${rest.length} are left, and it is to play ${count}`,
  );
}
