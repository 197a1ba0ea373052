/** Who works in the recorded tasks: compositions drawn to cover what auctions may select, and two fixed mixes. */

import type { Stream } from "../../lib/random.js";
import type { Composition } from "../recording.js";

/** The label accuracies of the paper's workers. */
const CLASSES = [1, 0.7, 0.4, 0.1];

export interface Plan {
  /** How many tasks are drawn. */
  readonly tasks: number;
  /** The most workers in a drawn task. */
  readonly most: number;
  /** In every sixth drawn task there are up to this many, and at least half of it. */
  readonly crowd: number;
  readonly rounds: number;
  /** Workers per accuracy, the same number of each; none: no such tasks. */
  readonly even: readonly number[];
  /** In the paper's mix, 3 : 1 : 1 : 1. */
  readonly paper: readonly number[];
}

/** Tasks in a row with a fixed mix: as many as reputations are given to settle. */
const IN_A_ROW = 5;

export function compositions(plan: Plan, stream: Stream): Composition[] {
  const drawn = Array.from({ length: plan.tasks }, (_, k) => draw(plan, k, stream.fork("random").fork(k)));
  return [...drawn, ...fixed("even", plan.even), ...fixed("paper", plan.paper)];
}

function fixed(design: "paper" | "even", counts: readonly number[]): Composition[] {
  const accuracies = counts.flatMap((count, k) => Array.from({ length: count }, () => CLASSES[k]!));
  if (accuracies.length === 0) return [];
  return Array.from({ length: IN_A_ROW }, (_, k) => ({
    design,
    seed: `${design} ${k}`,
    heldOut: true,
    accuracies,
    joins: accuracies.map(() => 1),
  }));
}

/** In every other task some join later, as they do in the auction; every fourth is kept to test the fit. */
function draw({ most, crowd, rounds }: Plan, index: number, stream: Stream): Composition {
  const size = index % 6 === 5 ? crowd - stream.below(crowd / 2) : 1 + stream.below(most);
  const weights = CLASSES.map(() => (-Math.log(1 - stream.next())) ** 1.5);
  const accuracies = Array.from({ length: size }, () => CLASSES[pick(weights, stream)]!);
  const late = Array.from({ length: rounds }, (_, k) => 1 / (k + 1));
  const joins = accuracies.map((_, id) => (index % 2 === 0 || id === 0 ? 1 : 1 + pick(late, stream)));
  return { design: "random", seed: `random ${index}`, heldOut: index % 4 === 3, accuracies, joins };
}

function pick(weights: readonly number[], stream: Stream): number {
  let left = stream.next() * weights.reduce((sum, weight) => sum + weight, 0);
  const found = weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
  return found < 0 ? weights.length - 1 : found;
}
