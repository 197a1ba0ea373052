/**
 * All cells of a piece: the regions of the unknowns in which the program takes the same decisions, ties and thin regions
 * included. Each run is made at an inner point of a region; a comparison that comes out one way in all of the region is
 * decided, any other one divides the region: the run goes on in the part of its point, the other part waits for a run of
 * its own. The cells of a piece have no point in common, and every point of it is in one of them.
 */

import { type Cone, divided, interiorPoint, orthant } from "../../lib/cone.js";
import { dot, type Vector } from "../../lib/integer-vector.js";
import { type Decider, LinearForms } from "../../mechanisms/linear-forms.js";
import { type Finding, type Piece, positiveOf, programOf } from "./program.js";
import type { PlainShape } from "./shape.js";

export interface ProofCell {
  readonly cone: Cone;
  /** Where the run was made: a point of the cell. */
  readonly point: Vector;
  readonly findings: readonly Finding[];
}

/** Told of every decision, in order, for whoever writes a certificate. */
export interface Witnessing {
  /** A run begins in a region. */
  begins(region: Cone, point: Vector): void;
  /** A comparison comes out one way in all of the region. */
  decided(region: Cone, form: Vector, atMost: boolean): void;
  /** It does not: the run goes on in one part. */
  divides(form: Vector, atMost: boolean): void;
}

export function* cellsOf(shape: PlainShape, piece: Piece, witnessing?: Witnessing): Generator<ProofCell> {
  const positive = positiveOf(shape, piece);
  const explorer = new Explorer(orthant(positive), witnessing);
  const math = new LinearForms(positive.length, explorer);
  const run = programOf(shape, piece, math);
  while (explorer.begin()) {
    const findings = run();
    yield { cone: explorer.region, point: explorer.point, findings };
  }
}

class Explorer implements Decider {
  region: Cone;
  point: Vector = [];
  private readonly waiting: Cone[];

  constructor(
    whole: Cone,
    private readonly witnessing: Witnessing | undefined,
  ) {
    this.region = whole;
    this.waiting = [whole];
  }

  /** Takes the region that was divided off last; false if none waits. */
  begin(): boolean {
    const region = this.waiting.pop();
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
