/** Lies over many tasks: less work than promised, and new names; what reputation does about them, and what that costs newcomers. */

import { cross, cumsum, groups, mean, median, sum } from "d3-array";
import { freeloader } from "../agents/freeloader.js";
import { shirker } from "../agents/shirker.js";
import { whitewasher } from "../agents/whitewasher.js";
import type { AnyAgent } from "../src/agents/agent.js";
import type { AnyMechanism } from "../src/auction/mechanism.js";
import { listed, many, percent, signed, threeDigits, withInterval } from "../src/lib/format.js";
import { type Stream, shuffled } from "../src/lib/random.js";
import { type Estimate, estimate, medianOf } from "../src/lib/statistics.js";
import type { Chart, Choice, Finding, Table } from "../src/report/result.js";
import { axis, captions, colour, column, type Field, marks, tableOf } from "../src/report/vocabulary.js";
import type { Analysis } from "../src/study/analysis.js";
import { collectJob, type JobContext, type Profile } from "../src/study/job.js";
import { GOOD, paperPopulation, paperTaskRules } from "../src/training/population.js";
import { reputationSettings } from "../src/training/reputation.js";
import { parameters, surrogate } from "../src/training/surrogate.js";
import { firstState, runTasks, type TaskStep, type TasksSetting } from "../src/training/tasks.js";
import { recalled } from "./shared/training.js";

const TRUTH = "truthful";

/** Never trains, and takes a new name whenever that helps. */
const idle = whitewasher({ effort: 0 });

/** One liar among truthful workers, or many. */
type Company = "alone" | "together";

const agentsOf = ({ seeds }: ManyTasksResult): string[] => Object.keys(seeds[0]?.alone ?? {});

const shareText = ({ settings }: ManyTasksResult): string => `${Math.round(100 * settings.share)} % of all`;

/** Values of an agent's workers, seed by seed. */
const valuesOf = ({ seeds }: ManyTasksResult, company: Company, agent: string): Lived[] =>
  seeds.map((seed) => seed[company][agent]!);

const liesOf = (result: ManyTasksResult): Lie[] =>
  (["alone", "together"] as const).flatMap((company) =>
    agentsOf(result).map((agent) => lieOf(result, company, agent)),
  );

/** On top of the same workers who tell the truth; gain and loss hold for all lies together. */
function lieOf(result: ManyTasksResult, company: Company, agent: string) {
  const [lived, truth] = [valuesOf(result, company, agent), valuesOf(result, company, TRUTH)];
  const together = 2 * (agentsOf(result).length - 1);
  const change = (of: "utility" | "loss") => {
    const changes = lived.map((one, k) => one[of] - truth[k]![of]);
    return estimate(changes, together);
  };
  const gain = change("utility");
  return { agent, company, lived, truth: meanOf(truth, "utility"), gain, loss: change("loss") };
}

type Lie = ReturnType<typeof lieOf>;

const meanOf = (lived: readonly Lived[], name: "utility" | "loss" | MeanColumn): number =>
  estimate(lived.map((one) => one[name])).mean;

/** The share of seeds in which reputation fell to half, and after how many tasks it did in the middle of them. */
function foundIn(lived: readonly Lived[]): { share: number; tasks: number | null } {
  const found = lived.flatMap((one) => (one.found === null ? [] : [one.found]));
  return { share: found.length / lived.length, tasks: median(found) ?? null };
}

type MeanColumn = "selected" | "payment" | "paidShare" | "newNames";

/** A column of means over the workers of a lie. */
const meanColumn = (make: typeof column.amount, name: MeanColumn, label: string): Field<Lie> =>
  make(name, label, ({ lived }) => meanOf(lived, name));

