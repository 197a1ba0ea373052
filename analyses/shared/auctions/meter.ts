/** From fates to what a reader asks: how many can gain, how much, and how sure that is. */

import { mean, sum } from "d3-array";
import { atLeast, type Estimate, meanRatio } from "../../../src/lib/statistics.js";
import { countsOf, mergeCounts, pooledShare } from "../../../src/lib/summaries.js";
import { type Regime, regimes } from "../../../src/mechanisms/outcome.js";
import type { Fate, Look } from "./gains.js";

export type Certainty = "exact" | "lower bound";

export interface Reading {
  /** Of all workers looked at, those who can gain; of a search, who was found to, without an upper end. */
  readonly share: Estimate;
  /** Over all workers looked at, also those who cannot gain; of a search, without an upper end. */
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
  const gainers = gainersIn(fates);
  const known = (estimate: Estimate) => (exact ? estimate : atLeast(estimate));
  return {
    share: known(shareOf(seen)),
    gain: known(gainOf(seen)),
    most: Math.max(0, ...seen.map(({ most }) => most)),
    truthful: mean(fates, ({ truthful }) => truthful) ?? Number.NaN,
    workers: fates.length,
    gainers,
    evaluations: sum(seen, ({ evaluations }) => evaluations),
    certainty: exact ? "exact" : "lower bound",
    regimes: regimesOf(fates),
    gainingRegimes: regimesOf(fates.filter(({ gain }) => gain > 0)),
  };
}

const regimesOf = (fates: readonly Fate[]): Regime[] =>
  regimes.filter((regime) => fates.some((fate) => fate.regime === regime));

/** Pooled over markets, with markets as clusters: workers of a market share its luck. */
const shareOf = (looks: readonly Look[]): Estimate =>
  looks.length === 0
    ? { ...NOTHING, mean: Number.NaN }
    : pooledShare(looks.map(({ fates }) => countsOf(gainersIn(fates), fates.length)).reduce(mergeCounts));

const gainersIn = (fates: readonly Fate[]): number => fates.filter(({ gain }) => gain > 0).length;

/** The same way: what all gain, over their number. */
function gainOf(looks: readonly Look[]): Estimate {
  const { mean, low, high, n } = meanRatio(
    looks.map(({ fates }) => [sum(fates, ({ gain }) => gain), fates.length]),
  );
  return { mean, low: Math.max(0, low), high, n };
}
