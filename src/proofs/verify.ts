/**
 * Checks a proof. It finds nothing itself: no cones and no generators. Every region is a list of rows; a decision of the
 * program counts only if a decision before it in the same region was the same, if it divides the region (then the other
 * part must be covered later), or if the given sum of rows shows that it comes out the same in all of the region.
 */

import { BUDGET, type Decider, LinearForms } from "../auction/linear-forms.js";
import { demandSameAnswer, isUsers, type Programmed } from "../auction/program.js";
import { type Fraction, parseFraction } from "../lib/fraction.js";
import { alike, dot, fitting, type Integer, negated, type Vector } from "../lib/integer-vector.js";
import type { CellLine, ClaimLine, HeadLine, PieceLine, Reason, WorstPoint } from "./certificate-format.js";
import {
  ArrivalRead,
  beyondShare,
  type Carrier,
  type ClaimAmount,
  claimKey,
  claimsAbout,
  type ProofClaim,
  type ProofPiece,
  pairPieces,
  positiveOf,
  programOf,
  provedProperties,
  singlePieces,
  unit,
  type WholeRun,
} from "./program.js";
import type { ProofShape } from "./proof-shape.js";
import { breaksBy, IllegalWitness, writtenFraction } from "./witness.js";

/** Thrown where something proves nothing. */
export class Rejected extends Error {}

function demand(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Rejected(otherwise);
}

/** form ≥ 0, or form > 0 where strict. */
interface Row {
  readonly form: Vector;
  readonly strict: boolean;
}

/** Why a form that the region leaves open is at most 0, or above 0; 0 where the region is to be divided. */
type ReasonFor = (form: Vector, atMost: boolean) => Reason;

/** The largest share of the budget that an amount may be; null where it has no bound. */
export interface Bound {
  readonly worst: Fraction | null;
  /** Whether it may be as large as that, and not only less. */
  readonly attained: boolean;
}

/** A part of a region, on the other side of a decision. */
interface Part {
  readonly rows: number;
  readonly row: Row;
  /** The form that was decided, and how it is decided in this part. */
  readonly key: string;
  readonly atMost: boolean;
  readonly carried: WholeRun | null;
}

/** Takes the cells of one piece, in order; when the last part is closed, all of the piece is covered. */
export class PieceCheck implements Decider, Carrier {
  carried: WholeRun | null = null;
  private readonly run: () => ClaimAmount[];
  private readonly rows: Row[];
  /** Parts that were divided off and not yet covered: how many rows stand before them, and the row that makes them. */
  private readonly open: Part[] = [];
  /** What was decided so far in the region or in a larger one that it is part of: whether the form is at most 0. */
  private readonly known = new Map<string, boolean>();
  /** The forms that are known, in order, and how many rows the region had then. */
  private readonly learned: { readonly key: string; readonly rows: number }[] = [];
  private point: Vector = [];
  private reasonFor: ReasonFor = () => 0;
  private readonly mechanism: Programmed;

  constructor(shape: ProofShape, piece: ProofPiece) {
    const positive = positiveOf(shape, piece);
    this.mechanism = shape.mechanism;
    this.run = programOf(shape, piece, new LinearForms(positive.length, this), this);
    this.rows = positive.map((strict, place) => ({ form: unit(positive.length, place), strict }));
  }

  /** Runs the program at a point of the region that is left; what is not known is asked for its reason. */
  cell(point: Vector, reasonFor: ReasonFor): ClaimAmount[] {
    demand(point.length === this.rows[0]!.form.length, "a point of the wrong length");
    this.point = point;
    this.reasonFor = reasonFor;
    demand(this.isIn(point), "a cell's point is not in the region that is left");
    const findings = this.run();
    if (isUsers(this.mechanism)) this.askAgain(findings);
    return findings;
  }

  /** A user's program must decide, and come to, the same again: nothing that is not known by now. */
  private askAgain(findings: readonly ClaimAmount[]): void {
    this.carried = null;
    let asked = false;
    this.reasonFor = () => {
      asked = true;
      return 0;
    };
    demandSameAnswer(this.mechanism, findings, this.run(), !asked);
  }

