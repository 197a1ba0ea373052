/** Lies over many tasks in tables, charts and sentences. */

import { median } from "d3-array";
import { freeloader } from "../../agents/freeloader.js";
import { shirker } from "../../agents/shirker.js";
import { whitewasher } from "../../agents/whitewasher.js";
import { listed, many, percent, rounded, signed, threeDigits } from "../../src/lib/format.js";
import { type Estimate, estimate } from "../../src/lib/statistics.js";
import type { Chart, Choice, Column, Finding, Row, Table } from "../../src/report/result.js";
import {
  amountColumn,
  captions,
  countColumn,
  intervalCells,
  intervalColumns,
  otherColours,
  shareColumn,
  textColumn,
  tooltipOf,
} from "../../src/report/vocabulary.js";
import type { Lived, ManyTasksResult, NewcomersFound } from "../many-tasks.js";

export const TRUTH = "truthful";

/** Never trains, and takes a new name whenever that helps. */
export const idle = whitewasher({ effort: 0 });

/** One liar among truthful workers, or many. */
type Company = "alone" | "together";

const agentsOf = ({ seeds }: ManyTasksResult): string[] => Object.keys(seeds[0]?.alone ?? {});

const shareText = ({ settings }: ManyTasksResult): string => `${Math.round(100 * settings.share)} % of all`;

/** Values of an agent's workers, seed by seed. */
const valuesOf = ({ seeds }: ManyTasksResult, company: Company, agent: string): Lived[] =>
  seeds.map((seed) => seed[company][agent]!);

interface Lie {
  readonly agent: string;
  readonly company: Company;
  readonly lived: readonly Lived[];
  /** On top of the same workers who tell the truth; both hold for all lies together. */
  readonly gain: Estimate;
  readonly loss: Estimate;
}

function liesOf(result: ManyTasksResult): Lie[] {
  const agents = agentsOf(result);
  return (["alone", "together"] as const).flatMap((company) => {
    const truth = valuesOf(result, company, TRUTH);
    return agents.map((agent): Lie => {
      const lived = valuesOf(result, company, agent);
      const change = (of: "utility" | "loss") =>
        estimate(
          lived.map((one, k) => one[of] - truth[k]![of]),
          2 * (agents.length - 1),
        );
      return { agent, company, lived, gain: change("utility"), loss: change("loss") };
    });
  });
}

const meanOf = (
  lived: readonly Lived[],
  of: "utility" | "payment" | "selected" | "newNames" | "paidShare" | "loss",
) => estimate(lived.map((one) => one[of])).mean;

const lastReputation = (lived: readonly Lived[]): number =>
  estimate(lived.map(({ reputations }) => reputations.at(-1)!)).mean;

/** The share of seeds in which reputation fell to half, and after how many tasks it did in the middle of them. */
function foundIn(lived: readonly Lived[]): { share: number; tasks: number | null } {
  const found = lived.flatMap((one) => (one.found === null ? [] : [one.found]));
  return { share: found.length / lived.length, tasks: median(found) ?? null };
}

const lieColumns: readonly Column[] = [
  textColumn("agent", "Agent"),
  textColumn("company", "Workers that play it"),
  amountColumn("truth", "Utility of the truth, a task"),
  amountColumn("gain", "Gain over the truth, a task"),
  ...intervalColumns("amount", "95 % together, from"),
  shareColumn("selected", "Selected in"),
  amountColumn("payment", "Payment, a task"),
  shareColumn("paidShare", "Share of all payments"),
  amountColumn("reputation", "Reputation after the last task"),
  shareColumn("foundShare", "Reputation halved, of seeds"),
  amountColumn("found", "After tasks (median)"),
  amountColumn("newNames", "New names"),
  amountColumn("loss", "Change of the loss"),
  amountColumn("lossLow", "95 % together, from"),
  amountColumn("lossHigh", "to"),
  countColumn("seeds", "Seeds"),
];

function lieRow(result: ManyTasksResult, { agent, company, lived, gain, loss }: Lie): Row {
  const { share, tasks } = foundIn(lived);
  return {
    agent,
    company: company === "alone" ? "one" : shareText(result),
    truth: rounded(meanOf(valuesOf(result, company, TRUTH), "utility")),
    gain: rounded(gain.mean),
    ...intervalCells(gain),
    selected: rounded(meanOf(lived, "selected")),
    payment: rounded(meanOf(lived, "payment")),
    paidShare: rounded(meanOf(lived, "paidShare")),
    reputation: rounded(lastReputation(lived)),
    foundShare: rounded(share),
    found: tasks,
    newNames: rounded(meanOf(lived, "newNames")),
    loss: rounded(loss.mean),
    lossLow: rounded(loss.low),
    lossHigh: rounded(loss.high),
    seeds: lived.length,
  };
}

