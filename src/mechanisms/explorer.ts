/**
 * Goes through all regions of unknowns in which a program takes the same decisions, ties and thin regions included. Each
 * run is made at an inner point of a region; a comparison that comes out one way in all of the region is decided, any
 * other one divides the region: the run goes on in the part of its point, the other part waits for a run of its own. The
 * regions in which runs end have no point in common, and every point is in one of them.
 */

import { type Cone, divided, interiorPoint } from "../lib/cone.js";
import { dot, type Vector } from "../lib/integer-vector.js";
import type { Decider } from "./linear-forms.js";

/** Told of every decision, in order, for whoever writes a certificate. */
export interface Witnessing {
  /** A run begins in a region. */
  begins(region: Cone, point: Vector): void;
  /** A comparison comes out one way in all of the region. */
  decided(region: Cone, form: Vector, atMost: boolean): void;
  /** It does not: the run goes on in one part. */
  divides(form: Vector, atMost: boolean): void;
}

export class Explorer implements Decider {
  region: Cone;
  point: Vector = [];
  private readonly waiting: Cone[];

  constructor(
    whole: Cone,
    private readonly witnessing?: Witnessing,
  ) {
    this.region = whole;
    this.waiting = [whole];
  }

  /** Takes the region that was divided off last and is not to be skipped; false if none waits. */
  begin(skips: (region: Cone) => boolean = () => false): boolean {
    let region = this.waiting.pop();
    while (region !== undefined && skips(region)) region = this.waiting.pop();
    if (region === undefined) return false;
    this.region = region;
    this.point = interiorPoint(region);
    this.witnessing?.begins(region, this.point);
    return true;
  }

  decide(form: Vector): boolean {
    const { atMost, above } = divided(this.region, form);
    if (atMost === null || above === null) {
      this.witnessing?.decided(this.region, form, above === null);
      return above === null;
    }
    const holds = this.peek(form);
    this.witnessing?.divides(form, holds);
    this.region = holds ? atMost : above;
    this.waiting.push(holds ? above : atMost);
    return holds;
  }

  peek(form: Vector): boolean {
    return !(dot(form, this.point) > 0);
  }
}
