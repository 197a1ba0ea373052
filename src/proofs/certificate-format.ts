/**
 * A proof written down, line by line: what it is about and its claims; then every piece with its cells in the order in
 * which they were found. Of each comparison of a cell's run that the region does not already answer stands why it comes out
 * as it does: the region is divided by it (0), a row of the region says so (the row's number, counted from 1), or a sum of
 * rows does (the scale of the form, then rows and factors). For each claim that the cell speaks of follows the sum of rows
 * that bounds its amount.
 */

import type { ProofClaim, ProofPiece } from "./program.js";
import type { ExactWitness } from "./witness.js";

/** Of the lines of a certificate. */
export const FORMAT = 3;

/** Of what a certificate means: blocks, regimes, claims and pieces. It rises with each change that an old proof would not survive. */
export const KERNEL = 2;

/** A whole number as JSON: in quotes where a number would round it. */
export type Written = number | string;

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

/** Whose program it is: one that comes with candor, or a file of somebody's with what it imports by relative path. */
export type ProgramSource =
  | { readonly builtIn: string }
  | { readonly file: string; readonly settings?: string; readonly sha256: string };

export interface HeadLine {
  readonly proof: typeof FORMAT;
  readonly kernel: number;
  /** The version of the package that wrote it. */
  readonly candor: string;
  readonly program: ProgramSource;
  /** Whether it is about two workers who lie together, and about nothing else. */
  readonly pairs: boolean;
  readonly rounds: number;
  readonly reputations: readonly string[];
  /** Of the workers; 0, 1, … if left out. */
  readonly ids?: readonly number[];
  readonly firstRoundRatio: string;
  readonly minWorkers: number;
  readonly reading: string;
  readonly firstStep: string;
  readonly delay: string;
  readonly arrivals?: readonly number[];
  readonly claims: readonly ClaimLine[];
}

export interface ProvedClaim extends ProofClaim {
  readonly verdict: "proved" | "breaks";
  /** The least upper bound of the gain (P1: loss, P2: overspending) as a share of the budget; "unbounded" where none is. */
  readonly worst: string;
  /** Whether some market reaches it. */
  readonly attained: boolean;
  /** In how many cells there is somebody whom the claim speaks of. */
  readonly cells: number;
  readonly witness: ExactWitness | null;
}

/** A point of the unknowns where a worst case is reached, or a limit of such points. */
export interface WorstPoint {
  readonly piece: ProofPiece;
  /** The place of who gains or loses; null for P2. */
  readonly worker: number | null;
  readonly point: readonly Written[];
  /** A point of the same cell: where the worst case is a limit, it is reached on the way from here to there. */
  readonly inside: readonly Written[];
}

/** A claim, and where it is broken worst. */
export type ClaimLine = ProvedClaim & { readonly at: WorstPoint | null };
