/** Repeated tasks: an auction picks the workers, they train, their reputation follows, and the next auction uses it. */

import { group, mean, sum } from "d3-array";
import type { AnyAgent, Effort, PastTask, View } from "../agents/agent.js";
import {
  type Correction,
  earned,
  effortOf,
  type HeldTask,
  playMarket,
  remember,
  renames,
} from "../agents/play.js";
import { type AnyMechanism, type Outcome, runAuction } from "../auction/mechanism.js";
import { publisherAccount } from "../auction/outcome.js";
import type { Stream } from "../lib/random.js";
import { groupOf, type Market, type Rules, type Worker } from "../market/market.js";
import { GOOD, paperTypes, type TaskType } from "./population.js";
import { afterTask, type ReputationSettings, reputationSettings } from "./reputation.js";
import type { RoundResult, Trainer, WorkerData } from "./trainer.js";

export interface TasksSetting {
  readonly workers: readonly WorkerData[];
  readonly rules: Rules;
  readonly mechanism: AnyMechanism;
  readonly trainer: Trainer;
  /** Prices, arrivals, data and first models come from it by task and worker, so that they are the same for every mechanism and trainer. */
  readonly stream: Stream;
  readonly reputation?: ReputationSettings;
  /** A worker without an agent tells the truth. */
  readonly agents?: (worker: WorkerData) => AnyAgent | undefined;
  /** Costs and arrivals of a task, as in the paper if left out. */
  readonly types?: (worker: WorkerData, rules: Rules, stream: Stream) => TaskType;
  /** Told of every bid that had to be made legal. */
  readonly onCorrection?: (correction: Correction) => void;
  /** Called after every round of training. */
  readonly onRound?: (task: number, round: number) => void;
  /** Ends the training between two updates or rounds; what is thrown is its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** By worker, the name it goes by in auctions, where that is not its id any more. */
type Names = Readonly<Record<string, number>>;

/** All that a task leaves to the next: plain JSON. */
export interface TasksState {
  /** How many are over. */
  readonly tasks: number;
  /** By id; a worker that is not in it has the initial one. */
  readonly reputations: Readonly<Record<string, number>>;
  readonly names: Names;
  /** What agents that learn remember; empty where there are none. */
  readonly past: readonly HeldTask[];
}

export interface TaskStep {
  readonly record: TaskRecord;
  readonly held: HeldTask;
  /** After the task. */
  readonly state: TasksState;
}

export const firstState: TasksState = { tasks: 0, reputations: {}, names: {}, past: [] };

/** One task after another, until `count` tasks are over in all. */
export async function* runTasks(
  setting: TasksSetting,
  count: number,
  from: TasksState = firstState,
): AsyncGenerator<TaskStep> {
  for (let state = from; state.tasks < count; ) {
    const step = await nextTask(setting, state);
    state = step.state;
    yield step;
  }
}

export async function nextTask(setting: TasksSetting, state: TasksState): Promise<TaskStep> {
  const task = state.tasks + 1;
  const { reputation = reputationSettings() } = setting;
  const comers = comersOf(setting, state, reputation);
  const held = holdTask(setting, comers, state);
  const results = await trainTask(setting, { held, comers, task });
  const before = new Map(comers.map(({ data, self }) => [data.id, self.reputation]));
  const worths = results.map((result) => result.worths);
  const reputations = afterTask(before, worths, reputation);
  const record = recordTask({ task, comers, held, results, reputations });
  return { record, held, state: stateAfter(setting, state, { record, held }) };
}

/** The state that a finished task leaves: what is written down of tasks is enough to go on from. */
export function stateAfter(
  { workers, agents }: Pick<TasksSetting, "workers" | "agents">,
  { past }: TasksState,
  { record, held }: { readonly record: TaskRecord; readonly held?: HeldTask | undefined },
): TasksState {
  const learns = workers.some((worker) => agents?.(worker)?.traits.learns);
  const { reputations, names = {} } = record;
  return { tasks: record.task, reputations, names, past: learns && held ? [...past, held] : [] };
}

/** Somebody who comes to a task: its data, who plays it, and what it is in the auction, its name included. */
interface Comer {
  readonly data: WorkerData;
  readonly agent: AnyAgent | undefined;
  readonly self: Worker;
  readonly history: readonly PastTask[];
}

/** Whoever takes a new name for it has no past, and the reputation of a newcomer. */
function comersOf(
  { workers, rules, stream, types = paperTypes, agents }: TasksSetting,
  { tasks, reputations, names, past }: TasksState,
  { start, newcomer }: ReputationSettings,
): Comer[] {
  const drawn = stream.fork("types").fork(tasks + 1);
  const memories = past.map((held) => ({ held, memory: remember(held) }));
  let latest = Math.max(...workers.map(({ id }) => id), ...Object.values(names));
  return workers.map((data): Comer => {
    const id = names[data.id] ?? data.id;
    const self = { id, reputation: reputations[data.id] ?? start, ...types(data, rules, drawn) };
    const known = memories.filter(({ held }) => held.market.workers.some((worker) => worker.id === id));
    const comer = { data, agent: agents?.(data), self, history: known.map(({ memory }) => memory(id)) };
    if (!renames(comer.agent, viewOf(comer, rules), newcomer)) return comer;
    latest = freshName(id, latest);
    return { ...comer, self: { ...self, id: latest, reputation: newcomer }, history: [] };
  });
}

const viewOf = ({ self, history }: Comer, rules: Rules): View => ({ self, rules, history });

/** The next number that nobody has had, of the same group: a worker cannot choose its group, by a new name either. */
const freshName = (id: number, latest: number): number => latest + (groupOf(latest) === groupOf(id) ? 2 : 1);

function holdTask(setting: TasksSetting, comers: readonly Comer[], { tasks }: TasksState): HeldTask {
  const { rules } = setting;
  const mechanism = seeded(setting.mechanism, setting.stream.fork("mechanism").fork(tasks + 1));
  const market: Market = { rules, workers: comers.map(({ self }) => self) };
  const byName = new Map(comers.map((comer) => [comer.self.id, comer]));
  const bids = playMarket({
    market,
    agents: ({ id }) => byName.get(id)!.agent,
    stream: setting.stream.fork("bids").fork(tasks + 1),
    history: ({ id }) => byName.get(id)!.history,
    mechanism,
    ...(setting.onCorrection && { onCorrection: setting.onCorrection }),
  });
  const efforts = comers
    .map((comer) => [comer.self.id, effortOf(comer.agent, viewOf(comer, rules))] as const)
    .filter(([, effort]) => effort !== 1);
  const held = { market, bids, outcome: runAuction(mechanism, market, bids) };
  return efforts.length === 0 ? held : { ...held, efforts: Object.fromEntries(efforts) };
}

/** Whatever a mechanism draws, it draws anew in every task: its option `seed`, where it has one, is set for each. */
function seeded(mechanism: AnyMechanism, stream: Stream): AnyMechanism {
  if (mechanism.options?.seed === undefined || mechanism.vary === undefined) return mechanism;
  return { ...mechanism.vary({ seed: stream.below(2 ** 31) }), name: mechanism.name };
}

/** A task that was held, and for whom. */
interface HeldFor {
  readonly held: HeldTask;
  readonly comers: readonly Comer[];
  readonly task: number;
}

/** Nothing where nobody was selected. Trainers know workers by their data, whatever their names. */
async function trainTask(setting: TasksSetting, { held, comers, task }: HeldFor): Promise<RoundResult[]> {
  const { trainer, stream, onRound, signal } = setting;
  const { market, outcome, efforts = {} } = held;
  const results: RoundResult[] = [];
  if (outcome.workers.every(({ selectedAt }) => selectedAt === null)) return results;
  const dataOf = new Map(comers.map(({ self, data }) => [self.id, data.id]));
  const training = await trainer.start({
    workers: comers.map(({ self, data }) => {
      const effort = efforts[self.id];
      return effort === undefined ? data : { ...data, effort };
    }),
    data: stream.fork("data"),
    training: stream.fork("training").fork(task),
    signal,
  });
  try {
    for (let round = 1; round <= market.rules.rounds; round++) {
      signal?.throwIfAborted();
      results.push(await training.round(workingIn(round, outcome).map((name) => dataOf.get(name)!)));
      onRound?.(task, round);
    }
  } finally {
    training.end();
  }
  return results;
}

/** The ids of those who work in a round. */
export const workingIn = (round: number, { workers }: Outcome): number[] =>
  workers
    .filter(
      ({ selectedAt, rounds }) => selectedAt !== null && selectedAt <= round && round < selectedAt + rounds,
    )
    .map(({ id }) => id);

interface SelectedRecord {
  readonly id: number;
  /** What it goes by in the auction, where that is not its id any more. */
  readonly name?: number;
  /** How it trained, where that was not on all its data. */
  readonly effort?: Effort;
  readonly accuracy: number;
  /** Before the task. */
  readonly reputation: number;
  readonly selectedAt: number;
  readonly rounds: number;
  readonly payment: number;
  /** The payment less what its rounds cost it, by what it trained. */
  readonly utility: number;
}

/** What is kept of a task: plain JSON. */
export interface TaskRecord {
  /** From 1 on. */
  readonly task: number;
  readonly started: boolean;
  readonly startDelay: number | null;
  readonly spent: number;
  readonly publisherUtility: number;
  /** By id. */
  readonly selected: readonly SelectedRecord[];
  /** The share of selected workers whose labels are all right, as in Table 1; null if nobody was selected. */
  readonly goodShare: number | null;
  /** Their share of all rounds worked. */
  readonly goodRoundShare: number | null;
  /** None if nobody was selected: a task without workers has no model. */
  readonly rounds: readonly Readonly<ReturnType<typeof roundOf>>[];
  /** Of the last round, on the publisher's test set; null if there was none. */
  readonly loss: number | null;
  readonly accuracy: number | null;
  /** After the task, by id. */
  readonly reputations: Readonly<Record<string, number>>;
  /** Left out where everybody has its first name. */
  readonly names?: Names;
}

interface FinishedTask extends HeldFor {
  readonly results: readonly RoundResult[];
  readonly reputations: ReadonlyMap<number, number>;
}

function recordTask({ task, comers, held, results, reputations }: FinishedTask): TaskRecord {
  const { market, outcome } = held;
  const data = new Map(comers.map((comer) => [comer.data.id, comer.data]));
  const { spent, publisherUtility } = publisherAccount(market.workers, outcome);
  const selected = selectedOf(comers, held);
  const names = comers
    .map((comer) => [comer.data.id, comer.self.id] as const)
    .filter(([id, name]) => id !== name);
  return {
    task,
    started: outcome.started,
    startDelay: outcome.startDelay,
    spent,
    publisherUtility,
    selected,
    goodShare: goodPart(selected, () => 1),
    goodRoundShare: goodPart(selected, ({ rounds }) => rounds),
    rounds: results.map((result, k) => roundOf(result, k + 1, data)),
    loss: results.at(-1)?.loss ?? null,
    accuracy: results.at(-1)?.accuracy ?? null,
    reputations: Object.fromEntries(reputations),
    ...(names.length > 0 && { names: Object.fromEntries(names) }),
  };
}

function selectedOf(comers: readonly Comer[], { outcome, efforts = {} }: HeldTask): SelectedRecord[] {
  const got = new Map(outcome.workers.map((allotment) => [allotment.id, allotment]));
  const selected = comers.flatMap(({ data: { id, accuracy }, self }): SelectedRecord[] => {
    const { selectedAt, rounds, payment } = got.get(self.id)!;
    if (selectedAt === null) return [];
    const effort = efforts[self.id];
    return [
      {
        id,
        ...(self.id !== id && { name: self.id }),
        ...(effort !== undefined && { effort }),
        accuracy,
        reputation: self.reputation,
        selectedAt,
        rounds,
        payment,
        utility: earned(self, got.get(self.id)!, effort),
      },
    ];
  });
  return selected.sort((a, b) => a.id - b.id);
}

function goodPart(
  selected: readonly SelectedRecord[],
  weight: (one: SelectedRecord) => number,
): number | null {
  const good = selected.filter(({ accuracy }) => accuracy >= GOOD);
  return selected.length === 0 ? null : sum(good, weight) / sum(selected, weight);
}

/** With what the updates were worth on average, by the label accuracy of those who worked, the most accurate first. */
function roundOf(
  { loss, accuracy, worths }: RoundResult,
  round: number,
  data: ReadonlyMap<number, WorkerData>,
) {
  const byAccuracy = group(worths, ({ id }) => data.get(id)!.accuracy);
  const classes = [...byAccuracy].map(([accuracy, own]) => ({
    accuracy,
    updates: own.length,
    gain: mean(own, ({ gain }) => gain)!,
    cosine: mean(own, ({ cosine }) => cosine)!,
  }));
  return { round, loss, accuracy, classes: classes.sort((a, b) => b.accuracy - a.accuracy) };
}
