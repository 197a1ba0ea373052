/** From fates to what a reader asks: how many can gain, how much, and how sure that is. */

import { type Estimate, estimate, share } from "../../../src/lib/statistics.js";
import { type Regime, regimes } from "../../../src/mechanisms/regime.js";
import type { Fate, Look } from "./gains.js";

export type Certainty = "proved" | "exact" | "lower bound";

export interface Reading {
  /** Of the workers looked at: those who can gain, each market counting alike. */
  readonly share: Estimate;
  /** Over all workers looked at, also those who cannot gain. */
  readonly gain: Estimate;
  readonly most: number;
  /** The mean utility of the truth. */
  readonly truthful: number;
  readonly workers: number;
  readonly gainers: number;
  readonly evaluations: number;
  readonly certainty: Certainty;
  /** Those in which workers were looked at. */
  readonly regimes: readonly Regime[];
  /** Those in which any of them can gain. */
  readonly gainingRegimes: readonly Regime[];
}

const NOTHING: Estimate = { mean: 0, low: 0, high: 0, n: 0 };

export function read(looks: readonly Look[], exact: boolean): Reading {
  const seen = looks.filter(({ fates }) => fates.length > 0);
  const fates = seen.flatMap((look) => look.fates);
  const gainers = fates.filter(({ gain }) => gain > 0).length;
  const proved = seen.length > 0 && seen.every(({ proof }) => proof);
  return {
    share: proved ? { ...NOTHING, n: seen.length } : shareOf(seen),
    gain: proved
      ? { ...NOTHING, n: seen.length }
      : atLeastZero(estimate(seen.map((look) => meanOf(look.fates, gainOf)))),
    most: Math.max(0, ...seen.map(({ most }) => most)),
    truthful: meanOf(fates, ({ truthful }) => truthful),
    workers: fates.length,
    gainers,
    evaluations: seen.reduce((sum, { evaluations }) => sum + evaluations, 0),
    certainty: proved ? "proved" : exact ? "exact" : "lower bound",
    regimes: regimesOf(fates),
    gainingRegimes: regimesOf(fates.filter(({ gain }) => gain > 0)),
  };
}

const regimesOf = (fates: readonly Fate[]): Regime[] =>
  regimes.filter((regime) => fates.some((fate) => fate.regime === regime));

const gainOf = ({ gain }: Fate): number => gain;

const meanOf = (fates: readonly Fate[], of: (fate: Fate) => number): number =>
  fates.reduce((sum, fate) => sum + of(fate), 0) / fates.length;

/** Over markets, because workers of a market share its luck; where nobody gains, the rule of three over markets. */
function shareOf(looks: readonly Look[]): Estimate {
  const shares = looks.map(({ fates }) => fates.filter(({ gain }) => gain > 0).length / fates.length);
  if (shares.every((x) => x === 0 || x === 1))
    return share(shares.filter((x) => x === 1).length, shares.length);
  const { mean, low, high, n } = estimate(shares);
  return { mean, low: Math.max(0, low), high: Math.min(1, high), n };
}

const atLeastZero = ({ mean, low, high, n }: Estimate): Estimate => ({
  mean,
  low: Math.max(0, low),
  high,
  n,
});
