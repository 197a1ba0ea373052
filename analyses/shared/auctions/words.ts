/** Places on an axis as a sentence wants them. */

import { listed, percent } from "../../../src/lib/format.js";

/** "by 4 %", "by 4 % to 9 %": the size of a range of numbers, whatever their sign. */
export function by(values: readonly number[]): string {
  const sizes = values.map(Math.abs);
  const [least, most] = [percent(Math.min(...sizes)), percent(Math.max(...sizes))];
  return least === most ? `by ${least}` : `by ${least} to ${most}`;
}

/** What is varied along a figure, and how its places are spoken of. */
export interface Axis {
  readonly name: "budget" | "workers";
  readonly label: string;
  /** "budgets", "market sizes". */
  readonly nouns: string;
  readonly phrase: Phrases;
}

interface Phrases {
  readonly one: (value: number) => string;
  readonly some: (values: readonly number[]) => string;
  readonly upTo: (last: number) => string;
  readonly from: (first: number) => string;
  readonly between: (first: number, last: number) => string;
  readonly every: (first: number, last: number) => string;
}

export const budgetAxis: Axis = {
  name: "budget",
  label: "Budget",
  nouns: "budgets",
  phrase: {
    one: (value) => `at budget ${value}`,
    some: (values) => `at budgets ${listed(values)}`,
    upTo: (last) => `at budgets up to ${last}`,
    from: (first) => `at budgets from ${first} on`,
    between: (first, last) => `at budgets from ${first} to ${last}`,
    every: (first, last) => `at every budget from ${first} to ${last}`,
  },
};

export const workersAxis: Axis = {
  name: "workers",
  label: "Number of workers",
  nouns: "market sizes",
  phrase: {
    one: (value) => `with ${value} worker${value === 1 ? "" : "s"}`,
    some: (values) => `with ${listed(values)} workers`,
    upTo: (last) => `with up to ${last} workers`,
    from: (first) => `with ${first} workers and more`,
    between: (first, last) => `with ${first} to ${last} workers`,
    every: (first, last) => `with any number of workers from ${first} to ${last}`,
  },
};

/** Some of the places of an axis, in the fewest words: "at budgets up to 200". Both lists increase. */
export function places(values: readonly number[], all: readonly number[], { phrase }: Axis): string {
  const [first, last] = [values[0]!, values.at(-1)!];
  if (values.length === 1) return phrase.one(first);
  if (values.length === all.length) return phrase.every(first, last);
  if (values.length === all.indexOf(last) + 1) return phrase.upTo(last);
  if (values.length === all.length - all.indexOf(first)) return phrase.from(first);
  const run = all.indexOf(last) - all.indexOf(first) + 1 === values.length;
  return run && values.length > 2 ? phrase.between(first, last) : phrase.some(values);
}
