/** Agents made from agents: each wraps any agent and keeps its traits true. */

import { normalPair, type Stream } from "../lib/random.js";
import type { Rules } from "../market/market.js";
import type { AnyAgent, InformedView, Lie, Offer, Traits } from "./agent.js";

/** The agent's price times e^(sd·z), z standard normal: never negative, right on the median. */
export function withNoise<A extends AnyAgent>(agent: A, sd: number): A {
  return wrap(agent, {
    suffix: `noise(${sd})`,
    about: `with prices blurred by ${sd}`,
    adds: { lies: "price", stochastic: true },
    change: (offer, random) => ({ ...offer, price: offer.price * Math.exp(sd * normalPair(random)[0]) }),
  });
}

/** The agent's bid, some clock ticks later, in the last round at the latest. */
export function withDelay<A extends AnyAgent>(agent: A, ticks: number): A {
  return wrap(agent, {
    suffix: `delay(${ticks})`,
    about: `${ticks} clock ticks later`,
    adds: { lies: "time", stochastic: false },
    change: (offer, _, { rounds }) => ({ ...offer, arrival: Math.min(offer.arrival + ticks, rounds) }),
  });
}

interface Change {
  readonly suffix: string;
  readonly about: string;
  readonly adds: { readonly lies: Lie; readonly stochastic: boolean };
  /** Draws from a stream of its own: the wrapped agent's draws are what they would be without it. */
  change(offer: Offer, random: Stream, rules: Rules): Offer;
}

function wrap<A extends AnyAgent>(agent: A, { suffix, about, adds, change }: Change): A {
  const name = `${agent.name}+${suffix}`;
  return {
    ...agent,
    name,
    about: `${agent.about.replace(/\.$/, "")}, ${about}.`,
    traits: widen(agent.traits, adds),
    bid: (view: InformedView, random: Stream) =>
      change(agent.bid(view, random), random.fork(name), view.rules),
  };
}

const widen = <T extends Traits>(traits: T, adds: Change["adds"]): T => ({
  ...traits,
  stochastic: traits.stochastic || adds.stochastic,
  lies: traits.lies.includes(adds.lies) ? traits.lies : [...traits.lies, adds.lies],
});
