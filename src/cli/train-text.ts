/** Repeated tasks as text: a row per task as it ends, and means in the end. */

import { brief, counted } from "../lib/format.js";
import { type Estimate, estimate, FEWEST } from "../lib/statistics.js";
import { FIRST_COUNTED } from "../training/population.js";
import type { TaskRecord } from "../training/tasks.js";
import type { TrainFlags } from "./train-setting.js";

interface Cell {
  readonly head: string;
  readonly width: number;
  text(record: TaskRecord): string;
}

const decimal = (value: number | null): string => (value === null ? "–" : value.toFixed(4));

/** Widths are fixed: a row is printed before the next is known. */
const cells: readonly Cell[] = [
  { head: "task", width: 4, text: ({ task }) => String(task) },
  { head: "loss", width: 9, text: ({ loss }) => decimal(loss) },
  { head: "accuracy", width: 10, text: ({ accuracy }) => decimal(accuracy) },
  { head: "good", width: 8, text: ({ goodShare }) => decimal(goodShare) },
  { head: "selected", width: 10, text: ({ selected }) => String(selected.length) },
  { head: "spent", width: 9, text: ({ spent }) => spent.toFixed(2) },
];

const inColumns = (texts: readonly string[]): string =>
  texts.map((text, k) => text.padStart(cells[k]!.width)).join("");

export const headText = (): string => inColumns(cells.map(({ head }) => head));

export const rowText = (record: TaskRecord): string => inColumns(cells.map(({ text }) => text(record)));

export function titleText({ tasks, workers, mechanism, trainer, dataset, ...flags }: TrainFlags): string {
  const agent = flags.agent === undefined ? "" : `, agent ${flags.agent}`;
  return [
    `${counted(tasks, "task")}: mechanism ${mechanism}${agent}, trainer ${trainer} on ${dataset}, seed ${flags.seed}`,
    `  ${counted(workers, "worker")}, budget B = ${brief(flags.budget)}, T = ${counted(flags.rounds, "round")}`,
    `  "good" is the share of the selected whose labels are all right.`,
  ].join("\n");
}

/** Means over the tasks that the paper counts, or over all where there are no more than those it leaves out. */
export function summaryText(records: readonly TaskRecord[], { tasks }: Pick<TrainFlags, "tasks">): string {
  const late = records.filter(({ task }) => task >= FIRST_COUNTED);
  const counting = late.length > 0 ? late : records;
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
  const without = missing === 0 ? "" : ` (without ${counted(missing, "task")} in which nobody was selected)`;
  return `  ${name.padEnd(10)}${values.length === 0 ? "–" : estimateText(estimate(values))}${without}`;
}

const estimateText = ({ mean, low, high, n }: Estimate): string =>
  n < FEWEST ? mean.toFixed(4) : `${mean.toFixed(4)}  [${low.toFixed(4)}, ${high.toFixed(4)}]`;
