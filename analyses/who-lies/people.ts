/** Groups of the people met. */

import { regimes } from "../../src/mechanisms/outcome.js";
import { type Causes, type LieKind, lieKinds } from "../../src/verdicts/explain.js";
import type { Place } from "../shared/gains/gain-counts.js";
import type { Met, PayingLie } from "../shared/gains/liars.js";

/** A worker of a market under one budget. */
export interface Person extends Met, Place {
  /** Which of the markets of its size. */
  readonly k: number;
  /** True cost over reputation; Infinity without a reputation. */
  readonly density: number;
}

export type Liar = Person & { readonly lie: PayingLie };

export const liarsAmong = (people: readonly Person[]): Liar[] =>
  people.flatMap((person) => (person.lie ? [{ ...person, lie: person.lie }] : []));

export const BANDS = 10;

/** Which of the bands of reputations. */
export const bandOf = ({ reputation }: Person): number => Math.min(BANDS - 1, Math.floor(reputation * BANDS));

export const everyRegime = ["all", ...regimes] as const;

export const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

export const kinds = Object.keys(lieKinds) as LieKind[];

export const gainsOf = (liars: readonly Liar[]): number[] => liars.map(({ lie }) => lie.gain);

export const causeWords: Readonly<Record<keyof Causes, string>> = {
  rounds: "rounds won or given up",
  price: "a better or worse price",
  budget: "the budget's limits",
  start: "the start moved",
};

export const causeNames = Object.keys(causeWords) as (keyof Causes)[];
