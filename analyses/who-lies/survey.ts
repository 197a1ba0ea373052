/** The work behind who lies: every worker of a drawn market asked at every budget. */

import { surveyed } from "../../src/market/draw.js";
import type { Job, JobContext } from "../../src/study/job.js";
import { askingCost, drawingCost } from "../shared/gains/cost.js";
import { meet } from "../shared/gains/liars.js";
import { askAt, workerColumns } from "../shared/gains/worker-row.js";
import type { Person } from "./people.js";
import { mergeWho, type Shown, summaryOfMarket, type WhoSummary } from "./summary.js";

/** Markets of one size. */
export interface WhoCell {
  readonly workers: number;
  readonly rounds: number;
  /** Relative budgets; every market is looked at under each. */
  readonly ratios: readonly number[];
  /** Workers asked in each; null: everybody. */
  readonly asked: number | null;
  readonly shown: Shown;
}

function look(cell: WhoCell, k: number, context: JobContext): WhoSummary {
  const { workers, ratios, asked, shown } = cell;
  const drawn = surveyed(cell, k, context.stream);
  const people = ratios.flatMap((ratio): Person[] => {
    const place = { market: `${workers}/${k}`, workers, ratio };
    const { market, responses } = askAt(drawn, place, { ...context, asked });
    const met = meet(market, responses, context.mechanism);
    return met.map((one) => ({ ...place, k, ...one, density: one.cost / one.reputation }));
  });
  const lots = context.stream.fork("shown").fork(workers).fork(k);
  return summaryOfMarket(people, shown, lots.next);
}

const cost = ({ workers, ratios, asked }: WhoCell): number =>
  drawingCost(workers) + ratios.length * askingCost(workers, asked);

export const whoJob: Job<WhoCell, WhoSummary> = { look, merge: mergeWho, cost, columns: workerColumns };
