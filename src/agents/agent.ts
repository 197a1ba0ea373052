/**
 * The interface of a strategic worker: from what it may see and a random stream to a bid. An agent is a plain value;
 * it keeps nothing between calls, so the same view and stream give the same bid.
 */

import type { AnyMechanism, Outcome } from "../auction/mechanism.js";
import { invalidError } from "../lib/errors.js";
import {
  admits,
  defaultsOf,
  describeOption,
  type Options,
  parseSettings,
  type Settings,
} from "../lib/options.js";
import { normalPair, type Stream } from "../lib/random.js";
import type { Bidder, Offer, Rules, Worker } from "../market/market.js";

export type { Offer };

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
  /** Whom it shares a plan with: another worker that plays the same agent, if that lies in a coalition. */
  readonly partner?: Worker;
}

/** What no worker sees in life: the bids of all the others, and the auction itself to try lies on. */
export interface InformedView extends View {
  readonly others: readonly Bidder[];
  readonly mechanism: AnyMechanism;
}

/**
 * "price": may bid another price than its cost. "time": may come late. "start": means to move the start by it. Over many tasks,
 * "identity": may take a new name; "effort": may train on less than all its data. "coalition": shares a plan with a partner.
 */
export const kindsOfLies = ["price", "time", "start", "identity", "effort", "coalition"] as const;

export type Lie = (typeof kindsOfLies)[number];

/** The share of its data that a worker trains on; with 0 it sends back the model it was given, with "noise" that and noise. */
export type Effort = number | "noise";

/** A round costs as much as is trained: nothing without training. */
export const shareOf = (effort: Effort = 1): number => (effort === "noise" ? 0 : effort);

export interface Traits {
  /** Whether it draws from its stream. */
  readonly stochastic: boolean;
  readonly lies: readonly Lie[];
  readonly sees: "own" | "bids";
  /** Whether past tasks matter to it. */
  readonly learns: boolean;
}

interface Common {
  readonly name: string;
  /** One sentence for lists. */
  readonly about: string;
  /** Over many tasks, asked before each: whether it comes under a new name, without a past and with the reputation of a newcomer. Never if left out. */
  renames?(view: View, newcomer: number): boolean;
  /** Over many tasks: how it trains if it is selected. On all its data if left out. */
  effort?(view: View): Effort;
}

export interface Agent extends Common {
  readonly traits: Traits & { readonly sees: "own" };
  /** Bids are made legal afterwards: price ≥ 0, arrival whole and from the true one to T. */
  bid(view: View, random: Stream): Offer;
}

export interface InformedAgent extends Common {
  readonly traits: Traits & { readonly sees: "bids" };
  bid(view: InformedView, random: Stream): Offer;
}

export type AnyAgent = Agent | InformedAgent;

/** Whether it bids as a truthful worker does: new names and effort show over many tasks only. */
export const bidsTruthfully = ({ traits }: AnyAgent): boolean =>
  traits.lies.every((lie) => lie === "identity" || lie === "effort");

export const isInformed = (agent: AnyAgent): agent is InformedAgent => agent.traits.sees === "bids";

/** A factory that knows its options' names, defaults and bounds, so that a command line can too. Called without settings it gives the agent as listed; with some, that agent named after them. */
export interface Tunable<A extends AnyAgent = AnyAgent, O extends Options = Options> {
  (settings?: Partial<Settings<O>>): A;
  readonly options: O;
}

export function tunable<A extends AnyAgent, const O extends Options>(
  options: O,
  make: (settings: Settings<O>) => A,
): Tunable<A, O> {
  const defaults = defaultsOf(options);
  const tuned = (settings: Partial<Settings<O>> = {}) => {
    const all = { ...defaults, ...settings };
    const agent = make(all);
    const changed = Object.entries<number | string>(all).filter(([name, value]) => value !== defaults[name]);
    for (const [name, value] of changed)
      if (!admits(options[name]!, value))
        throw invalidError(`agent ${agent.name}`, [name], describeOption(options[name]!), value);
    const suffix = changed.map(([name, value]) => `${name}=${value}`).join(",");
    return suffix === "" ? agent : { ...agent, name: `${agent.name}:${suffix}` };
  };
  return Object.assign(tuned, { options });
}

/** A registry holds agents as they are, and factories of those with options. */
export type AgentEntry = AnyAgent | Tunable;

export const isTunable = (entry: AgentEntry): entry is Tunable => typeof entry === "function";

/** Settings are read even where there is nothing to set: then the first is an error that says so. */
export function tuned(entry: AgentEntry, source: string, settings: string | undefined): AnyAgent {
  const options = isTunable(entry) ? entry.options : {};
  const chosen = settings === undefined ? {} : parseSettings(settings, options, source);
  return isTunable(entry) ? entry(chosen as Settings) : entry;
}

/** Whether a text that names an agent is meant as a formula. */
export const isFormula = (text: string): boolean => /^\s*\w+\s*=/.test(text);

/** The agent's price times e^(sd·z), z standard normal: never negative, right on the median. */
export function withNoise<A extends AnyAgent>(agent: A, sd: number): A {
  const added = {
    suffix: `noise(${sd})`,
    about: `with prices blurred by ${sd}`,
    lie: "price",
    draws: true,
  } as const;
  return wrap(agent, added, (offer, random) => ({
    ...offer,
    price: offer.price * Math.exp(sd * normalPair(random)[0]),
  }));
}

/** The agent's bid, some clock ticks later, in the last round at the latest. */
export function withDelay<A extends AnyAgent>(agent: A, ticks: number): A {
  const added = {
    suffix: `delay(${ticks})`,
    about: `${ticks} clock ticks later`,
    lie: "time",
    draws: false,
  } as const;
  return wrap(agent, added, (offer, _, { rounds }) => ({
    ...offer,
    arrival: Math.min(offer.arrival + ticks, rounds),
  }));
}

/** What a wrapper adds to an agent's name, sentence and traits. */
interface Added {
  readonly suffix: string;
  readonly about: string;
  readonly lie: Lie;
  readonly draws: boolean;
}

/** The change draws from a stream of its own: the wrapped agent's draws are what they would be without it. */
function wrap<A extends AnyAgent>(
  agent: A,
  { suffix, about, lie, draws }: Added,
  change: (offer: Offer, random: Stream, rules: Rules) => Offer,
): A {
  const name = `${agent.name}+${suffix}`;
  const { stochastic, lies } = agent.traits;
  return {
    ...agent,
    name,
    about: `${agent.about.replace(/\.$/, "")}, ${about}.`,
    traits: { ...agent.traits, stochastic: stochastic || draws, lies: [...new Set([...lies, lie])] },
    bid: (view: InformedView, random: Stream) =>
      change(agent.bid(view, random), random.fork(name), view.rules),
  };
}
