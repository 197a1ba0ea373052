/** Repeated tasks for analyses: populations of workers under an auction, what is measured of their tasks, and recorded runs. */

import { mean } from "d3-array";
import type { AnyAgent } from "../../src/agents/agent.js";
import type { AnyMechanism } from "../../src/auction/mechanism.js";
import type { Stream } from "../../src/lib/random.js";
import { type Estimate, estimate } from "../../src/lib/statistics.js";
import type { Choice, Table } from "../../src/report/result.js";
import { column, tableOf } from "../../src/report/vocabulary.js";
import { collectJob, type JobContext } from "../../src/study/job.js";
import type { DatasetName } from "../../src/training/datasets.js";
import { FIRST_COUNTED, paperPopulation, paperTaskRules, paperTypes } from "../../src/training/population.js";
import { lineOf, type RecordedRuns, recordedTables, type TaskLine } from "../../src/training/recordings.js";
import { type ReputationSettings, reputationSettings } from "../../src/training/reputation.js";
import { surrogate } from "../../src/training/surrogate.js";
import { runTasks, type TasksSetting } from "../../src/training/tasks.js";
import type { WorkerData } from "../../src/training/trainer.js";

export const datasets = ["mnist", "fashion"] as const satisfies readonly DatasetName[];

export const datasetTitles: Readonly<Record<DatasetName, string>> = {
  mnist: "MNIST",
  fashion: "Fashion-MNIST",
};

export const datasetNamed = (title: string): DatasetName =>
  datasets.find((one) => datasetTitles[one] === title)!;

/** A figure's choice of data set. */
export const datasetChoice: Choice = {
  field: "dataset",
  label: "Data set",
  values: datasets.map((dataset) => datasetTitles[dataset]),
};

/** Who holds the auction, and who plays the workers. */
export interface Population {
  readonly mechanism: string;
  /** Null for the truth. */
  readonly agent: string | null;
  /** Whether everybody plays it, or every second worker of each group and accuracy. */
  readonly part: "all" | "half";
  /** The reputation everybody starts with; null for the usual one. */
  readonly start: number | null;
  /** What else of the reputation's formula is not as usual. */
  readonly reputation?: Partial<ReputationSettings>;
}

/** Everybody tells the truth. */
export const truthfulUnder = (mechanism: string): Population => ({
  mechanism,
  agent: null,
  part: "all",
  start: null,
});

export function settingOf(
  { mechanism, agent, part, start, reputation }: Population,
  { mechanisms, agents }: Pick<JobContext, "mechanisms" | "agents">,
  own: Stream,
): Omit<TasksSetting, "trainer"> {
  const played = agent === null ? undefined : named<AnyAgent>(agents, agent);
  const plays = ({ id }: WorkerData) => part === "all" || isSecond(id);
  return {
    workers: paperPopulation(),
    rules: paperTaskRules,
    mechanism: named<AnyMechanism>(mechanisms, mechanism),
    stream: own,
    agents: (worker) => (plays(worker) ? played : undefined),
    reputation: reputationSettings({ ...(start !== null && { start }), ...reputation }),
  };
}

/** Accuracies come back every twelve workers: whoever lies among one twelve tells the truth among the next. */
const isSecond = (id: number): boolean => (id + 2 * Math.floor(id / 12)) % 4 < 2;

function named<T extends { readonly name: string }>(all: readonly T[], name: string): T {
  const found = all.find((one) => one.name === name);
  if (found === undefined) throw new Error(`nothing is called ${name}`);
  return found;
}

export async function linesOf(setting: TasksSetting, tasks: number): Promise<TaskLine[]> {
  const lines: TaskLine[] = [];
  for await (const { record } of runTasks(setting, tasks)) lines.push(lineOf(record));
  return lines;
}

/** As in the paper, or all tasks where there are no more than those it leaves out. */
export function countedOf<T extends { readonly task: number }>(lines: readonly T[]): readonly T[] {
  const late = lines.filter(({ task }) => task >= FIRST_COUNTED);
  return late.length > 0 ? late : lines;
}

const measureNames = ["goodShare", "goodRoundShare", "loss", "meanLoss", "accuracy", "spent"] as const;

export type MeasureName = (typeof measureNames)[number];

type Measures = Readonly<Record<MeasureName, number | null>>;

/** What is measured in one task; null where nobody was selected. */
const measuresOf = (line: TaskLine): Measures => ({
  goodShare: line.goodShare,
  goodRoundShare: line.goodRoundShare,
  loss: line.losses.at(-1) ?? null,
  meanLoss: meanOf(line.losses),
  accuracy: line.accuracies.at(-1) ?? null,
  spent: line.spent,
});

