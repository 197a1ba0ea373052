/** Theorems that proofs of small shapes settle: under each reading, and with a witness where one breaks. */

import { fraction, parseFraction, toNumber } from "../../lib/fraction.js";
import type { Bid, Market } from "../../market/market.js";
import { online } from "../../mechanisms/online/online.js";
import { replayable } from "../../proofs/find-witness.js";
import { type ProvedClaim, prove } from "../../proofs/prove.js";
import { type PlainShape, plainShape } from "../../proofs/shape.js";
import { compareWorst } from "../../proofs/worst.js";
import type { TheoremName } from "./claims.js";
import type { ReadingChoice } from "./readings.js";
import { contradictedBy, type StepName } from "./steps.js";

/** A size: equal reputations, all costs, budgets and arrivals. */
export interface SmallShape {
  readonly workers: number;
  readonly rounds: number;
  readonly ratio: string;
}

/** The paper's first-round ratio, and one with which the first step often takes fewer than it needs. */
export const smallShapes: readonly SmallShape[] = [
  { workers: 2, rounds: 2, ratio: "7/20" },
  { workers: 2, rounds: 3, ratio: "7/20" },
  { workers: 2, rounds: 3, ratio: "1/10" },
];

/** Above one half the first step may spend more than a group's half of the budget. */
export const aboveHalf: SmallShape = { workers: 2, rounds: 2, ratio: "9/10" };

export const shapeText = ({ workers, rounds, ratio }: SmallShape): string =>
  `${workers} workers, ${rounds} rounds, first-round ratio ${ratio}`;

/** A market in which a theorem breaks, certified in fractions. */
export interface TheoremWitness {
  readonly market: Market;
  readonly worker: number | null;
  readonly lie: Bid | null;
  /** The gain, loss or overspending in this market. */
  readonly amount: number;
  /** The sentences of the paper that are not true in it. */
  readonly contradicts: readonly StepName[];
}

export interface TheoremRecord {
  readonly shape: SmallShape;
  readonly broken: boolean;
  /** The least upper bound as a share of the budget. */
  readonly worst: string;
  readonly witness: TheoremWitness | null;
}

/** The paper claims truthfulness of a sufficient budget only, the others of every run. */
const isAbout = (theorem: TheoremName, { property, regime }: ProvedClaim): boolean =>
  property === theorem && (theorem === "P1" || theorem === "P2" || regime === "sufficient");

/** What proofs say of some theorems in one shape under one reading. */
export function settleShape(
  small: SmallShape,
  reading: ReadingChoice,
  theorems: readonly TheoremName[],
): Map<TheoremName, TheoremRecord> {
  const shape = plainShape({
    mechanism: online,
    rounds: small.rounds,
    reputations: Array.from({ length: small.workers }, () => fraction(1)),
    firstRoundRatio: parseFraction(small.ratio),
    minWorkers: 1,
    ...reading,
  });
  const claims = prove(shape, theorems);
  return new Map(
    theorems.map((theorem) => {
      const broken = claims.filter((claim) => isAbout(theorem, claim) && claim.verdict === "breaks");
      const [worst] = broken.sort((a, b) => compareWorst(b.worst, a.worst));
      const record = {
        shape: small,
        broken: worst !== undefined,
        worst: worst?.worst ?? "0",
        witness: worst === undefined ? null : witnessIn(shape, worst),
      };
      return [theorem, record];
    }),
  );
}

/** The claim's witness in numbers, and the sentences that it contradicts; null where no decimals write it. */
function witnessIn(shape: PlainShape, claim: ProvedClaim): TheoremWitness | null {
  const found = replayable(shape, claim, claim.witness!);
  if (found === null) return null;
  const { market, bid: lie } = found;
  const amount = toNumber(parseFraction(claim.witness!.gain));
  const concerned = claim.witness!.worker === null ? market.workers : [{ id: claim.witness!.worker }];
  const contradicts = concerned.flatMap(({ id }) => contradictedBy({ market, worker: id, lie }));
  return { market, worker: claim.witness!.worker, lie, amount, contradicts: [...new Set(contradicts)] };
}
