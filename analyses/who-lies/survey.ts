/** The work behind who lies: every worker of a drawn market asked at every budget. */

import { type Job, listing } from "../../src/job.js";
import { askingCost, drawingCost } from "../../src/survey/cost.js";
import { type Met, meet } from "../../src/survey/liars.js";
import { surveyed } from "../../src/survey/relative-budget.js";
import { askAt, workerColumns } from "../../src/survey/worker-row.js";

/** Markets of one size. */
export interface WhoCell {
  readonly workers: number;
  readonly rounds: number;
  /** Relative budgets; every market is looked at under each. */
  readonly ratios: readonly number[];
  /** Workers asked in each; null: everybody. */
  readonly asked: number | null;
}

const asking = listing<WhoCell, Met[][]>(
  (cell, k, context) => {
    const { workers, ratios, asked } = cell;
    const drawn = surveyed(cell, k, context.stream);
    return ratios.map((ratio) => {
      const place = { market: `${workers}/${k}`, workers, ratio };
      const { market, responses } = askAt(drawn, place, { ...context, asked });
      return meet(market, responses, context.mechanism);
    });
  },
  ({ workers, ratios, asked }) => drawingCost(workers) + ratios.length * askingCost(workers, asked),
);

/** Of every market, by budget, those who were asked. */
export const whoJob: Job<WhoCell, Met[][][]> = { ...asking, columns: workerColumns };