const measures = { reputation: "Reputation after the task", earned: "Earned so far" } as const;

type Measure = keyof typeof measures;

const valueAt = (measure: Measure, task: number) => (lived: Lived) =>
  (measure === "reputation" ? lived.reputations : lived.earned)[task - 1]!;

const taskColumns: readonly Column[] = [
  textColumn("agent", "Plays"),
  countColumn("task", "Task"),
  textColumn("measure", "Measured"),
  amountColumn("mean", "Mean"),
  ...intervalColumns("amount"),
  countColumn("seeds", "Seeds"),
];

const taskRows = (result: ManyTasksResult): Row[] =>
  agentsOf(result).flatMap((agent) =>
    (Object.keys(measures) as Measure[]).flatMap((measure) =>
      Array.from({ length: result.settings.tasks }, (_, k): Row => {
        const at = estimate(valuesOf(result, "alone", agent).map(valueAt(measure, k + 1)));
        const about = { agent, task: k + 1, measure: measures[measure] };
        return { ...about, mean: rounded(at.mean), ...intervalCells(at), seeds: at.n };
      }),
    ),
  );

/** Whose new name it is, and what it is compared with. */
const newNames = {
  wrong: "wrong labels under new names",
  idle: "never trains, under new names",
  idleBesideHonest: "the same, beside honest work",
  honest: "honest, but new",
} as const satisfies Partial<Record<keyof NewcomersFound, string>>;

type NewName = keyof typeof newNames;

const newNameKeys = Object.keys(newNames) as NewName[];

interface Worth {
  readonly newcomer: number;
  readonly whose: NewName;
  /** Holds for all reputations of newcomers and all four together. */
  readonly gain: Estimate;
}

const worthsOf = ({ settings, seeds }: ManyTasksResult): Worth[] =>
  settings.newcomers.flatMap((newcomer, k) =>
    newNameKeys.map((whose): Worth => {
      const together = settings.newcomers.length * newNameKeys.length;
      return {
        newcomer,
        whose,
        gain: estimate(
          seeds.map((seed) => seed.newcomers[k]![whose]),
          together,
        ),
      };
    }),
  );

const meanAt = (
  { settings, seeds }: ManyTasksResult,
  newcomer: number,
  of: "established" | "honestSelected",
) => estimate(seeds.map((seed) => seed.newcomers[settings.newcomers.indexOf(newcomer)]![of])).mean;

const newcomerColumns: readonly Column[] = [
  amountColumn("newcomer", "Reputation of a newcomer"),
  textColumn("whose", "What is compared"),
  amountColumn("gain", "Gain, a task"),
  ...intervalColumns("amount", "95 % together, from"),
  shareColumn("selected", "An honest newcomer is selected in"),
  countColumn("seeds", "Seeds"),
];

export const tables = (result: ManyTasksResult): Table[] => [
  {
    name: "lies",
    title: "Lies over many tasks, beside the same workers who tell the truth",
    columns: lieColumns,
    rows: liesOf(result).map((lie) => lieRow(result, lie)),
  },
  {
    name: "over-tasks",
    title: "One worker with right labels among truthful ones, task by task",
    columns: taskColumns,
    rows: taskRows(result),
  },
  {
    name: "newcomers",
    title: "What a new name is worth, by the reputation that newcomers start with",
    columns: newcomerColumns,
    rows: worthsOf(result).map(({ newcomer, whose, gain }) => ({
      newcomer,
      whose: newNames[whose],
      gain: rounded(gain.mean),
      ...intervalCells(gain),
      selected: whose === "honest" ? rounded(meanAt(result, newcomer, "honestSelected")) : null,
      seeds: gain.n,
    })),
  },
];

/** Lines with their intervals as shades. */
const linesWithShades = (
  x: object,
  colour: object,
  { y, title }: { y: string; title: string | null },
): object[] => {
  const axis = { type: "quantitative", title };
  return [
    { mark: { type: "line", point: true }, encoding: { x, color: colour, y: { ...axis, field: y } } },
    {
      transform: [{ filter: "isValid(datum.low)" }],
      mark: { type: "area", opacity: 0.12, tooltip: null },
      encoding: { x, color: colour, y: { ...axis, field: "low" }, y2: { field: "high" } },
    },
  ];
};

