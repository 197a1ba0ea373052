/** What learners come to say over repeated tasks, by regime: a job that any thread can do. */

import { type AnyMechanism, hold } from "../../src/mechanisms/mechanism.js";
import { type Regime, regimeOf, regimes } from "../../src/mechanisms/outcome.js";
import { listing } from "../../src/study/job.js";
import { paperTaskRules } from "../../src/training/population.js";
import { surrogate } from "../../src/training/surrogate.js";
import { type HeldTask, runTasks } from "../../src/training/tasks.js";
import { settingOf, truthfulUnder } from "../shared/paper-tables/series.js";

export interface DriftCell {
  readonly agent: string;
  readonly budget: number;
  readonly tasks: number;
  /** How many tasks in a row are counted together. */
  readonly stretch: number;
}

/** Sums over the bids of one stretch of tasks by workers in one regime. */
export interface Tally {
  readonly stretch: number;
  readonly regime: Regime;
  readonly bids: number;
  /** Those that state the truth. */
  readonly honest: number;
  /** Of the price over the cost. */
  readonly ratio: number;
  /** Of the ticks a worker came late. */
  readonly delay: number;
}

/** One run in which everybody learns; the regime is that of the same task if all told the truth. */
export const driftJob = listing(
  async ({ agent, budget, tasks, stretch }: DriftCell, k, context): Promise<Tally[]> => {
    const casting = { ...truthfulUnder(context.mechanism.name), agent };
    const own = context.stream.fork("drift").fork(k);
    const setting = { ...settingOf(casting, context, own), rules: { ...paperTaskRules, budget } };
    const tallies: Tally[] = [];
    for await (const { record, held } of runTasks(
      { ...setting, trainer: surrogate({ dataset: "mnist" }) },
      tasks,
    ))
      tallies.push(...taskTallies(held, Math.ceil(record.task / stretch), context.mechanism));
    return addedUp(tallies);
  },
  ({ tasks }) => 0.3 * tasks ** 2,
);

function taskTallies({ market, bids }: HeldTask, stretch: number, mechanism: AnyMechanism): Tally[] {
  const truth = hold(mechanism, market);
  const said = new Map(bids.map((bid) => [bid.worker, bid]));
  return market.workers.flatMap(({ id, cost, arrival }): Tally[] => {
    const bid = said.get(id);
    if (bid === undefined) return [];
    const honest = bid.price === cost && bid.arrival === arrival ? 1 : 0;
    const about = { stretch, regime: regimeOf(truth, id), bids: 1, honest };
    return [{ ...about, ratio: bid.price / cost, delay: bid.arrival - arrival }];
  });
}

/** One for each stretch and regime, in this order. */
export function addedUp(tallies: readonly Tally[]): Tally[] {
  const stretches = [...new Set(tallies.map(({ stretch }) => stretch))].sort((a, b) => a - b);
  return stretches.flatMap((stretch) =>
    regimes.flatMap((regime): Tally[] => {
      const own = tallies.filter((one) => one.stretch === stretch && one.regime === regime);
      const sum = (field: "bids" | "honest" | "ratio" | "delay") =>
        own.reduce((total, one) => total + one[field], 0);
      if (own.length === 0) return [];
      const sums = { bids: sum("bids"), honest: sum("honest"), ratio: sum("ratio"), delay: sum("delay") };
      return [{ stretch, regime, ...sums }];
    }),
  );
}
