/** `candor train`: repeated federated tasks. */

import { availableParallelism } from "node:os";
import type { Command } from "commander";
import { plainError } from "../lib/errors.js";
import { datasetNames } from "../training/datasets.js";
import { paperTaskRules } from "../training/population.js";
import type { PrintedTask } from "../training/recordings.js";
import { reputationOptions } from "../training/reputation.js";
import {
  runTasks,
  stateAfter,
  type TaskRecord,
  type TasksSetting,
  type TasksState,
} from "../training/tasks.js";
import { defaultTrainer } from "../training/trainers.js";
import { Corrections } from "./cast.js";
import type { Gauge } from "./progress.js";
import type { Session } from "./session.js";
import { type Journal, openJournal } from "./train-journal.js";
import { SAMPLES, settingOf, startOf, type TrainFlags, unusualOf } from "./train-setting.js";
import { headText, rowText, summaryText, titleText } from "./train-text.js";
import { amountOption, integerOption, wordOption } from "./values.js";

const examples = `
Half of the workers label all pictures right; a sixth each get 70 %, 40 % and 10 % right. Prices and arrivals are drawn anew
for every task, the same whatever the mechanism and the trainer. A mechanism that draws (it has an option "seed") does so anew
for every task, too. A task in which nobody is selected has no model, and so no loss.

Examples:
  candor train --tasks 10 --mechanism online
  candor train --tasks 3 --dataset fashion --mechanism vanilla --json > tasks.jsonl
  candor train --tasks 10 --agent learner --reputation "up=0.1,down=0.4"
  candor train --out run --resume
  candor train --tasks 6 --dataset fashion --mechanism vanilla --continue tasks.jsonl --json >> tasks.jsonl`;

export function define(command: Command, session: Session): void {
  const whole = (flag: string, to?: number) =>
    integerOption(flag, { from: 1, ...(to !== undefined && { to }) });
  command
    .option("--tasks <n>", "how many, one after another", whole("--tasks"), 70)
    .option("--workers <n>", "how many, of the paper's mix of accuracies", whole("--workers"), 30)
    .option("--samples <n>", "pictures that each worker has", whole("--samples", 60_000), SAMPLES)
    .option("--mechanism <name>", "the auction; candor list shows what there is", "online")
    .option(
      "--trainer <name>",
      "who trains: a name, as in tfjs:rate=0.1, or a file; candor list shows what there is",
      defaultTrainer,
    )
    .option("--dataset <name>", datasetNames.join(" or "), wordOption("--dataset", datasetNames), "mnist")
    .option("--data <dir>", "the folder of the data set's IDX files, if not its package")
    .option("--budget <b>", "of each task", amountOption("--budget"), paperTaskRules.budget)
    .option("--rounds <t>", "of each task", whole("--rounds"), paperTaskRules.rounds)
    .option("--seed <s>", "any text", "1")
    .option("--agent <spec>", "who plays the workers: a name, a file or a formula, as in candor try")
    .option(
      "--reputation <settings>",
      `as in "up=0.2,down=0.5"; there are ${Object.keys(reputationOptions).join(", ")}`,
    )
    .option(
      "--threads <n>",
      "how many train at once; the results are the same",
      whole("--threads"),
      availableParallelism(),
    )
    .option("--out <dir>", "keeps every finished task in DIR/train.jsonl")
    .option("--resume", "goes on with what --out holds, with the same numbers as without the interruption")
    .option(
      "--continue <file>",
      "goes on from the last task that --json printed or record:pack packed; --tasks in all",
    )
    .option("--json", "one JSON object per task and line")
    .addHelpText("after", examples)
    .action((flags: TrainFlags) => train(flags, session));
}

async function train(flags: TrainFlags, session: Session): Promise<void> {
  if (flags.resume && flags.out === undefined)
    throw plainError("--resume", "goes on with what --out holds, so there must be an --out");
  const setting = await settingOf(flags, session.signal);
  const start = startOf(flags, setting);
  const journal = flags.out === undefined ? undefined : await openJournal(flags.out, flags);
  const advice = `interrupted; the same command with --resume goes on from ${journal?.path}`;
  if (journal !== undefined) session.keeps(journal.path, advice);
  try {
    const finished = await printTasks(flags, { setting, start, journal, gauge: session.gauge(), session });
    if (session.signal.aborted && journal !== undefined && finished > 0) session.warn(advice);
  } finally {
    await journal?.close();
  }
}

/** As they end; returns how many there are. */
async function printTasks(flags: TrainFlags, run: Run): Promise<number> {
  const { gauge, session } = run;
  const records: TaskRecord[] = [];
  const corrections = new Corrections();
  const setting = { ...run.setting, onCorrection: corrections.add };
  for await (const record of tasksOf(flags, { ...run, setting })) {
    gauge.clear();
    // Not before the first task is over: some input shows only then that it is no good.
    if (!flags.json && records.length === 0) await session.print(`${titleText(flags)}\n\n${headText()}\n`);
    records.push(record);
    await session.print(`${flags.json ? JSON.stringify(lineOf(flags, record)) : rowText(record)}\n`);
  }
  if (!flags.json)
    await session.print(
      `${records.length === 0 ? "" : "\n"}${summaryText(records, { tasks: flags.tasks - run.start.tasks })}\n`,
    );
  if (corrections.line !== null) session.warn(`warning: ${corrections.line}`);
  return records.length;
}

interface Run {
  readonly setting: TasksSetting;
  /** What is over before the first of these tasks. */
  readonly start: TasksState;
  readonly journal: Journal | undefined;
  readonly gauge: Gauge;
  readonly session: Session;
}

/** Those that are on disk already, then those to come; ends where it is interrupted. */
async function* tasksOf(
  flags: TrainFlags,
  { setting, start, journal, gauge, session }: Run,
): AsyncGenerator<TaskRecord> {
  const kept = (journal?.lines ?? []).slice(0, flags.tasks - start.tasks);
  let state = start;
  for (const line of kept) {
    state = stateAfter(setting, state, line);
    yield line.record;
  }
  const onRound = progressOf(flags, state.tasks, gauge);
  try {
    for await (const step of runTasks({ ...setting, onRound }, flags.tasks, state)) {
      const { record, held } = step;
      await journal?.add(step.state.past.length > 0 ? { record, held } : { record });
      yield record;
      if (!(await session.goesOn())) return;
    }
  } catch (error) {
    if (!session.signal.aborted) throw error;
  }
}

/** The share of what was left to do at the beginning, so that the time left is right. */
function progressOf({ tasks, rounds }: TrainFlags, before: number, gauge: Gauge) {
  return (task: number, round: number) => {
    const items = (task - 1 - before) * rounds + round;
    const what = `task ${task} of ${tasks}, round ${round} of ${rounds}`;
    gauge.show({ done: items / ((tasks - before) * rounds), what, items, unit: "rounds" });
  };
}

/** Says of itself where it comes from. */
function lineOf(flags: TrainFlags, record: TaskRecord): PrintedTask {
  const { mechanism, trainer, dataset, seed, agent } = flags;
  const settings = unusualOf(flags);
  return {
    mechanism,
    trainer,
    dataset,
    seed,
    ...(agent !== undefined && { agent }),
    ...(Object.keys(settings).length > 0 && { settings }),
    ...record,
  };
}
