/** The claims settled for all costs, all budgets and all arrivals of small shapes: proved, or the worst case there is. */

import { NotLinear } from "../src/auction/amounts.js";
import type { AnyMechanism } from "../src/auction/mechanism.js";
import type { Reading } from "../src/market/market.js";
import { provedClaims } from "../src/proofs/prove.js";
import { isProvable, plainShape, type Shape, validateShape } from "../src/proofs/shape.js";
import type { ProofSummary } from "../src/proofs/worst.js";
import type { Analysis, Gathered, Profile } from "../src/study/analysis.js";
import type { Cells, WorkContext } from "../src/study/job.js";
import { type ProofCell, proofCells, proofJob, shapeOf } from "../src/study/proofs.js";
import { charts, exhibitsOf, findings, firstScreenNote, methods, notes, tables } from "./proofs/views.js";

export interface ProofSettings {
  /** The most rounds with 1, 2, 3, … workers of equal reputation: of the mechanism examined, in prose. */
  readonly examined: readonly number[];
  /** Of the same in the other reading. */
  readonly otherReading: readonly number[];
  /** Of the other mechanisms. */
  readonly others: readonly number[];
  /** Of those that see all bids at once, which are quick to settle. */
  readonly offline: readonly number[];
  /** Other reputations, for the mechanism examined, in prose. */
  readonly unequal: readonly { readonly reputations: readonly number[]; readonly rounds: number }[];
}

const profiles: Record<Profile, ProofSettings> = {
  quick: {
    examined: [6, 6, 3, 2],
    otherReading: [3, 3, 3],
    others: [3, 3, 3],
    offline: [3, 3, 3],
    unequal: [
      { reputations: [1, 2], rounds: 3 },
      { reputations: [1, 2, 3], rounds: 2 },
      { reputations: [1, 2, 4], rounds: 3 },
    ],
  },
  full: {
    examined: [10, 10, 5, 3, 1],
    otherReading: [6, 6, 4, 3],
    others: [4, 4, 4, 3, 2],
    offline: [4, 4, 4, 4, 4],
    unequal: [
      { reputations: [1, 2], rounds: 6 },
      { reputations: [1, 2, 3], rounds: 3 },
      { reputations: [3, 2, 1], rounds: 3 },
      { reputations: [1, 2, 4], rounds: 3 },
      { reputations: [1, 10, 100], rounds: 3 },
      { reputations: [1, 2, 3, 4], rounds: 2 },
    ],
  },
};

/** Whether anything can be proved: the program is run for the first time here. */
function runsOnLines(mechanism: AnyMechanism): boolean {
  if (!isProvable(mechanism)) return false;
  try {
    proofCells(validateShape({ rounds: 1, reputations: [1] }, mechanism));
    return true;
  } catch (error) {
    if (error instanceof NotLinear) return false;
    throw error;
  }
}

const equalShapes = (most: readonly number[], reading: Reading = "prose") =>
  most.flatMap((last, k) =>
    Array.from({ length: last }, (_, r) => ({ rounds: r + 1, reputations: Array(k + 1).fill(1), reading })),
  );

/** Under the paper's rules. */
function shapesOf(mechanism: AnyMechanism, settings: ProofSettings, context: WorkContext): Shape[] {
  const { examined, otherReading, others, offline, unequal } = settings;
  const shapes =
    mechanism !== context.mechanism
      ? equalShapes(mechanism.offline ? offline : others)
      : [
          ...equalShapes(examined),
          ...unequal,
          ...(readsRules(mechanism) ? equalShapes(otherReading, "pseudocode") : []),
        ];
  return shapes.map((shape) => validateShape(shape, mechanism));
}

/** A variant may fix the reading itself. */
const readsRules = ({ variantOf }: AnyMechanism): boolean => variantOf?.rules.reading === undefined;

/** The one examined first. */
const provable = ({ mechanism, mechanisms }: WorkContext): AnyMechanism[] =>
  [mechanism, ...mechanisms.filter((one) => one !== mechanism)].filter(runsOnLines);

const plan = (settings: ProofSettings, context: WorkContext): Cells<ProofCell>[] =>
  provable(context).flatMap((mechanism) =>
    shapesOf(mechanism, settings, context).map((shape) => proofCells(shape, mechanism.name)),
  );

const labelOf = (name: string, reading: Reading): string =>
  reading === "prose" ? name : `${name}, ${reading}`;

/** A shape of a mechanism, and what is claimed of it. */
function settled({ cell, summary }: Gathered<ProofCell, ProofSummary>, context: WorkContext) {
  const auction = context.mechanisms.find(({ name }) => name === cell.mechanism)!;
  const { reputations, rounds, reading } = cell;
  return {
    mechanism: labelOf(auction.name, reading),
    examined: auction === context.mechanism && reading === "prose",
    workers: reputations.length,
    rounds,
    reputations: new Set(reputations).size === 1 ? "equal" : reputations.join(", "),
    auction,
    // Without those that no market of the shape, or no lie, is a case of.
    claims: provedClaims(plainShape(shapeOf(cell, auction)), summary ?? {}).filter(({ cells }) => cells > 0),
  };
}

export type SettledShape = ReturnType<typeof settled>;

function conclude(
  gathered: readonly Gathered<ProofCell, ProofSummary>[],
  _: ProofSettings,
  context: WorkContext,
) {
  const shapes = gathered.map((one) => settled(one, context));
  const examined = context.mechanism.name;
  const other = labelOf(examined, "pseudocode");
  const known = provable(context);
  return {
    examined,
    // Null where nothing of it was asked.
    otherReading: shapes.some(({ mechanism }) => mechanism === other) ? other : null,
    shapes,
    // Nothing can be proved about these.
    left: context.mechanisms.filter((one) => !known.includes(one)).map(({ name }) => name),
    shown: exhibitsOf(shapes),
  };
}

export type ProofResult = ReturnType<typeof conclude>;

export const proofs: Analysis<ProofSettings, ProofCell, ProofSummary, ProofResult> = {
  name: "proofs",
  question: "What is proved for all costs, budgets and arrivals, and what is the worst that a lie can do?",
  part: "claims",
  settings: ({ profile }) => profiles[profile],
  plan,
  job: proofJob,
  conclude,
  tables,
  charts,
  findings,
  methods,
  exhibits: ({ shown }) => shown.exhibits,
  mechanismNotes: notes,
  firstScreenNote,
};