/** Of those that are known; null where none is. */
const meanOf = (values: readonly (number | null)[]): number | null => mean(values) ?? null;

/** Means over the tasks that count; null where no task has a value. */
export function meansOf(lines: readonly TaskLine[]): Measures {
  const counted = countedOf(lines).map(measuresOf);
  const means = measureNames.map((name) => [name, meanOf(counted.map((line) => line[name]))]);
  return Object.fromEntries(means);
}

/** Values of one measure, and which task or seed each is of; null where nobody was selected. */
export interface Units {
  readonly values: readonly (number | null)[];
  readonly at: readonly number[];
}

export const taskUnits = (lines: readonly TaskLine[], measure: MeasureName): Units => ({
  values: countedOf(lines).map((line) => measuresOf(line)[measure]),
  at: countedOf(lines).map(({ task }) => task),
});

export const seedUnits = (seeds: readonly Measures[], measure: MeasureName): Units => ({
  values: seeds.map((means) => means[measure]),
  at: [...seeds.keys()],
});

export const estimateOf = ({ values }: Pick<Units, "values">): Estimate =>
  estimate(values.filter((value) => value !== null));

/** The first less the second in the same tasks or seeds, where both have a value. */
export function differenceOf(one: Units, other: Units, together = 1): Estimate {
  const there = new Map(other.at.map((at, k) => [at, other.values[k] ?? null]));
  const pairs = one.values.map((value, k) => [value, there.get(one.at[k]!) ?? null] as const);
  return estimate(
    pairs.flatMap(([a, b]) => (a === null || b === null ? [] : [a - b])),
    together,
  );
}

export interface SeriesCell {
  readonly kind: "series";
  readonly dataset: DatasetName;
  readonly tasks: number;
  readonly populations: readonly Population[];
}

/** For each seed, the means of each population. */
export type SeriesFound = readonly (readonly Measures[])[];

/** Under the surrogate, means by population; a seed gives all the same workers, costs, arrivals and noise. */
export const seriesJob = collectJob(
  async ({ dataset, tasks, populations }: SeriesCell, k, context): Promise<Measures[]> => {
    const own = context.stream.fork("series").fork(k);
    const types = recalled();
    const found: Measures[] = [];
    for (const population of populations) {
      const setting = { ...settingOf(population, context, own), trainer: surrogate({ dataset }) };
      found.push(meansOf(await linesOf({ ...setting, types: types() }, tasks)));
    }
    return found;
  },
  ({ tasks, populations }) => 1.5 * tasks * populations.length,
);

/** Costs and arrivals are asked for in the same order by every run of a seed: drawn once, for drawing takes longest. */
export function recalled(): (skipped?: number) => NonNullable<TasksSetting["types"]> {
  const drawn: ReturnType<typeof paperTypes>[] = [];
  return (skipped = 0) => {
    let calls = skipped;
    return (worker, rules, stream) => {
      const call = calls++;
      drawn[call] ??= paperTypes(worker, rules, stream);
      return drawn[call];
    };
  };
}

/** Recorded runs with the usual settings in which all tell the truth. */
export const usualRuns = (dataset: DatasetName): RecordedRuns["runs"] =>
  recordedTables[dataset].runs.filter(({ agent, settings }) => agent === null && settings === undefined);

/** When and how runs were recorded. */
export const recordingsTable = (all: readonly RecordedRuns[]): Table =>
  tableOf(
    "recordings",
    "When and how the recorded runs were made",
    all.flatMap(({ provenance, runs }) => runs.map((run) => ({ provenance, ...run }))),
    [
      column.text("command", "Command"),
      column.text("finished", "Date"),
      column.count("tasks", "Tasks", ({ tasks }) => tasks.length),
      column.amount("minutes", "Minutes", ({ seconds }) =>
        seconds === null ? null : Math.round(seconds / 6) / 10,
      ),
      column.text("candor", "candor", ({ provenance }) =>
        [provenance?.candor, provenance?.commit].filter((part) => part != null).join(" "),
      ),
      column.text("software", "Software", ({ provenance }) =>
        provenance === null ? "" : `TensorFlow.js ${provenance.tfjs}, Node ${provenance.node}`,
      ),
      column.text("machine", "Machine", ({ provenance }) => provenance?.machine ?? ""),
    ],
  );
