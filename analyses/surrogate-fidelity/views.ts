/** The surrogate's fidelity as tables, charts and sentences. */

import { mean } from "d3-array";
import { listed, many, percent, rounded, threeDigits } from "../../src/lib/format.js";
import { FEWEST, kendall } from "../../src/lib/statistics.js";
import type { Chart, Finding, Row, Table } from "../../src/report/result.js";
import {
  amountColumn,
  captions,
  countColumn,
  shareColumn,
  textColumn,
  tooltipOf,
} from "../../src/report/vocabulary.js";
import type { DatasetName } from "../../src/training/datasets.js";
import type { Design, RecordedCurves, RecordedTask, TaskLine } from "../../src/training/recordings.js";
import type { Parameters } from "../../src/training/surrogate.js";
import { errorsOf, type Replayed, replay, residualsOf, testsOf } from "../../src/training/surrogate-fit.js";
import { datasets, datasetTitles, estimateOf, taskUnits } from "../shared/training.js";

/** A recorded task and what the surrogate, without its noise, makes of it. */
interface ComparedTask {
  readonly dataset: DatasetName;
  readonly task: RecordedTask;
  readonly set: SetName;
  readonly rounds: readonly Replayed[];
}

type SetName = "fitted" | "held out" | "even mix" | "paper's mix";

/** From those that the fit has seen to those least like them. */
const setNames: readonly SetName[] = ["fitted", "held out", "even mix", "paper's mix"];

const setOf: Record<Design, (heldOut: boolean) => SetName> = {
  random: (heldOut) => (heldOut ? "held out" : "fitted"),
  even: () => "even mix",
  paper: () => "paper's mix",
};

export const comparedTasks = (
  dataset: DatasetName,
  recording: RecordedCurves,
  parameters: Parameters,
): ComparedTask[] =>
  recording.tasks.map((task) => ({
    dataset,
    task,
    set: setOf[task.design](task.heldOut),
    rounds: replay(task, recording.settings, parameters),
  }));

/** The mean share of right labels in a round. */
const meanAccuracy = ({ workers }: Replayed): number => mean(workers, ({ accuracy }) => accuracy)!;

/** Bands of the share of right labels, by their lower ends. */
const bands = [
  [0.85, "85 % or more"],
  [0.65, "65–85 %"],
  [0.45, "45–65 %"],
  [0.25, "25–45 %"],
  [0, "below 25 %"],
] as const;

const bandNames: readonly string[] = bands.map(([, name]) => name);

const bandOf = (accuracy: number): string => bands.find(([from]) => accuracy >= from - 1e-9)![1];

/** The band of a whole task. */
const bandOfTask = ({ rounds }: ComparedTask): string => bandOf(mean(rounds, meanAccuracy)!);

/** Ways to tell rounds apart, and where each of them puts a round. */
const regions: Readonly<
  Record<string, readonly (readonly [name: string, has: (round: Replayed) => boolean])[]>
> = {
  "right labels": bandNames.map(
    (name) => [`${name} right labels`, (round) => bandOf(meanAccuracy(round)) === name] as const,
  ),
  workers: [
    ["1 worker", ({ workers }) => workers.length === 1],
    ["2 to 4 workers", ({ workers }) => workers.length > 1 && workers.length < 5],
    ["5 to 11 workers", ({ workers }) => workers.length > 4 && workers.length < 12],
    ["12 workers or more", ({ workers }) => workers.length > 11],
  ],
  round: [
    ["round 1", ({ round }) => round === 1],
    ["rounds 2 to 4", ({ round }) => round > 1 && round < 5],
    ["round 5 and later", ({ round }) => round > 4],
  ],
};

/** What an update was worth, times the number of workers, under both trainers. */
interface Update {
  readonly accuracy: number;
  readonly recorded: number;
  readonly surrogate: number;
  /** Whether its quality test ends the same. */
  readonly same: boolean;
}

/** Gains and tests exist where two or more work. */
const updatesIn = (rounds: readonly Replayed[]): Update[] =>
  rounds
    .filter(({ workers }) => workers.length > 1)
    .flatMap((round) => {
      const same = testsOf(round);
      const n = round.workers.length;
      return round.workers.map(({ accuracy }, k) => ({
        accuracy,
        recorded: n * round.recorded.gains[k]!,
        surrogate: n * round.surrogate.gains[k]!,
        same: same[k]!,
      }));
    });

