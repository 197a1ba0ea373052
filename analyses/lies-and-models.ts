/** What strategic workers do to the model, and whether learners come to tell the truth. */

import { greatest } from "d3-array";
import { type AnyAgent, bidsTruthfully, isInformed } from "../src/agents/agent.js";
import { listed, many, signed } from "../src/lib/format.js";
import type { Estimate } from "../src/lib/statistics.js";
import type { Chart, Choice, Finding, Table } from "../src/report/result.js";
import { axis, captions, column, type Field, marks, tableOf } from "../src/report/vocabulary.js";
import { isFast } from "../src/responses/index.js";
import type { Analysis, Gathered } from "../src/study/analysis.js";
import { jobByKind, type OfKind, type WorkContext } from "../src/study/job.js";
import type { DatasetName } from "../src/training/datasets.js";
import { type RecordedRuns, recordedLies } from "../src/training/recordings.js";
import * as learners from "./lies-and-models/learners.js";
import * as training from "./shared/training.js";

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

type Cell = training.SeriesCell | learners.Cell;

type Summary = OfKind<"series", training.SeriesFound> | OfKind<"learners", learners.Learning["seeds"]>;

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
    const learning = (agent === undefined ? [] : budgets).map((budget): learners.Cell => {
      return { kind: "learners", agent: agent!, budget, tasks: lessons, stretch: Math.min(stretch, lessons) };
    });
    const series = training.datasets.map(
      (dataset): training.SeriesCell => ({ kind: "series", dataset, tasks, populations }),
    );
    return [...series, ...learning].map((cell) => ({ cell, markets: seeds }));
  },
  job: jobByKind<Cell, Summary>({ series: training.seriesJob, learners: learners.job }),
  conclude: (gathered, settings, context) => {
    const recorded = recordedUnder(context, settings);
    const effects = [...gathered.flatMap(surrogateEffects), ...recordedEffects(recorded)];
    return {
      effects: effects.map((one) => ({ ...one, line: lineOf(one, effects) })),
      learning: learningIn(gathered),
      recordings: training.recordingsTable([recorded]),
      methods: methodsOf(context, settings, recorded),
    };
  },
  tables: ({ effects, learning, recordings }) => [
    tableOf("effects", "Populations of liars and a truthful one", effects, columns),
    ...(learning === null ? [] : [learners.table(learning)]),
    recordings,
  ],
  charts: ({ effects }) => [effectsChart(effects)],
  findings: ({ effects, learning }) => [
    ...places.flatMap((place) => lossFinding(effects, place)),
    ...(learning === null ? [] : learners.findings(learning)),
  ],
  methods: ({ methods }) => methods,
};

interface LiesResult {
  readonly effects: readonly Shown[];
  /** Null where no agent learns. */
  readonly learning: learners.Learning | null;
  readonly recordings: Table;
  readonly methods: readonly string[];
}

const learnerOf = ({ agents }: Pick<WorkContext, "agents">): string | undefined =>
  agents.find(({ traits }) => traits.learns)?.name;

