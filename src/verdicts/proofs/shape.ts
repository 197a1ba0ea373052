/** What a proof is about: a mechanism and everything of a market that is fixed. Costs, the lie and the budget are not. */

import { exactly, type Fraction, toNumber } from "../../lib/fraction.js";
import type { Reading, Rules } from "../../market/market.js";
import { hasTwin } from "../../mechanisms/exact.js";
import { type AnyMechanism, unvaried } from "../../mechanisms/mechanism.js";

export interface Shape {
  readonly mechanism: AnyMechanism;
  readonly rounds: number;
  /** Of workers 0, 1, …; a worker's group is that of its id. */
  readonly reputations: readonly Fraction[];
  readonly firstRoundRatio: Fraction;
  readonly minWorkers: number;
  readonly reading: Reading;
  /** Everybody's true arrival; all of them if left out. */
  readonly arrivals?: readonly number[];
}

/** A shape whose mechanism is no variant, and the mechanism's text. */
export interface PlainShape extends Shape {
  readonly text: NonNullable<AnyMechanism["text"]>;
}

/** Whether anything can be proved about a mechanism: it is written as a text, and pays what its text says. */
export const isProvable = hasTwin;

/** The shape under the rules that a variant puts in place of the given ones. */
export function plainShape(shape: Shape): PlainShape {
  const given = { budget: 1, ...rulesOf(shape) };
  const { mechanism, market } = unvaried(shape.mechanism, { rules: given, workers: [] });
  if (!isProvable(mechanism)) throw new Error(`${mechanism.name} is not written as a text`);
  const { firstRoundRatio, minWorkers, reading } = market.rules;
  const same = firstRoundRatio === given.firstRoundRatio;
  return {
    ...shape,
    mechanism,
    minWorkers,
    reading,
    firstRoundRatio: same ? shape.firstRoundRatio : exactly(firstRoundRatio),
    text: mechanism.text!,
  };
}

/** The rules in numbers, but for the budget. */
export const rulesOf = ({ rounds, firstRoundRatio, minWorkers, reading }: Shape): Omit<Rules, "budget"> => ({
  rounds,
  firstRoundRatio: toNumber(firstRoundRatio),
  minWorkers,
  reading,
});