  decide(form: Vector): boolean {
    const key = form.join();
    const before = this.known.get(key);
    if (before !== undefined) return before;
    const holds = this.justified(form, key);
    this.learn(key, holds);
    return holds;
  }

  /** Whether the form is at most 0 at the point, and for this reason in all of the region, or in the part that is gone on with. */
  private justified(form: Vector, key: string): boolean {
    const holds = this.peek(form);
    const reason = this.reasonFor(form, holds);
    const atMost: Row = { form: negated(form), strict: false };
    const above: Row = { form, strict: true };
    if (reason === 0) {
      const { carried, rows } = this;
      this.open.push({ rows: rows.length, row: holds ? above : atMost, key, atMost: !holds, carried });
      this.rows.push(holds ? atMost : above);
    } else this.demandSum(holds ? atMost : above, reason, "a decision does not follow from the region");
    return holds;
  }

  private learn(key: string, atMost: boolean): void {
    this.known.set(key, atMost);
    this.learned.push({ key, rows: this.rows.length });
  }

  peek(form: Vector): boolean {
    return !(dot(form, this.point) > 0);
  }

  /** In all of the region the amount is at most the bound. */
  demandBound(finding: ClaimAmount, { worst, attained }: Bound, reason: Reason): void {
    if (worst === null) return;
    const row = { form: negated(beyondShare(finding.amount, worst)), strict: !attained };
    this.demandSum(row, reason, `${claimKey(finding)}: a cell exceeds the worst case`);
  }

  /** Whether the bound is reached in this cell at the point, or at a limit of it, or the amount grows along it without bound. */
  isReached({ amount }: ClaimAmount, { worst, attained }: Bound, point: Vector): boolean {
    if (!this.isIn(point, !attained)) return false;
    const value = dot(amount.top, point);
    const budget = BigInt(point[BUDGET]!);
    if (worst === null) return budget === 0n && value > 0;
    return budget > 0n && BigInt(value) * worst.d === worst.s * worst.n * BigInt(amount.below) * budget;
  }

  /** In the region, or in it or at its border. */
  isIn(point: Vector, border = false): boolean {
    if (point.length !== this.rows[0]!.form.length) return false;
    return this.rows.every(({ form, strict }) =>
      strict && !border ? dot(form, point) > 0 : dot(form, point) >= 0,
    );
  }

  /** Goes on with the part that was divided off last; true if there is none. */
  close(): boolean {
    const part = this.open.pop();
    if (part === undefined) return true;
    this.rows.length = part.rows;
    this.rows.push(part.row);
    // What was decided in the other part says nothing about this one.
    while (this.learned.length > 0 && this.learned.at(-1)!.rows > part.rows)
      this.known.delete(this.learned.pop()!.key);
    this.learn(part.key, part.atMost);
    this.carried = part.carried;
    return false;
  }

  /** scale · form = Σ factor · row with scale > 0 and factors > 0; above 0 if one of the rows is. */
  private demandSum({ form, strict }: Row, reason: Reason, otherwise: string): void {
    if (typeof reason === "number") {
      const row = this.rows[reason - 1];
      demand(row !== undefined && (row.strict || !strict) && alike(row.form, form), otherwise);
      return;
    }
    const [scale, ...pairs] = reason.map(integerOf);
    demand(scale !== undefined && scale > 0 && pairs.length % 2 === 0, otherwise);
    const terms: Term[] = [];
    let above = false;
    for (let k = 0; k < pairs.length; k += 2) {
      const row = this.rows[Number(pairs[k])];
      const factor = pairs[k + 1]!;
      demand(row !== undefined && factor > 0, otherwise);
      terms.push({ form: row.form, factor });
      above ||= row.strict;
    }
    demand((above || !strict) && isSum(form, scale, terms), otherwise);
  }
}

/** A claim, and what of it has been seen. */
interface Checked {
  readonly line: ClaimLine;
  readonly bound: Bound;
  cells: number;
  /** Whether the worst case was seen to be reached, or approached. */
  seen: boolean;
}

