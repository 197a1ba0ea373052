/** Tasks that were trained for real, for the surrogate to be fitted to: who works in them, and what was recorded of each round. */

import type { Stream } from "../lib/random.js";
import type { DatasetName } from "./datasets.js";
import { accuracyClasses } from "./population.js";
import fashion from "./recorded/curves-fashion.json" with { type: "json" };
import mnist from "./recorded/curves-mnist.json" with { type: "json" };

/** Rounded figures of one round; gains and cosines go by increasing id of those selected. */
export interface RecordedRound {
  readonly loss: number;
  readonly accuracy: number;
  readonly gains: readonly number[];
  readonly cosines: readonly number[];
}

/** random: drawn for the fit. paper and even: everybody works in every round of several tasks in a row. */
export type Design = "random" | "paper" | "even";

export interface Composition {
  readonly design: Design;
  /** Fixes the task's data and training. */
  readonly seed: string;
  /** Kept away from the fit, to test it. */
  readonly heldOut: boolean;
  /** By worker id: the share of labels that are right. */
  readonly accuracies: readonly number[];
  /** By worker id: the first round it works in; it works in all later ones too. */
  readonly joins: readonly number[];
}

export interface RecordedTask extends Composition {
  /** The model before the first round. */
  readonly before: { readonly loss: number; readonly accuracy: number };
  readonly rounds: readonly RecordedRound[];
}

interface CurveProvenance {
  readonly date: string;
  readonly command: string;
  readonly candor: string;
  readonly tfjs: string;
  readonly node: string;
  readonly seconds: number;
}

export interface CurveSettings {
  readonly dataset: string;
  readonly model: string;
  readonly rounds: number;
  readonly samples: number;
  readonly epochs: number;
  readonly rate: number;
  readonly batch: number;
  readonly validation: number;
  readonly test: number;
}

/** All tasks that were recorded on one data set. */
export interface RecordedCurves {
  readonly provenance: CurveProvenance;
  readonly settings: CurveSettings;
  readonly tasks: readonly RecordedTask[];
}

/** The ids that work in a round, counted from 1. */
export const selectedIn = ({ joins }: Pick<Composition, "joins">, round: number): number[] =>
  [...joins.keys()].filter((id) => joins[id]! <= round);

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

/** Who works in the tasks to record: drawn to cover what auctions may select, and two fixed mixes. */
export function compositions(plan: Plan, stream: Stream): Composition[] {
  const drawn = Array.from({ length: plan.tasks }, (_, k) => draw(plan, k, stream.fork("random").fork(k)));
  return [...drawn, ...fixed("even", plan.even), ...fixed("paper", plan.paper)];
}

function fixed(design: "paper" | "even", counts: readonly number[]): Composition[] {
  const accuracies = counts.flatMap((count, k) => Array.from({ length: count }, () => accuracyClasses[k]!));
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
  const weights = accuracyClasses.map(() => (-Math.log(1 - stream.next())) ** 1.5);
  const accuracies = Array.from({ length: size }, () => accuracyClasses[pick(weights, stream)]!);
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

export const recordedCurves: Readonly<Record<DatasetName, RecordedCurves>> = {
  mnist: mnist as RecordedCurves,
  fashion: fashion as RecordedCurves,
};
