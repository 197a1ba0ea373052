import { type Agent, type Offer, type PastTask, tunable, type View } from "../src/agents/agent.js";
import { legalBid } from "../src/agents/play.js";
import { plainError } from "../src/lib/errors.js";
import type { Stream } from "../src/lib/random.js";
import { latecomer } from "./latecomer.js";
import { lowBaller } from "./low-baller.js";
import { overbid } from "./overbid.js";
import { priceAndDelay } from "./price-and-delay.js";
import { truthful } from "./truthful.js";
import { underbid } from "./underbid.js";

const plainAgents: readonly Agent[] = [
  truthful,
  overbid(),
  underbid(),
  lowBaller,
  latecomer(),
  priceAndDelay(),
];

export const learner = tunable({ exploration: { default: 0.1, from: 0, to: 1 } }, ({ exploration }) =>
  learnFrom(plainAgents, exploration),
);

/** Plays whichever of some agents it regrets most not to have played (regret matching: Hart and Mas-Colell 2001). */
export function learnFrom(arms: readonly Agent[], exploration: number): Agent {
  const unfit = arms.find(({ traits }) => traits.stochastic || traits.learns);
  if (unfit)
    throw plainError(
      "agent learner",
      `cannot tell when it played ${unfit.name}, which does not repeat itself`,
    );
  const lies = new Set(arms.flatMap(({ traits }) => traits.lies));
  return {
    name: "learner",
    about: "Learns over repeated tasks which lie pays, if any: regret matching over the plain agents.",
    traits: { stochastic: true, lies: [...lies], sees: "own", learns: true },
    bid: (view, random) => {
      const chances = mixture(regretsOf(arms, view.history, exploration), exploration);
      return arms[draw(chances, random)]!.bid({ ...view, history: [] }, random);
    },
  };
}

/**
 * How much more each arm would have earned than what was played, in sum. Only the played arm's utility is known, so it
 * is weighted by the inverse of the chance it had; measured from the mean so far, the estimate stays right on average
 * and strays less. A task whose bid no arm would have made teaches nothing.
 */
export function regretsOf(
  arms: readonly Agent[],
  history: readonly PastTask[],
  exploration: number,
): number[] {
  const regrets = arms.map(() => 0);
  let earned = 0;
  let tasks = 0;
  for (const task of history) {
    const played = arms.map((arm) => wouldBid(arm, task));
    const chances = mixture(regrets, exploration);
    const chance = chances.reduce((sum, p, k) => (played[k] ? sum + p : sum), 0);
    if (chance === 0) continue;
    const mean = tasks === 0 ? 0 : earned / tasks;
    const surprise = task.utility - mean;
    for (const k of regrets.keys()) regrets[k]! += (played[k] ? surprise / chance : 0) - surprise;
    earned += task.utility;
    tasks++;
  }
  return regrets;
}

/** In proportion to regret where there is some, evenly where there is none, and a little of everything. */
export function mixture(regrets: readonly number[], exploration: number): number[] {
  const even = 1 / regrets.length;
  const total = regrets.reduce((sum, regret) => sum + Math.max(0, regret), 0);
  if (total === 0) return regrets.map(() => even);
  return regrets.map((regret) => exploration * even + ((1 - exploration) * Math.max(0, regret)) / total);
}

function draw(chances: readonly number[], random: Stream): number {
  let rest = random.next();
  const at = chances.findIndex((chance) => {
    rest -= chance;
    return rest < 0;
  });
  // Rounding may leave a rest: then it is the last that can be drawn at all.
  return at >= 0 ? at : chances.findLastIndex((chance) => chance > 0);
}

function wouldBid(arm: Agent, { self, rules, bid }: PastTask): boolean {
  const view: View = { self, rules, history: [] };
  return sameOffer(legalBid(arm.bid(view, unused), view, arm.name), bid);
}

const sameOffer = (a: Offer, b: Offer) => a.price === b.price && a.arrival === b.arrival;

const unused: Stream = { next: () => 0, below: () => 0, fork: () => unused };