function liesTable(result: ManyTasksResult): Table {
  const title = "Lies over many tasks, beside the same workers who tell the truth";
  return tableOf("lies", title, liesOf(result), [
    column.text("agent", "Agent"),
    column.text("company", "Workers that play it", ({ company }) =>
      company === "alone" ? "one" : shareText(result),
    ),
    column.amount("truth", "Utility of the truth, a task"),
    ...column.estimate(
      column.amount("gain", "Gain over the truth, a task"),
      ({ gain }: Lie) => gain,
      column.together,
    ),
    meanColumn(column.share, "selected", "Selected in"),
    meanColumn(column.amount, "payment", "Payment, a task"),
    meanColumn(column.share, "paidShare", "Share of all payments"),
    column.amount(
      "reputation",
      "Reputation after the last task",
      ({ lived }) => estimate(lived.map(({ reputations }) => reputations.at(-1)!)).mean,
    ),
    column.share("foundShare", "Reputation halved, of seeds", ({ lived }) => foundIn(lived).share),
    column.amount("found", "After tasks (median)", ({ lived }) => foundIn(lived).tasks),
    meanColumn(column.amount, "newNames", "New names"),
    ...column.estimate(column.amount("loss", "Change of the loss"), ({ loss }: Lie) => loss, {
      ...column.together,
      own: true,
    }),
    column.count("seeds", "Seeds", ({ lived }) => lived.length),
  ]);
}

const measures = { reputations: "Reputation after the task", earned: "Earned so far" } as const;

/** A worker alone among truthful ones, after each task. */
const afterTasks = (result: ManyTasksResult) =>
  cross(agentsOf(result), Object.keys(measures) as (keyof typeof measures)[]).flatMap(([agent, key]) =>
    Array.from({ length: result.settings.tasks }, (_, k) => ({
      ...{ agent, task: k + 1, measure: measures[key] },
      level: estimate(valuesOf(result, "alone", agent).map((one) => one[key][k]!)),
    })),
  );

type AfterTask = ReturnType<typeof afterTasks>[number];

const taskColumns: Field<AfterTask>[] = [
  column.text("agent", "Plays"),
  column.count("task", "Task"),
  column.text("measure", "Measured"),
  ...column.estimate(column.amount("mean", "Mean"), ({ level }: AfterTask) => level),
  column.count("seeds", "Seeds", ({ level }) => level.n),
];

/** Whose new name it is, and what it is compared with. */
const newNames = {
  wrong: "wrong labels under new names",
  idle: "never trains, under new names",
  idleBesideHonest: "the same, beside honest work",
  honest: "honest, but new",
} as const satisfies Partial<Record<keyof NewcomersFound, string>>;

type NewName = keyof typeof newNames;

const newNameKeys = Object.keys(newNames) as NewName[];

/** Gains hold for all reputations of newcomers and all four together. */
const worthsOf = ({ settings: { newcomers }, seeds }: ManyTasksResult) =>
  newcomers.flatMap((newcomer, k) => {
    const valuesAt = (what: keyof NewcomersFound) => seeds.map((seed) => seed.newcomers[k]![what]);
    return newNameKeys.map((whose) => ({
      ...{ newcomer, whose, gain: estimate(valuesAt(whose), newcomers.length * newNameKeys.length) },
      /** The share of tasks in which an honest newcomer is selected. */
      selected: whose === "honest" ? estimate(valuesAt("honestSelected")).mean : null,
    }));
  });

type Worth = ReturnType<typeof worthsOf>[number];

const worthAt = (result: ManyTasksResult, at: number, key: NewName): Worth =>
  worthsOf(result).find(({ newcomer, whose }) => newcomer === at && whose === key)!;

const newcomerColumns: Field<Worth>[] = [
  column.amount("newcomer", "Reputation of a newcomer"),
  column.text("whose", "What is compared", ({ whose }) => newNames[whose]),
  ...column.estimate(column.amount("gain", "Gain, a task"), ({ gain }: Worth) => gain, column.together),
  column.share("selected", "An honest newcomer is selected in"),
  column.count("seeds", "Seeds", ({ gain }) => gain.n),
];

const tables = (result: ManyTasksResult): Table[] => [
  liesTable(result),
  tableOf(
    "over-tasks",
    "One worker with right labels among truthful ones, task by task",
    afterTasks(result),
    taskColumns,
  ),
  tableOf(
    "newcomers",
    "What a new name is worth, by the reputation that newcomers start with",
    worthsOf(result),
    newcomerColumns,
  ),
];

const choice: Choice = { field: "measure", label: "Measured", values: Object.values(measures) };

const colourBy = (field: string, names: readonly string[]): object => ({
  ...{ field, type: "nominal", sort: names, title: null, scale: colour.other(names) },
  legend: { columns: { expr: "max(1, floor(width / 190))" }, symbolOpacity: 1, offset: 10 },
});