const colourBy = (field: string, names: readonly string[]): object => ({
  field,
  type: "nominal",
  sort: names,
  title: null,
  scale: otherColours(names),
  legend: { columns: 1 },
});

const choice: Choice = { field: "measure", label: "Measured", values: Object.values(measures) };

function tasksChart(result: ManyTasksResult): Chart {
  const x = { field: "task", type: "quantitative", title: "Task", axis: { tickMinStep: 1 } };
  const [line, shade] = linesWithShades(x, colourBy("agent", agentsOf(result)), { y: "mean", title: null });
  const tooltip = tooltipOf(taskColumns);
  return {
    name: "over-tasks",
    title: "A worker with right labels among truthful ones, by how it works",
    table: "over-tasks",
    choices: [choice],
    spec: { height: 240, encoding: { tooltip }, layer: [line!, shade!] },
    summary: captions([choice], ({ measure }) => taskCaption(result, measure!)),
    howToRead: `A line is one worker that plays the agent while all others tell the truth, on average over ${many(result.seeds.length, "seed")} with the same costs, arrivals and noise; shades are 95 % intervals. Under a new name, reputation is that of the new name.`,
  };
}

function taskCaption(result: ManyTasksResult, label: string): string {
  const [measure] = (Object.keys(measures) as Measure[]).filter((one) => measures[one] === label);
  const { tasks } = result.settings;
  const ends = agentsOf(result).map((agent) => {
    const at = estimate(valuesOf(result, "alone", agent).map(valueAt(measure!, tasks)));
    return `${agent} ${threeDigits(at.mean)}`;
  });
  return `${label}, after ${many(tasks, "task")}: ${listed(ends)}.`;
}

function newcomersChart(result: ManyTasksResult): Chart {
  const names = newNameKeys.map((key) => newNames[key]);
  const x = { field: "newcomer", type: "quantitative", title: "Reputation that newcomers start with" };
  const [line, shade] = linesWithShades(x, colourBy("whose", names), { y: "gain", title: "Gain, a task" });
  const zero = { mark: "rule", encoding: { y: { datum: 0 } } };
  return {
    name: "newcomers",
    title: "What a new name is worth",
    table: "newcomers",
    spec: { height: 260, layer: [zero, line!, shade!] },
    summary: newcomersCaption(result),
    howToRead:
      "A new name is taken whenever reputation is below that of a newcomer, and compared with the same worker who keeps its name; the third line is compared with the same worker who trains. The last is an honest worker that is new, beside the same one who has been there from the first task. Shades are intervals that hold together with 95 %.",
  };
}

function newcomersCaption(result: ManyTasksResult): string {
  const worths = worthsOf(result);
  const [low, high] = [Math.min(...result.settings.newcomers), Math.max(...result.settings.newcomers)];
  const ends = newNameKeys.map((key) => {
    const [first, last] = [low, high].map(
      (at) => worths.find(({ newcomer, whose }) => newcomer === at && whose === key)!.gain.mean,
    );
    return `${newNames[key]} from ${signed(first!)} to ${signed(last!)}`;
  });
  return `Gain a task, where newcomers start at ${low} and at ${high}: ${ends.join("; ")}.`;
}

export const charts = (result: ManyTasksResult): Chart[] => [tasksChart(result), newcomersChart(result)];

const intervalText = ({ mean, low, high }: Estimate): string =>
  Number.isFinite(low)
    ? `${signed(mean)} a task (${signed(low)} to ${signed(high)})`
    : `${signed(mean)} a task`;

const alone = (result: ManyTasksResult, agent: string): Lie =>
  liesOf(result).find((lie) => lie.company === "alone" && lie.agent === agent)!;

/** The highest reputation of newcomers up to which something holds at all that were tried; undefined if at none. */
function upTo(result: ManyTasksResult, holds: (gainOf: (whose: NewName) => Estimate) => boolean) {
  const worths = worthsOf(result);
  const sorted = [...result.settings.newcomers].sort((a, b) => a - b);
  const fails = sorted.findIndex(
    (at) => !holds((whose) => worths.find((one) => one.newcomer === at && one.whose === whose)!.gain),
  );
  return fails < 0 ? sorted.at(-1) : sorted[fails - 1];
}