/** A seed's runs at all budgets together. */
function learningIn(gathered: readonly Gathered<Cell, Summary>[]): learners.Learning | null {
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
    `Learners: ${many(seeds, "seed")} with ${many(lessons, "task")} at each budget of ${listed(budgets)}, everybody a learner, who learns from all regimes that its tasks bring. Changes are judged by intervals that hold with 95 % for all regimes and measures together; those in the table of learners hold one by one.`,
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
function populationsOf(context: WorkContext): training.Population[] {
  const truth = training.truthfulUnder(context.mechanism.name);
  const lying = liarsOf(context).flatMap(({ name }) =>
    (["all", "half"] as const).map((part): training.Population => ({ ...truth, agent: name, part })),
  );
  return [truth, ...lying];
}

const measures = {
  loss: "Loss after the last round",
  accuracy: "Accuracy of the model",
  goodShare: "Share of good workers among the selected",
  spent: "Spent per task",
} as const satisfies Partial<Record<training.MeasureName, string>>;

type EffectMeasure = keyof typeof measures;

const measureNames = Object.keys(measures) as EffectMeasure[];

/** One population of workers, one measure. */
interface Effect {
  readonly source: "surrogate" | "real training";
  readonly dataset: DatasetName;
  /** Null for the truth. */
  readonly agent: string | null;
  readonly part: training.Population["part"];
  readonly measure: EffectMeasure;
  readonly level: Estimate;
  /** On top of the truthful population, by intervals that hold for all populations together; null for the truth itself. */
  readonly change: Estimate | null;
}

/** With what it is called in the chart. */
type Shown = Effect & { readonly line: string };

const columns: readonly Field<Shown>[] = [
  column.text("dataset", "Data set", ({ dataset }) => training.datasetTitles[dataset]),
  column.text("agent", "Workers play", ({ agent }) => agent ?? "truthful"),
  column.text("line", "Source, and who plays"),
  column.text("measure", "Measured", ({ measure }) => measures[measure]),
  ...column.estimate(column.amount("mean", "Mean"), ({ level }: Shown) => level),
  ...column.estimate(column.amount("change", "Change"), ({ change }: Shown) => change, {
    ...column.together,
    own: true,
  }),
  column.count("units", "Seeds or tasks", ({ level }) => level.n),
];

/** "real training, all lie (7 tasks)": the most that any population of this source and part has. */
function lineOf({ source, part }: Effect, effects: readonly Effect[]): string {
  const same = effects.filter((one) => one.source === source && one.part === part);
  const n = Math.max(...same.map(({ level }) => level.n));
  return `${source}, ${part} lie (${unitsText(source, n)})`;
}

const unitsText = (source: Effect["source"], n: number): string =>
  many(n, source === "surrogate" ? "seed" : "task");

interface Measured extends Pick<Effect, "source" | "dataset" | "agent" | "part"> {
  readonly units: (measure: EffectMeasure) => training.Units;
}

function surrogateEffects({ cell, summary }: Gathered<Cell, Summary>): Effect[] {
  if (cell.kind !== "series" || summary?.kind !== "series") return [];
  const populations = cell.populations.map(({ agent, part }, k): Measured => {
    const seeds = summary.summary.map((means) => means[k]!);
    const units = (measure: EffectMeasure) => training.seedUnits(seeds, measure);
    return { source: "surrogate", dataset: cell.dataset, agent, part, units };
  });
  return effectsOf(populations);
}

/** Trained for real once: units are tasks. */
const recordedEffects = ({ dataset, runs }: RecordedRuns): Effect[] =>
  effectsOf(
    runs.map(({ agent, tasks }): Measured => {
      const about = { source: "real training", dataset: dataset as DatasetName, agent, part: "all" } as const;
      return { ...about, units: (measure) => training.taskUnits(tasks, measure) };
    }),
  );

function effectsOf(populations: readonly Measured[]): Effect[] {
  const truth = populations.find(({ agent }) => agent === null);
  const together = Math.max(1, populations.length - 1);
  return populations.flatMap(({ units, ...about }) =>
    measureNames.map((measure): Effect => {
      const mine = units(measure);
      const isLiar = truth !== undefined && about.agent !== null;
      const change = isLiar ? training.differenceOf(mine, truth.units(measure), together) : null;
      return { ...about, measure, level: training.estimateOf(mine), change };
    }),
  );
}

const choices: readonly Choice[] = [
  { field: "measure", label: "Measured", values: Object.values(measures) },
  training.datasetChoice,
];

/** Changes around this are drawn to scale, larger ones by their logarithm: most are small, a few are huge. */
const FINEST = 0.01;

const ticks = [-10, -1, -0.1, -0.01, 0, 0.01, 0.1, 1, 10];

/** Populations in which all lie; those in which half do are in the table. */
function effectsChart(effects: readonly Shown[]): Chart {
  const liars = effects.filter(({ agent, part }) => agent !== null && part === "all");
  const lines = [...new Set(liars.map(({ line }) => line))];
  const x = (field: string) =>
    axis.amount(field, "change from a truthful population", {
      scale: { type: "symlog", constant: FINEST },
      axis: { values: ticks, format: "~g", labelOverlap: "greedy" },
    });
  return {
    name: "effects",
    title: "What changes where all workers play the same liar",
    table: "effects",
    choices,
    spec: {
      height: 250,
      transform: [{ filter: "isValid(datum.change)" }, { filter: { field: "line", oneOf: lines } }],
      layer: [
        { mark: "rule", encoding: { x: { datum: 0 } } },
        {
          encoding: {
            y: axis.name("agent", null, { labelOverlap: false }),
            yOffset: { field: "line", type: "nominal", sort: lines },
            // No fixed domain: what has no marks on a data set is not in the legend either.
            color: { field: "line", type: "ordinal", sort: lines, title: null, legend: { offset: 10 } },
            tooltip: marks.tooltip(columns),
          },
          layer: marks.points(x, { value: "change", low: "changeLow", high: "changeHigh", size: 45 }),
        },
      ],
    },
    summary: captions(choices, (chosen) => captionOf(liars, chosen)),
    howToRead:
      "Marks are mean differences to a truthful population with the same costs, arrivals and noise; lines are intervals that hold with 95 % for all populations together. The scale is logarithmic beyond ±0.01.",
  };
}

function captionOf(liars: readonly Effect[], chosen: Readonly<Record<string, string>>): string {
  const here = liars.filter(
    ({ dataset, measure }) =>
      training.datasetTitles[dataset] === chosen.dataset && measures[measure] === chosen.measure,
  );
  const most = greatest(
    here.filter(({ change }) => change!.n > 0),
    ({ change }) => Math.abs(change!.mean),
  );
  const idle = here.filter(({ level }) => level.n === 0);
  const about = `${chosen.measure} on ${chosen.dataset}`;
  const nobody = idle.length === 0 ? "" : ` With ${namesOf(idle)} nobody is ever selected.`;
  if (most === undefined) return `${about}: nothing is known of it.${nobody}`;
  const { agent, source, change } = most;
  return `${about}: the largest change is that by ${agent}, ${signed(change!.mean)} (${source}, ${unitsText(source, change!.n)}).${nobody}`;
}

const namesOf = (some: readonly Effect[]): string => listed([...new Set(some.map(({ agent }) => agent!))]);

const places = (["real training", "surrogate"] as const).flatMap((source) =>
  training.datasets.map((dataset) => ({ source, dataset })),
);

/** Which liars make the model worse or better, where all of them lie. */
function lossFinding(effects: readonly Effect[], { source, dataset }: (typeof places)[number]): Finding[] {
  const liars = effects
    .filter((one) => one.source === source && one.dataset === dataset && one.part === "all")
    .filter(({ measure, change }) => measure === "loss" && (change?.n ?? 0) > 0);
  if (liars.length === 0) return [];
  const size = (one: Effect) => Math.abs(one.change!.mean);
  const decided = liars
    .filter(({ change }) => change!.low > 0 || change!.high < 0)
    .toSorted((a, b) => size(b) - size(a));
  const open = liars.filter((one) => !decided.includes(one) && size(one) > 0).length;
  const units = unitsText(source, Math.min(...liars.map(({ change }) => change!.n)));
  const where = `${source === "surrogate" ? "Under the surrogate" : "In real training"} on ${training.datasetTitles[dataset]}`;
  const text = decided.length === 0 ? noneText(open, units) : decidedText(decided, open, units);
  const weight = (source === "surrogate" ? 54 : 58) - (dataset === "mnist" ? 0 : 10);
  return [{ text: `${where}, ${text}`, weight }];
}

const noneText = (open: number, units: string): string =>
  `${units} do not tell whether the loss rises or falls in any of ${many(open, "population")} of liars.`;

function decidedText([most, ...others]: readonly Effect[], open: number, units: string): string {
  const { mean, low, high } = most!.change!;
  const sentences = [
    `the loss changes most where all workers play ${most!.agent}: by ${signed(mean)} (${signed(low)} to ${signed(high)}, 95 % for all populations together; ${units}).`,
    others.length > 0 && `It also changes with ${namesOf(others)}.`,
    open > 0 && `For ${many(open, "other population")} its direction is undecided.`,
  ];
  return sentences.filter(Boolean).join(" ");
}
