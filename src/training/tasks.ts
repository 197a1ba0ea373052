/** Repeated tasks: an auction picks the workers, they train, their reputation follows, and the next auction uses it. */

import { mean } from "d3-array";
import type { AnyAgent, PastTask } from "../agents/agent.js";
import { type Correction, playMarket, remember } from "../agents/play.js";
import type { Stream } from "../lib/random.js";
import type { Bid, Market, Rules, Worker } from "../market/market.js";
import { type AnyMechanism, hold, type Outcome } from "../mechanisms/mechanism.js";
import { publisherAccount, workerUtility } from "../mechanisms/outcome.js";
import { GOOD, paperTypes, type TaskType } from "./population.js";
import { afterTask, type ReputationSettings, reputationSettings } from "./reputation.js";
import type { RoundResult, Trainer, WorkerData, Worth } from "./trainer.js";

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

/** An auction that was held. */
export interface HeldTask {
  readonly market: Market;
  readonly bids: readonly Bid[];
  readonly outcome: Outcome;
}

/** All that a task leaves to the next: plain JSON. */
export interface TasksState {
  /** How many are over. */
  readonly tasks: number;
  /** By id; a worker that is not in it has the initial one. */
  readonly reputations: Readonly<Record<string, number>>;
  /** What agents that learn remember; empty where there are none. */
  readonly past: readonly HeldTask[];
}

export interface TaskStep {
  readonly record: TaskRecord;
  readonly held: HeldTask;
  /** After the task. */
  readonly state: TasksState;
}

export const firstState: TasksState = { tasks: 0, reputations: {}, past: [] };

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
  const { workers, reputation = reputationSettings() } = setting;
  const market = marketOf(setting, state, reputation);
  const held = holdTask(setting, market, state);
  const results = await trainTask(setting, held, task);
  const before = new Map(market.workers.map((worker) => [worker.id, worker.reputation]));
  const worths = results.map((result) => result.worths);
  const record = recordTask({
    task,
    workers,
    ...held,
    results,
    reputations: afterTask(before, worths, reputation),
  });
  return { record, held, state: stateAfter(setting, state, { record, held }) };
}

/** The state that a finished task leaves: what is written down of tasks is enough to go on from. */
export function stateAfter(
  { workers, agents }: Pick<TasksSetting, "workers" | "agents">,
  { past }: TasksState,
  { record, held }: { readonly record: TaskRecord; readonly held?: HeldTask | undefined },
): TasksState {
  const learns = workers.some((worker) => agents?.(worker)?.traits.learns);
  return { tasks: record.task, reputations: record.reputations, past: learns && held ? [...past, held] : [] };
}

function marketOf(
  { workers, rules, stream, types = paperTypes }: TasksSetting,
  { tasks, reputations }: TasksState,
  { start }: ReputationSettings,
): Market {
  const drawn = stream.fork("types").fork(tasks + 1);
  const typed = workers.map((worker) => ({
    id: worker.id,
    reputation: reputations[worker.id] ?? start,
    ...types(worker, rules, drawn),
  }));
  return { rules, workers: typed };
}

function holdTask(setting: TasksSetting, market: Market, { tasks, past }: TasksState): HeldTask {
  const mechanism = seeded(setting.mechanism, setting.stream.fork("mechanism").fork(tasks + 1));
  const data = new Map(setting.workers.map((worker) => [worker.id, worker]));
  const memories = past.map((held) => remember(held.market, held.bids, held.outcome));
  const bids = playMarket({
    market,
    agents: ({ id }) => setting.agents?.(data.get(id)!),
    stream: setting.stream.fork("bids").fork(tasks + 1),
    history: ({ id }): PastTask[] => memories.map((memory) => memory(id)),
    mechanism,
    ...(setting.onCorrection && { onCorrection: setting.onCorrection }),
  });
  return { market, bids, outcome: hold(mechanism, market, bids) };
}

/** Whatever a mechanism draws, it draws anew in every task: its option `seed`, where it has one, is set for each. */
function seeded(mechanism: AnyMechanism, stream: Stream): AnyMechanism {
  if (mechanism.options?.seed === undefined || mechanism.vary === undefined) return mechanism;
  return { ...mechanism.vary({ seed: stream.below(2 ** 31) }), name: mechanism.name };
}

