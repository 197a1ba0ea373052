/** Settles the claims for all costs, all budgets and all arrivals of a shape: proved, or the worst case with a witness. */

import type { Regime } from "../auction/outcome.js";
import type { ProvedClaim } from "./certificate-format.js";
import { witnessOf } from "./find-witness.js";
import {
  ArrivalRead,
  allClaims,
  claimKey,
  claimsAbout,
  type ProofClaim,
  type ProofPiece,
  type ProvedProperty,
  pairPieces,
  propertiesOf,
  provedProperties,
  settledProperties,
  singlePieces,
} from "./program.js";
import { type PlainShape, plainShape, type Shape } from "./shape.js";
import { mergedSummary, type ProofSummary, pieceSummary, type WorstCase } from "./worst.js";

export type { ProvedClaim };

/** The claims on a shape: all of them, or those on some properties. */
export function prove(shape: Shape, properties: readonly ProvedProperty[] = provedProperties): ProvedClaim[] {
  const plain = plainShape(shape);
  const asked = settledProperties.filter((property) => properties.includes(property));
  const summary = [...piecesOf(plain), ...(asked.includes("pair") ? piecesOf(plain, true) : [])]
    .filter((piece) => propertiesOf(piece).some((property) => asked.includes(property)))
    .reduce<ProofSummary>((sum, piece) => mergedSummary(sum, pieceSummary(plain, piece)), {});
  return provedClaims(plain, summary, claimsAbout(asked));
}

/** The claims, from the summary of all pieces. */
export const provedClaims = (
  shape: PlainShape,
  summary: ProofSummary,
  claims: readonly ProofClaim[] = allClaims,
): ProvedClaim[] =>
  claims.map((claim) => {
    const found = summary[claimKey(claim)] ?? nothing;
    const { worst, attained, cells } = found;
    const witness = found.at === null ? null : witnessOf(shape, claim, found);
    return { ...claim, verdict: found.at === null ? "proved" : "breaks", worst, attained, cells, witness };
  });

/** No market of the shape is in that regime, or no lie moves the start. */
const nothing: WorstCase = { cells: 0, worst: "0", attained: true, at: null };

/** All markets and lies of a shape, cut by arrivals, liar and false arrival; or all joint lies of two. */
export const piecesOf = (shape: PlainShape, pairs = false): ProofPiece[] =>
  (pairs ? pairPieces : singlePieces)(shape, looksAtArrivals(shape));

/** More arrivals than this are not even listed. */
const MOST_PATTERNS = 20_000;

/** Says that a shape has more arrivals than can be gone through; null where it has not. */
export function tooManyArrivals(shape: PlainShape): string | null {
  const { rounds, reputations, arrivals } = shape;
  const patterns = rounds ** reputations.length;
  if (arrivals !== undefined || patterns <= MOST_PATTERNS || !looksAtArrivals(shape)) return null;
  return `${reputations.length} workers can arrive in ${patterns} ways in ${rounds} rounds, more than ${MOST_PATTERNS}`;
}

/** Whether in any run of the program a decision may rest on an arrival: every run is a truthful one at some costs. */
function looksAtArrivals(shape: PlainShape): boolean {
  try {
    pieceSummary(shape, { arrivals: null, lie: null });
    return false;
  } catch (error) {
    if (error instanceof ArrivalRead) return true;
    throw error;
  }
}

/** Whether a proved claim is one of those that are asked about: of a regime, or all; of lies that move the start or keep it, or any. */
export const speaksOf = (
  { regime, start = "any" }: { regime?: Regime | undefined; start?: "any" | "kept" | "moved" | undefined },
  claim: ProofClaim,
): boolean =>
  (regime ?? claim.regime) === claim.regime &&
  (start === "any" || claim.start === null || claim.start === start);
