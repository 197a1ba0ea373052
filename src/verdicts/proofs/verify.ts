/**
 * Checks a certificate. It has in common with the search for cells only exact arithmetic, the mechanism's text and what a
 * claim is about: no cones and no generators, and it finds nothing itself. Every region is a list of rows; a decision
 * counts only if it divides the region (then the other part must come later in the file) or if the given sum of rows shows
 * that it comes out the same in all of the region.
 */

import type { Inequality } from "../../lib/cone.js";
import { parseFraction, toNumber } from "../../lib/fraction.js";
import { alike, dot, fitting, type Integer, negated, type Vector } from "../../lib/integer-vector.js";
import type { Market, Rules } from "../../market/market.js";
import { BUDGET, type Decider, LinearForms } from "../../mechanisms/linear-forms.js";
import type { CellLine, ClaimLine, HeadLine, PieceLine, Reason } from "./certificate.js";
import { breaksBy } from "./find-witness.js";
import {
  ArrivalRead,
  allClaims,
  beyondShare,
  type ClaimAmount,
  claimKey,
  type ProofPiece,
  positiveOf,
  programOf,
  singlePieces,
  unit,
} from "./program.js";
import { type PlainShape, rulesOf } from "./shape.js";

/** Thrown where a certificate proves nothing. */
export class Rejected extends Error {}

function demand(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Rejected(otherwise);
}

/** A claim, and what of it has been seen. */
interface Checked {
  readonly line: ClaimLine;
  cells: number;
  /** Whether the worst case was seen to be reached, or approached. */
  seen: boolean;
}

/** Takes the lines behind the first one by one; `finish` says whether they were all. */
export class Verification {
  private readonly claims = new Map<string, Checked>();
  /** Pieces that are still to come; told by the first one, which has arrivals or none. */
  private wanted: Map<string, ProofPiece> | null = null;
  private current: PieceCheck | null = null;

  constructor(
    private readonly shape: PlainShape,
    head: HeadLine,
  ) {
    for (const line of head.claims) this.claims.set(claimKey(line), { line, cells: 0, seen: false });
    demand(
      head.claims.length === allClaims.length && allClaims.every((claim) => this.claims.has(claimKey(claim))),
      "the claims are not those that a proof is about",
    );
    for (const line of head.claims) checkClaim(shape, line);
  }

  piece({ piece }: PieceLine): void {
    demand(this.current === null, "a piece ends before all of it is covered");
    const key = pieceKey(piece);
    this.wanted ??= new Map(
      singlePieces(this.shape, piece.arrivals !== null).map((one) => [pieceKey(one), one]),
    );
    const known = this.wanted.get(key);
    demand(known !== undefined, "a piece that is none of the shape's, or comes twice");
    this.wanted.delete(key);
    this.current = new PieceCheck(this.shape, known, this.claims);
  }

  cell(line: CellLine): void {
    demand(this.current !== null, "a cell that belongs to no piece");
    if (this.current.covers(line)) this.current = null;
  }

  /** The claims, all of them checked. */
  finish(): ClaimLine[] {
    demand(this.current === null, "the last piece is not covered");
    demand(this.wanted?.size === 0, "a piece of the shape is missing");
    return [...this.claims.values()].map(({ line, cells, seen }) => {
      demand(line.cells === cells, `${claimKey(line)}: ${cells} cells, not ${line.cells}`);
      demand(line.at === null || seen, `${claimKey(line)}: the worst case is in none of the cells`);
      return line;
    });
  }
}

const pieceKey = (piece: ProofPiece): string =>
  JSON.stringify([piece.arrivals, piece.lie && Object.entries(piece.lie)]);

/** Verdict, worst case and witness must fit each other; the witness is replayed by the rational twin. */
function checkClaim(shape: PlainShape, line: ClaimLine): void {
  const { worst, verdict, attained, at, witness } = line;
  const key = claimKey(line);
  const broken = verdict === "breaks";
  demand(
    broken || (verdict === "proved" && worst === "0" && attained),
    `${key}: the verdict is not what is proved`,
  );
  demand(broken === (at !== null) && broken === (witness !== null), `${key}: a witness too many or too few`);
  if (!broken) return;
  demand(worst === "unbounded" || parseFraction(worst).gt(0), `${key}: breaks by nothing`);
  demand(!(worst === "unbounded" && attained), `${key}: what has no bound is not reached`);
  demand(isOfShape(shape, witness!.market), `${key}: the witness is of another shape`);
  const share = breaksBy(shape, line, witness!);
  demand(share?.equals(parseFraction(witness!.share)) === true, `${key}: the witness does not show it`);
  const gain = share!.mul(parseFraction(String(witness!.market.rules.budget)));
  demand(gain.equals(parseFraction(witness!.gain)), `${key}: the witness gains another amount`);
  demand(
    worst === "unbounded" || share!.lte(parseFraction(worst)),
    `${key}: the witness is worse than the worst`,
  );
}

function isOfShape(shape: PlainShape, { rules, workers }: Market): boolean {
  const wanted = { budget: rules.budget, ...rulesOf(shape) };
  const { arrivals, ids, reputations, rounds } = shape;
  return (
    (Object.keys(wanted) as (keyof Rules)[]).every((name) => rules[name] === wanted[name]) &&
    workers.length === ids.length &&
    workers.every(
      ({ id, reputation, arrival }, k) =>
        id === ids[k] &&
        reputation === toNumber(reputations[k]!) &&
        (arrivals ? arrival === arrivals[k] : arrival >= 1 && arrival <= rounds),
    )
  );
}

