/**
 * What is claimed of an auction. A property that takes money is one amount over a truthful run and a lying one, in whatever
 * arithmetic the runs were made: it breaks where that amount is above 0. P3 is a matter of benchmarks, and P4 asks for a bid.
 */

import type { Amount, Arithmetic } from "../auction/amounts.js";
import type { Regime } from "../auction/outcome.js";
import type { Bid } from "../market/market.js";

/** A run as properties see it. */
export interface Run {
  readonly math: Pick<Arithmetic, "known" | "plus" | "minus" | "times">;
  /** B. */
  readonly budget: Amount;
  /** Everybody's. */
  readonly ids: readonly number[];
  /** What a worker is paid, for how many rounds, and what a round truly costs it. */
  readonly of: (id: number) => {
    readonly payment: Amount;
    readonly rounds: number;
    readonly cost: Amount;
  };
}

/** p_i − c_i · r_i ([M12]). */
export function utilityIn({ math, of }: Run, id: number): Amount {
  const { payment, rounds, cost } = of(id);
  return math.minus(payment, math.times(math.known(rounds), cost));
}

/** By how much a property is broken; `about` are the ids of those who lose (P1) or lie. */
type Excess = (truth: Run, lie: Run, about: readonly number[]) => Amount;

const loss: Excess = (truth, _, [id]) => truth.math.minus(truth.math.known(0), utilityIn(truth, id!));

const overspending: Excess = ({ math, budget, ids, of }) => {
  const spent = ids.reduce((sum, id) => math.plus(sum, of(id).payment), math.known(0));
  return math.minus(spent, budget);
};

const gain: Excess = (truth, lie, about) => {
  const { math } = lie;
  const gains = about.map((id) => math.minus(utilityIn(lie, id), utilityIn(truth, id)));
  return gains.reduce((sum, one) => math.plus(sum, one));
};

interface Property {
  readonly name: string;
  readonly meaning: string;
  /** What those who break it misstate; nothing where the truthful run alone decides. */
  readonly misstated?: readonly (keyof Omit<Bid, "worker">)[];
  readonly excess?: Excess;
}

export const properties = {
  P1: {
    name: "individual rationality",
    meaning: "no selected truthful worker has negative utility",
    excess: loss,
  },
  P2: { name: "budget feasibility", meaning: "the payments do not exceed the budget", excess: overspending },
  P3: { name: "computational efficiency", meaning: "measured growth of time, never decided on one market" },
  P4: { name: "consumer sovereignty", meaning: "for every worker a bid gets it selected and paid" },
  P5: {
    name: "cost truthfulness",
    meaning: "no price gains anything, at the true arrival",
    misstated: ["price"],
    excess: gain,
  },
  P6: {
    name: "time truthfulness",
    meaning: "no later arrival gains anything, at the true price",
    misstated: ["arrival"],
    excess: gain,
  },
  joint: {
    name: "P5×P6",
    meaning: "no pair of price and later arrival gains anything",
    misstated: ["price", "arrival"],
    excess: gain,
  },
  pair: {
    name: "pairs",
    meaning: "no two workers gain together by lies that they agree on",
    misstated: ["price", "arrival"],
    excess: gain,
  },
} as const satisfies Record<string, Property>;

export type AnyProperty = keyof typeof properties;

/** Those that are an amount. */
export type MeasuredProperty = Exclude<AnyProperty, "P3" | "P4">;

/** Those that are asked of single workers: the paper's claims, and P5 and P6 at once. */
export type PropertyName = Exclude<AnyProperty, "pair">;

export const propertyNames = Object.keys(properties).filter((name) => name !== "pair") as PropertyName[];

/** Whether a property is broken by a lie, and not by the truthful run itself. */
export const isAboutLies = (property: AnyProperty): boolean => "misstated" in properties[property];

/** Whether a bid misstates no more than those may who break the property. */
export const isSpokenOf = (
  property: MeasuredProperty,
  isTrue: { price: boolean; arrival: boolean },
): boolean => {
  const { misstated = [] }: Property = properties[property];
  return (["price", "arrival"] as const).every((field) => isTrue[field] || misstated.includes(field));
};

/**
 * What is found about a property. proved (given written arguments): for all markets of a shape, or of any size, by a checked
 * certificate. holds: exact, of one market, that nothing breaks it. breaks: with a witness. none found: computed, searched or
 * sampled, and nothing found. not proved: nothing was looked for, or no proof was found.
 */
export type Judgement = "proved" | "proved, given" | "holds" | "breaks" | "none found" | "not proved";

/** What breaks a property in a market: who, by which lie where it takes one, and by how much. */
export interface Witness<Name extends AnyProperty = AnyProperty> {
  readonly property: Name;
  /** Null where it takes everybody (P2). */
  readonly worker: number | null;
  readonly regime: Regime;
  /** Null where the truthful run itself is the witness. */
  readonly lie: Bid | null;
  /** Of a pair: what the other one bids. */
  readonly partner?: Bid;
  /** The gain, the loss (P1) or the overspending (P2); 0 where there is no amount (P4). */
  readonly amount: number;
  /** Higher prices than the lie's gain without bound. */
  readonly unbounded?: boolean;
  /** Whether the lie moves the start. */
  readonly startMoved?: boolean;
  /** Whether exact fractions confirm it; null where the mechanism cannot be run in them. */
  readonly certified?: boolean | null;
  /** The price as a fraction ("10/7"), where no decimal writes it; the lie's own is the nearest number. */
  readonly exactPrice?: string;
}
