/** What a proof is about: a mechanism and everything of a market that is fixed. Costs, the lie and the budget are not. */

import { exactly, type Fraction, toNumber } from "../../lib/fraction.js";
import type { Reading, Rules } from "../../market/market.js";
import { hasTwin } from "../../mechanisms/exact.js";
import { type AnyMechanism, unvaried } from "../../mechanisms/mechanism.js";

export interface Shape {
  readonly mechanism: AnyMechanism;
  readonly rounds: number;
  /** One per worker. */
  readonly reputations: readonly Fraction[];
  /** Of the workers, in increasing order: 0, 1, … if left out. They decide on groups and ties. */
  readonly ids?: readonly number[];
  readonly firstRoundRatio: Fraction;
  readonly minWorkers: number;
  readonly reading: Reading;
  /** Everybody's true arrival; all of them if left out. */
  readonly arrivals?: readonly number[];
}

/** A shape whose mechanism is no variant, and the mechanism's text. */
export interface PlainShape extends Shape {
  readonly ids: readonly number[];
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
    ids: shape.ids ?? shape.reputations.map((_, k) => k),
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
