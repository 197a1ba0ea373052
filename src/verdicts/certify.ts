/** Confirms witnesses by the rational twin, so that no rounding error is ever called a lie. */

import { type ExactOutcome, exactOutcome, exactUtility, hasTwin } from "../auction/exact.js";
import { type AnyMechanism, unvaried } from "../auction/mechanism.js";
import { allotmentOf, type Regime, regimes } from "../auction/outcome.js";
import { exactly, type Fraction, simplestNear, toNumber, totalOf, zero } from "../lib/fraction.js";
import { near } from "../lib/tolerance.js";
import { type Bid, bidders, type Market, type Worker, workerOf } from "../market/market.js";
import { online } from "../mechanisms/online/online.js";
import { type Piece, pieces } from "../responses/index.js";
import { pricesBeyond } from "../responses/response.js";
import { simplest } from "../responses/stretches.js";
import { examine, type Judgement, type Verdict, type Witness } from "./properties.js";

/** A bid whose price may be a fraction that no decimal writes. */
interface ExactBid extends Omit<Bid, "price"> {
  readonly price: Fraction;
}

/** A mechanism that is no variant, and the market with its rules in place. */
export type Base = ReturnType<typeof unvaried>;

interface Certificate {
  readonly certified: boolean;
  /** The witness's amount in exact arithmetic, rounded once at the end. */
  readonly amount: number;
  /** What was bid in exact arithmetic, where the witness is a lie. */
  readonly bid?: ExactBid;
}

/** A witness with its certificate; `certified` is null where the mechanism cannot be run in fractions. */
interface CertifiedWitness extends Witness {
  readonly certified: boolean | null;
  /** The price as a fraction ("10/7"), where no decimal writes it; the lie's own is the nearest number. */
  readonly exactPrice?: string;
}

export interface CertifiedVerdict extends Verdict {
  readonly witnesses: readonly CertifiedWitness[];
}

/**
 * The verdict with a witness that the twin confirms for each regime that breaks: the largest as it is, or at a simpler
 * price, or else another. A regime in which none is confirmed was broken by rounding alone, and there is none found.
 */
export function certifiedVerdict(
  market: Market,
  verdict: Verdict,
  mechanism: AnyMechanism,
): CertifiedVerdict {
  const base = unvaried(mechanism, market);
  const confirmed = verdict.witnesses.flatMap((witness) => certifiedWitness(base, witness) ?? []);
  const judgement = (regime: Regime): Judgement | null => {
    const stands = confirmed.some((witness) => witness.regime === regime);
    return verdict.byRegime[regime] === "breaks" && !stands ? "none found" : verdict.byRegime[regime];
  };
  const byRegime = Object.fromEntries(regimes.map((regime) => [regime, judgement(regime)]));
  const judgements = Object.values(byRegime);
  const worst = (["breaks", "none found", "not proved"] as const).find((value) => judgements.includes(value));
  return {
    ...verdict,
    witnesses: confirmed,
    byRegime: byRegime as Record<Regime, Judgement | null>,
    verdict: verdict.witnesses.length > 0 ? (worst ?? "holds") : verdict.verdict,
  };
}

/** The first that the twin confirms. */
function certifiedWitness(base: Base, witness: Witness): CertifiedWitness | null {
  if (!hasTwin(base.mechanism)) return { ...witness, certified: null };
  for (const candidate of witnessesLike(base, witness)) {
    const certificate = certificateOf(base, candidate);
    if (certificate.certified) return withCertificate(candidate, certificate);
  }
  return null;
}

/** A witness, then the others of its regime, the largest first; each as it is, then with other lies of the same worker. */
function* witnessesLike({ mechanism, market }: Base, witness: Witness): Generator<Witness> {
  const withOtherLies = function* (one: Witness) {
    yield one;
    for (const lie of otherLies({ mechanism, market }, one)) yield { ...one, lie };
  };
  yield* withOtherLies(witness);
  const { property, regime, worker } = witness;
  const [all] = examine(market, { mechanism, properties: [property] });
  const others = all!.witnesses.filter((other) => other.regime === regime && other.worker !== worker);
  for (const other of others.sort((a, b) => b.amount - a.amount)) yield* withOtherLies(other);
}

function withCertificate(witness: Witness, { certified, amount, bid }: Certificate): CertifiedWitness {
  if (!bid) return { ...witness, certified, amount };
  const price = toNumber(bid.price);
  const said = { ...witness, certified, amount, lie: { ...witness.lie!, price } };
  return exactly(price).equals(bid.price) ? said : { ...said, exactPrice: bid.price.toFraction() };
}

/** Replays a witness in exact fractions; null where the mechanism has no twin. */
export function certify(
  market: Market,
  witness: Witness,
  mechanism: AnyMechanism = online,
): Certificate | null {
  const base = unvaried(mechanism, market);
  return hasTwin(base.mechanism) ? certificateOf(base, witness) : null;
}

