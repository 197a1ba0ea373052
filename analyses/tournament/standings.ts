/** How agents stand over many markets, in a size that does not grow with their number. */

import { group as grouped, mean as meanOf } from "d3-array";
import type { Estimate } from "../../src/lib/statistics.js";
import { estimateFrom, type Moments, mergeMoments, momentsOf } from "../../src/lib/summaries.js";
import { atRelativeBudget, drawForSurvey } from "../../src/market/draw.js";
import type { Bid } from "../../src/market/market.js";
import { type Regime, regimes } from "../../src/mechanisms/outcome.js";
import type { Job, JobContext } from "../../src/study/job.js";
import { largest } from "../shared/gains/gain-counts.js";
import { type Arena, contest, type PopulationScore } from "./populations.js";

/** Markets at one budget. */
export interface ArenaCell extends Pick<Arena, "shares" | "measured" | "tasks"> {
  readonly workers: number;
  readonly rounds: number;
  /** Over the true cost of all rounds on offer. */
  readonly budget: number;
}

/** What an agent did in a population, in one regime or in all. Values are means over a market's workers. */
export interface Standing {
  readonly workers: number;
  readonly gain: Moments;
  /** The least and the greatest gain of a market. */
  readonly least: number;
  readonly most: number;
  readonly truthful: Moments;
  readonly drift: Moments;
  /** How many workers gained, and how many lost. */
  readonly gained: number;
  readonly lost: number;
  readonly best: Best;
}

/** The worker who gained most, and where: the market is drawn again when it is wanted. */
export interface Best {
  readonly gain: number;
  readonly bid: Bid;
  readonly regime: Regime;
  readonly budget: number;
  readonly k: number;
}

export interface Seat {
  readonly agent: string;
  readonly population: string;
  readonly regime: Regime | "all";
}

export type Standings = Record<string, Standing>;

const keyOf = ({ agent, population, regime }: Seat): string => JSON.stringify([agent, population, regime]);

/** Null where nobody sat there. */
export const standingOf = (standings: Standings, seat: Seat): Standing | null =>
  standings[keyOf(seat)] ?? null;

/** Market k at a budget. */
export function arenaMarket({ workers, rounds, budget }: ArenaCell, k: number, { stream }: JobContext) {
  const drawn = drawForSurvey({ workers, rounds }, stream.fork(budget).fork(k).fork("market"));
  return atRelativeBudget(drawn, budget);
}

export const arenaJob: Job<ArenaCell, Standings> = {
  look(cell, k, context) {
    const market = arenaMarket(cell, k, context);
    const stream = context.stream.fork(cell.budget).fork(k);
    return standingsIn(contest({ ...context, ...cell, market, stream }), { budget: cell.budget, k });
  },
  merge: mergeStandings,
  cost: ({ workers, measured, shares, tasks }) => 0.04 * workers * measured * (shares.length + 1) + 3 * tasks,
};

function standingsIn(scores: readonly PopulationScore[], where: { budget: number; k: number }): Standings {
  const standings: Standings = {};
  for (const there of grouped(scores, ({ agent, population }) =>
    JSON.stringify([agent, population]),
  ).values())
    for (const regime of ["all", ...regimes] as const) {
      const mine = there.filter((score) => regime === "all" || score.regime === regime);
      const [first] = mine;
      if (first) standings[keyOf({ ...first, regime })] = standingIn(mine, where);
    }
  return standings;
}

function standingIn(scores: readonly PopulationScore[], where: { budget: number; k: number }): Standing {
  const mean = (of: "gain" | "truthful" | "drift") => meanOf(scores, (score) => score[of])!;
  const { gain, bid, regime } = scores.reduce((a, b) => (b.gain > a.gain ? b : a));
  return {
    workers: scores.length,
    gain: momentsOf(mean("gain")),
    least: mean("gain"),
    most: mean("gain"),
    truthful: momentsOf(mean("truthful")),
    drift: momentsOf(mean("drift")),
    gained: scores.filter((score) => score.gain > 0).length,
    lost: scores.filter((score) => score.gain < 0).length,
    best: { gain, bid, regime, ...where },
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
  drift: mergeMoments(left.drift, right.drift),
  gained: left.gained + right.gained,
  lost: left.lost + right.lost,
  best: largest([left.best, right.best]) ?? left.best,
});

/** An estimate that does not reach beyond 0 where no value does. */
export function gainOf({ gain, least, most }: Standing, together = 1): Estimate {
  const { mean, low, high, n } = estimateFrom(gain, together);
  return { mean, n, low: least >= 0 ? Math.max(0, low) : low, high: most <= 0 ? Math.min(0, high) : high };
}
