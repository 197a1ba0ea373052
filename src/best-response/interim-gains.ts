/** What lying brings over a distribution of types: to somebody who knows only the rules, and to somebody who sees all bids. */

import { type Estimate, estimate, reach, share } from "../lib/statistics.js";
import type { Worker } from "../market/market.js";
import { bestResponses } from "./index.js";
import { Interim, type InterimOptions, type InterimResponse, type StatedLie } from "./interim.js";

/** What a lie says; of prices below the cost, those that gain mostly because the task starts earlier stand apart. */
export type InterimKind = StatedLie | "lower price that forces the start";

export interface TypeGain {
  readonly type: Worker;
  readonly response: InterimResponse;
  readonly kind: InterimKind;
  /** Whether the interval of the gain lies above 0. */
  readonly pays: boolean;
  /** What its best lie gains on average if it sees all bids; on the first of the draws that judge. */
  readonly omniscient: number;
}

interface KindOfGain {
  readonly kind: InterimKind;
  /** Of all types: those who choose it and for whom it pays. */
  readonly pays: Estimate;
  /** Its part of the mean gain over all types. */
  readonly gain: Estimate;
}

interface InterimGains {
  readonly types: readonly TypeGain[];
  readonly pays: Estimate;
  /** The mean over types of the gain of the lie that each chooses, paying or not. */
  readonly gain: Estimate;
  readonly omniscient: Estimate;
  /** By kind of lie, the one that gains most first. */
  readonly kinds: readonly KindOfGain[];
}

interface InterimGainsOptions extends InterimOptions {
  /** Drawn independently of each other and of the belief's draws; their ids are in the believed market. */
  readonly types: readonly Worker[];
  /** On how many draws the omniscient gain is worked out. */
  readonly omniscientDraws: number;
}

export function interimGains(options: InterimGainsOptions): InterimGains {
  const interim = new Interim(options);
  const rows = options.types.map((type) => typeGain(interim, type, options));
  const types = rows.map(({ gains: _, omniscients: __, ...row }) => row);
  const n = types.length;
  const kinds = [...new Set(types.map(({ kind }) => kind))].filter((kind) => kind !== "truth");
  const nothing = Array.from({ length: options.draws }, () => 0);
  return {
    types,
    pays: share(types.filter(({ pays }) => pays).length, n),
    gain: crossed(rows.map(({ gains }) => gains)),
    omniscient: crossed(rows.map(({ omniscients }) => omniscients)),
    kinds: kinds
      .map((kind) => ({
        kind,
        pays: share(types.filter((one) => one.kind === kind && one.pays).length, n),
        gain: crossed(rows.map((row) => (row.kind === kind ? row.gains : nothing))),
      }))
      .sort((a, b) => b.gain.mean - a.gain.mean),
  };
}

function typeGain(interim: Interim, type: Worker, options: InterimGainsOptions) {
  const { response, gains } = interim.judge(type, interim.choose(type));
  const omniscients = omniscientGains(interim, type, options);
  return {
    type,
    response,
    kind: kindOf(response),
    pays: response.low > 0,
    omniscient: estimate(omniscients).mean,
    omniscients,
    gains,
  };
}

function kindOf({ lie, gain, gainByEarlierStart }: InterimResponse): InterimKind {
  const forces = lie === "lower price" && gainByEarlierStart > gain / 2 && gainByEarlierStart > 0;
  return forces ? "lower price that forces the start" : lie;
}

/** What the best lie of each draw gains there. */
function omniscientGains(
  interim: Interim,
  type: Worker,
  { mechanism, omniscientDraws }: InterimGainsOptions,
): number[] {
  const asked = { workers: [type.id], ...(mechanism && { mechanism }) };
  return interim
    .judgingMarkets(type, omniscientDraws)
    .map((market) => bestResponses(market, asked).workers[0]!.gain);
}

/**
 * The mean of a table with a row for each type and a column for each draw, the same draws for all types: its error comes
 * from the types and from the draws. The two variances are added, which counts what is of neither alone twice: the
 * interval is a little too wide, never too narrow.
 */
export function crossed(table: readonly (readonly number[])[]): Estimate {
  const rows = table.map((row) => estimate(row).mean);
  const columns = table[0]!.map((_, k) => estimate(table.map((row) => row[k]!)).mean);
  const [byRow, byColumn] = [estimate(rows), estimate(columns)];
  const freedom = Math.min(rows.length, columns.length) - 1;
  const error = ({ high, mean, n }: Estimate) => (high - mean) / reach(n - 1);
  const half = reach(freedom) * Math.hypot(error(byRow), error(byColumn));
  return { mean: byRow.mean, low: byRow.mean - half, high: byRow.mean + half, n: rows.length };
}
