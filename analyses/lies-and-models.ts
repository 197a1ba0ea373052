/** What strategic workers do to the model, and whether learners come to tell the truth. */

import { bidsTruthfully } from "../src/agents/agent.js";
import { listed, many } from "../src/lib/format.js";
import type { Table } from "../src/report/result.js";
import type { Analysis, Gathered } from "../src/study/analysis.js";
import { jobByKind, type OfKind, type WorkContext } from "../src/study/job.js";
import { type RecordedRuns, recordedLies } from "../src/training/recordings.js";
import {
  type Effect,
  effectsChart,
  effectsFindings,
  effectsTable,
  liarsOf,
  populationsOf,
  recordedEffects,
  surrogateEffects,
} from "./lies-and-models/effects.js";
import {
  type LearnersCell,
  type Learning,
  learnersChart,
  learnersFindings,
  learnersJob,
  learnersTable,
} from "./lies-and-models/learners.js";
import {
  datasets,
  recordingsTable,
  type SeriesCell,
  type SeriesFound,
  seriesJob,
} from "./shared/training.js";

export interface LiesSettings {
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

const profiles = {
  quick: { seeds: 12, tasks: 20, lessons: 40, stretch: 10, budgets },
  full: { seeds: 100, tasks: 70, lessons: 200, stretch: 25, budgets },
} as const satisfies Record<string, LiesSettings>;

type Cell = SeriesCell | LearnersCell;

type Summary = OfKind<"series", SeriesFound> | OfKind<"learners", Learning["seeds"]>;

export interface LiesResult {
  readonly effects: readonly Effect[];
  /** Null where no agent learns. */
  readonly learning: Learning | null;
  readonly recordings: Table;
  readonly methods: readonly string[];
}

const learnerOf = ({ agents }: Pick<WorkContext, "agents">): string | undefined =>
  agents.find(({ traits }) => traits.learns)?.name;

export const liesAndModels: Analysis<LiesSettings, Cell, Summary, LiesResult> = {
  name: "lies-and-models",
  question: "What do strategic workers do to the model, and do learners come to tell the truth?",
  part: "training",
  options: {
    seeds: { from: 2, to: 100_000, whole: true },
    tasks: { from: 1, to: 10_000, whole: true },
    lessons: { from: 2, to: 10_000, whole: true },
  },
  settings: ({ profile, options }) => ({ ...profiles[profile], ...options }),
  plan: ({ seeds, tasks, lessons, stretch, budgets }, context) => {
    const populations = populationsOf(context);
    const agent = learnerOf(context);
    const learning = (agent === undefined ? [] : budgets).map((budget): LearnersCell => {
      return { kind: "learners", agent: agent!, budget, tasks: lessons, stretch: Math.min(stretch, lessons) };
    });
    const series = datasets.map((dataset): SeriesCell => ({ kind: "series", dataset, tasks, populations }));
    return [...series, ...learning].map((cell) => ({ cell, markets: seeds }));
  },
  job: jobByKind<Cell, Summary>({ series: seriesJob, learners: learnersJob }),
  conclude: (gathered, settings, context) => {
    const recorded = recordedUnder(context);
    return {
      effects: [...gathered.flatMap(effectsIn), ...recordedEffects(recorded)],
      learning: learningIn(gathered),
      recordings: recordingsTable([recorded]),
      methods: methodsOf(context, settings, recorded),
    };
  },
  tables: ({ effects, learning, recordings }) => [
    effectsTable(effects),
    ...(learning === null ? [] : [learnersTable(learning)]),
    recordings,
  ],
  charts: ({ effects, learning }) => [
    effectsChart(effects),
    ...(learning === null ? [] : [learnersChart(learning)]),
  ],
  findings: ({ effects, learning }) => [
    ...effectsFindings(effects),
    ...(learning === null ? [] : learnersFindings(learning)),
  ],
  methods: ({ methods }) => methods,
};

const effectsIn = ({ cell, summary }: Gathered<Cell, Summary>): Effect[] =>
  cell.kind === "series" && summary?.kind === "series" ? surrogateEffects(cell, summary.summary) : [];

/** A seed's runs at all budgets together. */
function learningIn(gathered: readonly Gathered<Cell, Summary>[]): Learning | null {
  const parts = gathered.flatMap(({ cell, summary }) =>
    cell.kind === "learners" && summary?.kind === "learners" ? [{ cell, seeds: summary.summary }] : [],
  );
  const [first] = parts;
  if (first === undefined) return null;
  return { ...first, seeds: first.seeds.map((_, seed) => parts.flatMap(({ seeds }) => seeds[seed] ?? [])) };
}

/** Runs under another auction would say nothing of this one. */
const recordedUnder = ({ mechanism }: WorkContext): RecordedRuns => ({
  ...recordedLies,
  runs: recordedLies.runs.filter((run) => run.mechanism === mechanism.name),
});

function methodsOf(context: WorkContext, settings: LiesSettings, recorded: RecordedRuns): string[] {
  const { seeds, tasks, lessons, budgets } = settings;
  const { name } = context.mechanism;
  const played = liarsOf(context);
  const skipped = context.agents
    .filter((agent) => !bidsTruthfully(agent) && !played.includes(agent))
    .map((agent) => agent.name);
  return [
    `${many(seeds, "seed")} with ${many(tasks, "task")} each under the surrogate, at the paper's budget, with the same costs, arrivals and noise in every population. Agents play at their default settings.`,
    recordedText(recorded, name),
    "A change is the difference to the truthful population in the same seeds or tasks. Its interval holds with 95 % for all populations of the same source, data set and measure together (Bonferroni); the four measures are looked at one by one.",
    `Learners: ${many(seeds, "seed")} with ${many(lessons, "task")} at each budget of ${listed(budgets)}, everybody a learner, who learns from all regimes that its tasks bring. Changes are judged by intervals that hold with 95 % for all regimes and measures together; intervals in the chart are single ones.`,
    ...(skipped.length > 0
      ? [`Left out is ${listed(skipped)}: against ${name} every bid would need a long search.`]
      : []),
  ];
}

function recordedText({ runs }: RecordedRuns, name: string): string {
  if (runs.length === 0)
    return `No population of liars was trained for real under ${name}: none is recorded.`;
  const populations = listed(runs.map(({ agent, tasks }) => `${agent ?? "truthful"} (${tasks.length})`));
  return `Real training on MNIST under ${name} was recorded once for each population (number of tasks): ${populations}. Its intervals are over the tasks of one run, which are not independent; below five there is none.`;
}
