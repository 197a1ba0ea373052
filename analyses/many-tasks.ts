/** Lies over many tasks: less work than promised, and new names; what reputation does about them, and what that costs newcomers. */

import { cumsum, mean, sum } from "d3-array";
import { freeloader } from "../agents/freeloader.js";
import { shirker } from "../agents/shirker.js";
import { whitewasher } from "../agents/whitewasher.js";
import type { AnyAgent } from "../src/agents/agent.js";
import type { AnyMechanism } from "../src/auction/mechanism.js";
import { type Stream, shuffled } from "../src/lib/random.js";
import { medianOf } from "../src/lib/statistics.js";
import type { Analysis } from "../src/study/analysis.js";
import { collectJob, type JobContext, type Profile } from "../src/study/job.js";
import { GOOD, paperPopulation, paperTaskRules } from "../src/training/population.js";
import { reputationSettings } from "../src/training/reputation.js";
import { parameters, surrogate } from "../src/training/surrogate.js";
import { firstState, runTasks, type TaskStep, type TasksSetting } from "../src/training/tasks.js";
import { charts, findings, idle, methods, TRUTH, tables } from "./many-tasks/views.js";
import { recalled } from "./shared/training.js";

export interface ManyTasksSettings {
  readonly seeds: number;
  readonly tasks: number;
  /** Reputations that new names start with. */
  readonly newcomers: readonly number[];
  /** The task before which an honest newcomer comes. */
  readonly joins: number;
  /** The part of all workers that lies, where not one does alone. */
  readonly share: number;
}

const size = { newcomers: [0, 0.1, 0.2, 0.3, 0.4, 0.5], joins: 6, share: 0.3 };

const profiles: Record<Profile, ManyTasksSettings> = {
  quick: { ...size, seeds: 30, tasks: 20 },
  full: { ...size, seeds: 300, tasks: 70, newcomers: Array.from({ length: 13 }, (_, k) => k / 20) },
};

/** Beside the truth. */
const efforts: readonly AnyAgent[] = [freeloader(), shirker(), shirker({ sends: "noise" }), idle];

/** What was found in one seed. Everything in it is paired: workers, costs, arrivals, data and noise are the same. */
export interface SeedFound {
  /** A worker with right labels, alone among the truthful; by agent, the truth first. */
  readonly alone: Readonly<Record<string, Lived>>;
  /** A part of all workers, by agent. */
  readonly together: Readonly<Record<string, Lived>>;
  /** By the reputation of newcomers. */
  readonly newcomers: readonly NewcomersFound[];
}

/** What a new name is worth, on average over tasks: utility on top of that of the same worker who keeps its name. */
export interface NewcomersFound {
  readonly newcomer: number;
  /** A worker with wrong labels that trains. */
  readonly wrong: number;
  /** A worker with right labels that never trains: beside the same that does not train, and beside the same that does. */
  readonly idle: number;
  readonly idleBesideHonest: number;
  /** A worker with right labels that trains, and is new. */
  readonly honest: number;
  /** The share of tasks in which it is selected. */
  readonly honestSelected: number;
}

/** A run of all tasks, or of those that are left. */
interface Run {
  /** Who plays; the truth if left out. */
  readonly agent?: AnyAgent;
  /** Whom it plays; everybody else tells the truth. */
  readonly liars?: readonly number[];
  readonly newcomer?: number;
  readonly from?: TaskStep["state"];
}

const dataset = "mnist";

/** Runs of one seed: the same workers, costs, arrivals and noise in each. */
function runsOf(tasks: number, stream: Stream, mechanism: AnyMechanism): Seed["run"] {
  const workers = paperPopulation();
  const types = recalled();
  return async ({ agent, liars = [], newcomer = 0.5, from = firstState }: Run) => {
    const setting: TasksSetting = {
      ...{ workers, rules: paperTaskRules, mechanism, stream, trainer: surrogate({ dataset }) },
      reputation: reputationSettings({ newcomer }),
      agents: ({ id }) => (liars.includes(id) ? agent : undefined),
      types: types(workers.length * from.tasks),
    };
    const steps: TaskStep[] = [];
    for await (const step of runTasks(setting, tasks, from)) steps.push(step);
    return steps;
  };
}

async function look(cell: ManyTasksSettings, k: number, context: JobContext): Promise<SeedFound> {
  const stream = context.stream.fork(k);
  const order = shuffled(paperPopulation(), stream.fork("order"));
  const right = order.find(({ accuracy }) => accuracy === GOOD)!.id;
  const wrong = order.find(({ accuracy }) => accuracy < GOOD)!.id;
  const some = order.slice(0, Math.round(cell.share * order.length)).map(({ id }) => id);
  const run = runsOf(cell.tasks, stream, context.mechanism);
  const truth = await run({});
  const alone: Record<string, Lived> = { [TRUTH]: livedOf(truth, [right]) };
  const together: Record<string, Lived> = { [TRUTH]: livedOf(truth, some) };
  for (const agent of efforts) {
    alone[agent.name] = livedOf(await run({ agent, liars: [right] }), [right]);
    together[agent.name] = livedOf(await run({ agent, liars: some }), some);
  }
  const newcomers: NewcomersFound[] = [];
  for (const newcomer of cell.newcomers)
    newcomers.push(await newcomerAt(newcomer, { run, truth, alone, right, wrong, joins: cell.joins }));
  return { alone, together, newcomers };
}

