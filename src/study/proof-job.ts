/** Proofs as the job of a study: the markets of a cell are the pieces of a shape, and their summaries add up to its proof. */

import { type Fraction, parseFraction } from "../lib/fraction.js";
import type { Reading } from "../market/market.js";
import type { AnyMechanism } from "../mechanisms/mechanism.js";
import type { ProofPiece } from "../verdicts/proofs/program.js";
import { piecesOf } from "../verdicts/proofs/prove.js";
import { type PlainShape, plainShape, type Shape } from "../verdicts/proofs/shape.js";
import { mergedSummary, type ProofSummary, summaryOf } from "../verdicts/proofs/worst.js";
import type { Cells, Job, JobContext } from "./job.js";

/** A shape as plain JSON: fractions are text. */
export interface ProofCell {
  /** One of those that the context knows; the one that is examined if null. */
  readonly mechanism: string | null;
  readonly rounds: number;
  readonly reputations: readonly string[];
  readonly firstRoundRatio: string;
  readonly minWorkers: number;
  readonly reading: Reading;
  /** Null: all there are. */
  readonly arrivals: readonly number[] | null;
  /** Whether it is about two workers who lie together, and about nothing else. */
  readonly pairs?: true;
}

const text = (value: Fraction): string => value.toFraction();

/** A cell with as many markets as the shape has pieces. */
export function proofCells(shape: Shape, mechanism: string | null = null, pairs = false): Cells<ProofCell> {
  const { rounds, reputations, firstRoundRatio, minWorkers, reading, arrivals = null } = shape;
  const cell = {
    mechanism,
    rounds,
    reputations: reputations.map(text),
    firstRoundRatio: text(firstRoundRatio),
    minWorkers,
    reading,
    arrivals,
    ...(pairs && { pairs: true as const }),
  };
  return { cell, markets: piecesOf(plainShape(shape), pairs).length };
}

export const proofJob: Job<ProofCell, ProofSummary> = {
  look(cell, k, context) {
    const { shape, pieces } = prepared(cell, context);
    return summaryOf(shape, pieces[k]!);
  },
  merge: mergedSummary,
  // A worker more, or the price of a second liar, makes a piece about seven times as long.
  cost: ({ reputations, pairs }) => 2 * 7 ** (reputations.length - (pairs ? 1 : 2)),
};

interface Prepared {
  readonly shape: PlainShape;
  readonly pieces: readonly ProofPiece[];
}

const known = new WeakMap<ProofCell, Prepared>();

function prepared(cell: ProofCell, context: JobContext): Prepared {
  let found = known.get(cell);
  if (found === undefined) {
    const shape = plainShape(shapeOf(cell, mechanismOf(cell, context)));
    found = { shape, pieces: piecesOf(shape, cell.pairs) };
    known.set(cell, found);
  }
  return found;
}

function mechanismOf({ mechanism: wanted }: ProofCell, { mechanism, mechanisms }: JobContext): AnyMechanism {
  if (wanted === null) return mechanism;
  const found = mechanisms.find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`no mechanism called ${wanted}`);
  return found;
}

/** A cell's shape, for a mechanism. */
export const shapeOf = (cell: ProofCell, mechanism: AnyMechanism): Shape => ({
  mechanism,
  rounds: cell.rounds,
  reputations: cell.reputations.map(parseFraction),
  firstRoundRatio: parseFraction(cell.firstRoundRatio),
  minWorkers: cell.minWorkers,
  reading: cell.reading,
  ...(cell.arrivals && { arrivals: cell.arrivals }),
});
