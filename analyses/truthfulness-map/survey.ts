/** The work of the map: every worker of a drawn market asked at every budget, kept as summaries. */

import { surveyed } from "../../src/market/draw.js";
import type { Regime } from "../../src/mechanisms/outcome.js";
import type { Job, JobContext } from "../../src/study/job.js";
import { askingCost, drawingCost } from "../shared/gains/cost.js";
import { type LieName, sightsOf } from "../shared/gains/gain-counts.js";
import { mergeParts, mergeSummaries, type Placed, type Summary, summaryOf } from "../shared/gains/summary.js";
import { askAt, workerColumns } from "../shared/gains/worker-row.js";

/** Markets of one size. */
export interface MapCell {
  readonly workers: number;
  readonly rounds: number;
  /** Relative budgets; each market is looked at under every one. */
  readonly ratios: readonly number[];
  /** Workers asked in each; null: everybody, for answers are exact. */
  readonly asked: number | null;
}

/** "all" budgets: those of the cell together; "all" regimes: everybody. */
export interface Part {
  readonly ratio: number | "all";
  readonly regime: Regime | "all";
  readonly lie: LieName;
}

/** A summary of every part that anybody was in. */
export type MapSummary = Record<string, Summary>;

const keyOf = ({ ratio, regime, lie }: Part): string => `${ratio} ${regime} ${lie}`;

/** Null where nobody was in that part. */
export const partOf = (summary: MapSummary, part: Part): Summary | null => summary[keyOf(part)] ?? null;

function look(cell: MapCell, k: number, context: JobContext): MapSummary {
  const { workers, ratios, asked } = cell;
  const drawn = surveyed(cell, k, context.stream);
  const placed = ratios.flatMap((ratio) => {
    const place = { market: `${workers}/${k}`, workers, ratio };
    const { market, responses } = askAt(drawn, place, { ...context, asked });
    const sights = sightsOf(market, responses.workers, context.mechanism);
    return sights.map((sight) => ({ sight, spot: { workers, k, ratio } }));
  });
  return summariesOf(placed);
}

/** Each sight counts in four parts: at its budget and at all, in its regime and in all. */
function summariesOf(placed: readonly Placed[]): MapSummary {
  const parts: Record<string, Placed[]> = {};
  for (const one of placed)
    for (const ratio of [one.spot.ratio, "all"] as const)
      for (const regime of [one.sight.regime, "all"] as const) {
        const key = keyOf({ ratio, regime, lie: one.sight.lie });
        parts[key] ??= [];
        parts[key].push(one);
      }
  const summaries: MapSummary = {};
  for (const key in parts) summaries[key] = summaryOf(parts[key]!);
  return summaries;
}

const merge = (left: MapSummary, right: MapSummary): MapSummary => mergeParts(left, right, mergeSummaries);

const cost = ({ workers, ratios, asked }: MapCell): number =>
  drawingCost(workers) + ratios.length * askingCost(workers, asked);

export const mapJob: Job<MapCell, MapSummary> = { look, merge, cost, columns: workerColumns };