/** A run of tasks that one mechanism selected workers for. */
export interface Run {
  readonly dataset: DatasetName;
  readonly mechanism: string;
  readonly seed: string;
  readonly tasks: number;
}

export interface RunPair extends Pick<Run, "dataset" | "mechanism"> {
  readonly recorded: readonly TaskLine[];
  readonly surrogate: readonly TaskLine[];
}

/** Mean losses after the last round over the tasks that count. */
interface MechanismLoss extends Pick<Run, "dataset" | "mechanism"> {
  readonly tasks: number;
  readonly recorded: number;
  readonly surrogate: number;
}

const mechanismLosses = (runs: readonly RunPair[]): MechanismLoss[] =>
  runs
    .map(({ dataset, mechanism, recorded, surrogate }) => {
      const [real, model] = [recorded, surrogate].map((lines) => estimateOf(taskUnits(lines, "loss")));
      return { dataset, mechanism, tasks: real!.n, recorded: real!.mean, surrogate: model!.mean };
    })
    .filter(({ recorded, surrogate }) => Number.isFinite(recorded) && Number.isFinite(surrogate));

const byLoss = (losses: readonly MechanismLoss[], who: "recorded" | "surrogate"): string[] =>
  losses.toSorted((a, b) => a[who] - b[who]).map(({ mechanism }) => mechanism);

interface Order {
  readonly recorded: readonly string[];
  readonly surrogate: readonly string[];
  readonly tau: number;
  readonly tasks: readonly number[];
}

/** Of mechanisms with enough tasks; null where fewer than two have. */
function orderOf(losses: readonly MechanismLoss[], dataset: DatasetName): Order | null {
  const own = losses.filter((one) => one.dataset === dataset && one.tasks >= FEWEST);
  if (own.length < 2) return null;
  return {
    recorded: byLoss(own, "recorded"),
    surrogate: byLoss(own, "surrogate"),
    tau: kendall(own.map(({ recorded, surrogate }) => [recorded, surrogate])),
    tasks: own.map(({ tasks }) => tasks),
  };
}

export interface FidelityResult {
  readonly recordings: Partial<Readonly<Record<DatasetName, RecordedCurves>>>;
  readonly tasks: readonly ComparedTask[];
  readonly runs: readonly RunPair[];
}

type Side = "recorded" | "surrogate";

const dataset = textColumn("dataset", "Data set");

export const tablesOf = ({ tasks, runs }: FidelityResult): Table[] => [
  residualTable(tasks),
  regionTable(tasks),
  curveTable(tasks),
  gainTable(tasks),
  ...(runs.length === 0 ? [] : [mechanismTable(runs)]),
];

const perDataset = (
  tasks: readonly ComparedTask[],
  rows: (own: ComparedTask[], name: DatasetName) => Row[],
) =>
  datasets.flatMap((name) =>
    rows(
      tasks.filter((task) => task.dataset === name),
      name,
    ).map((row) => ({ dataset: datasetTitles[name], ...row })),
  );

const residualTable = (tasks: readonly ComparedTask[]): Table => ({
  name: "residuals",
  title: "How far the surrogate is from real training",
  columns: [
    dataset,
    textColumn("set", "Set"),
    countColumn("tasks", "Tasks"),
    amountColumn("loss", "Loss off by (root mean square)"),
    amountColumn("bias", "Loss too high by, on average"),
    amountColumn("worst", "Loss off by at most"),
    amountColumn("accuracy", "Accuracy off by (root mean square)"),
    amountColumn("cosine", "Cosine off by (root mean square)"),
    countColumn("tests", "Quality tests"),
    shareColumn("same", "Tests that end the same"),
    shareColumn("order", "Pairs of different workers whose gains are in the same order"),
  ],
  rows: perDataset(tasks, (own) =>
    setNames.flatMap((set) => {
      const chosen = own.filter((task) => task.set === set);
      return chosen.length === 0 ? [] : [residualRow(set, chosen)];
    }),
  ),
});