const charts = (result: ManyTasksResult): Chart[] => [tasksChart(result), newcomersChart(result)];

const tasksChart = (result: ManyTasksResult): Chart => ({
  name: "over-tasks",
  title: "A worker with right labels among truthful ones, by how it works",
  table: "over-tasks",
  choices: [choice],
  spec: {
    height: 240,
    encoding: {
      x: axis.amount("task", "task", { axis: { tickMinStep: 1 } }),
      color: colourBy("agent", agentsOf(result)),
      tooltip: marks.tooltip(taskColumns),
    },
    layer: marks.lines((field) => axis.amount(field, null), { value: "mean" }),
  },
  summary: captions([choice], ({ measure }) => taskCaption(result, measure!)),
  howToRead: `Lines are means over ${many(result.seeds.length, "seed")} with the same costs, arrivals and noise, shades their 95 % intervals. Under a new name, reputation is that of the new name.`,
});

function taskCaption(result: ManyTasksResult, label: string): string {
  const rows = afterTasks(result).filter(({ measure }) => measure === label);
  const ends = rows
    .filter(({ task }) => task === result.settings.tasks)
    .toSorted((a, b) => b.level.mean - a.level.mean);
  const [most, least] = [ends[0], ends.at(-1)];
  if (!most || !least) return "Nothing was run.";
  const text = ({ agent, level }: AfterTask) => `for ${agent} (${threeDigits(level.mean)})`;
  return `${label}: after ${many(most.task, "task")} it is highest ${text(most)} and lowest ${text(least)}.${sameText(rows)}`;
}

/** Of lines that lie upon each other only one is seen. */
function sameText(rows: readonly AfterTask[]): string {
  const lines = groups(rows, ({ agent }) => agent).map(([agent, line]) => {
    return { agent, means: line.map(({ level }) => level.mean).join() };
  });
  const same = groups(lines, ({ means }) => means).filter(([, agents]) => agents.length > 1);
  return same.map(([, some]) => ` The lines of ${listed(some.map(({ agent }) => agent))} coincide.`).join("");
}

const newcomersChart = (result: ManyTasksResult): Chart => ({
  name: "newcomers",
  title: "What a new name is worth: gain a task",
  table: "newcomers",
  spec: {
    height: 240,
    layer: [
      { mark: "rule", encoding: { y: { datum: 0 } } },
      {
        encoding: {
          x: axis.amount("newcomer", "reputation that newcomers start with"),
          color: colourBy(
            "whose",
            newNameKeys.map((key) => newNames[key]),
          ),
          tooltip: marks.tooltip(newcomerColumns),
        },
        layer: marks.lines((field) => axis.amount(field, null), { value: "gain" }),
      },
    ],
  },
  summary: newcomersCaption(result),
  howToRead:
    "The first two of the legend are compared with the same worker under one name, the third with the same worker who trains, the fourth with one that is there from the first task. Shades are intervals that hold together with 95 %.",
});

function newcomersCaption(result: ManyTasksResult): string {
  const high = Math.max(...result.settings.newcomers);
  const at = (key: NewName) => signed(worthAt(result, high, key).gain.mean);
  return `A new name is taken whenever reputation is below that of a newcomer. Where newcomers start at ${high}, it is worth ${at("wrong")} a task with wrong labels and ${at("idle")} without training.`;
}

/** The highest reputation of newcomers up to which something holds at all that were tried; undefined if at none. */
function upTo(result: ManyTasksResult, holds: (gainOf: (whose: NewName) => Estimate) => boolean) {
  const sorted = [...result.settings.newcomers].sort((a, b) => a - b);
  const fails = sorted.findIndex((at) => !holds((whose) => worthAt(result, at, whose).gain));
  return fails < 0 ? sorted.at(-1) : sorted[fails - 1];
}

