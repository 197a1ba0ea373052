/** What a proof is about: a program and everything of a market that is fixed. Costs, the lie and the budget are not. */

import type { Programmed } from "../auction/program.js";
import { type Fraction, toNumber } from "../lib/fraction.js";
import type { Delay, FirstStepReading, Reading, Rules } from "../market/market.js";

export interface ProofShape {
  /** A mechanism that has a program: its decisions, step by step. */
  readonly mechanism: Programmed;
  /** Of the workers, in increasing order: they decide on groups and ties. */
  readonly ids: readonly number[];
  /** One per worker. */
  readonly reputations: readonly Fraction[];
  readonly rounds: number;
  readonly firstRoundRatio: Fraction;
  readonly minWorkers: number;
  readonly reading: Reading;
  readonly firstStep: FirstStepReading;
  readonly delay: Delay;
  /** Everybody's true arrival; all of them if left out. */
  readonly arrivals?: readonly number[];
}

/** The rules in numbers, but for the budget. */
export const rulesOf = ({
  rounds,
  firstRoundRatio,
  minWorkers,
  reading,
  firstStep,
  delay,
}: Pick<ProofShape, keyof Omit<Rules, "budget">>): Omit<Rules, "budget"> => ({
  rounds,
  firstRoundRatio: toNumber(firstRoundRatio),
  minWorkers,
  reading,
  firstStep,
  delay,
});
