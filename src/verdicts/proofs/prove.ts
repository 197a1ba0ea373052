/** Settles the claims for all costs, all budgets and all arrivals of a shape: proved, or the worst case with a witness. */

import { exactly, parseFraction, toNumber } from "../../lib/fraction.js";
import { byId, type Market } from "../../market/market.js";
import { unvaried } from "../../mechanisms/mechanism.js";
import type { Target, Violation } from "../counterexamples/violations.js";
import type { ProvedClaim } from "./certificate-format.js";
import { inNumbers, witnessOf } from "./find-witness.js";
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
import { isProvable, type PlainShape, plainShape, type Shape } from "./shape.js";
import { compareWorst, mergedSummary, type ProofSummary, pieceSummary, type WorstCase } from "./worst.js";

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

/** Whether in any run of the text a decision may rest on an arrival: every run is a truthful one at some costs. */
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
  { regime, start = "any" }: { [K in "regime" | "start"]?: Target[K] | undefined },
  claim: ProofClaim,
): boolean =>
  (regime ?? claim.regime) === claim.regime &&
  (start === "any" || claim.start === null || claim.start === start);

/** What a proof adds to a counterexample: whether a smaller one is possible, and how bad one of its size can be. */
export interface ProvedSize {
  /** Whether no market with fewer of these workers or with fewer rounds breaks it, the rules and reputations as they are. */
  readonly smallest: boolean;
  /** The smallest of them that does, as large as it gets there; null also where no decimals write it. */
  readonly smaller: { readonly market: Market; readonly violation: Violation } | null;
  /** The least upper bound over all costs, budgets and arrivals of this size, as a share of the budget. */
  readonly worst: string;
  readonly attained: boolean;
}

/** With more workers or rounds a proof takes longer than a search for counterexamples. */
const LARGEST_SIZE = 3;

/** Null where the size is out of reach, or the mechanism or the property is none that proofs are about. */
export function provedSize(
  market: Market,
  { mechanism, property, regime, start }: Target,
): ProvedSize | null {
  const { rules, workers } = unvaried(mechanism, market).market;
  const asked = provedProperties.find((name) => name === property);
  const within = workers.length <= LARGEST_SIZE && rules.rounds <= LARGEST_SIZE;
  if (asked === undefined || !within || !isProvable(mechanism)) return null;
  const claimsOn = (shape: Shape) =>
    prove(shape, [asked]).filter((claim) => speaksOf({ regime, start }, claim));
  const own = claimsOn(shapeOfMarket(market, mechanism));
  const [worst] = own
    .filter(({ verdict }) => verdict === "breaks")
    .sort((a, b) => compareWorst(b.worst, a.worst));
  if (worst === undefined) return null;
  const breaks = smallerShapes(market, mechanism)
    .flatMap(claimsOn)
    .find(({ verdict }) => verdict === "breaks");
  return {
    smallest: breaks === undefined,
    smaller: breaks === undefined ? null : violationIn(breaks),
    worst: worst.worst,
    attained: own.some((claim) => claim.worst === worst.worst && claim.attained),
  };
}

/** A broken claim's witness as a counterexample. */
function violationIn({ property, regime, start, witness }: ProvedClaim): ProvedSize["smaller"] {
  const { worker, gain } = witness!;
  const replay = inNumbers(witness!);
  if (replay === null || property === "pair") return null;
  const amount = toNumber(parseFraction(gain));
  const startMoved = start === "moved";
  return {
    market: replay.market,
    violation: { property, regime, worker, lie: replay.bid, amount, startMoved },
  };
}

function shapeOfMarket({ rules, workers }: Market, mechanism: Target["mechanism"]): Shape {
  const { rounds, firstRoundRatio, minWorkers, reading } = rules;
  const sorted = byId(workers);
  const reputations = sorted.map(({ reputation }) => exactly(reputation));
  const ids = sorted.map(({ id }) => id);
  const exactRatio = exactly(firstRoundRatio);
  return { mechanism, rounds, reputations, ids, firstRoundRatio: exactRatio, minWorkers, reading };
}

/** Some of the workers, or all of them with fewer rounds; the smallest first. */
function smallerShapes(market: Market, mechanism: Target["mechanism"]): Shape[] {
  const { rules, workers } = market;
  const some = Array.from({ length: 2 ** workers.length - 1 }, (_, bits) =>
    workers.filter((_, k) => ((bits + 1) >> k) % 2 === 1),
  );
  const rounds = Array.from({ length: rules.rounds }, (_, k) => k + 1);
  return some
    .flatMap((chosen) => rounds.map((count) => ({ rules: { ...rules, rounds: count }, workers: chosen })))
    .filter((one) => one.workers.length < workers.length || one.rules.rounds < rules.rounds)
    .sort((a, b) => a.workers.length - b.workers.length || a.rules.rounds - b.rules.rounds)
    .map((one) => shapeOfMarket(one, mechanism));
}
