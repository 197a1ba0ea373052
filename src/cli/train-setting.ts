/** From the flags of `candor train` to what is run, the task it begins with, and the journal that keeps it. */

import { existsSync, readFileSync } from "node:fs";
import { type HeldTask, type Player, playersOf, splitPlayer } from "../agents/play.js";
import { InputError, plainError, showValue } from "../lib/errors.js";
import { isDecimal } from "../lib/format.js";
import { parseSettings } from "../lib/options.js";
import { stream } from "../lib/random.js";
import { Journal, type JournalKind } from "../study/journal.js";
import { checksumOf } from "../study/study.js";
import { isFolder } from "../training/datasets.js";
import {
  type OwnWorker,
  ownTypes,
  paperPopulation,
  paperTaskRules,
  parsePopulation,
} from "../training/population.js";
import {
  POPULATION_CONTENTS,
  packedRuns,
  printedTasks,
  type RecordedSeries,
  type RunSettings,
  seriesOf,
  stateOf,
} from "../training/recordings.js";
import { reputationOptions, reputationSettings } from "../training/reputation.js";
import { firstState, type TaskRecord, type TasksSetting, type TasksState } from "../training/tasks.js";
import { readText } from "./files.js";
import { program } from "./program.js";
import { namedAgent, resolveMechanism, resolvePlayer, resolveTrainer } from "./resolve.js";
import { agentsText } from "./run.js";
import type { options } from "./train.js";
import type { FlagsOf } from "./values.js";

/** Pictures that each worker has, unless an option says how many. */
export const SAMPLES = 1000;

/** `own`: the workers in the file of --population. */
export type TrainFlags = FlagsOf<typeof options> & { readonly own?: readonly OwnWorker[] };

export interface TrainSetting extends TasksSetting {
  /** By worker; those that are not in it tell the truth. */
  readonly played: ReadonlyMap<number, Player>;
}

export async function settingOf(flags: TrainFlags, signal: AbortSignal): Promise<TrainSetting> {
  const { rounds, budget, dataset, threads } = flags;
  const mechanism = await resolveMechanism(flags.mechanism);
  const workers = flags.own ?? paperPopulation(flags.workers, flags.samples);
  if (flags.data !== undefined && isFolder(dataset))
    throw plainError("--data", `the folder is already named by --dataset ${dataset}`);
  const ids = workers.map(({ id }) => id);
  const players = await Promise.all(flags.agent.map(resolvePlayer));
  const played = playersOf(players, ids, stream(flags.seed).fork("players"));
  const changes =
    flags.reputation === undefined ? {} : parseSettings(flags.reputation, reputationOptions, "--reputation");
  return {
    workers,
    rules: { ...paperTaskRules, budget, rounds },
    mechanism,
    trainer: await resolveTrainer(flags.trainer, {
      dataset,
      folder: flags.data,
      threads,
      concentration: concentrationOf(flags),
    }),
    ...(flags.own && { types: ownTypes }),
    stream: stream(flags.seed),
    reputation: reputationSettings(changes),
    played,
    agents: ({ id }) => played.get(id)?.agent,
    signal,
  };
}

/** With the workers of --population, where it is given. */
export async function withPopulation(flags: TrainFlags): Promise<TrainFlags> {
  if (flags.population === undefined) return flags;
  const own = parsePopulation(await readText(flags.population), flags.population);
  return { ...flags, own, workers: own.length };
}

/** Undefined where all workers' pictures are alike. */
function concentrationOf({ split }: TrainFlags): number | undefined {
  if (split === "even") return undefined;
  const [, text] = /^dirichlet:(.+)$/.exec(split) ?? [];
  const value = text !== undefined && isDecimal(text) ? Number(text) : Number.NaN;
  if (value >= 0.001 && value <= 1e6) return value;
  const expected = '"even" or "dirichlet:" and a number from 0.001 to 1000000, as in dirichlet:0.5';
  throw new InputError({ source: "--split", path: [], expected, kind: "invalid", got: split });
}

/** What tells the workers of --population from others under the same name. */
const contentsOf = ({ own }: TrainFlags): RunSettings =>
  own === undefined ? {} : { [POPULATION_CONTENTS]: checksumOf(JSON.stringify(own)).slice(0, 16) };

/** All who play, in one text; undefined where there is none. */
export const agentOf = ({ agent }: Pick<TrainFlags, "agent">): string | undefined =>
  agentsText(agent.map((name) => ({ name })));

