/**
 * A proof written down, line by line: the claims; then every piece with its cells in the order in which they were found.
 * For each comparison of a cell's run stands why it comes out as it does: the region is divided by it (0), a row of the
 * region says so (the row's number, counted from 1), or a sum of rows does (the scale of the form, then rows and factors).
 * For each claim that the cell speaks of follows the sum of rows that bounds its amount.
 */

import type { Cone, Inequality, Witnessing } from "../../lib/cone.js";
import { conicCombination } from "../../lib/conic-combination.js";
import { parseFraction } from "../../lib/fraction.js";
import { alike, type Integer, negated, type Vector } from "../../lib/integer-vector.js";
import { beyondShare, claimKey, type ProofPiece } from "./program.js";
import { type ProvedClaim, piecesOf } from "./prove.js";
import type { PlainShape } from "./shape.js";
import { cellsOf, type ProgramCell, type ProofSummary } from "./worst.js";

/** A whole number as JSON: in quotes where a number would round it. */
type Written = number | string;

/** Why a form is never below 0 in a region. */
export type Reason = number | readonly Written[];

/** One cell: a point of it, the reasons of its decisions in order, and those of its bounds. */
export type CellLine = readonly [
  point: readonly Written[],
  reasons: readonly Reason[],
  bounds: readonly Reason[],
];

export interface PieceLine {
  readonly piece: ProofPiece;
}

export interface HeadLine {
  readonly proof: 1;
  readonly mechanism: string;
  readonly rounds: number;
  readonly reputations: readonly string[];
  readonly firstRoundRatio: string;
  readonly minWorkers: number;
  readonly reading: string;
  readonly arrivals?: readonly number[];
  readonly claims: readonly ClaimLine[];
}

/** A claim, where it is broken worst, and the market that shows it. */
export type ClaimLine = ProvedClaim & { readonly at: ProofSummary[string]["at"] };

export interface WrittenProof {
  readonly shape: PlainShape;
  /** The mechanism as it is named on the command line. */
  readonly named: string;
  readonly claims: readonly ProvedClaim[];
  readonly summary: ProofSummary;
}

/** The lines of a certificate, without what makes a text of them. */
export function* certificateLines(proof: WrittenProof): Generator<HeadLine | PieceLine | CellLine> {
  const { shape, named, claims, summary } = proof;
  const { rounds, reputations, firstRoundRatio, minWorkers, reading, arrivals } = shape;
  yield {
    proof: 1,
    mechanism: named,
    rounds,
    reputations: reputations.map((one) => one.toFraction()),
    firstRoundRatio: firstRoundRatio.toFraction(),
    minWorkers,
    reading,
    ...(arrivals && { arrivals }),
    claims: claims.map((claim) => ({ ...claim, at: summary[claimKey(claim)]?.at ?? null })),
  };
  for (const piece of piecesOf(shape)) {
    yield { piece };
    const reasons = new Reasons();
    for (const cell of cellsOf(shape, piece, reasons))
      yield [written(cell.point), reasons.taken(), boundsOf(cell, summary)];
  }
}

const writtenOne = (one: Integer): Written => (typeof one === "number" ? one : String(one));
const written = (vector: Vector): Written[] => Array.from<Integer, Written>(vector, writtenOne);

/** Collects the reasons of one run. */
class Reasons implements Witnessing {
  private reasons: Reason[] = [];

  begins(): void {
    this.reasons = [];
  }

  decided(region: Cone, form: Vector, atMost: boolean): void {
    this.reasons.push(reasonFor(region, { form: atMost ? negated(form) : form, strict: !atMost }));
  }

  divides(): void {
    this.reasons.push(0);
  }

  taken(): readonly Reason[] {
    return this.reasons;
  }
}

function boundsOf({ cone, findings }: ProgramCell, summary: ProofSummary): Reason[] {
  return findings.map((finding) => {
    const { worst, attained } = summary[claimKey(finding)]!;
    if (worst === "unbounded") return 0;
    const form = negated(beyondShare(finding.amount, parseFraction(worst)));
    return reasonFor(cone, { form, strict: !attained });
  });
}

/** Why the form of a row is at least 0 in a region, and above 0 if the row is strict. */
function reasonFor(region: Cone, { form, strict }: Inequality): Reason {
  const row = region.rows.findIndex((known) => (known.strict || !strict) && alike(known.form, form));
  if (row >= 0) return row + 1;
  const { scale, factors } = conicCombination(region, form);
  return [writtenOne(scale), ...factors.flatMap(([place, factor]) => [place, writtenOne(factor)])];
}
