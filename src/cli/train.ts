/** `candor train`: repeated federated tasks. */

import { availableParallelism } from "node:os";
import type { Command } from "commander";
import { parseSettings } from "../options.js";
import { stream } from "../random.js";
import type { DatasetName } from "../training/files.js";
import { datasetNames } from "../training/files.js";
import { paperPopulation, paperTaskRules } from "../training/population.js";
import { reputationOptions, reputationSettings } from "../training/reputation.js";
import type { TaskRecord } from "../training/task-record.js";
import { runTasks, type TasksSetting } from "../training/tasks.js";
import type { Gauge } from "./gauge.js";
import { resolveMechanism } from "./mechanism.js";
import type { Session } from "./session.js";
import { headText, rowText, summaryText, titleText } from "./train-text.js";
import { resolveTrainer } from "./trainer.js";
import { integerOption, numberOption, wordOption } from "./values.js";

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
  readonly json?: boolean;
}

const examples = `
Half of the workers label all pictures right; a sixth each get 70 %, 40 % and 10 % right. Prices and arrivals are drawn anew
for every task, the same whatever the mechanism and the trainer. A mechanism that draws (it has an option "seed") does so anew
for every task, too. A task in which nobody is selected has no model, and so no loss.

Examples:
  candor train --tasks 10 --mechanism online
  candor train --tasks 3 --dataset fashion --mechanism vanilla --json > tasks.jsonl
  candor train --tasks 10 --agent learner --reputation "up=0.1,down=0.4"`;

export function define(command: Command, session: Session): void {
  const whole = (flag: string, to?: number) =>
    integerOption(flag, { from: 1, ...(to !== undefined && { to }) });
  command
    .option("--tasks <n>", "how many, one after another", whole("--tasks"), 70)
    .option("--workers <n>", "how many, of the paper's mix of accuracies", whole("--workers"), 30)
    .option("--samples <n>", "pictures that each worker has", whole("--samples", 60_000), 1000)
    .option("--mechanism <name>", "the auction; candor list shows what there is", "online")
    .option(
      "--trainer <name>",
      "who trains: a name, as in tfjs:rate=0.1, or a file; candor list shows what there is",
      "tfjs",
    )
    .option("--dataset <name>", datasetNames.join(" or "), wordOption("--dataset", datasetNames), "mnist")
    .option("--data <dir>", "the folder of the data set's IDX files, if not its package")
    .option("--budget <b>", "of each task", numberOption("--budget", { from: 0 }), paperTaskRules.budget)
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
    .option("--json", "one JSON object per task and line")
    .addHelpText("after", examples)
    .action((flags: TrainFlags) => train(flags, session));
}

async function train(flags: TrainFlags, session: Session): Promise<void> {
  const gauge = session.gauge();
  const setting = await settingOf(flags, session, gauge);
  const show = async (text: string) => {
    gauge.clear();
    await session.print(text);
  };
  if (!flags.json) await show(`${titleText(flags)}\n\n${headText()}\n`);
  const records: TaskRecord[] = [];
  try {
    for await (const { record } of runTasks(setting, flags.tasks)) {
      records.push(record);
      await show(`${flags.json ? JSON.stringify(lineOf(flags, record)) : rowText(record)}\n`);
      if (!(await session.goesOn())) break;
    }
  } catch (error) {
    if (!session.signal.aborted) throw error;
  }
  if (!flags.json) await show(`\n${summaryText(records, flags)}\n`);
}

/** Says of itself where it comes from. */
const lineOf = ({ mechanism, trainer, dataset, seed, agent }: TrainFlags, record: TaskRecord) => ({
  mechanism,
  trainer,
  dataset,
  seed,
  ...(agent !== undefined && { agent }),
  ...record,
});

async function settingOf(flags: TrainFlags, session: Session, gauge: Gauge): Promise<TasksSetting> {
  const { tasks, rounds, budget, dataset, threads } = flags;
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
    onRound: (task, round) =>
      gauge.show(
        (task - 1 + round / rounds) / tasks,
        `task ${task} of ${tasks}, round ${round} of ${rounds}`,
      ),
    signal: session.signal,
  };
}