function residualRow(set: string, chosen: readonly ComparedTask[]): Row {
  const { tasks, loss, accuracy, cosine, tests, order } = residualsOf(chosen.map(({ rounds }) => rounds));
  const losses = { loss: rounded(loss.rmse), bias: rounded(loss.bias), worst: rounded(loss.worst) };
  const others = { accuracy: rounded(accuracy.rmse), cosine: rounded(cosine.rmse) };
  return {
    set,
    tasks,
    ...losses,
    ...others,
    tests: tests.n,
    same: rounded(tests.same),
    order: rounded(order.same),
  };
}

/** Errors by region, over all recorded tasks. */
const regionTable = (tasks: readonly ComparedTask[]): Table => ({
  name: "regions",
  title: "Where the surrogate is off",
  columns: [
    dataset,
    textColumn("by", "By"),
    textColumn("region", "Where"),
    countColumn("rounds", "Rounds"),
    amountColumn("loss", "Loss off by (root mean square)"),
    amountColumn("bias", "Loss too high by, on average"),
    shareColumn("relative", "Loss off by, relative to it"),
    countColumn("tests", "Quality tests"),
    shareColumn("same", "Tests that end the same"),
  ],
  rows: perDataset(tasks, (own) => {
    const rounds = own.flatMap((task) => task.rounds);
    return Object.entries(regions).flatMap(([by, some]) =>
      some.flatMap(([region, has]) => {
        const inside = rounds.filter(has);
        return inside.length === 0 ? [] : [{ by, region, ...regionCells(inside) }];
      }),
    );
  }),
});

function regionCells(rounds: readonly Replayed[]): Row {
  const loss = errorsOf(rounds.map(({ surrogate, recorded }) => [surrogate.loss, recorded.loss]));
  const tests = rounds.filter(({ workers }) => workers.length > 1).flatMap(testsOf);
  return {
    rounds: rounds.length,
    loss: rounded(loss.rmse),
    bias: rounded(loss.bias),
    relative: rounded(loss.rmse / mean(rounds, ({ recorded }) => recorded.loss)!),
    tests: tests.length,
    same: rounded(mean(tests, Number) ?? Number.NaN),
  };
}

const curveColumns = [
  dataset,
  textColumn("band", "Right labels in the task"),
  countColumn("round", "Round"),
  countColumn("tasks", "Tasks"),
  amountColumn("recorded", "Loss, real"),
  amountColumn("surrogate", "Loss, surrogate"),
  shareColumn("recordedAccuracy", "Accuracy, real"),
  shareColumn("surrogateAccuracy", "Accuracy, surrogate"),
];

/** Means over tasks of the same band, round by round. */
const curveTable = (tasks: readonly ComparedTask[]): Table => ({
  name: "curves",
  title: "Loss and accuracy by round and share of right labels: real training and the surrogate",
  columns: curveColumns,
  rows: perDataset(tasks, (own) =>
    bandNames.flatMap((band) => {
      const chosen = own.filter((task) => bandOfTask(task) === band);
      const rounds = chosen[0]?.rounds.map((_, k) => chosen.map((task) => task.rounds[k]!)) ?? [];
      return rounds.map((same) => ({ band, ...curveCells(same) }));
    }),
  ),
});

function curveCells(rounds: readonly Replayed[]): Row {
  const of = (who: Side, what: "loss" | "accuracy") => rounded(mean(rounds, (round) => round[who][what])!);
  return {
    round: rounds[0]!.round,
    tasks: rounds.length,
    recorded: of("recorded", "loss"),
    surrogate: of("surrogate", "loss"),
    recordedAccuracy: of("recorded", "accuracy"),
    surrogateAccuracy: of("surrogate", "accuracy"),
  };
}

const gainColumns = [
  dataset,
  textColumn("task", "Task"),
  textColumn("set", "Set"),
  textColumn("mix", "Workers of 1.0 : 0.7 : 0.4 : 0.1"),
  amountColumn("accuracy", "Accuracy of labels"),
  amountColumn("recorded", "Gain × workers, real"),
  amountColumn("surrogate", "Gain × workers, surrogate"),
  shareColumn("recordedPass", "Tests passed, real"),
  shareColumn("surrogatePass", "Tests passed, surrogate"),
  countColumn("tests", "Tests"),
  shareColumn("same", "End the same"),
];