/** The cells of one piece, in order. */
class PieceCheck implements Decider {
  private readonly run: () => ClaimAmount[];
  private readonly rows: Inequality[];
  /** Parts that were divided off and not yet covered: how many rows stand before them, and the row that makes them. */
  private readonly open: { readonly rows: number; readonly row: Inequality }[] = [];
  private readonly peaks: { readonly claim: Checked; readonly at: NonNullable<ClaimLine["at"]> }[];
  private point: Vector = [];
  private reasons: readonly Reason[] = [];
  private next = 0;

  constructor(
    shape: PlainShape,
    asked: ProofPiece,
    private readonly claims: ReadonlyMap<string, Checked>,
  ) {
    const positive = positiveOf(shape, asked);
    this.run = programOf(shape, asked, new LinearForms(positive.length, this));
    this.rows = positive.map((strict, place) => ({ form: unit(positive.length, place), strict }));
    this.peaks = [...claims.values()].flatMap((claim) => {
      const { at } = claim.line;
      return at !== null && pieceKey(at.piece) === pieceKey(asked) ? [{ claim, at }] : [];
    });
  }

  /** Checks one cell; true if it was the last of the piece. */
  covers([point, reasons, bounds]: CellLine): boolean {
    this.point = vectorOf(point, this.rows[0]!.form.length);
    this.reasons = reasons;
    this.next = 0;
    demand(this.isIn(this.point), "a cell's point is not in the region that is left");
    const findings = this.findings();
    demand(this.next === reasons.length, "a cell has more reasons than decisions");
    demand(bounds.length === findings.length, "a cell has more or fewer bounds than amounts");
    for (const [k, finding] of findings.entries()) this.bound(finding, bounds[k]!);
    for (const key of new Set(findings.map(claimKey))) this.claims.get(key)!.cells++;
    for (const peak of this.peaks) this.see(peak, findings);
    return this.close();
  }

  private findings(): ClaimAmount[] {
    try {
      return this.run();
    } catch (error) {
      if (error instanceof ArrivalRead)
        throw new Rejected("the mechanism looks at arrivals that are left open");
      throw error;
    }
  }

  decide(form: Vector): boolean {
    const holds = this.peek(form);
    const reason = this.reasons[this.next++];
    demand(reason !== undefined, "a decision has no reason");
    const [atMost, above]: Inequality[] = [
      { form: negated(form), strict: false },
      { form, strict: true },
    ];
    const row = (holds ? atMost : above)!;
    if (reason === 0) {
      this.open.push({ rows: this.rows.length, row: (holds ? above : atMost)! });
      this.rows.push(row);
    } else this.demandSum(row, reason, "a decision does not follow from the region");
    return holds;
  }

  peek(form: Vector): boolean {
    return !(dot(form, this.point) > 0);
  }

  /** The share of the budget is at most the claim's worst case, and less than it where that is not reached. */
  private bound(finding: ClaimAmount, reason: Reason): void {
    const { worst, attained } = this.claims.get(claimKey(finding))!.line;
    if (worst === "unbounded") return;
    const row = { form: negated(beyondShare(finding.amount, parseFraction(worst))), strict: !attained };
    this.demandSum(row, reason, `${claimKey(finding)}: a cell exceeds the worst case`);
  }

  /** scale · form = Σ factor · row with scale > 0 and factors ≥ 0; above 0 if one of the rows is. */
  private demandSum({ form, strict }: Inequality, reason: Reason, otherwise: string): void {
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

  /** The worst case is reached in this cell, or at a limit of it, or grows along it without bound. */
  private see({ claim, at }: (typeof this.peaks)[number], findings: readonly ClaimAmount[]): void {
    const { line } = claim;
    const length = this.point.length;
    if (!this.isIn(vectorOf(at.inside, length))) return;
    const point = vectorOf(at.point, length);
    const found = findings.find((one) => claimKey(one) === claimKey(line) && one.worker === at.worker);
    if (found === undefined || !this.isIn(point, !line.attained)) return;
    const amount = dot(found.amount.top, point);
    if (line.worst === "unbounded") claim.seen ||= !point[BUDGET] && amount > 0;
    else {
      const { n, d } = parseFraction(line.worst);
      const share = n * BigInt(found.amount.below) * BigInt(point[BUDGET]!);
      claim.seen ||= point[BUDGET]! > 0 && BigInt(amount) * d === share;
    }
  }

  /** In the region, or in it or at its border. */
  private isIn(point: Vector, border = false): boolean {
    return this.rows.every(({ form, strict }) =>
      strict && !border ? dot(form, point) > 0 : dot(form, point) >= 0,
    );
  }

  /** Goes on with the part that was divided off last; true if there is none. */
  private close(): boolean {
    const part = this.open.pop();
    if (part === undefined) return true;
    this.rows.length = part.rows;
    this.rows.push(part.row);
    return false;
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

function vectorOf(point: readonly (number | string)[], length: number): Vector {
  demand(Array.isArray(point) && point.length === length, "a point of the wrong length");
  const all = point.map(integerOf);
  return vectorFrom(all);
}

interface Term {
  readonly form: Vector;
  readonly factor: Integer;
}

/** Whether scale · form = Σ factor · form of the terms; in bigints where the numbers could be rounded. */
function isSum(form: Vector, scale: Integer, terms: readonly Term[]): boolean {
  for (let k = 0; k < form.length; k++) {
    const factors = [-scale, ...terms.map(({ factor }) => factor)];
    const values = [form[k]!, ...terms.map((term) => term.form[k]!)];
    if (dot(vectorFrom(factors), vectorFrom(values)) !== 0) return false;
  }
  return true;
}

const vectorFrom = (all: readonly Integer[]): Vector =>
  all.every((one) => typeof one === "number") ? all : all.map(BigInt);
