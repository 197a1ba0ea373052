/** Regimes: what kind of truthful run a worker lives in. Sufficiency is a property of a run, not of a budget. */

import { groupOf } from "../market/market.js";
import type { Outcome } from "./mechanism.js";

export const regimes = ["sufficient", "tight", "late start"] as const;

export type Regime = (typeof regimes)[number];

/** What a regime is read from: an outcome, or an auction in any arithmetic. */
interface RunFacts extends Pick<Outcome, "startDelay" | "budgetEvents"> {
  readonly thresholds: readonly unknown[];
}

/** Each worker's regime in a truthful run; money is the own group's where a mechanism has groups, everybody's else. */
export function regimesIn(outcome: RunFacts): (worker: number) => Regime {
  if (outcome.startDelay !== 0) return () => "late start";
  const grouped = outcome.thresholds.length > 0;
  const poolOf = (worker: number) => (grouped ? groupOf(worker) : null);
  const bound = new Set(outcome.budgetEvents.map(({ worker }) => poolOf(worker)));
  return (worker) => (bound.has(poolOf(worker)) ? "tight" : "sufficient");
}

/** One worker's regime in a truthful run. */
export const regimeOf = (outcome: RunFacts, worker: number): Regime => regimesIn(outcome)(worker);
