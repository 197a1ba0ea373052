/** Holds readings against what the paper printed: how near each is, and whether mechanisms come in the same order. */

import { type Estimate, FEWEST } from "../../../src/lib/statistics.js";
import { type PaperTable, paperFive, printedOf } from "./paper-tables.js";
import { differenceOf, estimateOf, type Place, type Reading, readingsAt } from "./readings.js";

/** One of the paper's figures beside ours. */
export interface Nearness {
  readonly auction: string;
  readonly printed: number;
  readonly ours: Estimate;
  readonly close: boolean;
}

export type OrderVerdict = "as in the paper" | "the other way round" | "not told apart" | "too few to tell";

/** Two mechanisms of which the paper's table puts the first below the second. */
export interface Ordered {
  readonly below: string;
  readonly above: string;
  /** The second less the first, unit by unit; the intervals of all pairs hold together with 95 %. */
  readonly gap: Estimate;
  readonly verdict: OrderVerdict;
}

/** A source on one data set, held against the paper. */
export interface Comparison {
  readonly place: Place;
  readonly near: readonly Nearness[];
  /** Of which there are too few values to say whether they are near. */
  readonly few: readonly { readonly auction: string; readonly n: number }[];
  readonly order: readonly Ordered[];
}

export function comparisonAt(table: PaperTable, readings: readonly Reading[], place: Place): Comparison {
  const found = readingsAt(readings, place);
  const present = paperFive.filter((name) => found.has(name));
  const printed = (name: string) => printedOf(table, name, place.dataset)!;
  const all = present.map((auction) => ({ auction, ours: estimateOf(found.get(auction)!) }));
  const near = all
    .filter(({ ours }) => ours.n >= FEWEST)
    .map(({ auction, ours }): Nearness => {
      const close = Math.abs(ours.mean - printed(auction)) <= table.close.within(printed(auction));
      return { auction, printed: printed(auction), ours, close };
    });
  const few = all
    .filter(({ ours }) => ours.n > 0 && ours.n < FEWEST)
    .map(({ auction, ours }) => ({ auction, n: ours.n }));
  const pairs = present.flatMap((below) =>
    present.filter((above) => printed(below) < printed(above)).map((above) => ({ below, above })),
  );
  const order = pairs.map(({ below, above }): Ordered => {
    const gap = differenceOf(found.get(above)!, found.get(below)!, pairs.length);
    return { below, above, gap, verdict: verdictOf(gap) };
  });
  return { place, near, few, order };
}

/** Decided only where the whole interval lies on one side; equal in all units is not told apart. */
export function verdictOf({ low, high, n }: Estimate): OrderVerdict {
  if (n < FEWEST) return "too few to tell";
  if (low > 0) return "as in the paper";
  return high < 0 ? "the other way round" : "not told apart";
}
