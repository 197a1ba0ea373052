/** Settles the claims for all costs, all budgets and all arrivals of a shape: proved, or the worst case with a witness. */

import { type ExactWitness, witnessOf } from "./find-witness.js";
import {
  ArrivalRead,
  type Piece,
  type ProvedProperty,
  pairPieces,
  propertiesOf,
  provedProperties,
  settledProperties,
  timedPieces,
  timelessPieces,
} from "./program.js";
import { type PlainShape, plainShape, type Shape } from "./shape.js";
import {
  allClaims,
  type Claim,
  claimKey,
  claimsAbout,
  mergedSummary,
  type Summary,
  summaryOf,
  type WorstCase,
} from "./worst.js";

export interface ProvedClaim extends Claim {
  readonly verdict: "proved" | "breaks";
  /** The least upper bound of the gain (P1: loss, P2: overspending) as a share of the budget; "unbounded" where none is. */
  readonly worst: string;
  /** Whether some market reaches it. */
  readonly attained: boolean;
  /** In how many cells there is somebody whom the claim speaks of. */
  readonly cells: number;
  readonly witness: ExactWitness | null;
}

/** The claims on a shape: all of them, or those on some properties. */
export function prove(shape: Shape, properties: readonly ProvedProperty[] = provedProperties): ProvedClaim[] {
  const plain = plainShape(shape);
  const [single, pairs] = [properties.some((property) => property !== "pair"), properties.includes("pair")];
  const summary = [...(single ? piecesOf(plain) : []), ...(pairs ? piecesOf(plain, true) : [])]
    .filter((piece) => propertiesOf(piece).some((property) => properties.includes(property)))
    .reduce<Summary>((sum, piece) => mergedSummary(sum, summaryOf(plain, piece)), {});
  return claimsOf(
    plain,
    summary,
    claimsAbout(settledProperties.filter((property) => properties.includes(property))),
  );
}

/** The claims, from the summary of all pieces. */
export const claimsOf = (
  shape: PlainShape,
  summary: Summary,
  claims: readonly Claim[] = allClaims,
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
export function piecesOf(shape: PlainShape, pairs = false): Piece[] {
  const timed = looksAtArrivals(shape);
  if (pairs) return pairPieces(shape, timed);
  return timed ? timedPieces(shape) : timelessPieces(shape);
}

/** More arrivals than this are not even listed. */
const MOST_PATTERNS = 20_000;

/** Says that a shape has more arrivals than can be gone through; null where it has not. */
export function tooManyArrivals(shape: PlainShape): string | null {
  const { rounds, reputations, arrivals } = shape;
  const patterns = rounds ** reputations.length;
  if (arrivals !== undefined || patterns <= MOST_PATTERNS || !looksAtArrivals(shape)) return null;
  return `${reputations.length} workers can arrive in ${patterns} ways in ${rounds} rounds, more than ${MOST_PATTERNS}`;
}

/** Whether in any run of the text a decision may rest on an arrival: every run is a truthful one at some costs. */
function looksAtArrivals(shape: PlainShape): boolean {
  try {
    summaryOf(shape, { arrivals: null, lie: null });
    return false;
  } catch (error) {
    if (error instanceof ArrivalRead) return true;
    throw error;
  }
}
