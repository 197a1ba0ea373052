/** `candor train`: repeated federated tasks. */

import { availableParallelism } from "node:os";
import type { Command } from "commander";
import { group, mean, sum } from "d3-array";
import { plainError } from "../lib/errors.js";
import { brief, columnOf, counted, table } from "../lib/format.js";
import { type Estimate, estimate, FEWEST } from "../lib/statistics.js";
import { barOn, type Gauge } from "../study/progress.js";
import { datasetNames, isFolder } from "../training/datasets.js";
import { FIRST_COUNTED, paperTaskRules } from "../training/population.js";
import type { PrintedTask } from "../training/recordings.js";
import { reputationOptions } from "../training/reputation.js";
import { runTasks, stateAfter, type TaskRecord, type TasksState } from "../training/tasks.js";
import { defaultTrainer } from "../training/trainers.js";
import { mechanismOption } from "./input.js";
import { Corrections } from "./run.js";
import type { Session } from "./session.js";
import {
  agentOf,
  openJournal,
  SAMPLES,
  settingOf,
  startOf,
  type TrainFlags,
  type TrainJournal,
  type TrainSetting,
  unusualOf,
  withPopulation,
} from "./train-setting.js";
import * as option from "./values.js";

const examples = `
Half of the workers label all pictures right; a sixth each get 70 %, 40 % and 10 % right. Prices and arrivals are drawn anew
for every task, the same whatever the mechanism and the trainer. A mechanism that draws (it has an option "seed") does so anew
for every task, too. A task in which no worker is selected has no model, and so no loss.

Examples:
  candor train --tasks 10 --mechanism online
  candor train --tasks 3 --dataset fashion --mechanism vanilla --json > tasks.jsonl
  candor train --tasks 10 --agent learner --reputation "up=0.1,down=0.4"
  candor train --tasks 30 --agent shirker@3 --agent "whitewasher:effort=0@20%"
  candor train --out run --resume
  candor train --tasks 5 --population workers.csv --trainer tfjs --split dirichlet:0.5
  candor train --tasks 6 --dataset fashion --mechanism vanilla --continue tasks.jsonl --json >> tasks.jsonl`;

/** A path is a folder of IDX files; any other name is one of those there are. */
function readDataset(typed: string, flag: string): string {
  if (isFolder(typed) || datasetNames.some((name) => name === typed)) return typed;
  const names = datasetNames.map((name) => JSON.stringify(name)).join(" or ");
  throw option.invalid(flag, `${names}, or a folder such as ./mine`, typed);
}

export const options = {
  tasks: option.integer("<n>", "how many, one after another", { from: 1 }).default(70),
  workers: option.integer("<n>", "how many, of the paper's mix of accuracies", { from: 1 }).default(30),
  samples: option.integer("<n>", "pictures that each worker has", { from: 1, to: 60_000 }).default(SAMPLES),
  mechanism: mechanismOption,
  trainer: option
    .text("<name>", "who trains: a name, as in tfjs:rate=0.1, or a file; candor list shows what there is")
    .default(defaultTrainer),
  population: option.text(
    "<file>",
    "workers of your own in place of the paper's: JSON or CSV with samples, accuracy and cost of each",
  ),
  split: option
    .text(
      "<name>",
      "even, or dirichlet:0.5 for workers whose mix of labels is drawn, the more uneven the smaller the number (tfjs only)",
    )
    .default("even"),
  dataset: option
    .value(
      "<name>",
      `${datasetNames.join(" or ")}, or a folder of IDX files such as ./mine`,
      readDataset,
      datasetNames,
    )
    .default("mnist"),
  data: option.text("<dir>", "the folder of the data set's IDX files, if not its package"),
  budget: option.amount("<b>", "of each task").default(paperTaskRules.budget),
  rounds: option.integer("<t>", "of each task", { from: 1 }).default(paperTaskRules.rounds),
  seed: option.text("<s>", "any text").default("1"),
  agent: option.texts(
    "<spec>",
    "who plays the workers: a name, a file or a formula, as in candor try; or some of them: shirker@3,7 or shirker@25%; may be repeated",
  ),
  reputation: option.text(
    "<settings>",
    `as in "up=0.2,down=0.5"; there are ${Object.keys(reputationOptions).join(", ")}`,
  ),
  threads: option
    .integer("<n>", "how many train at once; the results are the same", { from: 1 })
    .default(availableParallelism()),
  out: option.text("<dir>", "keeps every finished task in DIR/train.jsonl"),
  resume: option.flag("goes on with what --out holds, with the same numbers as without the interruption"),
  continue: option.text(
    "<file>",
    "goes on from the last task that --json printed or record:pack packed; --tasks in all",
  ),
  json: option.flag("one JSON object per task and line"),
};

