/** Confirms witnesses by the rational twin, so that no rounding error is ever called a lie. */

import { simplest } from "../auction/best-price.js";
import { fractionOf, hasTwin } from "../auction/exact.js";
import type { AnyMechanism } from "../auction/mechanism.js";
import { allotmentOf, type Regime, regimeOf, regimes, regimesIn } from "../auction/outcome.js";
import type { Piece } from "../auction/piece.js";
import { pricesBeyond } from "../auction/response.js";
import type { Game } from "../auction/solver.js";
import { exactly, type Fraction, simplestNear, toNumber } from "../lib/fraction.js";
import { NUMBER_OF_TIE } from "../lib/search-tolerances.js";
import { near } from "../lib/tolerance.js";
import { type Bid, type Market, type Worker, workerOf } from "../market/market.js";
import { certify, type ExactBid, replay } from "../properties/certify.js";
import { type AnyProperty, type Judgement, utilityIn, type Witness } from "../properties/properties.js";
import { resolveGame } from "../responses/game.js";
import { examine, type MarketWitness, type Verdict } from "./properties.js";

/**
 * The verdict with a witness that the twin confirms for each regime that breaks: the largest as it is, or at a simpler
 * price, or else another. A regime in which none is confirmed was broken by rounding alone, and there is none found.
 */
export function certifiedVerdict(market: Market, verdict: Verdict, mechanism: AnyMechanism): Verdict {
  const game = resolveGame(mechanism, market);
  const confirmed = verdict.witnesses.flatMap((witness) => certifiedWitness(game, witness) ?? []);
  const judgement = (regime: Regime): Judgement | null => {
    if (confirmed.some((witness) => witness.regime === regime)) return "breaks";
    return verdict.byRegime[regime] === "breaks" ? "none found" : verdict.byRegime[regime];
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

/** The first that the twin confirms, in the worker's regime there: at a knife edge numbers may tell another. */
function certifiedWitness(game: Game, witness: MarketWitness): MarketWitness | null {
  if (!hasTwin(game.mechanism)) return { ...witness, certified: null };
  const regimeOf = regimesIn(replay(game).outcome);
  for (const candidate of witnessesLike(game, witness)) {
    const { worker } = candidate;
    const regime = worker === null ? candidate.regime : regimeOf(worker);
    const confirmed = confirmedIn(game, { ...candidate, regime });
    if (confirmed) return confirmed;
  }
  return null;
}

/** A witness, then the others of its regime, the largest first; each as it is, then with other lies of the same worker. */
function* witnessesLike(game: Game, witness: MarketWitness): Generator<MarketWitness> {
  const withOtherLies = function* (one: MarketWitness) {
    yield one;
    for (const lie of otherLies(game, one)) yield { ...one, lie };
  };
  yield* withOtherLies(witness);
  const { property, regime, worker } = witness;
  const [all] = examine(game.market, { mechanism: game.mechanism, properties: [property] });
  const others = all!.witnesses.filter((other) => other.regime === regime && other.worker !== worker);
  for (const other of others.sort((a, b) => b.amount - a.amount)) yield* withOtherLies(other);
}

/** The witness with what exact fractions say of it, the amount theirs where they confirm it. */
export function certified<Name extends AnyProperty>(
  market: Market,
  witness: Witness<Name>,
  mechanism: AnyMechanism,
): Witness<Name> & { readonly certified: boolean | null } {
  const game = resolveGame(mechanism, market);
  if (!hasTwin(game.mechanism)) return { ...witness, certified: null };
  return confirmedIn(game, witness) ?? { ...witness, certified: false };
}

type Confirmed<Name extends AnyProperty> = Witness<Name> & { readonly certified: true };

function confirmedIn<Name extends AnyProperty>(game: Game, witness: Witness<Name>): Confirmed<Name> | null {
  const { property, worker, lie, partner, regime } = witness as Witness;
  if (property === "P3") return null;
  if (property === "P4") {
    const isOfRegime = regimeOf(replay(game).outcome, worker!) === regime;
    return isOfRegime && excludedEverywhere(game, worker!) ? { ...witness, certified: true } : null;
  }
  const asked = { ...(witness as Witness), property };
  if (lie === null || partner !== undefined) {
    const lies = [lie, partner].filter((bid) => bid != null);
    const { certified, excess } = certify(game, asked, lies);
    return certified ? { ...witness, certified: true, amount: toNumber(excess) } : null;
  }
  const ties = property === "P6" ? [] : pricesNear(game, workerOf(game.market, lie.worker), lie);
  const replayed = [exactly(lie.price), ...ties].map((price) => ({
    price,
    ...certify(game, asked, [{ ...lie, price }]),
  }));
  // A decimal beside the tie may gain too, but less than the tie that it stands for.
  const best = replayed.filter(({ certified }) => certified).sort((a, b) => b.excess.compare(a.excess))[0];
  if (best === undefined) return null;
  const price = toNumber(best.price);
  const said = {
    ...witness,
    certified: true as const,
    amount: toNumber(best.excess),
    lie: { ...lie, price },
  };
  return exactly(price).equals(best.price) ? said : { ...said, exactPrice: best.price.toFraction() };
}

/**
 * Exact prices that count as equal to this one in floating point ([M13]): at a tie with a rival, at a threshold that
 * judges the worker, and the simplest fraction there. A tie at 10/7 is missed by every decimal.
 */
function pricesNear(game: Game, self: Worker, { worker, price, arrival }: Bid): Fraction[] {
  const Re = exactly(self.reputation);
  const rivals = game.market.workers.filter(({ id, reputation }) => id !== worker && reputation > 0);
  const densities = rivals.map(({ cost, reputation }) => exactly(cost).div(exactly(reputation)));
  const { thresholds } = replay(game, [{ worker, price, arrival }]).outcome;
  const judging = thresholds.flatMap(({ group0, group1 }) => [group0, group1].filter((one) => one !== null));
  const byDensity = [...densities, ...judging].map((density) => density.mul(Re));
  const ties = [...rivals.map(({ cost }) => exactly(cost)), ...byDensity];
  return [...ties.filter((tie) => near(toNumber(tie), price)), simplestNear(price, NUMBER_OF_TIE * price)];
}

/** Other lies of the same worker that break the property: simple prices on each piece above the truth, the highest first. */
function otherLies(game: Game, { property, worker, lie }: MarketWitness): Bid[] {
  if (lie === null || property === "P6") return [];
  const { market, solver } = game;
  const self = workerOf(market, worker!);
  const honest = toNumber(fractionOf(utilityIn(replay(game), self.id)));
  const { budget } = market.rules;
  return solver
    .pieces(game, self)!
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
function excludedEverywhere(game: Game, worker: number): boolean {
  const { market } = game;
  const self = workerOf(market, worker);
  const unpaid = (bid: ExactBid) => !allotmentOf(replay(game, [bid]).outcome, worker).payment.gt(0);
  return game.solver.pieces(game, self)!.every(({ from, to, arrival }) => {
    const lie = { worker, price: from === to ? from : simplest(from, to), arrival };
    const ties = from === to ? pricesNear(game, self, lie) : [];
    return [exactly(lie.price), ...ties].every((price) => unpaid({ ...lie, price }));
  });
}
