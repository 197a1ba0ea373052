/** What is kept of repeated tasks that were trained for real: a line of figures for each, and how they came about. */

import { plainError, showValue } from "../lib/errors.js";
import type { DatasetName } from "./datasets.js";
import { accuracyClasses, paperPopulation } from "./population.js";
import lies from "./recorded/lies-mnist.json" with { type: "json" };
import fashion from "./recorded/tables-fashion.json" with { type: "json" };
import mnist from "./recorded/tables-mnist.json" with { type: "json" };
import type { TaskRecord } from "./task-record.js";

/** A task in a few rounded figures. */
export interface TaskLine {
  /** From 1 on. */
  readonly task: number;
  readonly selected: number;
  readonly goodShare: number | null;
  readonly goodRoundShare: number | null;
  readonly spent: number;
  /** After each round, on the publisher's test set. */
  readonly losses: readonly number[];
  readonly accuracies: readonly number[];
  /** Mean reputation after the task, by accuracy class; null where the class is empty. */
  readonly reputations: readonly (number | null)[];
}

/** Tasks one after another under one mechanism. */
export interface RecordedSeries {
  readonly mechanism: string;
  /** Who played the workers; null where they told the truth. */
  readonly agent: string | null;
  readonly trainer: string;
  readonly seed: string;
  readonly workers: number;
  readonly command: string;
  /** The day it ended. */
  readonly finished: string;
  /** From beginning to end; null where it was not measured. */
  readonly seconds: number | null;
  readonly tasks: readonly TaskLine[];
}

interface RunProvenance {
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
export interface PrintedTask extends TaskRecord {
  readonly mechanism: string;
  readonly trainer: string;
  readonly dataset: string;
  readonly seed: string;
  readonly agent?: string;
}

const to5 = (x: number): number => Number(x.toFixed(5));

export function lineOf(record: TaskRecord): TaskLine {
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

/** All lines of one run as a series; the source starts every message. */
export function seriesOf(
  lines: readonly PrintedTask[],
  { finished, seconds }: Pick<RecordedSeries, "finished" | "seconds">,
  source: string,
): RecordedSeries {
  const first = lines[0];
  if (first === undefined) throw plainError(source, "holds no finished task");
  for (const [k, line] of lines.entries()) checkLine(line, first, { source, task: k + 1 });
  const { mechanism, trainer, seed, agent = null } = first;
  const workers = Object.keys(first.reputations).length;
  const command = commandOf(first, { workers, tasks: lines.length });
  const kept = { mechanism, agent, trainer, seed, workers, command, finished, seconds };
  return { ...kept, tasks: lines.map(lineOf) };
}

function checkLine(
  line: PrintedTask,
  first: PrintedTask,
  { source, task }: { source: string; task: number },
) {
  if (line.task !== task) throw plainError(`${source}:${task}`, `expected task ${task}, got ${line.task}`);
  for (const field of ["mechanism", "trainer", "dataset", "seed", "agent"] as const)
    if (line[field] !== first[field])
      throw plainError(
        `${source}:${task}`,
        `${field}: expected ${showValue(first[field])} as before, got ${showValue(line[field])}`,
      );
}

function commandOf(
  { mechanism, trainer, dataset, seed, agent }: PrintedTask,
  { workers, tasks }: { readonly workers: number; readonly tasks: number },
): string {
  const played = agent === undefined ? "" : ` --agent ${agent}`;
  return `candor train --tasks ${tasks} --workers ${workers} --mechanism ${mechanism} --trainer ${trainer} --dataset ${dataset} --seed ${seed}${played} --json`;
}

/** One run under each of the mechanisms of the paper's Tables 1 and 2, as far as there was time. */
export const recordedTables: Readonly<Record<DatasetName, RecordedRuns>> = { mnist, fashion };

/** One run for each agent that everybody played. */
export const recordedLies: RecordedRuns = lies;