/** Up to which first reputation new names do not pay, and what that costs honest newcomers. */
function newcomersFinding(result: ManyTasksResult): Finding[] {
  const worthless = upTo(result, (gain) => gain("wrong").low <= 0 && gain("idle").low <= 0);
  const losing = upTo(result, (gain) => gain("idleBesideHonest").high < 0);
  const at = losing ?? worthless;
  if (at === undefined) return [];
  const { selected } = worthAt(result, at, "honest");
  const parts = [
    worthless !== undefined &&
      `Where newcomers start with a reputation of at most ${worthless}, no gain from new names is shown.`,
    losing !== undefined && `Up to ${losing}, never training under new names earns less than honest work.`,
  ].filter(Boolean);
  const text = `${parts.join(" ")} At ${at}, an honest newcomer is selected in ${percent(selected!)} of tasks (${many(result.seeds.length, "seed")}).`;
  return [{ text, weight: 54 }];
}

/** Whether reputation tells who does not train, beside the same worker who trains on all its data. */
function finderFinding(result: ManyTasksResult): Finding {
  const { name } = shirker();
  const foundText = (agent: string) => {
    const { share, tasks } = foundIn(valuesOf(result, "alone", agent));
    return `in ${percent(share)} of seeds${tasks === null ? "" : ` (in the median after ${many(tasks, "task")})`}`;
  };
  const { gain } = lieOf(result, "alone", name);
  const text = `Reputation falls to half ${foundText(name)} if a worker never trains (${name}), and ${foundText(TRUTH)} if the same worker trains. Not training changes what it earns by ${withInterval(gain, signed)} a task (${many(gain.n, "seed")}).`;
  return { text, weight: 48 };
}

function whitewashFinding(result: ManyTasksResult): Finding {
  const { lived, gain } = lieOf(result, "alone", idle.name);
  const names = threeDigits(meanOf(lived, "newNames"));
  const text = `A worker that never trains and takes a new name whenever its reputation has fallen (${names} names in ${many(result.settings.tasks, "task")}) earns ${withInterval(gain, signed)} a task compared with honest work, where new names start at 0.5 (${many(gain.n, "seed")}).`;
  return { text, weight: gain.low > 0 ? 58 : 44 };
}

function modelFinding(result: ManyTasksResult): Finding {
  const { lived, loss } = lieOf(result, "together", idle.name);
  const before = meanOf(valuesOf(result, "together", TRUTH), "loss");
  const paid = percent(meanOf(lived, "paidShare"));
  const text = `Where ${shareText(result)} workers never train under new names, they get ${paid} of all payments. The model's loss changes by ${withInterval(loss, signed)} from ${threeDigits(before)}.`;
  return { text, weight: 46 };
}

const findings = (result: ManyTasksResult): Finding[] =>
  result.seeds.length === 0
    ? []
    : [finderFinding(result), whitewashFinding(result), modelFinding(result), ...newcomersFinding(result)];

function methods({ settings, mechanism }: ManyTasksResult): string[] {
  const { seeds, tasks, joins } = settings;
  return [
    `${many(seeds, "seed")} of ${many(tasks, "task")} under ${mechanism} and the surrogate of MNIST, with the paper's 30 workers and budget. In a seed all runs have the same workers, costs, arrivals, data and noise; gains are differences within seeds, and their intervals hold together with 95 % for all rows of a table (Bonferroni).`,
    `Who trains less pays less: a round costs the share of the data that is trained on, nothing without training. Bids are truthful. The publisher does not know, and gives every update the weight of all the worker's data.`,
    `A new name keeps the worker's group and data; it has no past and the reputation of a newcomer. The worker with wrong labels is drawn from those whose labels are right in 70, 40 or 10 %. The honest newcomer has right labels and comes before task ${joins}.`,
    "What the surrogate assumes of workers that train on less was held to real training on MNIST, with six workers: directions of updates are within 0.2 of the real ones, the loss after ten rounds within 10 %, and the model is better without an update that took no training, or a tenth of it, in every round of real training and in 39 of 40 under the surrogate.",
  ];
}

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
interface SeedFound {
  /** A worker with right labels, alone among the truthful; by agent, the truth first. */
  readonly alone: Readonly<Record<string, Lived>>;
  /** A part of all workers, by agent. */
  readonly together: Readonly<Record<string, Lived>>;
  /** By the reputation of newcomers. */
  readonly newcomers: readonly NewcomersFound[];
}

/** What a new name is worth, on average over tasks: utility on top of that of the same worker who keeps its name. */
interface NewcomersFound {
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

type Lived = ReturnType<typeof livedOf>;

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

interface ManyTasksResult {
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
