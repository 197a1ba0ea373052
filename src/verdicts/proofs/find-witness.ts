/** From the point where a claim is broken worst to a market that a person can replay, certified by the rational twin. */

import { plainError } from "../../lib/errors.js";
import {
  exactly,
  type Fraction,
  fraction,
  parseFraction,
  toNumber,
  totalOf,
  zero,
} from "../../lib/fraction.js";
import { bigDivisor } from "../../lib/integer-vector.js";
import { type Bid, isAmount, type Market, workerOf } from "../../market/market.js";
import type { ExactOutcome } from "../../mechanisms/exact.js";
import { BUDGET, UNIT } from "../../mechanisms/linear-forms.js";
import { regimesIn } from "../../mechanisms/outcome.js";
import { exactRun, utilityIn } from "../certify.js";
import { commonRegime, costPlace, type ProofClaim, pricePlace } from "./program.js";
import { type PlainShape, rulesOf } from "./shape.js";
import type { WorstCase, WorstPoint } from "./worst.js";

export interface ExactWitness {
  readonly market: Market;
  /** Who gains or loses; null for P2. */
  readonly worker: number | null;
  /** Null for P1 and P2. */
  readonly bid: Bid | null;
  /** Of a pair: what the other one bids. */
  readonly partner?: Bid;
  /** The gain, the loss (P1) or the overspending (P2) in this market, as a fraction. */
  readonly gain: string;
  /** The same as a share of the budget. */
  readonly share: string;
}

/** Where no market reaches the worst case, a witness comes at least so near to it. */
const NEAR = fraction(99, 100);

export function witnessOf(shape: PlainShape, claim: ProofClaim, found: WorstCase): ExactWitness {
  const { worst, attained } = found;
  const wanted = worst === "unbounded" ? fraction(1) : parseFraction(worst).mul(attained ? 1 : NEAR);
  let best: { witness: ExactWitness; share: Fraction } | null = null;
  for (const candidate of candidatesFor(shape, found)) {
    const share = breaksBy(shape, claim, candidate);
    if (share === null || (best && share.lte(best.share))) continue;
    const gain = share.mul(exactly(candidate.market.rules.budget)).toFraction();
    best = { share, witness: { ...candidate, gain, share: share.toFraction() } };
    if (share.gte(wanted)) break;
  }
  if (best === null)
    throw plainError(
      "prove",
      `${claim.property} breaks, but no market was found that shows it in decimals: give reputations and ratio in fewer digits`,
    );
  return best.witness;
}

type WitnessCandidate = Pick<ExactWitness, "market" | "worker" | "bid" | "partner">;

/** How much of the budget it breaks the claim by, as the rational twin has it; null where it does not. */
export function breaksBy(
  shape: PlainShape,
  claim: ProofClaim,
  { market, worker, bid, partner }: WitnessCandidate,
): Fraction | null {
  const base = { mechanism: shape.mechanism, market };
  const truth = exactRun(base);
  const regimeOf = regimesIn(truth);
  const liars = worker === null ? [] : [worker, ...(partner ? [partner.worker] : [])];
  const present =
    worker === null ? market.workers.map(({ id }) => regimeOf(id)) : [commonRegime(regimeOf, liars)];
  if (!present.includes(claim.regime)) return null;
  const budget = exactly(market.rules.budget);
  const utility = (outcome: ExactOutcome, id: number) => utilityIn(outcome, workerOf(market, id));
  let amount: Fraction;
  if (worker === null) amount = totalOf(truth.workers.map(({ payment }) => payment)).sub(budget);
  else if (bid === null) amount = zero.sub(utility(truth, worker));
  else {
    const bids = partner ? [bid, partner] : [bid];
    if ((claim.property === "pair") !== (bids.length === 2)) return null;
    if (!bids.every((one) => isLie(claim, market, one))) return null;
    const told = exactRun(base, ...bids);
    if ((told.startDelay === truth.startDelay) !== (claim.start === "kept")) return null;
    amount = totalOf(liars.map((id) => utility(told, id).sub(utility(truth, id))));
  }
  return amount.gt(0) ? amount.div(budget) : null;
}

