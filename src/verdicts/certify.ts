/** Confirms witnesses by the rational twin, so that no rounding error is ever called a lie. Loads mathjs. */

import { type Fraction, larger, subtract } from "mathjs";
import { pieces } from "../best-response/index.js";
import { simplest } from "../best-response/price.js";
import { type Bid, bidders, type Market } from "../market/market.js";
import {
  type ExactOutcome,
  exactly,
  exactOnline,
  exactUtility,
  toNumber,
  totalOf,
} from "../mechanisms/exact.js";
import { type AnyMechanism, unvaried } from "../mechanisms/mechanism.js";
import { online } from "../mechanisms/online.js";
import { type Regime, regimes } from "../mechanisms/regime.js";
import type { Judgement, Verdict, Witness } from "./properties.js";

export interface Certificate {
  readonly certified: boolean;
  /** The witness's amount in exact arithmetic, rounded once at the end. */
  readonly amount: number;
}

/** A witness with its certificate; `certified` is null where the mechanism has no twin to ask. */
export interface CertifiedWitness extends Witness {
  readonly certified: boolean | null;
}

export interface CertifiedVerdict extends Verdict {
  readonly witnesses: readonly CertifiedWitness[];
}

/** The verdict with every witness replayed by the twin: what rounding alone broke is undecided. */
export function certifiedVerdict(
  market: Market,
  verdict: Verdict,
  mechanism: AnyMechanism,
): CertifiedVerdict {
  const witnesses = verdict.witnesses.map((witness) => {
    const certificate = certify(market, witness, mechanism);
    return certificate ? { ...witness, ...certificate } : { ...witness, certified: null };
  });
  const judgement = (regime: Regime): Judgement | null => {
    const refuted = witnesses.some((witness) => witness.regime === regime && witness.certified === false);
    return refuted ? "undecided" : verdict.byRegime[regime];
  };
  const byRegime = Object.fromEntries(regimes.map((regime) => [regime, judgement(regime)]));
  const judgements = Object.values(byRegime);
  const worst = (["breaks", "undecided"] as const).find((value) => judgements.includes(value));
  return {
    ...verdict,
    witnesses: witnesses.filter(({ certified }) => certified !== false),
    byRegime: byRegime as Record<Regime, Judgement | null>,
    verdict: verdict.witnesses.length > 0 ? (worst ?? "holds") : verdict.verdict,
  };
}

/** Replays a witness in exact fractions; null where the mechanism is not the paper's, for it has no twin. */
export function certify(
  market: Market,
  witness: Witness,
  mechanism: AnyMechanism = online,
): Certificate | null {
  const base = unvaried(mechanism, market);
  return base.mechanism === online ? certifyOnline(base.market, witness) : null;
}

function certifyOnline(market: Market, witness: Witness): Certificate {
  const amount = exactAmount(market, witness);
  if (amount === null) return { certified: excludedEverywhere(market, witness.worker!), amount: 0 };
  return { certified: larger(amount, 0) as boolean, amount: toNumber(amount) };
}

function exactAmount(market: Market, { property, worker, lie }: Witness): Fraction | null {
  const truth = run(market);
  if (property === "P4") return null;
  if (property === "P2")
    return subtract(
      totalOf(truth.workers.map(({ payment }) => payment)),
      exactly(market.rules.budget),
    ) as Fraction;
  const cost = market.workers.find(({ id }) => id === worker)!.cost;
  const utility = (outcome: ExactOutcome) =>
    exactUtility(cost, outcome.workers.find(({ id }) => id === worker)!);
  if (property === "P1") return subtract(exactly(0), utility(truth)) as Fraction;
  return subtract(utility(run(market, lie!)), utility(truth)) as Fraction;
}

const run = ({ rules, workers }: Market, bid?: Bid): ExactOutcome =>
  exactOnline(rules, bidders(workers, bid ? [bid] : []));

/** P4: one price of every piece of every arrival leaves the worker unselected or unpaid. */
function excludedEverywhere(market: Market, worker: number): boolean {
  return pieces(market, worker)!.every(({ from, to, arrival }) => {
    const price = from === to ? from : simplest(from, to);
    const allotment = run(market, { worker, price, arrival }).workers.find(({ id }) => id === worker)!;
    return !(larger(allotment.payment, 0) as boolean);
  });
}