export function define(command: Command, session: Session): void {
  const checked = async (flags: TrainFlags) => {
    const given = ["workers", "samples"].find((name) => command.getOptionValueSource(name) === "cli");
    if (flags.population !== undefined && given !== undefined)
      throw plainError(`--${given}`, "is given by the file of --population: leave it out");
    await train(await withPopulation(flags), session);
  };
  option.command({ options, help: examples }, checked)(command, session);
}

async function train(flags: TrainFlags, session: Session): Promise<void> {
  if (flags.resume && flags.out === undefined)
    throw plainError("--resume", "goes on with what --out holds, so there must be an --out");
  const setting = await settingOf(flags, session.signal);
  const start = startOf(flags, setting);
  const { journal, kept = [] } = flags.out === undefined ? {} : await openJournal(flags.out, flags);
  const advice = `interrupted; the same command with --resume goes on from ${journal?.path}`;
  if (journal !== undefined) session.keeps(journal.path, advice);
  try {
    const run = { setting, start, journal, kept, gauge: barOn(session.line), session };
    const finished = await printTasks(flags, run);
    if (session.signal.aborted && journal !== undefined && finished > 0) session.warn(advice);
  } finally {
    await journal?.close({ remove: false });
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
      `${records.length === 0 ? "" : "\n"}${summaryText(records, { tasks: flags.tasks - run.start.tasks })}\n${agentsTable(records, run.setting)}`,
    );
  if (corrections.line !== null) session.warn(`warning: ${corrections.line}`);
  return records.length;
}

interface Run {
  readonly setting: TrainSetting;
  /** What is over before the first of these tasks. */
  readonly start: TasksState;
  readonly journal: TrainJournal | undefined;
  /** What earlier runs have finished. */
  readonly kept: Awaited<ReturnType<typeof openJournal>>["kept"];
  readonly gauge: Gauge;
  readonly session: Session;
}