/** Whether a bid is one that the claim speaks of. */
function isLie({ property }: ProofClaim, { workers }: Market, { worker, price, arrival }: Bid): boolean {
  const truth = workers.find(({ id }) => id === worker);
  if (truth === undefined || arrival < truth.arrival) return false;
  return property === "P5" ? arrival === truth.arrival : property !== "P6" || price === truth.cost;
}

/** The worst case itself, where numbers can say it; then points on the way to it, ever nearer and in more digits. */
function* candidatesFor(shape: PlainShape, { attained, at }: WorstCase): Generator<WitnessCandidate> {
  const peak = at!;
  const limit = peak.point.map(parseFraction);
  const inside = peak.inside.map(parseFraction);
  if (attained) for (const amounts of inUnits(limit)) yield* marketFrom(shape, peak, wholeOrDecimal(amounts));
  for (const weight of [9, 99, 999, 9999, 99999])
    for (const amounts of inUnits(between(limit, inside, weight)))
      for (const digits of [2, 3, 4, 6, 9, 12, 15]) yield* marketFrom(shape, peak, rounded(amounts, digits));
}

/** So near to the limit that the way from inside is `weight` times as long as what is left. */
function between(limit: readonly Fraction[], inside: readonly Fraction[], weight: number): Fraction[] {
  const scaled = (point: readonly Fraction[]) =>
    point[BUDGET]!.equals(0) ? point : point.map((one) => one.div(point[BUDGET]!));
  const [to, from] = [scaled(limit), scaled(inside)];
  return to.map((one, k) => one.add(from[k]!.sub(one).div(weight + 1)));
}

/** With a budget of 1, as all mechanisms allow that know no amount of money; or in the unit that they know. */
const inUnits = (point: readonly Fraction[]): Fraction[][] =>
  [BUDGET, UNIT]
    .filter((place) => !point[place]!.equals(0))
    .map((place) => point.map((one) => one.div(point[place]!)));

const rounded = (amounts: readonly Fraction[], digits: number): number[] =>
  amounts.map((one) => Number(toNumber(one).toFixed(digits)));

/** As decimals where all of them are; else times what makes all of them whole. */
function wholeOrDecimal(amounts: readonly Fraction[]): number[] {
  const numbers = amounts.map(toNumber);
  if (amounts.every((one, k) => exactly(numbers[k]!).equals(one))) return numbers;
  const common = amounts.slice(UNIT + 1).reduce((least, { d }) => (least / bigDivisor(least, d)) * d, 1n);
  return amounts.map((one) => toNumber(one.mul(fraction(common))));
}

function* marketFrom(
  shape: PlainShape,
  { piece, worker }: WorstPoint,
  amounts: readonly number[],
): Generator<WitnessCandidate> {
  const { arrivals, lie } = piece;
  const workers = shape.reputations.map((reputation, k) => ({
    id: shape.ids[k]!,
    reputation: toNumber(reputation),
    cost: amounts[costPlace(k)]!,
    arrival: arrivals?.[k] ?? 1,
  }));
  const budget = amounts[BUDGET]!;
  if (![budget, ...amounts.slice(BUDGET)].every(isAmount) || budget === 0) return;
  const market = { rules: { budget, ...rulesOf(shape) }, workers };
  const place = lie?.price ? pricePlace(shape) : costPlace(worker ?? 0);
  const bid = lie && { worker: shape.ids[lie.worker]!, price: amounts[place]!, arrival: lie.arrival ?? 1 };
  const partner = lie?.partner && {
    worker: shape.ids[lie.partner.worker]!,
    price: amounts[pricePlace(shape) + 1]!,
    arrival: lie.partner.arrival ?? 1,
  };
  yield { market, worker: worker === null ? null : shape.ids[worker]!, bid, ...(partner && { partner }) };
}
