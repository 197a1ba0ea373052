/** What strategic workers do to the model, and whether learners come to tell the truth. */

import { type AnyAgent, bidsTruthfully, isInformed } from "../src/agents/agent.js";
import type { HeldTask } from "../src/agents/play.js";
import { isFast } from "../src/best-response/index.js";
import { listed, many } from "../src/lib/format.js";
import { type AnyMechanism, hold } from "../src/mechanisms/mechanism.js";
import { regimeOf, regimes } from "../src/mechanisms/outcome.js";
import type { Table } from "../src/report/result.js";
import type { Analysis, Gathered } from "../src/study/analysis.js";
import { jobByKind, listing, type OfKind, type WorkContext } from "../src/study/job.js";
import type { DatasetName } from "../src/training/datasets.js";
import { paperTaskRules } from "../src/training/population.js";
import { type RecordedRuns, recordedLies } from "../src/training/recordings.js";
import { surrogate } from "../src/training/surrogate.js";
import { runTasks } from "../src/training/tasks.js";
import {
  type BidSums,
  type Effect,
  type EffectMeasure,
  effectsChart,
  effectsFindings,
  effectsTable,
  type LearnersCell,
  type Learning,
  learnersChart,
  learnersFindings,
  learnersTable,
  measureNames,
} from "./lies-and-models/views.js";
import {
  datasets,
  differenceOf,
  estimateOf,
  type Population,
  recordingsTable,
  type SeriesCell,
  type SeriesFound,
  seedUnits,
  seriesJob,
  settingOf,
  taskUnits,
  truthfulUnder,
  type Units,
} from "./shared/training.js";

interface LiesSettings {
  readonly seeds: number;
  readonly tasks: number;
  /** Of the learners. */
  readonly lessons: number;
  /** How many tasks in a row are counted together. */
  readonly stretch: number;
  /** Of a task: from late starts to the paper's. */
  readonly budgets: readonly number[];
  /** Real training of populations of liars. */
  readonly recorded: RecordedRuns;
}

const budgets = [6, 20, 80];

const profiles = {
  quick: { seeds: 12, tasks: 20, lessons: 40, stretch: 10, budgets },
  full: { seeds: 100, tasks: 70, lessons: 200, stretch: 25, budgets },
} as const satisfies Record<string, Omit<LiesSettings, "recorded">>;

type Cell = SeriesCell | LearnersCell;

type Summary = OfKind<"series", SeriesFound> | OfKind<"learners", Learning["seeds"]>;

interface LiesResult {
  readonly effects: readonly Effect[];
  /** Null where no agent learns. */
  readonly learning: Learning | null;
  readonly recordings: Table;
  readonly methods: readonly string[];
}

const learnerOf = ({ agents }: Pick<WorkContext, "agents">): string | undefined =>
  agents.find(({ traits }) => traits.learns)?.name;

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
const recordedUnder = ({ mechanism }: WorkContext, { recorded }: LiesSettings): RecordedRuns => ({
  ...recorded,
  runs: recorded.runs.filter((run) => run.mechanism === mechanism.name),
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

/** Those who lie; who needs a search of thousands of lies for every bid is left out. */
const liarsOf = ({ agents, mechanism }: Pick<WorkContext, "agents" | "mechanism">): AnyAgent[] =>
  agents.filter((agent) => !bidsTruthfully(agent) && (!isInformed(agent) || isFast(mechanism)));

/** The truth first, then every liar, played by all and by half. */
function populationsOf(context: WorkContext): Population[] {
  const truth = truthfulUnder(context.mechanism.name);
  const lying = liarsOf(context).flatMap(({ name }) =>
    (["all", "half"] as const).map((part): Population => ({ ...truth, agent: name, part })),
  );
  return [truth, ...lying];
}

interface Measured extends Pick<Effect, "source" | "dataset" | "agent" | "part"> {
  readonly units: (measure: EffectMeasure) => Units;
}

const surrogateEffects = ({ dataset, populations }: SeriesCell, found: SeriesFound): Effect[] =>
  effectsOf(
    populations.map(({ agent, part }, k): Measured => {
      const seeds = found.map((means) => means[k]!);
      return { source: "surrogate", dataset, agent, part, units: (measure) => seedUnits(seeds, measure) };
    }),
  );

/** Trained for real once: units are tasks. */
const recordedEffects = ({ dataset, runs }: RecordedRuns): Effect[] =>
  effectsOf(
    runs.map(({ agent, tasks }): Measured => {
      const about = { source: "real training", dataset: dataset as DatasetName, agent, part: "all" } as const;
      return { ...about, units: (measure) => taskUnits(tasks, measure) };
    }),
  );

function effectsOf(populations: readonly Measured[]): Effect[] {
  const truth = populations.find(({ agent }) => agent === null);
  const together = Math.max(1, populations.length - 1);
  return populations.flatMap(({ units, ...about }) =>
    measureNames.map((measure): Effect => {
      const mine = units(measure);
      const isLiar = truth !== undefined && about.agent !== null;
      const change = isLiar ? differenceOf(mine, truth.units(measure), together) : null;
      return { ...about, measure, level: estimateOf(mine), change };
    }),
  );
}

/** One run in which everybody learns; the regime is that of the same task if all told the truth. */
const learnersJob = listing(
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

export const liesAndModels: Analysis<LiesSettings, Cell, Summary, LiesResult> = {
  name: "lies-and-models",
  question: "What do strategic workers do to the model, and do learners come to tell the truth?",
  part: "training",
  takesAgents: true,
  options: {
    seeds: { from: 2, to: 100_000, whole: true },
    tasks: { from: 1, to: 10_000, whole: true },
    lessons: { from: 2, to: 10_000, whole: true },
  },
  settings: ({ profile, options }) => ({ ...profiles[profile], recorded: recordedLies, ...options }),
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
    const recorded = recordedUnder(context, settings);
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