function certificateOf(base: Base, { property, worker, lie }: Witness): Certificate {
  const { market } = base;
  if (property === "P4") return { certified: excludedEverywhere(base, worker!), amount: 0 };
  const truth = exactRun(base);
  if (property === "P2")
    return confirming(totalOf(truth.workers.map(({ payment }) => payment)).sub(exactly(market.rules.budget)));
  const self = workerOf(market, worker!);
  if (lie === null) return confirming(zero.sub(utilityIn(truth, self)));
  const honest = utilityIn(truth, self);
  const ties = property === "P6" ? [] : pricesNear(base, self, lie);
  const replayed = [exactly(lie.price), ...ties].map((price) => {
    const bid = { ...lie, price };
    return { bid, gain: utilityIn(exactRun(base, bid), self).sub(honest) };
  });
  // A decimal beside the tie may gain too, but less than the tie that it stands for.
  const { bid, gain } = replayed.reduce((a, b) => (b.gain.gt(a.gain) ? b : a));
  return { ...confirming(gain), bid };
}

const confirming = (amount: Fraction): Certificate => ({
  certified: amount.gt(0),
  amount: toNumber(amount),
});

/** Utility in a run of the twin. */
export const utilityIn = (outcome: ExactOutcome, { id, cost }: Worker): Fraction =>
  exactUtility(cost, allotmentOf(outcome, id));

/** The twin's run, all telling the truth but for some bids. */
export function exactRun(
  { mechanism, market: { rules, workers } }: Base,
  ...lies: readonly (Bid | ExactBid)[]
): ExactOutcome {
  const bids = bidders(workers).map((bidder) => {
    const { price, arrival } = lies.find(({ worker }) => worker === bidder.id) ?? bidder;
    // A yardstick is shown the cost, whatever price is bid.
    return { ...bidder, price: "sees" in mechanism ? bidder.price : price, arrival };
  });
  return exactOutcome(mechanism, rules, bids);
}

/**
 * Exact prices that count as equal to this one in floating point ([M13]): at a tie with a rival, at a threshold that
 * judges the worker, and the simplest fraction there. A tie at 10/7 is missed by every decimal.
 */
function pricesNear(base: Base, self: Worker, { worker, price, arrival }: Bid): Fraction[] {
  const Re = exactly(self.reputation);
  const rivals = base.market.workers.filter(({ id, reputation }) => id !== worker && reputation > 0);
  const densities = rivals.map(({ cost, reputation }) => exactly(cost).div(exactly(reputation)));
  const { thresholds } = exactRun(base, { worker, price, arrival });
  const judging = thresholds.flatMap(({ group0, group1 }) => [group0, group1].filter((one) => one !== null));
  const byDensity = [...densities, ...judging].map((density) => density.mul(Re));
  const ties = [...rivals.map(({ cost }) => exactly(cost)), ...byDensity];
  return [...ties.filter((tie) => near(toNumber(tie), price)), simplestNear(price, TIE * price)];
}

/** How far a number may be from the tie it stands for. */
const TIE = 1e-13;

/** Other lies of the same worker that break the property: simple prices on each piece above the truth, the highest first. */
function otherLies(base: Base, { property, worker, lie }: Witness): Bid[] {
  if (lie === null || property === "P6") return [];
  const { market, mechanism } = base;
  const self = workerOf(market, worker!);
  const honest = toNumber(utilityIn(exactRun(base), self));
  const { budget } = market.rules;
  return pieces(market, self.id, mechanism)!
    .filter((piece) => (property === "joint" || piece.arrival === self.arrival) && peak(piece) > honest)
    .sort((a, b) => peak(b) - peak(a))
    .map((piece) => {
      const price = simplestAbove(piece, honest, budget);
      return { worker: self.id, price, arrival: piece.arrival };
    });
}

const peak = ({ utilityFrom, utilityTo }: Piece): number => Math.max(utilityFrom, utilityTo);

/** The price with the fewest digits on the better half of what a piece gains. */
const simplestAbove = (piece: Piece, honest: number, budget: number): number =>
  piece.from === piece.to ? piece.from : simplest(...partAbove(piece, honest, 0.5, budget));

/** The prices of a piece that bring at least this share of the most there is to gain on it; without bound, more than the budget. */
export function partAbove(
  piece: Piece,
  honest: number,
  share: number,
  budget: number,
): [low: number, high: number] {
  const { from, to, utilityFrom, utilityTo } = piece;
  if (utilityTo === Number.POSITIVE_INFINITY) return pricesBeyond(piece, honest, budget);
  if (to === Number.POSITIVE_INFINITY || utilityFrom === utilityTo) return [from, to];
  const enough = honest + share * (peak(piece) - honest);
  const crossing = from + ((enough - utilityFrom) / (utilityTo - utilityFrom)) * (to - from);
  const inside = Math.min(to, Math.max(from, crossing));
  return utilityTo > utilityFrom ? [inside, to] : [from, inside];
}

/** P4: one price of every piece of every arrival leaves the worker unselected or unpaid. */
function excludedEverywhere(base: Base, worker: number): boolean {
  const { market, mechanism } = base;
  const self = workerOf(market, worker);
  const unpaid = (bid: ExactBid) => !allotmentOf(exactRun(base, bid), worker).payment.gt(0);
  return pieces(market, worker, mechanism)!.every(({ from, to, arrival }) => {
    const lie = { worker, price: from === to ? from : simplest(from, to), arrival };
    const ties = from === to ? pricesNear(base, self, lie) : [];
    return [exactly(lie.price), ...ties].every((price) => unpaid({ ...lie, price }));
  });
}
