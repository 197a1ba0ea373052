/** All cells of a piece: the regions of the unknowns in which the program takes the same decisions. */

import { type Cone, orthant } from "../../lib/cone.js";
import type { Vector } from "../../lib/integer-vector.js";
import { Explorer, type Witnessing } from "../../mechanisms/explorer.js";
import { LinearForms } from "../../mechanisms/linear-forms.js";
import { type Finding, type Piece, positiveOf, programOf } from "./program.js";
import type { PlainShape } from "./shape.js";

export interface ProofCell {
  readonly cone: Cone;
  /** Where the run was made: a point of the cell. */
  readonly point: Vector;
  readonly findings: readonly Finding[];
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