/** One row per task and accuracy of workers: gains are means over rounds, times the number of workers. */
const gainTable = (tasks: readonly ComparedTask[]): Table => ({
  name: "gains",
  title: "What workers of an accuracy were worth in each recorded task, and by the surrogate",
  columns: gainColumns,
  rows: perDataset(tasks, (own) => own.flatMap(gainRows)),
});

const CLASSES = [1, 0.7, 0.4, 0.1];

function gainRows({ task, set, rounds }: ComparedTask): Row[] {
  const mix = CLASSES.map((one) => task.accuracies.filter((accuracy) => accuracy === one).length).join(" : ");
  const all = updatesIn(rounds);
  return CLASSES.flatMap((accuracy) => {
    const own = all.filter((one) => one.accuracy === accuracy);
    if (own.length === 0) return [];
    const gain = (who: Side) => rounded(mean(own, (one) => one[who])!);
    const passed = (who: Side) => mean(own, (one) => Number(one[who] >= 0))!;
    const gains = { recorded: gain("recorded"), surrogate: gain("surrogate") };
    const passes = { recordedPass: passed("recorded"), surrogatePass: passed("surrogate") };
    const same = mean(own, (one) => Number(one.same))!;
    return [{ task: task.seed, set, mix, accuracy, ...gains, ...passes, tests: own.length, same }];
  });
}

function mechanismTable(runs: readonly RunPair[]): Table {
  const losses = mechanismLosses(runs);
  return {
    name: "mechanisms",
    title: "Mean loss after the last round under each mechanism: real training and the surrogate",
    columns: [
      dataset,
      textColumn("mechanism", "Mechanism"),
      countColumn("tasks", "Tasks, real"),
      amountColumn("recorded", "Mean loss, real"),
      amountColumn("surrogate", "Mean loss, surrogate"),
      countColumn("recordedPlace", "Place, real"),
      countColumn("surrogatePlace", "Place, surrogate"),
    ],
    rows: losses.map((one) => {
      const rivals = losses.filter((other) => other.dataset === one.dataset);
      const place = (who: Side) => byLoss(rivals, who).indexOf(one.mechanism) + 1;
      return {
        dataset: datasetTitles[one.dataset],
        mechanism: one.mechanism,
        tasks: one.tasks,
        recorded: rounded(one.recorded),
        surrogate: rounded(one.surrogate),
        recordedPlace: place("recorded"),
        surrogatePlace: place("surrogate"),
      };
    }),
  };
}

const recordedIn = ({ recordings }: FidelityResult): DatasetName[] =>
  datasets.filter((name) => recordings[name] !== undefined);

export function chartsOf(result: FidelityResult): Chart[] {
  const values = recordedIn(result).map((name) => datasetTitles[name]);
  const choice = { field: "dataset", label: "Data set", values };
  const of = ({ rows }: Table, title: string) => rows.filter((row) => row.dataset === title);
  const [curves, gains] = [curveTable(result.tasks), gainTable(result.tasks)];
  return [
    {
      name: "loss",
      title: "Loss on the test set by round and share of right labels: real training and the surrogate",
      table: "curves",
      choices: [choice],
      spec: curveSpec,
      summary: captions([choice], (chosen) => curveCaption(of(curves, chosen.dataset!), chosen.dataset!)),
      howToRead:
        "Points are means over recorded tasks of real training, lines the surrogate for the same workers; colours tell by the share of right labels over the whole task.",
    },
    {
      name: "gains",
      title: "What workers are worth: real training and the surrogate",
      table: "gains",
      choices: [choice],
      spec: gainSpec,
      summary: captions([choice], (chosen) => gainCaption(of(gains, chosen.dataset!), chosen.dataset!)),
      howToRead:
        "A point is one recorded task and one accuracy of workers: by how much the loss would be higher without one of them, mean over rounds, times the number of workers. On the dashed line both agree.",
    },
  ];
}

const lossAxis = (field: string) => ({ field, type: "quantitative", title: null });

