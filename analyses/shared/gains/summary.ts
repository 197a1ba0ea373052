/** What many markets showed: counts, means and the largest gain, in a size that does not grow with their number. */

import {
  countsOf,
  mergeCounts,
  mergeSketches,
  type PooledCounts,
  type Sketch,
  sketchOf,
} from "../../../src/lib/summaries.js";
import { largest, type Sight, type Told } from "./gain-counts.js";

/** A lie that pays, and where: the market is drawn again when it is wanted. */
export interface Witness extends Told {
  readonly workers: number;
  /** Which of the markets of this size. */
  readonly k: number;
  readonly ratio: number;
}

export type Spot = Pick<Witness, "workers" | "k" | "ratio">;

export interface Summary {
  /** Of the workers asked, those who gain. */
  readonly share: PooledCounts;
  /** Of those who gain, whose lie moves the start. */
  readonly moving: number;
  /** Of those who gain, who must misstate both to gain anything. */
  readonly onlyBoth: number;
  /** All gains added up, and sketched. */
  readonly total: number;
  readonly gains: Sketch;
  readonly most: Witness | null;
}

/** A sight and where it was. */
export interface Placed {
  readonly sight: Sight;
  readonly spot: Spot;
}

/** Sights of one market, at one budget or at several. */
export function summaryOf(sights: readonly Placed[]): Summary {
  const count = (term: (sight: Sight) => number) => sights.reduce((sum, { sight }) => sum + term(sight), 0);
  const gains = sights.flatMap(({ sight }) => sight.told.map(({ gain }) => gain));
  const tops = sights.map(({ sight, spot }) => {
    const top = largest(sight.told);
    return top && { ...spot, ...top };
  });
  return {
    share: countsOf(
      gains.length,
      count((sight) => sight.seen),
    ),
    moving: count((sight) => sight.moving),
    onlyBoth: count((sight) => sight.onlyBoth),
    total: gains.reduce((sum, gain) => sum + gain, 0),
    gains: sketchOf(gains),
    most: largest(tops),
  };
}

/** Of different markets; of equal gains the left one's is kept. It changes the left one's sketch. */
export const mergeSummaries = (left: Summary, right: Summary): Summary => ({
  share: mergeCounts(left.share, right.share),
  moving: left.moving + right.moving,
  onlyBoth: left.onlyBoth + right.onlyBoth,
  total: left.total + right.total,
  gains: mergeSketches(left.gains, right.gains),
  most: largest([left.most, right.most]),
});

/** Parts by their keys, each merged where both have it. It changes and returns the left ones. */
export function mergeParts<Part>(
  left: Record<string, Part>,
  right: Readonly<Record<string, Part>>,
  merge: (left: Part, right: Part) => Part,
): Record<string, Part> {
  for (const key in right) {
    const known = left[key];
    left[key] = known === undefined ? right[key]! : merge(known, right[key]!);
  }
  return left;
}
