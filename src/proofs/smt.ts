/**
 * Proofs written for solvers that are not ours, in SMT-LIB 2: one file for the cells of each piece, that in none of them
 * an amount is above its bound; one that the cells cover the piece. Whoever checks them relies on the forms that the runs of
 * the program gave, and on nothing of the search.
 */

import type { Inequality } from "../lib/cone.js";
import { parseFraction } from "../lib/fraction.js";
import type { Integer, Vector } from "../lib/integer-vector.js";
import type { ProvedClaim } from "./certificate-format.js";
import {
  beyondShare,
  type ClaimAmount,
  claimKey,
  costPlace,
  type ProofPiece,
  positiveOf,
  pricePlace,
} from "./program.js";
import { piecesOf } from "./prove.js";
import type { PlainShape } from "./shape.js";
import { cellsOf, type ProgramCell } from "./worst.js";

export interface SmtFile {
  readonly file: string;
  readonly about: string;
  readonly text: string;
}

/** All files of a proof of a shape. */
export function* smtOfShape(
  shape: PlainShape,
  claims: readonly ProvedClaim[],
  pairs: boolean,
): Generator<SmtFile> {
  for (const [k, piece] of piecesOf(shape, pairs).entries()) {
    const number = String(k + 1).padStart(4, "0");
    const cells = [...cellsOf(shape, piece)];
    const about = pieceText(shape, piece);
    const text = boundsText(shape, piece, { cells, claims });
    yield { file: `piece-${number}-bounds.smt2`, about: `${boundsWords(cells)}: ${about}`, text };
    const cover = coverText(shape, piece, cells);
    yield { file: `piece-${number}-cover.smt2`, about: `${coverWords(cells)}: ${about}`, text: cover };
  }
}

type Cell = Pick<ProgramCell, "cone" | "findings">;

const boundsWords = ({ length }: readonly Cell[]) =>
  `In none of ${length} cells an amount is above its bound`;
const coverWords = ({ length }: readonly Cell[]) => `The ${length} cells cover all costs, prices and budgets`;

/** Unsatisfiable if and only if in no cell an amount is above the bound of its claim. */
export function boundsText(
  shape: PlainShape,
  piece: ProofPiece,
  { cells, claims }: { readonly cells: readonly Cell[]; readonly claims: readonly ProvedClaim[] },
): string {
  const bounds = new Map(claims.map((claim) => [claimKey(claim), claim]));
  const names = namesOf(shape, piece);
  const above = cells.flatMap(({ cone, findings }) => {
    const beyond = findings.flatMap((finding) => beyondText(finding, bounds.get(claimKey(finding)), names));
    return beyond.length === 0 ? [] : [`(and ${regionText(cone.rows, names)} (or ${beyond.join(" ")}))`];
  });
  return fileText(shape, piece, boundsWords(cells), `(or false ${above.join("\n ")})`);
}

/** Unsatisfiable if and only if every point is in a cell. */
export function coverText(shape: PlainShape, piece: ProofPiece, cells: readonly Cell[]): string {
  const names = namesOf(shape, piece);
  const covered = cells.map(({ cone }) => regionText(cone.rows, names));
  return fileText(shape, piece, coverWords(cells), `(not (or false ${covered.join("\n ")}))`);
}

function fileText(shape: PlainShape, piece: ProofPiece, words: string, formula: string): string {
  const names = namesOf(shape, piece);
  return [
    `; ${words}.`,
    `; ${pieceText(shape, piece)}.`,
    "; unit: what known amounts of money are written in; B: the budget; c0, c1, …: costs; p, q: prices that are stated.",
    "; Must be unsat.",
    "(set-logic QF_LRA)",
    ...names.map((name) => `(declare-const ${name} Real)`),
    ...positiveOf(shape, piece).map((strict, place) => `(assert (${strict ? ">" : ">="} ${names[place]} 0))`),
    `(assert ${formula})`,
    "(check-sat)",
    "",
  ].join("\n");
}

const regionText = (rows: readonly Inequality[], names: readonly string[]): string =>
  `(and ${rows.map((row) => rowText(row, names)).join(" ")})`;

function namesOf(shape: PlainShape, piece: ProofPiece): string[] {
  const costs = shape.reputations.map((_, k) => [costPlace(k), `c${k}`] as const);
  const names = new Map<number, string>([
    [0, "unit"],
    [1, "B"],
    ...costs,
    [pricePlace(shape), "p"],
    [pricePlace(shape) + 1, "q"],
  ]);
  return positiveOf(shape, piece).map((_, place) => names.get(place)!);
}

/** Nothing where the amount has no bound. */
function beyondText(
  { amount }: ClaimAmount,
  claim: Pick<ProvedClaim, "worst" | "attained"> | undefined,
  names: readonly string[],
): string[] {
  if (claim === undefined || claim.worst === "unbounded") return [];
  const form = beyondShare(amount, parseFraction(claim.worst));
  return [rowText({ form, strict: claim.attained }, names)];
}

const rowText = ({ form, strict }: Inequality, names: readonly string[]): string =>
  `(${strict ? ">" : ">="} ${formText(form, names)} 0)`;

function formText(form: Vector, names: readonly string[]): string {
  const parts = Array.from<Integer, string>(form, (by, place) =>
    by === 0 || by === 0n ? "" : `(* ${by < 0 ? `(- ${String(by).slice(1)})` : by} ${names[place]})`,
  ).filter((part) => part !== "");
  if (parts.length === 0) return "0";
  return parts.length === 1 ? parts[0]! : `(+ ${parts.join(" ")})`;
}

function pieceText({ ids }: PlainShape, { arrivals, lie }: ProofPiece): string {
  const when =
    arrivals === null
      ? "whatever the arrivals"
      : `workers ${ids.join(", ")} arrive at ${arrivals.join(", ")}`;
  if (lie === null) return `${when}, and all tell the truth`;
  const says = (one: { readonly worker: number; readonly arrival: number | null }) =>
    `worker ${ids[one.worker]}${one.arrival === null ? "" : ` states arrival ${one.arrival}`}`;
  const price = lie.price ? " and any price" : "";
  return `${when}, and ${says(lie)}${price}${lie.partner ? `, ${says(lie.partner)}${price}` : ""}`;
}