interface Seed extends Pick<SeedFound, "alone">, Pick<ManyTasksSettings, "joins"> {
  readonly run: (run: Run) => Promise<TaskStep[]>;
  readonly truth: readonly TaskStep[];
  readonly right: number;
  readonly wrong: number;
}

async function newcomerAt(newcomer: number, seed: Seed): Promise<NewcomersFound> {
  const { run, truth, alone, right, wrong, joins } = seed;
  const bad = livedOf(await run({ agent: whitewasher(), liars: [wrong], newcomer }), [wrong]).utility;
  const lazy = livedOf(await run({ agent: idle, liars: [right], newcomer }), [right]).utility;
  // The honest one is new before a task, and is compared with itself, there from the beginning, from that task on.
  const { state } = truth[joins - 2]!;
  const from = { ...state, reputations: { ...state.reputations, [right]: newcomer } };
  const honest = livedOf(await run({ newcomer, from }), [right]);
  return {
    newcomer,
    wrong: bad - livedOf(truth, [wrong]).utility,
    idle: lazy - alone[shirker().name]!.utility,
    idleBesideHonest: lazy - alone[TRUTH]!.utility,
    honest: honest.utility - livedOf(truth.slice(joins - 1), [right]).utility,
    honestSelected: honest.selected,
  };
}

/** What became of some workers over the tasks of a run: means over workers, and over tasks unless they are by task. */
function livedOf(steps: readonly TaskStep[], ids: readonly number[]) {
  const records = steps.map(({ record }) => record);
  const cases = ids.length * records.length;
  const theirs = records.map(({ selected }) => selected.filter(({ id }) => ids.includes(id)));
  const earnedIn = theirs.map((some) => sum(some, ({ utility }) => utility) / ids.length);
  const reputations = records.map((record) => mean(ids, (id) => record.reputations[id])!);
  const paid = sum(theirs.flat(), ({ payment }) => payment);
  const spent = sum(records, (record) => record.spent);
  return {
    utility: mean(earnedIn)!,
    payment: paid / cases,
    selected: theirs.flat().length / cases,
    /** Per worker, in all. */
    newNames: mean(ids, (id) => new Set(records.map(({ names }) => names?.[id] ?? id)).size - 1)!,
    /** Of all that was paid, what these workers got. */
    paidShare: paid / Math.max(1e-12, spent),
    found: foundAfter(records, ids),
    /** After the last round; of an untrained model where nobody was selected. */
    loss: mean(records, ({ loss }) => loss ?? parameters[dataset].first.loss)!,
    /** After each task. */
    reputations,
    /** What was earned up to each task. */
    earned: [...cumsum(earnedIn)],
  };
}

export type Lived = ReturnType<typeof livedOf>;

/** The task after which the reputation of the worker in the middle has fallen to half of the first; null if it has not. */
function foundAfter(records: readonly TaskStep["record"][], ids: readonly number[]): number | null {
  const half = reputationSettings().start / 2;
  const found = ids.map((id) => {
    const at = records.findIndex(({ reputations }) => reputations[id]! <= half);
    return at < 0 ? Number.POSITIVE_INFINITY : at + 1;
  });
  const middle = medianOf(found);
  return Number.isFinite(middle) ? middle : null;
}

export interface ManyTasksResult {
  readonly settings: ManyTasksSettings;
  readonly mechanism: string;
  readonly seeds: readonly SeedFound[];
}

export const manyTasks: Analysis<ManyTasksSettings, ManyTasksSettings, SeedFound[], ManyTasksResult> = {
  name: "many-tasks",
  question: "What do workers gain over many tasks by working less than promised and by new names?",
  part: "training",
  options: { seeds: { from: 2, to: 100_000, whole: true }, tasks: { from: 6, to: 10_000, whole: true } },
  settings: ({ profile, options }) => ({ ...profiles[profile], ...options }),
  plan: (settings) => [{ cell: settings, markets: settings.seeds }],
  job: collectJob(
    look,
    ({ tasks, newcomers }) => 1.5 * tasks * (1 + 2 * efforts.length + 3 * newcomers.length),
  ),
  conclude: ([gathered], settings, { mechanism }) => ({
    settings,
    mechanism: mechanism.name,
    seeds: gathered?.summary ?? [],
  }),
  tables,
  charts,
  findings,
  methods,
};
