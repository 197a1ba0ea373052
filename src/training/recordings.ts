/** What was recorded of real training: runs of repeated tasks, and single tasks that the surrogate is fitted to. */

import { z } from "zod";
import { plainError, showValue } from "../lib/errors.js";
import { parseJson } from "../lib/json.js";
import { type Stream, weightedIndex } from "../lib/random.js";
import { conforming, numberFrom } from "../lib/schema.js";
import type { DatasetName } from "./datasets.js";
import { accuracyClasses, paperPopulation } from "./population.js";
import fashionCurves from "./recorded/curves-fashion.json" with { type: "json" };
import mnistCurves from "./recorded/curves-mnist.json" with { type: "json" };
import history from "./recorded/history-mnist.json" with { type: "json" };
import lies from "./recorded/lies-mnist.json" with { type: "json" };
import fashionTables from "./recorded/tables-fashion.json" with { type: "json" };
import mnistTables from "./recorded/tables-mnist.json" with { type: "json" };
import type { TaskRecord, TasksState } from "./tasks.js";

/** What a run is of; two runs with the same can be one, in two parts. */
interface RunKey {
  readonly mechanism: string;
  /** Who played the workers; null where they told the truth. */
  readonly agent: string | null;
  readonly trainer: string;
  readonly seed: string;
  readonly workers: number;
  /** Those of `candor train` that were not the usual ones. */
  readonly settings?: RunSettings;
}

export type RunSettings = Readonly<Record<string, string | number>>;

/** The setting that is no option, but a checksum of what the file of --population holds. */
export const POPULATION_CONTENTS = "contents of the population";

/** Tasks one after another under one mechanism. */
export interface RecordedSeries extends RunKey {
  readonly command: string;
  /** The day it ended. */
  readonly finished: string;
  /** From beginning to end; null where it was not measured. */
  readonly seconds: number | null;
  /** After the last task, by id, in full precision: what the next task starts from. Runs from before this was kept have none. */
  readonly reputations?: readonly number[];
  /** Then, of those who have taken new names. */
  readonly names?: Readonly<Record<string, number>>;
  readonly tasks: readonly TaskLine[];
}

export interface RunProvenance {
  readonly candor: string;
  readonly commit: string | null;
  readonly tfjs: string;
  readonly node: string;
  readonly machine: string;
}

export interface RecordedRuns {
  readonly dataset: string;
  /** Null as long as nothing was recorded. */
  readonly provenance: RunProvenance | null;
  readonly runs: readonly RecordedSeries[];
}

/** A line of `candor train --json`. */
export interface PrintedTask extends TaskRecord, Omit<RunKey, "agent" | "workers"> {
  readonly dataset: string;
  readonly agent?: string;
}

const to5 = (x: number): number => Number(x.toFixed(5));

export type TaskLine = Readonly<ReturnType<typeof lineOf>>;

/** A task in a few rounded figures: losses and accuracies after each round, mean reputations by accuracy class, null where that is empty. */
export function lineOf(record: TaskRecord) {
  const { task, selected, goodShare, goodRoundShare, spent, rounds } = record;
  return {
    task,
    selected: selected.length,
    goodShare: goodShare === null ? null : to5(goodShare),
    goodRoundShare: goodRoundShare === null ? null : to5(goodRoundShare),
    spent: to5(spent),
    losses: rounds.map(({ loss }) => to5(loss)),
    accuracies: rounds.map(({ accuracy }) => to5(accuracy)),
    reputations: meanReputations(record),
  };
}

function meanReputations({ reputations }: TaskRecord): (number | null)[] {
  const values = paperPopulation(Object.keys(reputations).length);
  return accuracyClasses.map((label) => {
    const own = values.filter(({ accuracy }) => accuracy === label).map(({ id }) => reputations[id] ?? 0);
    return own.length === 0 ? null : to5(own.reduce((sum, one) => sum + one, 0) / own.length);
  });
}

interface SeriesAbout extends Pick<RecordedSeries, "finished" | "seconds"> {
  /** Starts every message. */
  readonly source: string;
  /** Runs that these lines may go on from. */
  readonly earlier?: readonly RecordedSeries[];
}

