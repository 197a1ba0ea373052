/** From the point where a claim is broken worst to a market that a person can replay, certified in fractions. */

import { BUDGET, UNIT } from "../auction/linear-forms.js";
import { plainError } from "../lib/errors.js";
import { exactly, type Fraction, fraction, parseFraction, toNumber } from "../lib/fraction.js";
import { bigDivisor } from "../lib/integer-vector.js";
import type { Bid, Market } from "../market/market.js";
import type { WorstPoint } from "./certificate-format.js";
import { costPlace, type ProofClaim, pricePlace } from "./program.js";
import { type ProofShape, rulesOf } from "./proof-shape.js";
import {
  breaksBy,
  type ExactWitness,
  IllegalWitness,
  type WitnessCase,
  type WrittenAmount,
  type WrittenMarket,
  writtenAmount,
  writtenFraction,
} from "./witness.js";
import type { WorstCase } from "./worst.js";

/** Where no market reaches the worst case, a witness comes at least so near to it. */
const NEAR = fraction(99, 100);

export function witnessOf(shape: ProofShape, claim: ProofClaim, found: WorstCase): ExactWitness {
  const { worst, attained } = found;
  const wanted = worst === "unbounded" ? fraction(1) : parseFraction(worst).mul(attained ? 1 : NEAR);
  let best: { witness: ExactWitness; share: Fraction } | null = null;
  const consider = (candidates: Iterable<WitnessCase>) => {
    for (const candidate of candidates) {
      const share = legalShare(shape, claim, candidate);
      if (share === null || (best && share.lte(best.share))) continue;
      const gain = share.mul(writtenFraction(candidate.market.rules.budget)).toFraction();
      best = { share, witness: { ...candidate, gain, share: share.toFraction() } };
      if (share.gte(wanted)) return;
    }
  };
  consider(inDecimals(shape, found));
  if (best === null || (best as { share: Fraction }).share.lt(wanted.mul(NEAR)))
    consider(inFractions(shape, found));
  if (best === null)
    throw plainError(
      `mechanism ${shape.mechanism.name}`,
      `${claim.property} breaks only at amounts that no market may hold, which are 0 or from 1e-12 to 1e12: nothing is proved`,
    );
  return (best as { witness: ExactWitness }).witness;
}

/** Null also where an amount is out of the range of markets. */
function legalShare(shape: ProofShape, claim: ProofClaim, candidate: WitnessCase): Fraction | null {
  try {
    return breaksBy(shape, claim, candidate);
  } catch (error) {
    if (error instanceof IllegalWitness) return null;
    throw error;
  }
}

/** How near to a limit: the way from inside is so many times as long as what is left. */
const weights = [9, 99, 999, 9999, 99999];

/** The worst case itself in whole numbers; then points on the way to it, ever nearer and in more digits. */
function* inDecimals(shape: ProofShape, { attained, at }: WorstCase): Generator<WitnessCase> {
  const peak = at!;
  const { limit, inside } = pointsOf(peak);
  if (attained) for (const amounts of inUnits(limit)) yield caseAt(shape, peak, wholeOrDecimal(amounts));
  for (const weight of weights)
    for (const amounts of inUnits(between(limit, inside, weight)))
      for (const digits of [2, 3, 4, 6, 9, 12, 15]) yield caseAt(shape, peak, rounded(amounts, digits));
}

/** The worst case itself, or points of its cell on the way to it, whatever fractions they need. */
function* inFractions(shape: ProofShape, { attained, at }: WorstCase): Generator<WitnessCase> {
  const peak = at!;
  const { limit, inside } = pointsOf(peak);
  const points = attained ? [limit] : weights.map((weight) => between(limit, inside, weight));
  for (const point of points)
    for (const amounts of inUnits(point)) {
      yield caseAt(shape, peak, wholeOrDecimal(amounts));
      yield caseAt(shape, peak, amounts);
    }
}

const pointsOf = ({ point, inside }: WorstPoint) => ({
  limit: point.map((one) => fraction(BigInt(one))),
  inside: inside.map((one) => fraction(BigInt(one))),
});

/** So near to the limit that the way from inside is `weight` times as long as what is left. */
function between(limit: readonly Fraction[], inside: readonly Fraction[], weight: number): Fraction[] {
  const scaled = (point: readonly Fraction[]) =>
    point[BUDGET]!.equals(0) ? point : point.map((one) => one.div(point[BUDGET]!));
  const to = scaled(limit);
  const from = scaled(inside);
  return to.map((one, k) => one.add(from[k]!.sub(one).div(weight + 1)));
}

