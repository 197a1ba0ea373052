/**
 * Numbers, and amounts that are linear in up to three unknown prices, in floating point ([M13]). A comparison is handed on
 * as the form that it is about, over the unit and the prices.
 */

import type { Vector } from "../lib/integer-vector.js";
import type { Amount } from "./amounts.js";
import type { Decider, LinearAmount } from "./linear-forms.js";
import { MixedArithmetic } from "./mixed-arithmetic.js";

/** How many unknown prices there can be. */
export const MOST_UNKNOWN = 3;

/** constant + x · first + y · second + z · third. */
class Plane {
  constructor(
    readonly constant: number,
    readonly x: number,
    readonly y: number,
    readonly z: number,
  ) {}
}

type Quantity = number | Plane;

/** What cancels out up to this, relatively, is 0 ([M13]). */
const HAIR = 1e-12;

function plane(constant: number, x: number, y: number, z: number): Quantity {
  return x === 0 && y === 0 && z === 0 ? constant : new Plane(constant, x, y, z);
}

const cancelled = (a: number, b: number): number => {
  const sum = a + b;
  return Math.abs(sum) <= HAIR * Math.abs(a) ? 0 : sum;
};

const parts = (a: Quantity): Plane => (typeof a === "number" ? new Plane(a, 0, 0, 0) : a);

export class Planes extends MixedArithmetic<Plane> {
  constructor(
    private readonly unknowns: number,
    private readonly decider: Decider,
  ) {
    super();
  }

  /** The first has place 1: place 0 is the unit. */
  unknown(place: number): Amount {
    return plane(0, place === 1 ? 1 : 0, place === 2 ? 1 : 0, place === 3 ? 1 : 0) as unknown as Amount;
  }

  /** An amount as a form over the unit and the prices. */
  linear(a: Amount): LinearAmount {
    const quantity = this.quantity(a);
    return { top: this.vector(quantity), below: 1, isNumber: typeof quantity === "number" };
  }

  protected valueIn(): number {
    throw new Error("an amount over several unknowns has no value");
  }

  protected sum(a: Quantity, b: Quantity, sign: 1 | -1): Quantity {
    const [p, q] = [parts(a), parts(b)];
    return plane(
      cancelled(p.constant, sign * q.constant),
      cancelled(p.x, sign * q.x),
      cancelled(p.y, sign * q.y),
      cancelled(p.z, sign * q.z),
    );
  }

  protected scaled({ constant, x, y, z }: Plane, by: number, over: number): Quantity {
    return plane((constant * by) / over, (x * by) / over, (y * by) / over, (z * by) / over);
  }

  protected compare(a: Quantity, b: Quantity, narrows: boolean): boolean {
    const difference = this.sum(a, b, -1);
    if (typeof difference === "number") return difference <= 0;
    const form = this.vector(difference);
    return narrows ? this.decider.decide(form) : this.decider.peek(form);
  }

  private vector(a: Quantity): Vector {
    const { constant, x, y, z } = parts(a);
    return Float64Array.from([constant, x, y, z].slice(0, this.unknowns + 1));
  }
}