/** Those that are on disk already, then those to come; ends where it is interrupted. */
async function* tasksOf(
  flags: TrainFlags,
  { setting, start, journal, gauge, session, ...run }: Run,
): AsyncGenerator<TaskRecord> {
  const kept = run.kept.slice(0, flags.tasks - start.tasks);
  let state = start;
  for (const line of kept) {
    state = stateAfter(setting, state, line);
    yield line.record;
  }
  const onRound = progressOf(flags, state.tasks, gauge);
  try {
    for await (const step of runTasks({ ...setting, onRound }, flags.tasks, state)) {
      const { record, held } = step;
      await journal?.append(step.state.past.length > 0 ? { record, held } : { record });
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
  const { mechanism, trainer, dataset, seed } = flags;
  const agent = agentOf(flags);
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

const decimal = (value: number | null): string => (value === null ? "–" : value.toFixed(4));

/** Widths are fixed: a row is printed before the next is known. */
const cells: readonly [head: string, width: number, text: (record: TaskRecord) => string][] = [
  ["task", 4, ({ task }) => String(task)],
  ["loss", 9, ({ loss }) => decimal(loss)],
  ["accuracy", 10, ({ accuracy }) => decimal(accuracy)],
  ["good", 8, ({ goodShare }) => decimal(goodShare)],
  ["selected", 10, ({ selected }) => String(selected.length)],
  ["spent", 9, ({ spent }) => spent.toFixed(2)],
];

const headText = (): string => cells.map(([head, width]) => head.padStart(width)).join("");

const rowText = (record: TaskRecord): string =>
  cells.map(([, width, text]) => text(record).padStart(width)).join("");

function titleText({ tasks, workers, mechanism, trainer, dataset, split, ...flags }: TrainFlags): string {
  const agent = flags.agent.length === 0 ? "" : `, agent ${agentOf(flags)}`;
  const uneven = split === "even" ? "" : `, split ${split}`;
  const from = flags.population === undefined ? "" : ` of ${flags.population}`;
  return [
    `${counted(tasks, "task")}: mechanism ${mechanism}${agent}, trainer ${trainer} on ${dataset}${uneven}, seed ${flags.seed}`,
    `  ${counted(workers, "worker")}${from}, budget B = ${brief(flags.budget)}, T = ${counted(flags.rounds, "round")}`,
    `  "good" is the share of the selected whose labels are all right.`,
  ].join("\n");
}

/** The tasks that the paper counts, or all where there are no more than those it leaves out. */
function countedOf(records: readonly TaskRecord[]): readonly TaskRecord[] {
  const late = records.filter(({ task }) => task >= FIRST_COUNTED);
  return late.length > 0 ? late : records;
}

/** What became of the workers of each agent and of the truthful; nothing where there is no agent. */
function agentsTable(records: readonly TaskRecord[], { workers, played }: TrainSetting): string {
  const counting = countedOf(records);
  if (played.size === 0 || counting.length === 0) return "";
  const nameOf = ({ id }: { readonly id: number }) => played.get(id)?.name ?? "truthful";
  const groups = [...group(workers, nameOf)].map(([name, own]) => {
    const ids = new Set(own.map(({ id }) => id));
    const selected = counting.flatMap((record) => record.selected.filter(({ id }) => ids.has(id)));
    return { name, ids, selected, cases: own.length * counting.length };
  });
  const column = columnOf(groups);
  const last = records.at(-1)!;
  const columns = [
    column("agent", ({ name }) => name),
    column("workers", ({ ids }) => String(ids.size)),
    column("selected", ({ selected, cases }) => (selected.length / cases).toFixed(4)),
    column("payment", ({ selected, cases }) => decimal(sum(selected, ({ payment }) => payment) / cases)),
    column("utility", ({ selected, cases }) => decimal(sum(selected, ({ utility }) => utility) / cases)),
    column("last reputation", ({ ids }) => decimal(mean(ids, (id) => last.reputations[id]!)!)),
    column("new names", ({ ids }) => String(newNames(records, ids))),
  ];
  const title = "Per worker and task; reputation after the last of them; new names in all:";
  return `\n${title}\n${table(columns)}\n`;
}

/** How often these workers took one. */
function newNames(records: readonly TaskRecord[], ids: ReadonlySet<number>): number {
  const changed = (id: number, k: number) =>
    (records[k]!.names?.[id] ?? id) !== (records[k - 1]?.names?.[id] ?? id);
  return sum(ids, (id) => records.filter((_, k) => changed(id, k)).length);
}

/** Means over the tasks that count. */
function summaryText(records: readonly TaskRecord[], { tasks }: Pick<TrainFlags, "tasks">): string {
  const counting = countedOf(records);
  if (counting.length === 0) return "No task was finished.";
  const [first, last] = [counting[0]!.task, counting.at(-1)!.task];
  const broken =
    records.length < tasks ? `Interrupted after ${records.length} of ${counted(tasks, "task")}. ` : "";
  const intervals =
    counting.length < FEWEST
      ? ` (${counted(counting.length, "task")}: too few for intervals)`
      : ", with 95 % intervals as if tasks were independent";
  return [
    `${broken}Mean over tasks ${first} to ${last}${intervals}:`,
    meanText("loss", counting, ({ loss }) => loss),
    meanText("accuracy", counting, ({ accuracy }) => accuracy),
    meanText("good", counting, ({ goodShare }) => goodShare),
    meanText("spent", counting, ({ spent }) => spent),
  ].join("\n");
}

function meanText(
  name: string,
  records: readonly TaskRecord[],
  value: (record: TaskRecord) => number | null,
): string {
  const values = records.map(value).filter((one) => one !== null);
  const missing = records.length - values.length;
  const without =
    missing === 0 ? "" : ` (without ${counted(missing, "task")} in which no worker was selected)`;
  return `  ${name.padEnd(10)}${values.length === 0 ? "–" : estimateText(estimate(values))}${without}`;
}

const estimateText = ({ mean, low, high, n }: Estimate): string =>
  n < FEWEST ? mean.toFixed(4) : `${mean.toFixed(4)}  [${low.toFixed(4)}, ${high.toFixed(4)}]`;
