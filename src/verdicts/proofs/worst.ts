/** The worst case of every claim over the cells of a shape: summaries of pieces, and how they add up. */

import {
  type Cone,
  contains,
  Explorer,
  isPositiveSomewhere,
  orthant,
  type Witnessing,
  zeroFace,
} from "../../lib/cone.js";
import { type Fraction, fraction, parseFraction, zero } from "../../lib/fraction.js";
import { combined, dot, sumOf, type Vector } from "../../lib/integer-vector.js";
import { BUDGET, type LinearAmount, LinearForms, UNIT } from "../../mechanisms/linear-forms.js";
import { RepeatedRuns } from "../../mechanisms/repeats.js";
import {
  beyondShare,
  type ClaimAmount,
  claimKey,
  type ProofPiece,
  positiveOf,
  programOf,
  unit,
} from "./program.js";
import type { PlainShape } from "./shape.js";

export interface ProgramCell {
  readonly cone: Cone;
  /** Where the run was made: a point of the cell. */
  readonly point: Vector;
  readonly findings: readonly ClaimAmount[];
}

/** All cells of a piece: the regions of the unknowns in which the program takes the same decisions. */
export function* cellsOf(
  shape: PlainShape,
  piece: ProofPiece,
  witnessing?: Witnessing,
): Generator<ProgramCell> {
  const positive = positiveOf(shape, piece);
  const explorer = new Explorer(orthant(positive), witnessing);
  const math = new LinearForms(positive.length, explorer);
  // A certificate gives a reason for every decision of every cell: there each run is made anew.
  const run = programOf(shape, piece, math, witnessing ? undefined : explorer);
  const repeats = new RepeatedRuns(shape.mechanism, explorer, run);
  while (explorer.begin()) {
    const findings = run();
    repeats.check(() => findings);
    yield { cone: explorer.region, point: explorer.point, findings };
  }
  repeats.end();
}

/** The worst case of a claim so far, as plain JSON. */
export interface WorstCase {
  readonly cells: number;
  /** The least upper bound, as a share of the budget: a fraction, or "unbounded". */
  readonly worst: string;
  readonly attained: boolean;
  /** Where it is above 0. */
  readonly at: WorstPoint | null;
}

/** A point of the unknowns where the worst case is reached, or a limit of such points. */
export interface WorstPoint {
  readonly piece: ProofPiece;
  readonly worker: number | null;
  readonly point: readonly string[];
  /** A point of the same cell: where the worst case is a limit, it is reached on the way from here to there. */
  readonly inside: readonly string[];
}

/** By key; a claim that no cell speaks of is left out. */
export type ProofSummary = Readonly<Record<string, WorstCase>>;

/** Goes through all cells of a piece. */
export function pieceSummary(
  shape: PlainShape,
  piece: ProofPiece,
  cells: Iterable<ProgramCell> = cellsOf(shape, piece),
): ProofSummary {
  const searches = new Map<string, Search>();
  for (const cell of cells) {
    const counted = new Set<string>();
    for (const finding of cell.findings) {
      const key = claimKey(finding);
      const search = searches.get(key) ?? new Search(piece);
      searches.set(key, search);
      search.consider(cell, finding);
      if (!counted.has(key)) search.cells++;
      counted.add(key);
    }
  }
  return Object.fromEntries([...searches].map(([key, search]) => [key, search.result()]));
}

/** Two summaries as one; of equal worst cases the attained one counts, and else the first. */
export function mergedSummary(left: ProofSummary, right: ProofSummary): ProofSummary {
  const sum: Record<string, WorstCase> = { ...left };
  for (const [key, b] of Object.entries(right)) {
    const a = sum[key];
    sum[key] = a === undefined ? b : { ...(isWorse(b, a) ? b : a), cells: a.cells + b.cells };
  }
  return sum;
}

const isWorse = (b: WorstCase, a: WorstCase): boolean =>
  a.worst === b.worst ? b.attained && !a.attained : compareWorst(b.worst, a.worst) > 0;

/** Of two worst cases: above 0 if the first is worse. */
export function compareWorst(a: string, b: string): number {
  if (a === b) return 0;
  if (a === "unbounded" || b === "unbounded") return a === "unbounded" ? 1 : -1;
  return parseFraction(a).compare(parseFraction(b));
}

class Search {
  cells = 0;
  private worst: Fraction | null = zero;
  private attained = true;
  private at: WorstPoint | null = null;

  constructor(private readonly piece: ProofPiece) {}

  consider({ cone, point }: ProgramCell, { amount, worker }: ClaimAmount): void {
    if (this.worst === null) return;
    let beyond = beyondShare(amount, this.worst);
    if (isPositiveSomewhere(cone, beyond)) {
      const { share, at } = highestOf(cone, amount);
      this.worst = share;
      this.attained = false;
      this.at = { piece: this.piece, worker, point: texts(at), inside: texts(point) };
      if (share === null) return;
      beyond = beyondShare(amount, share);
    } else if (this.attained) return;
    // A point of the cell in which the worst case is reached.
    const face = zeroFace(cone, beyond);
    if (face.length === 0) return;
    this.attained = true;
    this.at = { piece: this.piece, worker, point: texts(shortest(cone, face)), inside: texts(point) };
  }

  result(): WorstCase {
    const { cells, worst, attained, at } = this;
    return { cells, worst: worst === null ? "unbounded" : worst.toFraction(), attained, at };
  }
}

const texts = (point: Vector): string[] => Array.from<number | bigint, string>(point, String);

/** The generator at which the amount is the largest share of the budget; no share where it grows without bound. */
function highestOf(
  { generators }: Cone,
  { top, below }: LinearAmount,
): { share: Fraction | null; at: Vector } {
  let best: { share: Fraction; at: Vector } | null = null;
  for (const { at } of generators) {
    const value = dot(top, at);
    const budget = at[BUDGET]!;
    if (!budget) {
      if (value > 0) return { share: null, at };
      continue;
    }
    const share = fraction(BigInt(value), BigInt(below) * BigInt(budget));
    if (best === null || share.gt(best.share)) best = { share, at };
  }
  return best!;
}

/** Of a face, a ray with short numbers that is in the cone itself; else a point between all of its rays. */
function shortest(cone: Cone, face: readonly Vector[]): Vector {
  const length = face[0]!.length;
  const candidates = face
    .map((at) => (!at[UNIT] ? combined(at, 1, unit(length, UNIT), 1).vector : at))
    .filter((at) => contains(cone, at));
  if (candidates.length === 0) return sumOf(face);
  const size = (at: Vector) => texts(at).join("").length;
  return candidates.reduce((a, b) => (size(b) < size(a) ? b : a));
}
