/** Workers that learn over many tasks: what they bid, and whether that comes nearer to the truth. */

import type { HeldTask } from "../../src/agents/play.js";
import { listed, many, percent, threeDigits } from "../../src/lib/format.js";
import { type Estimate, estimate } from "../../src/lib/statistics.js";
import { type AnyMechanism, hold } from "../../src/mechanisms/mechanism.js";
import { type Regime, regimeOf, regimes } from "../../src/mechanisms/outcome.js";
import type { Finding, Table } from "../../src/report/result.js";
import {
  amountColumn,
  countColumn,
  estimateColumns,
  type Field,
  regimeWords,
  tableOf,
  textColumn,
} from "../../src/report/vocabulary.js";
import { listing } from "../../src/study/job.js";
import { paperTaskRules } from "../../src/training/population.js";
import { surrogate } from "../../src/training/surrogate.js";
import { runTasks } from "../../src/training/tasks.js";
import { settingOf, truthfulUnder } from "../shared/training.js";

export interface LearnersCell {
  readonly kind: "learners";
  readonly agent: string;
  readonly budget: number;
  readonly tasks: number;
  /** How many tasks in a row are counted together. */
  readonly stretch: number;
}

/** Sums over the bids of one stretch of tasks by workers in one regime. */
interface BidSums {
  readonly stretch: number;
  readonly regime: Regime;
  readonly bids: number;
  /** Those that state the truth. */
  readonly honest: number;
  /** Of the price over the cost. */
  readonly ratio: number;
  /** Of the rounds a worker came late. */
  readonly delay: number;
}

/** A list of sums for each seed, over all budgets. */
export interface Learning {
  readonly cell: Omit<LearnersCell, "budget">;
  readonly seeds: readonly (readonly BidSums[])[];
}

/** One run in which everybody learns; the regime is that of the same task if all told the truth. */
export const learnersJob = listing(
  async ({ agent, budget, tasks, stretch }: LearnersCell, k, context): Promise<BidSums[]> => {
    const population = { ...truthfulUnder(context.mechanism.name), agent };
    const own = context.stream.fork("drift").fork(k);
    const rules = { ...paperTaskRules, budget };
    const setting = {
      ...settingOf(population, context, own),
      rules,
      trainer: surrogate({ dataset: "mnist" }),
    };
    const sums: BidSums[] = [];
    for await (const { record, held } of runTasks(setting, tasks))
      sums.push(...sumsOf(held, Math.ceil(record.task / stretch), context.mechanism));
    return addedUp(sums);
  },
  ({ tasks }) => 0.3 * tasks ** 2,
);

function sumsOf({ market, bids }: HeldTask, stretch: number, mechanism: AnyMechanism): BidSums[] {
  const truth = hold(mechanism, market);
  const said = new Map(bids.map((bid) => [bid.worker, bid]));
  return market.workers.flatMap(({ id, cost, arrival }): BidSums[] => {
    const bid = said.get(id);
    if (bid === undefined) return [];
    const honest = bid.price === cost && bid.arrival === arrival ? 1 : 0;
    const about = { stretch, regime: regimeOf(truth, id), bids: 1, honest };
    return [{ ...about, ratio: bid.price / cost, delay: bid.arrival - arrival }];
  });
}

/** One for each stretch and regime, in this order. */
function addedUp(all: readonly BidSums[]): BidSums[] {
  const stretches = [...new Set(all.map(({ stretch }) => stretch))].sort((a, b) => a - b);
  return stretches.flatMap((stretch) =>
    regimes.flatMap((regime): BidSums[] => {
      const own = all.filter((one) => one.stretch === stretch && one.regime === regime);
      const sum = (field: "bids" | "honest" | "ratio" | "delay") =>
        own.reduce((total, one) => total + one[field], 0);
      const about = { stretch, regime, bids: sum("bids"), honest: sum("honest") };
      return own.length === 0 ? [] : [{ ...about, ratio: sum("ratio"), delay: sum("delay") }];
    }),
  );
}

const learnerMeasures = {
  honest: "Share of bids that state the truth",
  ratio: "Price over cost",
  delay: "Rounds late",
} as const;

type Measure = keyof typeof learnerMeasures;

const learnerMeasureNames = Object.keys(learnerMeasures) as Measure[];

interface At {
  readonly stretch: number;
  readonly regime: Regime;
  readonly measure: Measure;
}

