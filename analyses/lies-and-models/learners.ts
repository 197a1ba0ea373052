/** What learners come to say over repeated tasks, by regime, and whether that is nearer to the truth. */

import type { HeldTask } from "../../src/agents/play.js";
import { listed, many, percent, rounded, threeDigits } from "../../src/lib/format.js";
import { type Estimate, estimate } from "../../src/lib/statistics.js";
import { type AnyMechanism, hold } from "../../src/mechanisms/mechanism.js";
import { type Regime, regimeOf, regimes } from "../../src/mechanisms/outcome.js";
import type { Chart, Choice, Finding, Row, Table } from "../../src/report/result.js";
import {
  amountColumn,
  captions,
  countColumn,
  intervalCells,
  intervalColumns,
  regimeColour,
  textColumn,
  tooltipOf,
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
export interface BidSums {
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

/** A list of sums for each seed, over all budgets. */
export interface Learning {
  readonly cell: Omit<LearnersCell, "budget">;
  readonly seeds: readonly (readonly BidSums[])[];
}

const measures = {
  honest: "Share of bids that state the truth",
  ratio: "Price over cost",
  delay: "Rounds late",
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
  const compared = regimes.length * measureNames.length;
  return regimes.flatMap((regime) =>
    measureNames.flatMap((measure): Move[] => {
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

const columns = [
  textColumn("regime", "Regime"),
  countColumn("upTo", "Up to task"),
  textColumn("measure", "Measured"),
  amountColumn("mean", "Mean"),
  ...intervalColumns("amount"),
  countColumn("seeds", "Seeds"),
];

export function learnersTable(learning: Learning): Table {
  const stretches = Array.from({ length: stretchesOf(learning) }, (_, k) => k + 1);
  const rows = regimes.flatMap((regime) =>
    stretches.flatMap((stretch) =>
      measureNames.flatMap((measure): Row[] => {
        const level = levelAt(learning, { stretch, regime, measure });
        if (level.n === 0) return [];
        const about = { regime, upTo: stretch * learning.cell.stretch, measure: measures[measure] };
        return [{ ...about, mean: rounded(level.mean), ...intervalCells(level), seeds: level.n }];
      }),
    ),
  );
  return { name: "learners", title: "What learners say over repeated tasks", columns, rows };
}

const choice: Choice = {
  field: "measure",
  label: "Measured",
  values: measureNames.map((measure) => measures[measure]),
};

export function learnersChart(learning: Learning): Chart {
  const y = { type: "quantitative", title: null, scale: { zero: false } };
  const axis = { tickMinStep: learning.cell.stretch };
  const along = {
    x: { field: "upTo", type: "quantitative", title: "Up to task", scale: { zero: false }, axis },
    color: regimeColour("regime"),
  };
  return {
    name: "learners",
    title: `What workers say over repeated tasks in which everybody plays ${learning.cell.agent}`,
    table: "learners",
    choices: [choice],
    spec: {
      height: 220,
      layer: [
        {
          mark: { type: "line", point: true },
          encoding: { ...along, y: { ...y, field: "mean" }, tooltip: tooltipOf(columns) },
        },
        {
          transform: [{ filter: "isValid(datum.low)" }],
          mark: { type: "area", opacity: 0.15, tooltip: null },
          encoding: { ...along, y: { ...y, field: "low" }, y2: { field: "high" } },
        },
      ],
    },
    summary: captions([choice], ({ measure }) => captionOf(learning, measure!)),
    howToRead: `A point is the mean over the bids of workers in this regime (that of the same task if all told the truth) in the ${learning.cell.stretch} tasks that end there; the shade is its 95 % interval over ${many(learning.seeds.length, "seed")}.`,
  };
}

const shown = (measure: Measure): ((x: number) => string) => (measure === "honest" ? percent : threeDigits);

function captionOf(learning: Learning, label: string): string {
  const moves = movesOf(learning).filter(({ measure }) => measures[measure] === label);
  const each = moves.map(
    ({ regime, measure, first, last }) =>
      `${regime} from ${shown(measure)(first.mean)} to ${shown(measure)(last.mean)}`,
  );
  return `${label}, from the first tasks to the last: ${listed(each) || "no regime lasts that long"}.`;
}

/** Which of the nine changes are decided, and which way they go. */
export function learnersFindings(learning: Learning): Finding[] {
  const moves = movesOf(learning);
  if (moves.length === 0) return [];
  const nouns = { honest: "the share of truthful bids", ratio: "price over cost", delay: "delay in rounds" };
  const text = ({ regime, measure, first, last }: Move) =>
    `${nouns[measure]} in ${regime} (${shown(measure)(first.mean)} to ${shown(measure)(last.mean)})`;
  const toward = moves.filter(({ away }) => away.high < 0);
  const back = moves.filter(({ away }) => away.low > 0);
  const open = moves.length - toward.length - back.length;
  const parts = [
    ...(toward.length > 0 ? [`these move toward the truth: ${listed(toward.map(text))}`] : []),
    ...(back.length > 0 ? [`these move away from the truth: ${listed(back.map(text))}`] : []),
    ...(open > 0
      ? [
          `of ${open === moves.length ? `all ${open}` : `${open} of ${moves.length}`} changes the direction is undecided`,
        ]
      : []),
  ];
  const { tasks, agent } = learning.cell;
  const start = `Over ${many(tasks, "task")} in which everybody plays ${agent} (${many(learning.seeds.length, "seed")})`;
  return [{ text: `${start}, ${parts.join("; ")} (95 %, all together).`, weight: back.length > 0 ? 52 : 36 }];
}
