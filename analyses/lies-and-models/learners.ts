/** Workers that learn over many tasks: what they bid, and whether that comes nearer to the truth. */

import { cross, sum } from "d3-array";
import type { HeldTask } from "../../src/agents/play.js";
import { type AnyMechanism, runAuction } from "../../src/auction/mechanism.js";
import { type Regime, regimeOf, regimes } from "../../src/auction/outcome.js";
import { listed, many, percent, threeDigits } from "../../src/lib/format.js";
import { type Estimate, estimate } from "../../src/lib/statistics.js";
import type { Finding, Table } from "../../src/report/result.js";
import { column, regimeWords, tableOf } from "../../src/report/vocabulary.js";
import { collectJob } from "../../src/study/job.js";
import { paperTaskRules } from "../../src/training/population.js";
import { surrogate } from "../../src/training/surrogate.js";
import { runTasks } from "../../src/training/tasks.js";
import { settingOf, truthfulUnder } from "../shared/training.js";

export interface Cell {
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
  readonly cell: Omit<Cell, "budget">;
  readonly seeds: readonly (readonly BidSums[])[];
}

/** One run in which everybody learns; the regime is that of the same task if all told the truth. */
export const job = collectJob(
  async ({ agent, budget, tasks, stretch }: Cell, k, context): Promise<BidSums[]> => {
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
  const truth = runAuction(mechanism, market);
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
      const total = (field: "bids" | Measure) => sum(own, (one) => one[field]);
      const totals = { honest: total("honest"), ratio: total("ratio"), delay: total("delay") };
      return own.length === 0 ? [] : [{ stretch, regime, bids: total("bids"), ...totals }];
    }),
  );
}

/** What is measured of bids, and its mean where all tell the truth. */
const measures = {
  honest: { label: "Share of bids that state the truth", noun: "the share of truthful bids", truth: 1 },
  ratio: { label: "Price over cost", noun: "price over cost", truth: 1 },
  delay: { label: "Rounds late", noun: "delay in rounds", truth: 0 },
} as const;

type Measure = keyof typeof measures;

const measureNames = Object.keys(measures) as Measure[];

interface At {
  readonly stretch: number;
  readonly regime: Regime;
  readonly measure: Measure;
}

/** The mean over one seed's bids; null where there were none. */
function meanAt(seed: readonly BidSums[], { stretch, regime, measure }: At): number | null {
  const own = seed.filter((one) => one.stretch === stretch && one.regime === regime);
  const bids = sum(own, (one) => one.bids);
  return bids === 0 ? null : sum(own, (one) => one[measure]) / bids;
}

const levelAt = ({ seeds }: Learning, at: At): Estimate =>
  estimate(seeds.flatMap((seed) => meanAt(seed, at) ?? []));

const stretchesOf = ({ cell }: Learning): number => Math.ceil(cell.tasks / cell.stretch);

/** From the first stretch of tasks to the last, in every regime and measure; intervals hold for all of them together. */
const movesOf = (learning: Learning) =>
  regimes.flatMap((regime) =>
    measureNames.flatMap((measure) => {
      const [from, to] = [1, stretchesOf(learning)].map((stretch) => ({ stretch, regime, measure })) as [
        At,
        At,
      ];
      const distance = (mean: number) => Math.abs(mean - measures[measure].truth);
      const changes = learning.seeds.flatMap((seed) => {
        const [before, after] = [meanAt(seed, from), meanAt(seed, to)];
        return before === null || after === null ? [] : [distance(after) - distance(before)];
      });
      if (changes.length === 0) return [];
      /** How much further from the truth the last stretch is than the first, seed by seed; below 0 where it is nearer. */
      const away = estimate(changes, regimes.length * measureNames.length);
      return [{ regime, measure, first: levelAt(learning, from), last: levelAt(learning, to), away }];
    }),
  );

type Move = ReturnType<typeof movesOf>[number];

export function table(learning: Learning): Table {
  const stretches = Array.from({ length: stretchesOf(learning) }, (_, k) => k + 1);
  const levels = cross(regimes, stretches, measureNames)
    .map(([regime, stretch, measure]) => ({ stretch, regime, measure }))
    .map((at) => ({ ...at, level: levelAt(learning, at) }))
    .filter(({ level }) => level.n > 0);
  return tableOf("learners", "What learners say over repeated tasks", levels, [
    column.text("regime", "Regime"),
    column.count("upTo", "Up to task", ({ stretch }) => stretch * learning.cell.stretch),
    column.text("measure", "Measured", ({ measure }) => measures[measure].label),
    ...column.estimate(column.amount("mean", "Mean"), ({ level }: { readonly level: Estimate }) => level),
    column.count("seeds", "Seeds", ({ level }) => level.n),
  ]);
}

/** Which changes are decided, and which way they go. */
export function findings(learning: Learning): Finding[] {
  const moves = movesOf(learning);
  if (moves.length === 0) return [];
  const text = ({ measure, regime, first, last }: Move) => {
    const show = measure === "honest" ? percent : threeDigits;
    return `${measures[measure].noun} ${regimeWords[regime]} (${show(first.mean)} to ${show(last.mean)})`;
  };
  const toward = moves.filter(({ away }) => away.high < 0);
  const back = moves.filter(({ away }) => away.low > 0);
  const open = moves.length - toward.length - back.length;
  const said = [
    toward.length > 0 && `come nearer to the truth in ${listed(toward.map(text))}`,
    back.length > 0 && `move away from the truth in ${listed(back.map(text))}`,
  ].filter(Boolean);
  const { tasks, agent } = learning.cell;
  const decided = said.length === 0 ? "do not surely change" : said.join(" and ");
  const start = `Over ${many(tasks, "task")} in which everybody plays ${agent} (${many(learning.seeds.length, "seed")}), bids ${decided}.`;
  const rest = `${open} of ${moves.length} changes are undecided (95 %, all together).`;
  return [{ text: open > 0 ? `${start} ${rest}` : start, weight: back.length > 0 ? 52 : 36 }];
}
