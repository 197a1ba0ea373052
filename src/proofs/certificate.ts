/** Writes a proof down, line by line, as `certificate-format.ts` says. */

import { parseFraction } from "../lib/fraction.js";
import type { Vector } from "../lib/integer-vector.js";
import {
  type CellLine,
  FORMAT,
  type HeadLine,
  KERNEL,
  type PieceLine,
  type ProgramSource,
  type ProvedClaim,
  type Written,
} from "./certificate-format.js";
import { claimKey } from "./program.js";
import { piecesOf } from "./prove.js";
import type { PlainShape } from "./shape.js";
import type { Bound } from "./verify.js";
import { boundReason, cellsOf, type ProofSummary, written } from "./worst.js";

export interface WrittenProof {
  readonly shape: PlainShape;
  readonly program: ProgramSource;
  /** The version of the package. */
  readonly version: string;
  readonly pairs: boolean;
  readonly claims: readonly ProvedClaim[];
  readonly summary: ProofSummary;
}

/** The lines of a certificate, without what makes a text of them. */
export function* certificateLines(proof: WrittenProof): Generator<HeadLine | PieceLine | CellLine> {
  const { shape, program, version, pairs, claims, summary } = proof;
  const { rounds, reputations, ids, firstRoundRatio, minWorkers, reading, arrivals } = shape;
  const { firstStep, delay } = shape;
  yield {
    proof: FORMAT,
    kernel: KERNEL,
    candor: version,
    program,
    pairs,
    rounds,
    reputations: reputations.map((one) => one.toFraction()),
    ...(ids.some((id, k) => id !== k) && { ids }),
    firstRoundRatio: firstRoundRatio.toFraction(),
    minWorkers,
    reading,
    firstStep,
    delay,
    ...(arrivals && { arrivals }),
    claims: claims.map((claim) => ({ ...claim, at: summary[claimKey(claim)]?.at ?? null })),
  };
  const bounds = new Map(Object.entries(summary).map(([key, found]) => [key, boundOf(found)]));
  for (const piece of piecesOf(shape, pairs)) {
    yield { piece };
    for (const cell of cellsOf(shape, piece)) {
      const reasons = cell.findings.map((finding) =>
        boundReason(cell, finding, bounds.get(claimKey(finding))!),
      );
      yield [numbers(cell.point), cell.reasons, reasons];
    }
  }
}

const boundOf = ({ worst, attained }: ProofSummary[string]): Bound => ({
  worst: worst === "unbounded" ? null : parseFraction(worst),
  attained,
});

const numbers = (vector: Vector): Written[] => Array.from<number | bigint, Written>(vector, written);
