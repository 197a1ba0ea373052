/** What strategic workers do to the model, and whether learners drift away from the truth. */

import { listed } from "../src/lib/format.js";
import type { AnalysisResult } from "../src/report/result.js";
import type { AnalysisContext, Profile, StepwiseAnalysis } from "../src/study/analysis.js";
import { type RecordedRuns, recordedLies } from "../src/training/recordings.js";
import { driftJob } from "./lies-and-models/drift.js";
import { type Drift, driftCharts, driftFindings, driftTable } from "./lies-and-models/drift-views.js";
import { effectCharts, effectsTable } from "./lies-and-models/effect-views.js";
import { effectFindings } from "./lies-and-models/effect-words.js";
import { liarsOf, recordedEffects, surrogateEffects } from "./lies-and-models/effects.js";
import { seriesJob } from "./shared/paper-tables/series.js";
import { recordingsTable } from "./shared/paper-tables/table-tables.js";

export interface LiesSizes {
  readonly seeds: number;
  readonly tasks: number;
  /** Of the learners. */
  readonly lessons: number;
  /** How many tasks in a row are counted together. */
  readonly stretch: number;
  /** Of a task: from late starts to the paper's. */
  readonly budgets: readonly number[];
}

const budgets = [6, 20, 80];

export const liesSizes = {
  quick: { seeds: 12, tasks: 20, lessons: 40, stretch: 10, budgets },
  full: { seeds: 100, tasks: 70, lessons: 200, stretch: 25, budgets },
} as const satisfies Record<Profile, LiesSizes>;

const options = {
  seeds: { from: 2, to: 100_000, whole: true },
  tasks: { from: 1, to: 10_000, whole: true },
  lessons: { from: 2, to: 10_000, whole: true },
} as const;

export const liesAndModels: StepwiseAnalysis = {
  name: "lies-and-models",
  question: "What do strategic workers do to the model, and do learners drift away from the truth?",
  options,
  jobs: { series: seriesJob, drift: driftJob },
  run: (context) => runLies(context, { ...liesSizes[context.profile], ...context.options }),
};

export async function runLies(context: AnalysisContext, sizes: LiesSizes): Promise<AnalysisResult> {
  const recorded = recordedUnder(context);
  const effects = [...(await surrogateEffects(context, sizes)), ...recordedEffects(recorded)];
  const learner = context.agents.find(({ traits }) => traits.learns)?.name;
  const drifts = learner === undefined ? [] : await driftsOf(learner, context, sizes);
  const learned = drifts.length > 0 && learner !== undefined;
  return {
    tables: [effectsTable(effects), ...(learned ? [driftTable(drifts)] : []), recordingsTable([recorded])],
    charts: [...effectCharts(effects), ...(learned ? driftCharts(drifts, learner) : [])],
    findings: [
      ...effectFindings(effects, liarsOf(context)),
      ...(learned ? driftFindings(drifts, learner) : []),
    ],
    methods: methods(context, sizes),
  };
}

async function driftsOf(agent: string, { pool }: AnalysisContext, sizes: LiesSizes): Promise<Drift[]> {
  const { lessons: tasks, stretch, seeds } = sizes;
  const cells = sizes.budgets.map((budget) => ({ agent, budget, tasks, stretch: Math.min(stretch, tasks) }));
  const found = await pool.gather(
    driftJob,
    cells.map((cell) => ({ cell, markets: seeds })),
  );
  return cells.map((cell, k) => ({ cell, seeds: found[k] ?? [] }));
}

/** Runs under another auction would say nothing of this one. */
const recordedUnder = ({ mechanism }: AnalysisContext): RecordedRuns => ({
  ...recordedLies,
  runs: recordedLies.runs.filter((run) => run.mechanism === mechanism.name),
});

function recordedText(context: AnalysisContext): string {
  const { runs } = recordedUnder(context);
  const { name } = context.mechanism;
  if (runs.length === 0)
    return `No population of liars was trained for real under ${name}: none is recorded.`;
  const populations = listed(runs.map(({ agent }) => agent ?? "the truth"));
  return `Trained for real once on MNIST: ${populations}, under ${name}. Intervals are over the tasks of one run, which are not independent; of fewer than five tasks there is none.`;
}

function methods(context: AnalysisContext, { seeds, tasks, lessons, budgets }: LiesSizes): string[] {
  const skipped = context.agents
    .filter((agent) => agent.traits.lies.length > 0 && !liarsOf(context).includes(agent))
    .map(({ name }) => name);
  return [
    `${seeds} seeds with ${tasks} tasks each under the surrogate, at the paper's budget, the same costs, arrivals and noise in every population; liars play at their default settings.`,
    `Learners: ${seeds} seeds with ${lessons} tasks at each budget of ${listed(budgets)}, everybody a learner. A learner meets all regimes that its tasks bring, and learns from all of them together.`,
    "Whether a population changes a figure, and whether learners move toward the truth, is judged by intervals that hold together with 95 % (Bonferroni): for all populations of one source and data set, and for all regimes and measures. Intervals shown are single ones.",
    recordedText(context),
    ...(skipped.length > 0
      ? [
          `Left out is ${listed(skipped)}: against ${context.mechanism.name} every bid would need a long search.`,
        ]
      : []),
  ];
}
