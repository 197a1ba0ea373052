/**
 * Numbers, and lines over one unknown price. A run is made at a price, or just above it; there every comparison of lines
 * also says up to which price it comes out the same. All of them together give the interval in which the mechanism takes
 * the same decisions, and in it every amount is linear. Without an unknown it is plain floating point ([M13]).
 */

import { atMost, same } from "../lib/tolerance.js";
import type { Amount } from "./amounts.js";
import { MixedArithmetic } from "./mixed-arithmetic.js";

/** A line, kept as its value at the price of the run; one that does not rise is a number. */
class Line {
  constructor(
    readonly value: number,
    readonly slope: number,
  ) {}
}

type Quantity = number | Line;

/** Roots nearer than this to the price of the run, relatively, count as there ([M13]). */
const HAIR = 4e-12;

const valueIn = (a: Quantity): number => (typeof a === "number" ? a : a.value);
const slopeIn = (a: Quantity): number => (typeof a === "number" ? 0 : a.slope);
const line = (value: number, slope: number): Quantity => (slope === 0 ? value : new Line(value, slope));

export class Lines extends MixedArithmetic<Line> {
  /** The decisions stay as they are up to this price. */
  until = Number.POSITIVE_INFINITY;
  /** Whether they are still the same at that price itself: all comparisons that change there hold below it. */
  untilIncluded = true;
  /** Whether they are already the same at the price of the run: all comparisons that are even there hold above it. */
  startIncluded = true;
  private at = 0;
  private above = false;

  /** Begins a run at a price, or just above it, and gives the unknown. */
  begin(price: number, above: boolean): Amount {
    this.at = price;
    this.above = above;
    this.until = Number.POSITIVE_INFINITY;
    this.untilIncluded = true;
    this.startIncluded = true;
    return line(price, 1) as unknown as Amount;
  }

  /** How much an amount rises with the price, in the interval of the run. */
  slope(a: Amount): number {
    return slopeIn(this.quantity(a));
  }

  protected valueIn({ value }: Line): number {
    return value;
  }

  protected sum(a: Quantity, b: Quantity, sign: 1 | -1): Quantity {
    return line(valueIn(a) + sign * valueIn(b), slopeIn(a) + sign * slopeIn(b));
  }

  protected scaled({ value, slope }: Line, by: number, over: number): Quantity {
    return line((value * by) / over, (slope * by) / over);
  }

  protected compare(a: Quantity, b: Quantity, narrows: boolean): boolean {
    const va = valueIn(a);
    const vb = valueIn(b);
    const rise = slopeIn(a) - slopeIn(b);
    if (!this.above || rise === 0) return atMost(va, vb);
    const root = this.at + (vb - va) / rise;
    if (same(va, vb) || Math.abs(root - this.at) <= HAIR * this.at) {
      if (narrows && rise > 0) this.startIncluded = false;
      return rise < 0;
    }
    const holds = va < vb;
    if (narrows && root > this.at) this.narrow(root, holds);
    return holds;
  }

  /** At the root the two sides are even, and even counts as at most. */
  private narrow(root: number, holds: boolean): void {
    if (root > this.until * (1 + HAIR)) return;
    if (root < this.until * (1 - HAIR)) {
      this.until = root;
      this.untilIncluded = true;
    }
    if (!holds) this.untilIncluded = false;
  }
}
