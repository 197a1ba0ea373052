/** How agents stand over many markets, in a size that does not grow with their number. */

import { group, mean } from "d3-array";
import type { Estimate } from "../../src/lib/statistics.js";
import { estimateFrom, type Moments, mergeMoments, momentsOf } from "../../src/lib/summaries.js";
import type { Bid } from "../../src/market/market.js";
import { type Regime, regimes } from "../../src/mechanisms/outcome.js";
import type { Score } from "./populations.js";

/** What an agent did in a population, in one regime or in all. Values are means over a market's workers. */
export interface Standing {
  readonly workers: number;
  readonly gain: Moments;
  /** The least and the greatest gain of a market. */
  readonly least: number;
  readonly most: number;
  readonly truthful: Moments;
  readonly before: Moments;
  readonly drift: Moments;
  /** How many workers gained, and how many lost. */
  readonly gained: number;
  readonly lost: number;
  readonly best: Best;
}

/** The worker who gained most, and where: the market is drawn again when it is wanted. */
interface Best {
  readonly gain: number;
  readonly bid: Bid;
  readonly regime: Regime;
  readonly budget: number;
  readonly k: number;
}

export interface Where {
  readonly agent: string;
  readonly population: string;
  readonly regime: Regime | "all";
}

export type Standings = Record<string, Standing>;

const keyOf = ({ agent, population, regime }: Where): string => JSON.stringify([agent, population, regime]);

/** Null where nobody was asked. */
export const standingOf = (standings: Standings, where: Where): Standing | null =>
  standings[keyOf(where)] ?? null;

/** Of one market. */
export function standingsOf(scores: readonly Score[], market: Pick<Best, "budget" | "k">): Standings {
  const standings: Standings = {};
  const groups = group(scores, ({ agent, population }) => JSON.stringify([agent, population]));
  for (const there of groups.values())
    for (const regime of ["all", ...regimes] as const) {
      const some = there.filter((score) => regime === "all" || score.regime === regime);
      const [first] = some;
      if (first) standings[keyOf({ ...first, regime })] = standingIn(some, market);
    }
  return standings;
}

function standingIn(scores: readonly Score[], market: Pick<Best, "budget" | "k">): Standing {
  const over = (of: "gain" | "truthful" | "before" | "drift") => mean(scores, (score) => score[of])!;
  const { gain, bid, regime } = scores.reduce((a, b) => (b.gain > a.gain ? b : a));
  return {
    workers: scores.length,
    gain: momentsOf(over("gain")),
    least: over("gain"),
    most: over("gain"),
    truthful: momentsOf(over("truthful")),
    before: momentsOf(over("before")),
    drift: momentsOf(over("drift")),
    gained: scores.filter((score) => score.gain > 0).length,
    lost: scores.filter((score) => score.gain < 0).length,
    best: { gain, bid, regime, ...market },
  };
}

export function mergeStandings(left: Standings, right: Standings): Standings {
  for (const [key, more] of Object.entries(right)) {
    const known = left[key];
    left[key] = known ? merged(known, more) : more;
  }
  return left;
}

const merged = (left: Standing, right: Standing): Standing => ({
  workers: left.workers + right.workers,
  gain: mergeMoments(left.gain, right.gain),
  least: Math.min(left.least, right.least),
  most: Math.max(left.most, right.most),
  truthful: mergeMoments(left.truthful, right.truthful),
  before: mergeMoments(left.before, right.before),
  drift: mergeMoments(left.drift, right.drift),
  gained: left.gained + right.gained,
  lost: left.lost + right.lost,
  best: right.best.gain > left.best.gain ? right.best : left.best,
});

/** An estimate that does not reach beyond 0 where no value does. */
export function gainOf({ gain, least, most }: Standing, together = 1): Estimate {
  const { mean, low, high, n } = estimateFrom(gain, together);
  return { mean, n, low: least >= 0 ? Math.max(0, low) : low, high: most <= 0 ? Math.min(0, high) : high };
}