/** The mean over one seed's bids; null where there were none. */
function meanAt(seed: readonly BidSums[], { stretch, regime, measure }: At): number | null {
  const own = seed.filter((one) => one.stretch === stretch && one.regime === regime);
  const bids = own.reduce((sum, one) => sum + one.bids, 0);
  return bids === 0 ? null : own.reduce((sum, one) => sum + one[measure], 0) / bids;
}

const levelAt = ({ seeds }: Learning, at: At): Estimate =>
  estimate(seeds.flatMap((seed) => meanAt(seed, at) ?? []));

const stretchesOf = ({ cell }: Learning): number => Math.ceil(cell.tasks / cell.stretch);

/** How far a mean of bids is from what it is where all tell the truth. */
const distances: Readonly<Record<Measure, (mean: number) => number>> = {
  honest: (share) => 1 - share,
  ratio: (ratio) => Math.abs(ratio - 1),
  delay: (delay) => delay,
};

interface Move extends Omit<At, "stretch"> {
  readonly first: Estimate;
  readonly last: Estimate;
  /** How much further from the truth the last stretch is than the first, seed by seed; below 0 where it is nearer. */
  readonly away: Estimate;
}

/** From the first stretch of tasks to the last, in every regime and measure; intervals hold for all of them together. */
function movesOf(learning: Learning): Move[] {
  const compared = regimes.length * learnerMeasureNames.length;
  return regimes.flatMap((regime) =>
    learnerMeasureNames.flatMap((measure): Move[] => {
      const [first, last] = [1, stretchesOf(learning)].map((stretch) => ({ stretch, regime, measure }));
      const changes = learning.seeds.flatMap((seed) => {
        const [before, after] = [meanAt(seed, first!), meanAt(seed, last!)];
        return before === null || after === null
          ? []
          : [distances[measure](after) - distances[measure](before)];
      });
      if (changes.length === 0) return [];
      const levels = { first: levelAt(learning, first!), last: levelAt(learning, last!) };
      return [{ regime, measure, ...levels, away: estimate(changes, compared) }];
    }),
  );
}

type LevelAt = At & { readonly level: Estimate };

const learnerColumns = ({ cell }: Learning): Field<LevelAt>[] => [
  textColumn("regime", "Regime"),
  countColumn("upTo", "Up to task", ({ stretch }) => stretch * cell.stretch),
  textColumn("measure", "Measured", ({ measure }) => learnerMeasures[measure]),
  ...estimateColumns(amountColumn("mean", "Mean"), ({ level }: LevelAt) => level),
  countColumn("seeds", "Seeds", ({ level }) => level.n),
];

export function learnersTable(learning: Learning): Table {
  const stretches = Array.from({ length: stretchesOf(learning) }, (_, k) => k + 1);
  const levels = regimes.flatMap((regime) =>
    stretches.flatMap((stretch) =>
      learnerMeasureNames
        .map((measure) => ({ stretch, regime, measure }))
        .map((at) => ({ ...at, level: levelAt(learning, at) }))
        .filter(({ level }) => level.n > 0),
    ),
  );
  return tableOf("learners", "What learners say over repeated tasks", levels, learnerColumns(learning));
}

/** Which changes are decided, and which way they go. */
export function learnersFinding(learning: Learning): Finding[] {
  const moves = movesOf(learning);
  if (moves.length === 0) return [];
  const nouns = { honest: "the share of truthful bids", ratio: "price over cost", delay: "delay in rounds" };
  const shown = ({ measure }: Move) => (measure === "honest" ? percent : threeDigits);
  const text = (move: Move) =>
    `${nouns[move.measure]} ${regimeWords[move.regime]} (${shown(move)(move.first.mean)} to ${shown(move)(move.last.mean)})`;
  const toward = moves.filter(({ away }) => away.high < 0);
  const back = moves.filter(({ away }) => away.low > 0);
  const open = moves.length - toward.length - back.length;
  const said = [
    ...(toward.length > 0 ? [`come nearer to the truth in ${listed(toward.map(text))}`] : []),
    ...(back.length > 0 ? [`move away from the truth in ${listed(back.map(text))}`] : []),
  ];
  const { tasks, agent } = learning.cell;
  const decided = said.length === 0 ? "do not surely change" : said.join(" and ");
  const start = `Over ${many(tasks, "task")} in which everybody plays ${agent} (${many(learning.seeds.length, "seed")}), bids ${decided}.`;
  const rest = `${open} of ${moves.length} changes are undecided (95 %, all together).`;
  return [{ text: open > 0 ? `${start} ${rest}` : start, weight: back.length > 0 ? 52 : 36 }];
}