/** What a first reputation costs honest newcomers. */
function newcomerText(result: ManyTasksResult, newcomer: number): string {
  const { gain } = worthsOf(result).find((one) => one.newcomer === newcomer && one.whose === "honest")!;
  const [established, selected] = [
    meanAt(result, newcomer, "established"),
    meanAt(result, newcomer, "honestSelected"),
  ];
  return `an honest newcomer is then selected in ${percent(selected)} of tasks and earns ${intervalText(gain)} compared with the ${threeDigits(established)} a task of the same worker who has been there from the first task`;
}

function newcomersFindings(result: ManyTasksResult): Finding[] {
  const worthless = upTo(result, (gain) => gain("wrong").low <= 0 && gain("idle").low <= 0);
  const losing = upTo(result, (gain) => gain("idleBesideHonest").high < 0);
  const texts = [
    worthless !== undefined &&
      `New names were not shown to gain anything where newcomers start at a reputation of ${worthless} or less; ${newcomerText(result, worthless)}.`,
    losing !== undefined &&
      losing !== worthless &&
      `Never training under new names earns less than honest work where newcomers start at ${losing} or less; ${newcomerText(result, losing)}.`,
  ];
  return texts.filter((text) => text !== false).map((text, k) => ({ text, weight: 54 - 10 * k }));
}

/** Whether reputation tells who trains less, beside the same worker who trains on all its data. */
function finderFinding(result: ManyTasksResult): Finding {
  const foundText = (agent: string) => {
    const { share, tasks } = foundIn(alone(result, agent).lived);
    return `in ${percent(share)} of seeds${tasks === null ? "" : `, after ${tasks} tasks (median)`}`;
  };
  const parts = [shirker(), freeloader()].map(
    ({ name }) =>
      `for the ${name} ${foundText(name)}, and it earns ${intervalText(alone(result, name).gain)} compared with honest work`,
  );
  const text = `Under one name, who trains less than promised is found: within ${many(result.settings.tasks, "task")} reputation falls to half or less ${parts.join("; ")}. For the same worker who trains it does so ${foundText(TRUTH)} (${many(result.seeds.length, "seed")}).`;
  return { text, weight: 48 };
}

function whitewashFinding(result: ManyTasksResult): Finding {
  const { lived, gain } = alone(result, idle.name);
  const names = threeDigits(meanOf(lived, "newNames"));
  const text = `Where new names start at 0.5, as everybody did, a worker that never trains and takes a new name whenever its reputation has fallen (${names} in ${many(result.settings.tasks, "task")}) earns ${intervalText(gain)} compared with honest work (${many(gain.n, "seed")}).`;
  return { text, weight: gain.low > 0 ? 58 : 44 };
}

function modelFinding(result: ManyTasksResult): Finding {
  const { lived, loss } = liesOf(result).find(
    (lie) => lie.company === "together" && lie.agent === idle.name,
  )!;
  const before = meanOf(valuesOf(result, "together", TRUTH), "loss");
  const change = Number.isFinite(loss.low) ? ` (${signed(loss.low)} to ${signed(loss.high)})` : "";
  const text = `Where ${shareText(result)} workers never train under new names, they get ${percent(meanOf(lived, "paidShare"))} of all payments for no training, and the model's loss changes by ${signed(loss.mean)}${change} from ${threeDigits(before)}.`;
  return { text, weight: 46 };
}

export const findings = (result: ManyTasksResult): Finding[] =>
  result.seeds.length === 0
    ? []
    : [finderFinding(result), whitewashFinding(result), modelFinding(result), ...newcomersFindings(result)];

export function methods({ settings, mechanism }: ManyTasksResult): string[] {
  const { seeds, tasks, joins } = settings;
  return [
    `${many(seeds, "seed")} of ${many(tasks, "task")} under ${mechanism} and the surrogate of MNIST, with the paper's 30 workers and budget. In a seed all runs have the same workers, costs, arrivals, data and noise; gains are differences within seeds, and their intervals hold together with 95 % for all rows of a table (Bonferroni).`,
    `Who trains less pays less: a round costs the share of the data that is trained on, nothing without training. Bids are truthful. The publisher does not know, and gives every update the weight of all the worker's data.`,
    `A new name keeps the worker's group and data; it has no past and the reputation of a newcomer. The worker with wrong labels is drawn from those whose labels are right in 70, 40 or 10 %. The honest newcomer has right labels and comes before task ${joins}.`,
    "What the surrogate assumes of workers that train on less was held to real training on MNIST, with six workers: directions of updates are within 0.2 of the real ones, the loss after ten rounds within 10 %, and the model is better without an update that took no training, or a tenth of it, in every round of real training and in 39 of 40 under the surrogate.",
  ];
}