/** Of what numbers depend on, what is not as usual. */
export function unusualOf(flags: TrainFlags): RunSettings {
  const { samples, budget, rounds, reputation, population, split } = flags;
  const usual = { samples: SAMPLES, budget: paperTaskRules.budget, rounds: paperTaskRules.rounds };
  const changed = Object.entries({ samples, budget, rounds }).filter(
    ([name, value]) => value !== usual[name as keyof typeof usual],
  );
  return {
    ...Object.fromEntries(changed),
    ...(reputation !== undefined && { reputation }),
    ...(population !== undefined && { population, ...contentsOf(flags) }),
    ...(split !== "even" && { split }),
  };
}

/** What --continue's file leaves to the next task; without one, what the first task starts from. */
export function startOf(flags: TrainFlags, { workers, agents }: TasksSetting): TasksState {
  const source = flags.continue;
  if (source === undefined) return firstState;
  if (!existsSync(source)) throw plainError(source, "no such file");
  if (workers.some((worker) => agents?.(worker)?.traits.learns))
    throw plainError(
      "--continue",
      `${agentOf(flags)} learns from all earlier auctions, which recordings do not hold; keep the run with --out and --resume it`,
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

type Settings = Readonly<Record<string, unknown>>;

/** As in "seed is 1 there, 2 here"; `absent` stands for what is not set. */
function differencesOf(
  there: Settings,
  here: Settings,
  names = Object.keys({ ...here, ...there }),
  absent = "as usual",
): string[] {
  const shown = (value: unknown) => (value === undefined ? absent : showValue(value));
  return names
    .filter((name) => there[name] !== here[name])
    .map((name) => `${name} is ${shown(there[name])} there, ${shown(here[name])} here`);
}

function runOf(flags: TrainFlags, source: string): RecordedSeries {
  const { mechanism, trainer, seed, workers, dataset } = flags;
  const agent = agentOf(flags) ?? null;
  const wanted = { dataset, mechanism, agent, trainer, seed, workers };
  const unusual = unusualOf(flags);
  const { runs, ...file } = source.endsWith(".json")
    ? packedRuns(readFileSync(source, "utf8"), source)
    : printedIn(source);
  const differences = runs.map(({ settings = {}, ...run }) => [
    ...differencesOf({ ...file, ...run }, wanted, Object.keys(wanted)),
    ...differencesOf(settings, unusual),
  ]);
  const found = differences.findIndex(({ length }) => length === 0);
  if (found >= 0) return runs[found]!;
  const [nearest = []] = differences.sort((a, b) => a.length - b.length);
  throw plainError(source, `holds no such run: ${nearest[0] ?? "it is empty"}`);
}

function printedIn(source: string) {
  const lines = printedTasks(readFileSync(source, "utf8"), source);
  const run = seriesOf(lines, { source, finished: "", seconds: null });
  return { runs: [run], dataset: lines[0]!.dataset };
}

/** A finished task; the auction as well, where somebody learns from it. */
interface TaskLine {
  readonly record: TaskRecord;
  readonly held?: HeldTask;
}

export type TrainJournal = Journal<TaskLine>;

const journalKind: JournalKind<Settings> = {
  name: "train",
  difference: (there, here) => {
    const [first] = differencesOf(there, here, undefined, '"none"');
    return first === undefined ? null : `belongs to another training: ${first}`;
  },
  existing: { refused: "holds a training already; --resume goes on with it, or name another --out" },
  missing: "begun",
  damaged: "refused",
};

/** The journal of a folder, and what earlier runs have finished. */
export async function openJournal(
  folder: string,
  flags: TrainFlags,
): Promise<{ journal: TrainJournal; kept: readonly TaskLine[] }> {
  const kept: TaskLine[] = [];
  const journal = await Journal.open<TaskLine, Settings>(journalKind, {
    folder,
    heading: settingsOf(flags),
    resumes: flags.resume === true,
    warn: () => {},
    found: (line) => kept.push(line),
  });
  return { journal, kept };
}

/** All that numbers depend on; not how many tasks, nor on how many threads. */
function settingsOf(flags: TrainFlags): Settings {
  const {
    tasks: _t,
    threads: _threads,
    json: _json,
    out: _out,
    resume: _resume,
    agent: specs,
    own: _own,
    ...rest
  } = flags;
  const players = specs.map((spec) => splitPlayer(spec).agent);
  const contents = [flags.mechanism, flags.trainer, ...players]
    .map(namedAgent)
    .flatMap(({ spec, checksum }) => (checksum === null ? [] : [[`contents of ${spec}`, checksum]]));
  const agent = agentOf(flags);
  return {
    program: program(),
    ...rest,
    ...(agent !== undefined && { agent }),
    ...contentsOf(flags),
    ...Object.fromEntries(contents),
  };
}