const curveSpec = {
  height: 260,
  encoding: {
    x: { field: "round", type: "ordinal", title: "Round", axis: { labelAngle: 0 } },
    color: { field: "band", type: "ordinal", sort: bandNames, title: "right labels" },
  },
  layer: [
    { mark: { type: "line", tooltip: null }, encoding: { y: lossAxis("surrogate") } },
    {
      mark: { type: "point", filled: true, size: 50 },
      encoding: { y: lossAxis("recorded"), tooltip: tooltipOf(curveColumns) },
    },
  ],
};

function curveCaption(rows: readonly Row[], title: string): string {
  const last = Math.max(...rows.map((row) => Number(row.round)));
  const off = (row: Row) => Math.abs(Number(row.surrogate) - Number(row.recorded));
  const [worst] = rows.filter((row) => row.round === last).sort((a, b) => off(b) - off(a));
  if (worst === undefined) return `Nothing is recorded on ${title}.`;
  const { band, recorded, surrogate, tasks } = worst;
  return `${title}: after round ${last} the surrogate's mean loss is furthest off where ${band} of the labels are right, ${threeDigits(Number(surrogate))} for ${threeDigits(Number(recorded))} (${many(Number(tasks), "task")}).`;
}

const gainAxis = (field: string, who: string) => ({
  field,
  type: "quantitative",
  title: `Gain × workers, ${who}`,
});

const gainSpec = {
  height: 260,
  encoding: { x: gainAxis("surrogate", "surrogate"), y: gainAxis("recorded", "real") },
  layer: [
    {
      mark: { type: "line", strokeDash: [4, 4], color: "black", tooltip: null },
      encoding: { y: gainAxis("surrogate", "real") },
    },
    {
      mark: { type: "point", filled: true, size: 50 },
      encoding: {
        color: {
          field: "accuracy",
          type: "ordinal",
          sort: "descending",
          title: "accuracy of labels",
          legend: { offset: 40 },
        },
        tooltip: tooltipOf(gainColumns),
      },
    },
  ],
};

function gainCaption(rows: readonly Row[], title: string): string {
  const agreed = rows.filter(({ recorded, surrogate }) => Number(recorded) >= 0 === Number(surrogate) >= 0);
  return `${title}: real training and surrogate agree on whether workers of an accuracy help or harm in ${agreed.length} of ${rows.length} cases (tasks and accuracies).`;
}

export function findingsOf(result: FidelityResult): Finding[] {
  const [residuals, regions] = [residualTable(result.tasks), regionTable(result.tasks)];
  const of = ({ rows }: Table, name: DatasetName) =>
    rows.filter((row) => row.dataset === datasetTitles[name]);
  return [
    ...orderFinding(result),
    ...recordedIn(result).flatMap((name) => [
      closenessFinding(datasetTitles[name], of(residuals, name)),
      doubtFinding(datasetTitles[name], of(regions, name)),
    ]),
  ];
}

/** Whether both put mechanisms into the same order by mean loss. */
function orderFinding({ runs }: FidelityResult): Finding[] {
  const losses = mechanismLosses(runs);
  const orders = datasets.flatMap((name) => {
    const order = orderOf(losses, name);
    return order === null ? [] : [{ name, order, same: order.recorded.join() === order.surrogate.join() }];
  });
  if (orders.length === 0) return [];
  const parts = orders.map(({ name, order, same }) => {
    const { recorded, surrogate, tau, tasks } = order;
    const [least, most] = [Math.min(...tasks), Math.max(...tasks)];
    const n = `${least === most ? "" : `${least} to `}${many(most, "task")} of one run for each mechanism`;
    const other = same ? "by both" : `in real training, ${surrogate.join(" < ")} by the surrogate`;
    return `on ${datasetTitles[name]} ${recorded.join(" < ")} ${other} (${n}; Kendall's tau ${tau.toFixed(2)})`;
  });
  const text = `Mechanisms by mean loss after the last round: ${parts.join("; ")}.`;
  return [{ text, weight: orders.every(({ same }) => same) ? 24 : 40 }];
}