/** Takes the lines behind the first one by one; `finish` says whether they were all. */
export class Verification {
  private readonly claims = new Map<string, Checked>();
  /** Pieces that are still to come; the first one says whether arrivals are told apart. */
  private wanted: Map<string, ProofPiece> | null = null;
  private current: { readonly check: PieceCheck; readonly key: string } | null = null;

  constructor(
    private readonly shape: ProofShape,
    private readonly head: Pick<HeadLine, "pairs" | "claims">,
  ) {
    const { claims, pairs } = head;
    demand(Array.isArray(claims) && typeof pairs === "boolean", "does not begin as a certificate");
    const wanted = claimsAbout(pairs ? ["pair"] : provedProperties);
    demand(
      claims.length === wanted.length && wanted.every((claim, k) => isSameClaim(claim, claims[k]!)),
      "the claims are not those that a proof is about",
    );
    for (const line of claims) {
      this.claims.set(claimKey(line), { line, bound: boundOf(line), cells: 0, seen: false });
      checkClaim(shape, line);
    }
  }

  piece({ piece }: PieceLine): void {
    demand(this.current === null, "a piece ends before all of it is covered");
    const key = pieceKey(piece);
    if (this.wanted === null) {
      const pieces = this.head.pairs ? pairPieces : singlePieces;
      this.wanted = new Map(pieces(this.shape, piece.arrivals !== null).map((one) => [pieceKey(one), one]));
    }
    const known = this.wanted.get(key);
    demand(known !== undefined, "a piece that is none of the shape's, or comes twice");
    this.wanted.delete(key);
    this.current = { check: new PieceCheck(this.shape, known), key };
  }

  cell([point, reasons, bounds]: CellLine): void {
    demand(this.current !== null, "a cell that belongs to no piece");
    const { check, key } = this.current;
    let next = 0;
    const findings = findingsOf(() =>
      check.cell(vectorOf(point), () => {
        const reason = reasons[next++];
        demand(reason !== undefined, "a decision has no reason");
        return reason;
      }),
    );
    demand(next === reasons.length, "a cell has more reasons than decisions");
    demand(bounds.length === findings.length, "a cell has more or fewer bounds than amounts");
    for (const [k, finding] of findings.entries())
      check.demandBound(finding, this.claims.get(claimKey(finding))!.bound, bounds[k]!);
    for (const one of new Set(findings.map(claimKey))) this.claims.get(one)!.cells++;
    for (const claim of this.claims.values()) {
      const { at } = claim.line;
      if (at !== null && !claim.seen && pieceKey(at.piece) === key)
        claim.seen = this.sees(check, claim, at, findings);
    }
    if (check.close()) this.current = null;
  }

  /** The claims, all of them checked. */
  finish(): readonly ClaimLine[] {
    demand(this.current === null, "the last piece is not covered");
    demand(this.wanted?.size === 0, "a piece of the shape is missing");
    for (const { line, cells, seen } of this.claims.values()) {
      demand(line.cells === cells, `${claimKey(line)}: ${cells} cells, not ${line.cells}`);
      demand(line.at === null || seen, `${claimKey(line)}: the worst case is in none of the cells`);
    }
    return this.head.claims;
  }

  private sees(
    check: PieceCheck,
    { line, bound }: Checked,
    at: WorstPoint,
    findings: readonly ClaimAmount[],
  ): boolean {
    const found = findings.find((one) => claimKey(one) === claimKey(line) && one.worker === at.worker);
    return (
      found !== undefined &&
      check.isIn(vectorOf(at.inside)) &&
      check.isReached(found, bound, vectorOf(at.point))
    );
  }
}

const isSameClaim = (a: ProofClaim, b: ProofClaim): boolean =>
  a.property === b.property && a.regime === b.regime && a.start === b.start;

function findingsOf(run: () => ClaimAmount[]): ClaimAmount[] {
  try {
    return run();
  } catch (error) {
    if (error instanceof ArrivalRead)
      throw new Rejected("the mechanism looks at arrivals that are left open");
    throw error;
  }
}

