/** From the flags of `candor train` to what is run, and to the task it begins with. */

import { existsSync, readFileSync } from "node:fs";
import { plainError, showValue } from "../lib/errors.js";
import { parseSettings } from "../lib/options.js";
import { stream } from "../lib/random.js";
import type { DatasetName } from "../training/datasets.js";
import { paperPopulation, paperTaskRules } from "../training/population.js";
import {
  packedRuns,
  printedTasks,
  type RecordedSeries,
  type RunSettings,
  seriesOf,
  stateOf,
} from "../training/recordings.js";
import { reputationOptions, reputationSettings } from "../training/reputation.js";
import { firstState, type TasksSetting, type TasksState } from "../training/tasks.js";
import { resolveMechanism } from "./mechanism.js";
import { resolveTrainer } from "./trainer.js";

/** Pictures that each worker has, unless told otherwise. */
export const SAMPLES = 1000;

export interface TrainFlags {
  readonly tasks: number;
  readonly workers: number;
  readonly samples: number;
  readonly mechanism: string;
  readonly trainer: string;
  readonly dataset: DatasetName;
  readonly data?: string;
  readonly budget: number;
  readonly rounds: number;
  readonly seed: string;
  readonly agent?: string;
  readonly reputation?: string;
  readonly threads: number;
  readonly out?: string;
  readonly resume?: boolean;
  readonly continue?: string;
  readonly json?: boolean;
}

export async function settingOf(flags: TrainFlags, signal: AbortSignal): Promise<TasksSetting> {
  const { rounds, budget, dataset, threads } = flags;
  const mechanism = await resolveMechanism(flags.mechanism);
  const agent =
    flags.agent === undefined ? undefined : await (await import("./agent.js")).resolveAgent(flags.agent);
  const changes =
    flags.reputation === undefined ? {} : parseSettings(flags.reputation, reputationOptions, "--reputation");
  return {
    workers: paperPopulation(flags.workers, flags.samples),
    rules: { ...paperTaskRules, budget, rounds },
    mechanism,
    trainer: await resolveTrainer(flags.trainer, { dataset, folder: flags.data, threads }),
    stream: stream(flags.seed),
    reputation: reputationSettings(changes),
    agents: () => agent,
    signal,
  };
}

/** Of what numbers depend on, what is not as usual. */
export function unusualOf({ samples, budget, rounds, reputation }: TrainFlags): RunSettings {
  const usual = { samples: SAMPLES, budget: paperTaskRules.budget, rounds: paperTaskRules.rounds };
  const changed = Object.entries({ samples, budget, rounds }).filter(
    ([name, value]) => value !== usual[name as keyof typeof usual],
  );
  return { ...Object.fromEntries(changed), ...(reputation !== undefined && { reputation }) };
}

/** What --continue's file leaves to the next task; without one, what the first task starts from. */
export function startOf(flags: TrainFlags, { workers, agents }: TasksSetting): TasksState {
  const source = flags.continue;
  if (source === undefined) return firstState;
  if (!existsSync(source)) throw plainError(source, "no such file");
  if (workers.some((worker) => agents?.(worker)?.traits.learns))
    throw plainError(
      "--continue",
      `${flags.agent} learns from all earlier auctions, which recordings do not hold; keep the run with --out and --resume it`,
    );
  const run = runOf(flags, source);
  const state = stateOf(run, source);
  if (state.tasks >= flags.tasks)
    throw plainError(
      source,
      `holds ${state.tasks} tasks already, and --tasks is how many there are to be in all: ${flags.tasks}`,
    );
  return state;
}

function runOf(flags: TrainFlags, source: string): RecordedSeries {
  const { mechanism, agent = null, trainer, seed, workers, dataset } = flags;
  const wanted = { dataset, mechanism, agent, trainer, seed, workers, settings: unusualOf(flags) };
  const { runs, ...file } = source.endsWith(".json") ? packedIn(source) : printedIn(source);
  const differences = runs.map((run) => differencesOf({ ...file, settings: {}, ...run }, wanted));
  const found = differences.findIndex(({ length }) => length === 0);
  if (found >= 0) return runs[found]!;
  const [nearest = []] = differences.sort((a, b) => a.length - b.length);
  throw plainError(source, `holds no such run: ${nearest[0] ?? "it is empty"}`);
}

type Comparable = Readonly<Record<string, unknown>>;

const differencesOf = (there: Comparable, here: Comparable): string[] =>
  Object.keys(here)
    .map((name) => [name, showValue(there[name]), showValue(here[name])] as const)
    .filter(([, old, now]) => old !== now)
    .map(([name, old, now]) => `${name} is ${old} there, ${now} here`);

const packedIn = (source: string) => packedRuns(readFileSync(source, "utf8"), source);

function printedIn(source: string) {
  const lines = printedTasks(readFileSync(source, "utf8"), source);
  const run = seriesOf(lines, { source, finished: "", seconds: null });
  return { runs: [run], dataset: lines[0]!.dataset };
}