/** Judged by tasks the fit has not seen, where there are any. */
function closenessFinding(title: string, rows: readonly Row[]): Finding {
  const unseen = rows.filter(({ set }) => set !== "fitted");
  const judged = unseen.length === 0 ? rows : unseen;
  const each = judged.map(
    ({ set, tasks, loss, worst, same, tests }) =>
      `${set}, ${many(Number(tasks), "task")}: ${threeDigits(Number(loss))}, at most ${threeDigits(Number(worst))}; ${percent(Number(same))} of ${many(Number(tests), "quality test")} end the same`,
  );
  const agreed = Math.min(...judged.map((row) => Number(row.same)));
  const text = `${title}: the surrogate's loss is off real training's by (root mean square over rounds) ${each.join("; ")}.`;
  return { text, weight: agreed < 0.9 ? 45 : 22 };
}

/** How much further off than overall a region must be to be named. */
const NOTABLE = 1.5;

/** Regions where losses are off by much more than overall, or tests end differently more often. */
function doubtFinding(title: string, rows: readonly Row[]): Finding {
  const overall = (of: (row: Row) => number, weight: "rounds" | "tests") => {
    const first = rows.filter(({ by }) => by === rows[0]!.by);
    const total = first.reduce((sum, row) => sum + Number(row[weight]), 0);
    return first.reduce((sum, row) => sum + of(row) * Number(row[weight]), 0) / total;
  };
  const loss = Math.sqrt(overall((row) => Number(row.loss) ** 2, "rounds"));
  const differ = overall((row) => 1 - Number(row.same ?? 1), "tests");
  const far = rows.filter((row) => Number(row.loss) > NOTABLE * loss);
  const wrong = rows.filter((row) => row.same !== null && 1 - Number(row.same) > NOTABLE * differ);
  const losses = far.map((row) => `${row.region} (${threeDigits(Number(row.loss))})`);
  const tests = wrong.map((row) => `${row.region} (${percent(1 - Number(row.same))})`);
  const parts = [
    losses.length === 0
      ? `its loss is nowhere off by much more than overall (${threeDigits(loss)})`
      : `its loss is furthest off with ${listed(losses)}, and by ${threeDigits(loss)} overall`,
    tests.length === 0
      ? `its quality tests are wrong nowhere much more often than overall (${percent(differ)})`
      : `its quality tests are wrong most often with ${listed(tests)}, and in ${percent(differ)} overall`,
  ];
  return { text: `${title}, where to trust the surrogate least: ${parts.join("; ")}.`, weight: 18 };
}

/** What was recorded, what that does not cover, and how the two are compared. */
export function methodsOf(result: FidelityResult): string[] {
  return [
    ...recordedIn(result).flatMap((name) => recordingMethods(name, result)),
    "The surrogate is compared without its noise, which is drawn anew for each round and worker, while real workers keep their data. Gains, cosines and tests are compared where two or more worked in a round.",
    result.runs.length === 0
      ? "The order of mechanisms is not compared: no whole runs are recorded."
      : "For the order of mechanisms the surrogate ran the recorded seeds with the same workers, costs and arrivals; mechanisms with fewer than five counted tasks are left out of it.",
  ];
}

function recordingMethods(name: DatasetName, { recordings, tasks }: FidelityResult): string[] {
  const { settings, provenance, tasks: recorded } = recordings[name]!;
  const rounds = tasks.filter((task) => task.dataset === name).flatMap((task) => task.rounds);
  const means = rounds.map(meanAccuracy);
  const sizes = rounds.map(({ workers }) => workers.length);
  const accuracies = [...new Set(recorded.flatMap((task) => task.accuracies))].sort((a, b) => b - a);
  const title = datasetTitles[name];
  return [
    `${title} was recorded on ${provenance.date} with candor ${provenance.candor} and TensorFlow.js ${provenance.tfjs} by "${provenance.command}": ${many(recorded.length, "task")} of ${many(settings.rounds, "round")}, ${many(Math.round(provenance.seconds / 60), "minute")}.`,
    `${title}: rounds of ${Math.min(...sizes)} to ${Math.max(...sizes)} workers whose labels are right to ${percent(Math.min(...means))} to ${percent(Math.max(...means))} on average, workers of accuracy ${listed(accuracies.map(String))}, ${settings.samples} samples each, rate ${settings.rate}, batches of ${settings.batch}, ${many(settings.epochs, "epoch")}, ${settings.model}. For other models, rates, numbers of samples or kinds of wrong labels the surrogate extrapolates.`,
  ];
}