/** With a budget of 1, as all mechanisms allow that know no amount of money; or in the unit that they know. */
const inUnits = (point: readonly Fraction[]): Fraction[][] =>
  [BUDGET, UNIT]
    .filter((place) => !point[place]!.equals(0))
    .map((place) => point.map((one) => one.div(point[place]!)));

const rounded = (amounts: readonly Fraction[], digits: number): Fraction[] =>
  amounts.map((one) => {
    const number = toNumber(one);
    return Number.isFinite(number) ? exactly(Number(number.toFixed(digits))) : one;
  });

/** As they are where decimals write all of them; else times what makes all of them whole. */
function wholeOrDecimal(amounts: readonly Fraction[]): readonly Fraction[] {
  if (amounts.every(isDecimal)) return amounts;
  const common = fraction(commonDenominator(amounts.slice(UNIT + 1)));
  return amounts.map((one) => one.mul(common));
}

const isDecimal = (amount: Fraction): boolean => typeof writtenAmount(amount) === "number";

const commonDenominator = (amounts: readonly Fraction[]): bigint =>
  amounts.reduce((least, { d }) => (least / bigDivisor(least, d)) * d, 1n);

function caseAt(shape: ProofShape, { piece, worker }: WorstPoint, amounts: readonly Fraction[]): WitnessCase {
  const { arrivals, lie } = piece;
  const amount = (place: number) => writtenAmount(amounts[place]!);
  const workers = shape.reputations.map((reputation, k) => ({
    id: shape.ids[k]!,
    reputation: writtenAmount(reputation),
    cost: amount(costPlace(k)),
    arrival: arrivals?.[k] ?? 1,
  }));
  const firstRoundRatio = writtenAmount(shape.firstRoundRatio);
  const rules = { budget: amount(BUDGET), ...rulesOf(shape), firstRoundRatio };
  const bidOf = (liar: { worker: number; arrival: number | null }, place: number) => ({
    worker: shape.ids[liar.worker]!,
    price: amount(place),
    arrival: liar.arrival ?? 1,
  });
  return {
    market: { rules, workers },
    worker: worker === null ? null : shape.ids[worker]!,
    bid: lie && bidOf(lie, lie.price ? pricePlace(shape) : costPlace(lie.worker)),
    ...(lie?.partner && { partner: bidOf(lie.partner, pricePlace(shape) + 1) }),
  };
}

/** A witness as other commands can read it. */
export interface ReplayableWitness {
  readonly market: Market;
  readonly bid: Bid | null;
  readonly partner?: Bid;
  /** What the reputations were multiplied by to make decimals of them; then all is as in the market itself. */
  readonly scale: string;
}

/** The witness in numbers, as it is; null where it needs a fraction that no decimal writes. */
export function inNumbers({ market, bid, partner }: WitnessCase): ReplayableWitness | null {
  const { rules, workers } = market;
  const { budget, firstRoundRatio } = rules;
  const amounts = [budget, firstRoundRatio, ...workers.flatMap(({ reputation, cost }) => [reputation, cost])];
  if (bid) amounts.push(bid.price);
  if (partner) amounts.push(partner.price);
  if (!amounts.every((amount) => typeof amount === "number")) return null;
  return {
    market: market as Market,
    bid: bid as Bid | null,
    ...(partner && { partner: partner as Bid }),
    scale: "1",
  };
}

/** The same with reputations times what makes them whole, where the program comes to the same then. */
export function replayable(shape: ProofShape, claim: ProofClaim, witness: ExactWitness) {
  const asItIs = inNumbers(witness);
  if (asItIs !== null) return asItIs;
  const scale = fraction(commonDenominator(shape.reputations));
  const reputations = shape.reputations.map((one) => one.mul(scale));
  const market = withReputations(witness.market, reputations.map(writtenAmount));
  const scaled = { ...witness, market };
  const replayed = inNumbers(scaled);
  const share = legalShare({ ...shape, reputations }, claim, scaled);
  if (replayed === null || !share?.equals(parseFraction(witness.share))) return null;
  return { ...replayed, scale: scale.toFraction() };
}

const withReputations = (
  { rules, workers }: WrittenMarket,
  reputations: readonly WrittenAmount[],
): WrittenMarket => ({
  rules,
  workers: workers.map((worker, k) => ({ ...worker, reputation: reputations[k]! })),
});