/** All lines of one run as a series. Where the first is not task 1, they go on from an earlier part of the same run. */
export function seriesOf(lines: readonly PrintedTask[], about: SeriesAbout): RecordedSeries {
  const { source, finished, seconds, earlier = [] } = about;
  const first = lines[0];
  if (first === undefined) throw plainError(source, "holds no finished task");
  const run = keyOf(first);
  const before = first.task === 1 ? undefined : earlier.find((one) => isSameRun(one, run));
  const begin = before?.tasks.length ?? 0;
  for (const [k, line] of lines.entries())
    checkLine(line, first, { at: `${source}:${k + 1}`, task: begin + k + 1 });
  const tasks = [...(before?.tasks ?? []), ...lines.map(lineOf)];
  const last = lines.at(-1)!;
  return {
    ...run,
    command: commandOf(run, { dataset: first.dataset, tasks: tasks.length }),
    finished,
    seconds: before === undefined ? seconds : sumOf(before.seconds, seconds),
    reputations: Object.values(last.reputations),
    ...(last.names && { names: last.names }),
    tasks,
  };
}

const sumOf = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? null : a + b;

const keyOf = ({ mechanism, agent, trainer, seed, settings, reputations }: PrintedTask): RunKey => ({
  mechanism,
  agent: agent ?? null,
  trainer,
  seed,
  workers: Object.keys(reputations).length,
  ...(settings && { settings }),
});

const keyText = ({ mechanism, agent, trainer, seed, workers, settings = {} }: RunKey): string =>
  JSON.stringify([mechanism, agent, trainer, seed, workers, Object.entries(settings).sort()]);

export const isSameRun = (one: RunKey, other: RunKey): boolean => keyText(one) === keyText(other);

function checkLine(line: PrintedTask, first: PrintedTask, { at, task }: { at: string; task: number }): void {
  if (line.task !== task) throw plainError(at, `expected task ${task}, got ${line.task}`);
  for (const field of ["mechanism", "trainer", "dataset", "seed", "agent"] as const)
    if (line[field] !== first[field])
      throw plainError(
        at,
        `${field}: expected ${showValue(first[field])} as before, got ${showValue(line[field])}`,
      );
}

function commandOf(
  { mechanism, trainer, seed, agent, workers, settings = {} }: RunKey,
  { dataset, tasks }: { readonly dataset: string; readonly tasks: number },
): string {
  const played = (agent?.split(" | ") ?? []).map((spec) => ` --agent ${spec}`).join("");
  const { [POPULATION_CONTENTS]: _contents, ...options } = settings;
  const set = Object.entries(options).map(([name, value]) => ` --${name} ${value}`);
  const counted = "population" in options ? "" : ` --workers ${workers}`;
  return `candor train --tasks ${tasks}${counted} --mechanism ${mechanism} --trainer ${trainer} --dataset ${dataset} --seed ${seed}${played}${set.join("")} --json`;
}

const reputation = z.number({ error: "a reputation" }).pipe(numberFrom(0, 1, "a reputation from 0 to 1"));

const text = z.string({ error: "a text" });

const namesSchema = z.record(text, z.int({ error: "a whole number" }), { error: "an object" }).optional();

const settingsSchema = z.record(text, z.union([text, z.number()]), { error: "an object" }).optional();

const taskSchema = z.looseObject(
  { task: z.int({ error: "a whole number from 1 on" }).min(1, { error: "a whole number from 1 on" }) },
  { error: "a task: an object" },
);

const printedSchema = taskSchema.extend({
  mechanism: text,
  trainer: text,
  dataset: text,
  seed: text,
  agent: text.optional(),
  settings: settingsSchema,
  reputations: z.record(text, reputation, { error: "the reputations after the task, by id" }),
  names: namesSchema,
});

const packedSchema = z.looseObject(
  {
    dataset: text,
    runs: z.array(
      z.looseObject({
        mechanism: text,
        agent: text.nullable(),
        trainer: text,
        seed: text,
        workers: z.int({ error: "a whole number" }),
        settings: settingsSchema,
        reputations: z.array(reputation, { error: "a list of reputations" }).optional(),
        names: namesSchema,
        tasks: z.array(taskSchema, { error: "a list of tasks" }),
      }),
      { error: "a list of runs" },
    ),
  },
  { error: "recorded runs: an object" },
);

/** The tasks that were printed; a run may still go on, and what follows the last end of a line is no task yet. */
export function printedTasks(printed: string, source: string): PrintedTask[] {
  const lines = printed.split("\n").slice(0, -1);
  return lines.map((line, k) => {
    const at = `${source}:${k + 1}`;
    return conforming(printedSchema, parseJson(line, at), { source: at }) as unknown as PrintedTask;
  });
}

/** What `npm run record:pack` wrote. */
export const packedRuns = (packed: string, source: string): RecordedRuns =>
  conforming(packedSchema, parseJson(packed, source), { source }) as unknown as RecordedRuns;

/** What the last task of a run left to the next. Agents that learn need more than a recording holds. */
export function stateOf({ tasks, reputations, names = {} }: RecordedSeries, source: string): TasksState {
  if (reputations === undefined)
    throw plainError(
      source,
      "does not hold each worker's reputation after the last task, so it cannot go on",
    );
  return { tasks: tasks.length, reputations: Object.fromEntries(reputations.entries()), names, past: [] };
}

