/** What is kept of a task: plain JSON. */

import type { Market, Worker } from "../market/market.js";
import type { Outcome } from "../mechanisms/mechanism.js";
import { publisherAccount, workerUtility } from "../mechanisms/outcome.js";
import { GOOD } from "./population.js";
import type { RoundResult, WorkerData, Worth } from "./trainer.js";

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

export function recordTask({
  task,
  workers,
  market,
  outcome,
  results,
  reputations,
}: FinishedTask): TaskRecord {
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
  const mean = (field: "gain" | "cosine") =>
    worths.reduce((sum, worth) => sum + worth[field], 0) / worths.length;
  return { accuracy, updates: worths.length, gain: mean("gain"), cosine: mean("cosine") };
}
