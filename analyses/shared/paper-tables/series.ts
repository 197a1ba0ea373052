/** Repeated tasks under the surrogate, many times over: what auctions and liars do to the model on average. */

import type { AnyAgent } from "../../../src/agents/agent.js";
import type { Stream } from "../../../src/lib/random.js";
import type { AnyMechanism } from "../../../src/mechanisms/mechanism.js";
import { type JobContext, listing } from "../../../src/study/job.js";
import type { DatasetName } from "../../../src/training/datasets.js";
import {
  FIRST_COUNTED,
  paperPopulation,
  paperTaskRules,
  paperTypes,
} from "../../../src/training/population.js";
import { lineOf, type TaskLine } from "../../../src/training/recordings.js";
import { reputationSettings } from "../../../src/training/reputation.js";
import { surrogate } from "../../../src/training/surrogate.js";
import { runTasks, type TasksSetting } from "../../../src/training/tasks.js";
import type { RoundResult, Trainer, WorkerData } from "../../../src/training/trainer.js";

/** Who holds the auction, and who plays the workers. */
export interface Casting {
  readonly auction: string;
  /** Null for the truth. */
  readonly agent: string | null;
  /** Whether everybody plays it, or every second worker of each group and accuracy. */
  readonly part: "all" | "half";
  /** The reputation everybody starts with; null for the usual one. */
  readonly start: number | null;
}

export interface SeriesCell {
  readonly dataset: DatasetName;
  readonly tasks: number;
  readonly castings: readonly Casting[];
}

export const measureNames = [
  "goodShare",
  "goodRoundShare",
  "loss",
  "meanLoss",
  "accuracy",
  "spent",
  "selected",
] as const;

export type MeasureName = (typeof measureNames)[number];

/** Means over the tasks that count; null where no task has a value. */
export interface SeriesMeans extends Readonly<Record<MeasureName, number | null>> {
  /** Tasks in which nobody was selected. */
  readonly idle: number;
}

/** As in the paper, or all tasks where there are no more than those it leaves out. */
export function countedOf<T extends { readonly task: number }>(lines: readonly T[]): readonly T[] {
  const late = lines.filter(({ task }) => task >= FIRST_COUNTED);
  return late.length > 0 ? late : lines;
}

export const meanOf = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
};

/** What is measured in one task. */
export const measuresOf = (line: TaskLine): Readonly<Record<MeasureName, number | null>> => ({
  goodShare: line.goodShare,
  goodRoundShare: line.goodRoundShare,
  loss: line.losses.at(-1) ?? null,
  meanLoss: meanOf(line.losses),
  accuracy: line.accuracies.at(-1) ?? null,
  spent: line.spent,
  selected: line.selected,
});

export function seriesMeans(lines: readonly TaskLine[]): SeriesMeans {
  const counted = countedOf(lines).map(measuresOf);
  const means = measureNames.map((name) => [name, meanOf(counted.map((line) => line[name]))]);
  const idle = counted.filter(({ selected }) => selected === 0).length;
  return { ...(Object.fromEntries(means) as Record<MeasureName, number | null>), idle };
}

/** The same seed gives every casting the same workers, costs, arrivals and noise: differences are of the casting alone. */
export const seriesJob = listing(
  async ({ dataset, tasks, castings }: SeriesCell, k, context): Promise<SeriesMeans[]> => {
    const own = context.stream.fork("series").fork(k);
    const types = recalled();
    const found: SeriesMeans[] = [];
    for (const casting of castings) {
      const setting = { ...settingOf(casting, context, own), trainer: surrogate({ dataset }) };
      found.push(seriesMeans(await linesOf({ ...setting, types: types() }, tasks)));
    }
    return found;
  },
  ({ tasks, castings }) => 1.5 * tasks * castings.length,
);

/** Everybody tells the truth. */
export const truthfulUnder = (auction: string): Casting => ({
  auction,
  agent: null,
  part: "all",
  start: null,
});

export async function linesOf(setting: TasksSetting, tasks: number): Promise<TaskLine[]> {
  const lines: TaskLine[] = [];
  for await (const { record } of runTasks(setting, tasks)) lines.push(lineOf(record));
  return lines;
}

export function settingOf(
  { auction, agent, part, start }: Casting,
  { mechanisms, agents }: Pick<JobContext, "mechanisms" | "agents">,
  own: Stream,
): Omit<TasksSetting, "trainer"> {
  const played = agent === null ? undefined : named<AnyAgent>(agents, agent);
  const plays = ({ id }: WorkerData) => part === "all" || isSecond(id);
  return {
    workers: paperPopulation(),
    rules: paperTaskRules,
    mechanism: named<AnyMechanism>(mechanisms, auction),
    stream: own,
    agents: (worker) => (plays(worker) ? played : undefined),
    reputation: reputationSettings(start === null ? {} : { start }),
  };
}

/** Accuracies come back every twelve workers: whoever lies among one twelve tells the truth among the next. */
const isSecond = (id: number): boolean => (id + 2 * Math.floor(id / 12)) % 4 < 2;

export function named<T extends { readonly name: string }>(all: readonly T[], name: string): T {
  const found = all.find((one) => one.name === name);
  if (found === undefined) throw new Error(`nothing is called ${name}`);
  return found;
}

/** Costs and arrivals are asked for in the same order by every run of a seed: drawn once, for drawing takes longest. */
export function recalled(): () => NonNullable<TasksSetting["types"]> {
  const drawn: ReturnType<typeof paperTypes>[] = [];
  return () => {
    let calls = 0;
    return (worker, rules, stream) => {
      const call = calls++;
      drawn[call] ??= paperTypes(worker, rules, stream);
      return drawn[call];
    };
  };
}

/** Trains the first rounds of a task; from then on the model stays as it is. */
export const firstRounds = (trainer: Trainer, rounds: number): Trainer => ({
  ...trainer,
  async start(task) {
    const training = await trainer.start(task);
    const results: RoundResult[] = [];
    const round = async (selected: readonly number[]): Promise<RoundResult> => {
      if (results.length >= rounds) return { ...results.at(-1)!, worths: [] };
      results.push(await training.round(selected));
      return results.at(-1)!;
    };
    return { ...training, round };
  },
});