/** One run under each of the mechanisms of the paper's Tables 1 and 2, as far as there was time. */
export const recordedTables: Readonly<Record<DatasetName, RecordedRuns>> = {
  mnist: mnistTables,
  fashion: fashionTables,
};

/** One run for each agent that everybody played. */
export const recordedLies: RecordedRuns = lies;

/** The same on MNIST under the other form of the reputation's formula: a tolerance, and contributions relative to a worker's own history. */
export const recordedHistory: RecordedRuns = history;

/** Rounded figures of one round; gains and cosines go by increasing id of those selected. */
export interface RecordedRound {
  readonly loss: number;
  readonly accuracy: number;
  readonly gains: readonly number[];
  readonly cosines: readonly number[];
}

/** random: drawn for the fit. paper and even: everybody works in every round of several tasks in a row. */
export type Design = "random" | "paper" | "even";

export interface Composition {
  readonly design: Design;
  /** Fixes the task's data and training. */
  readonly seed: string;
  /** Kept away from the fit, to test it. */
  readonly heldOut: boolean;
  /** By worker id: the share of labels that are right. */
  readonly accuracies: readonly number[];
  /** By worker id: the first round it works in; it works in all later ones too. */
  readonly joins: readonly number[];
}

export interface RecordedTask extends Composition {
  /** The model before the first round. */
  readonly before: { readonly loss: number; readonly accuracy: number };
  readonly rounds: readonly RecordedRound[];
}

export type CurveSettings = Readonly<(typeof mnistCurves)["settings"]>;

/** All tasks that were recorded on one data set. */
export interface RecordedCurves {
  readonly provenance: Readonly<(typeof mnistCurves)["provenance"]>;
  readonly settings: CurveSettings;
  readonly tasks: readonly RecordedTask[];
}

/** The ids that work in a round, counted from 1. */
export const selectedIn = ({ joins }: Pick<Composition, "joins">, round: number): number[] =>
  [...joins.keys()].filter((id) => joins[id]! <= round);

export interface Plan {
  /** How many tasks are drawn. */
  readonly tasks: number;
  /** The most workers in a drawn task. */
  readonly most: number;
  /** In every sixth drawn task there are up to this many, and at least half of it. */
  readonly large: number;
  readonly rounds: number;
  /** Workers per accuracy, the same number of each; none: no such tasks. */
  readonly even: readonly number[];
  /** In the paper's mix, 3 : 1 : 1 : 1. */
  readonly paper: readonly number[];
}

/** Tasks in a row with a fixed mix: as many as reputations are given to settle. */
const IN_A_ROW = 5;

/** The workers of the tasks to record: drawn to cover what auctions may select, and two fixed mixes. */
export function compositions(plan: Plan, stream: Stream): Composition[] {
  const drawn = Array.from({ length: plan.tasks }, (_, k) => draw(plan, k, stream.fork("random").fork(k)));
  return [...drawn, ...fixed("even", plan.even), ...fixed("paper", plan.paper)];
}

function fixed(design: "paper" | "even", counts: readonly number[]): Composition[] {
  const accuracies = counts.flatMap((count, k) => Array.from({ length: count }, () => accuracyClasses[k]!));
  if (accuracies.length === 0) return [];
  return Array.from({ length: IN_A_ROW }, (_, k) => ({
    design,
    seed: `${design} ${k}`,
    heldOut: true,
    accuracies,
    joins: accuracies.map(() => 1),
  }));
}

/** In every other task some join later, as they do in the auction; every fourth is kept to test the fit. */
function draw({ most, large, rounds }: Plan, index: number, stream: Stream): Composition {
  const size = index % 6 === 5 ? large - stream.below(large / 2) : 1 + stream.below(most);
  const weights = accuracyClasses.map(() => (-Math.log(1 - stream.next())) ** 1.5);
  const accuracies = Array.from({ length: size }, () => accuracyClasses[weightedIndex(weights, stream)]!);
  const late = Array.from({ length: rounds }, (_, k) => 1 / (k + 1));
  const joins = accuracies.map((_, id) =>
    index % 2 === 0 || id === 0 ? 1 : 1 + weightedIndex(late, stream),
  );
  return { design: "random", seed: `random ${index}`, heldOut: index % 4 === 3, accuracies, joins };
}

export const recordedCurves: Readonly<Record<DatasetName, RecordedCurves>> = {
  mnist: mnistCurves as RecordedCurves,
  fashion: fashionCurves as RecordedCurves,
};