/** Nothing where nobody was selected. */
async function trainTask(
  setting: TasksSetting,
  { market, outcome }: HeldTask,
  task: number,
): Promise<RoundResult[]> {
  const { workers, trainer, stream, onRound, signal } = setting;
  const results: RoundResult[] = [];
  if (outcome.workers.every(({ selectedAt }) => selectedAt === null)) return results;
  const data = stream.fork("data");
  const training = await trainer.start({
    workers,
    data,
    training: stream.fork("training").fork(task),
    signal,
  });
  try {
    for (let round = 1; round <= market.rules.rounds; round++) {
      signal?.throwIfAborted();
      results.push(await training.round(workingIn(round, outcome)));
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
  readonly accuracy: number;
  /** Before the task. */
  readonly reputation: number;
  readonly selectedAt: number;
  readonly rounds: number;
  readonly payment: number;
  readonly utility: number;
}

/** What the updates of workers of one label accuracy were worth in a round, on average. */
interface ClassRecord {
  readonly accuracy: number;
  readonly updates: number;
  readonly gain: number;
  readonly cosine: number;
}

interface RoundRecord {
  readonly round: number;
  readonly loss: number;
  readonly accuracy: number;
  /** The most accurate first; only those who worked. */
  readonly classes: readonly ClassRecord[];
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
  readonly rounds: readonly RoundRecord[];
  /** Of the last round, on the publisher's test set; null if there was none. */
  readonly loss: number | null;
  readonly accuracy: number | null;
  /** After the task, by id. */
  readonly reputations: Readonly<Record<string, number>>;
}

interface FinishedTask {
  readonly task: number;
  readonly workers: readonly WorkerData[];
  readonly market: Market;
  readonly outcome: Outcome;
  readonly results: readonly RoundResult[];
  readonly reputations: ReadonlyMap<number, number>;
}

function recordTask({ task, workers, market, outcome, results, reputations }: FinishedTask): TaskRecord {
  const data = new Map(workers.map((worker) => [worker.id, worker]));
  const { spent, publisherUtility } = publisherAccount(market.workers, outcome);
  const selected = selectedOf(market.workers, outcome, data);
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
  };
}

function selectedOf(
  workers: readonly Worker[],
  outcome: Outcome,
  data: ReadonlyMap<number, WorkerData>,
): SelectedRecord[] {
  const known = new Map(workers.map((worker) => [worker.id, worker]));
  return outcome.workers.flatMap((allotment): SelectedRecord[] => {
    const { id, selectedAt, rounds, payment } = allotment;
    if (selectedAt === null) return [];
    const [worker, { accuracy }] = [known.get(id)!, data.get(id)!];
    const utility = workerUtility(worker, allotment);
    return [{ id, accuracy, reputation: worker.reputation, selectedAt, rounds, payment, utility }];
  });
}

function goodPart(
  selected: readonly SelectedRecord[],
  weight: (one: SelectedRecord) => number,
): number | null {
  const sum = (some: readonly SelectedRecord[]) => some.reduce((total, one) => total + weight(one), 0);
  return selected.length === 0
    ? null
    : sum(selected.filter(({ accuracy }) => accuracy >= GOOD)) / sum(selected);
}

function roundOf(
  { loss, accuracy, worths }: RoundResult,
  round: number,
  data: ReadonlyMap<number, WorkerData>,
): RoundRecord {
  const classOf = ({ id }: Worth) => data.get(id)!.accuracy;
  const labels = [...new Set(worths.map(classOf))].sort((a, b) => b - a);
  const classes = labels.map((label) =>
    meansOf(
      label,
      worths.filter((worth) => classOf(worth) === label),
    ),
  );
  return { round, loss, accuracy, classes };
}

function meansOf(accuracy: number, worths: readonly Worth[]): ClassRecord {
  const meanOf = (field: "gain" | "cosine") => mean(worths, (worth) => worth[field])!;
  return { accuracy, updates: worths.length, gain: meanOf("gain"), cosine: meanOf("cosine") };
}