const pieceKey = ({ arrivals, lie }: ProofPiece): string =>
  JSON.stringify([
    arrivals,
    lie && [lie.worker, lie.arrival, lie.price, lie.partner && [lie.partner.worker, lie.partner.arrival]],
  ]);

const boundOf = ({ worst, attained }: ClaimLine): Bound => ({
  worst: worst === "unbounded" ? null : shareOf(worst),
  attained,
});

/** A share of the budget, as a fraction is written. */
function shareOf(text: string): Fraction {
  demand(typeof text === "string" && /^\d+(\/0*[1-9]\d*)?$/.test(text), "something that is no fraction");
  return parseFraction(text);
}

/** Verdict, worst case and witness must fit each other; the witness is replayed in fractions. */
function checkClaim(shape: ProofShape, line: ClaimLine): void {
  const { worst, verdict, attained, at, witness } = line;
  const key = claimKey(line);
  const broken = verdict === "breaks";
  demand(typeof attained === "boolean", `${key}: does not say whether the worst case is reached`);
  demand(
    broken || (verdict === "proved" && worst === "0" && attained === true),
    `${key}: the verdict is not what is proved`,
  );
  demand(broken === (at !== null) && broken === (witness !== null), `${key}: a witness too many or too few`);
  if (!broken) return;
  const { worst: most } = boundOf(line);
  demand(most === null ? attained === false : most.gt(0), `${key}: breaks by nothing, or reaches no bound`);
  const share = legalShare(shape, line);
  demand(share?.equals(shareOf(witness!.share)) === true, `${key}: the witness does not show it`);
  const { budget } = witness!.market.rules;
  const gain = share!.mul(writtenFraction(budget));
  demand(gain.equals(shareOf(witness!.gain)), `${key}: the witness gains another amount`);
  demand(most === null || share!.lte(most), `${key}: the witness is worse than the worst`);
  demand(most === null || attained || share!.lt(most), `${key}: the witness reaches what is never reached`);
}

function legalShare(shape: ProofShape, line: ClaimLine): Fraction | null {
  try {
    return breaksBy(shape, line, line.witness!);
  } catch (error) {
    if (error instanceof IllegalWitness) throw new Rejected(`${claimKey(line)}: ${error.message}`);
    throw error;
  }
}

/** A whole number as it is written. */
function integerOf(one: number | string): Integer {
  if (typeof one === "string") {
    demand(/^-?\d+$/.test(one), "something that is no whole number");
    return fitting(BigInt(one));
  }
  demand(Number.isSafeInteger(one), "something that is no whole number");
  return one;
}

function vectorOf(point: readonly (number | string)[]): Vector {
  demand(Array.isArray(point), "something that is no point");
  return vectorFrom(point.map(integerOf));
}

interface Term {
  readonly form: Vector;
  readonly factor: Integer;
}

/** Whether scale · form = Σ factor · form of the terms. */
function isSum(form: Vector, scale: Integer, terms: readonly Term[]): boolean {
  for (let place = 0; place < form.length; place++) {
    let difference = -Number(scale) * Number(form[place]);
    let size = Math.abs(difference);
    for (const term of terms) {
      const product = Number(term.factor) * Number(term.form[place]);
      difference += product;
      size += Math.abs(product);
    }
    // Where the absolute products add up to a safe number, no step was rounded.
    if (size > Number.MAX_SAFE_INTEGER) difference = Number(exactDifference(form, scale, terms, place));
    if (difference !== 0) return false;
  }
  return true;
}

const exactDifference = (form: Vector, scale: Integer, terms: readonly Term[], place: number): bigint =>
  terms.reduce(
    (sum, term) => sum + BigInt(term.factor) * BigInt(term.form[place]!),
    -BigInt(scale) * BigInt(form[place]!),
  );

const vectorFrom = (all: readonly Integer[]): Vector =>
  all.every((one) => typeof one === "number") ? all : all.map(BigInt);
