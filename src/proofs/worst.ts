/** The worst case of every claim over the cells of a shape: summaries of pieces, and how they add up. */

import { BUDGET, type LinearAmount, UNIT } from "../auction/linear-forms.js";
import { demandSameAnswer, isUsers } from "../auction/program.js";
import {
  type Cone,
  contains,
  Explorer,
  type Inequality,
  isPositiveSomewhere,
  orthant,
  type Witnessing,
  zeroFace,
} from "../lib/cone.js";
import { type Combination, conicCombination } from "../lib/conic-combination.js";
import { type Fraction, fraction, parseFraction, zero } from "../lib/fraction.js";
import { alike, combined, dot, type Integer, negated, sumOf, type Vector } from "../lib/integer-vector.js";
import type { Reason, WorstPoint, Written } from "./certificate-format.js";
import { beyondShare, type ClaimAmount, claimKey, type ProofPiece, positiveOf, unit } from "./program.js";
import type { ProofShape } from "./proof-shape.js";
import { type Bound, PieceCheck } from "./verify.js";

export interface ProgramCell {
  readonly cone: Cone;
  /** Where the run was made: a point of the cell. */
  readonly point: Vector;
  readonly findings: readonly ClaimAmount[];
  /** Why its decisions come out as they do, in order, but for those that the region answers. */
  readonly reasons: readonly Reason[];
  /** What checked them, and checks what is concluded. */
  readonly check: PieceCheck;
}

/**
 * All cells of a piece: the regions of the unknowns in which the program takes the same decisions. The search proposes a
 * point and reasons; the program is run, and everything proposed is checked, by the kernel.
 */
export function* cellsOf(shape: ProofShape, piece: ProofPiece): Generator<ProgramCell> {
  const proposals = new Proposals();
  const explorer = new Explorer(orthant(positiveOf(shape, piece)), proposals);
  const check = new PieceCheck(shape, piece);
  let first: Answered | null = null;
  do {
    explorer.begin();
    const reasons: Reason[] = [];
    const { point } = explorer;
    const findings = check.cell(point, (form) => {
      explorer.decide(form);
      reasons.push(proposals.last);
      return proposals.last;
    });
    yield { cone: explorer.region, point, findings, reasons, check };
    first ??= { point, findings, reasons };
  } while (!check.close());
  if (isUsers(shape.mechanism)) askAgain(shape, piece, first);
}

/** What a user's program answered first it must still answer at the end. */
function askAgain(shape: ProofShape, piece: ProofPiece, { point, findings, reasons }: Answered): void {
  let next = 0;
  // Where it asks for more reasons than there are, it decides otherwise than before.
  const again = new PieceCheck(shape, piece).cell(point, () => reasons[next++] ?? 0);
  demandSameAnswer(shape.mechanism, findings, again, next === reasons.length);
}

type Answered = Pick<ProgramCell, "point" | "findings" | "reasons">;

/** The reason of an explorer's last decision. */
class Proposals implements Witnessing {
  last: Reason = 0;

  begins(): void {}

  decided(region: Cone, form: Vector, atMost: boolean): void {
    this.last = reasonFor(region, { form: atMost ? negated(form) : form, strict: !atMost });
  }

  divides(): void {
    this.last = 0;
  }
}

/** Why the form of a row is at least 0 in a region, and above 0 if the row is strict. */
function reasonFor(region: Cone, { form, strict }: Inequality): Reason {
  const row = region.rows.findIndex((known) => (known.strict || !strict) && alike(known.form, form));
  if (row >= 0) return row + 1;
  const { scale, factors } = simpleSum(region.rows, form, strict) ?? conicCombination(region, form);
  return [written(scale), ...factors.flatMap(([place, factor]) => [place, written(factor)])];
}

/**
 * The form as a sum of at most one row and of the unknowns themselves, which are the first rows of every region; null where
 * there is none in short numbers. Most forms are such a sum, and it is found much faster than others.
 */
function simpleSum(rows: readonly Inequality[], form: Vector, strict: boolean): Combination | null {
  if (typeof form[0] === "bigint") return null;
  for (let k = -1; k < rows.length; k++) {
    const found = sumWith(rows, form as readonly number[], k);
    if (found !== null && (!strict || found.factors.some(([row]) => rows[row]!.strict))) return found;
  }
  return null;
}

/** With so much of a row as leaves no coefficient of the form below 0; with none where k is −1. */
function sumWith(rows: readonly Inequality[], form: readonly number[], k: number): Combination | null {
  const row = rows[k]?.form as readonly number[] | undefined;
  if (typeof row?.[0] === "bigint") return null;
  let [factor, scale] = [0, 1];
  for (let place = 0; place < form.length; place++) {
    const value = form[place]!;
    const by = row?.[place] ?? 0;
    if (value >= 0) continue;
    if (by >= 0) return null;
    if (value * scale < by * factor) [factor, scale] = [-value, -by];
  }
  if (k >= 0 && factor === 0) return null;
  const factors: [row: number, factor: number][] = factor === 0 ? [] : [[k, factor]];
  for (let place = 0; place < form.length; place++) {
    const whole = scale * form[place]!;
    const off = factor * (row?.[place] ?? 0);
    const rest = whole - off;
    if (rest < 0 || !(Math.abs(whole) + Math.abs(off) <= Number.MAX_SAFE_INTEGER)) return null;
    if (rest > 0) factors.push([place, rest]);
  }
  return { scale, factors };
}

/** A whole number as JSON. */
export const written = (one: Integer): Written => (typeof one === "number" ? one : String(one));

/** Why an amount is nowhere in a cell above its bound, which it is not. */
export function boundReason(
  { cone }: ProgramCell,
  { amount }: ClaimAmount,
  { worst, attained }: Bound,
): Reason {
  if (worst === null) return 0;
  return reasonFor(cone, { form: negated(beyondShare(amount, worst)), strict: !attained });
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

/** By key; a claim that no cell speaks of is left out. */
export type ProofSummary = Readonly<Record<string, WorstCase>>;

/** Goes through all cells of a piece. The kernel has checked that no amount in them is beyond its worst case. */
export function pieceSummary(
  shape: ProofShape,
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
      cell.check.demandBound(finding, search.bound, boundReason(cell, finding, search.bound));
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

  get bound(): Bound {
    return { worst: this.worst, attained: this.attained };
  }

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
