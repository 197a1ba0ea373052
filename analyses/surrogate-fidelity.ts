/** The surrogate trainer beside recorded runs of the real one: curves, gains, quality tests, the order of mechanisms. */

import { greatest, mean } from "d3-array";
import { listed, many, percent, threeDigits, twoPlaces } from "../src/lib/format.js";
import { stream } from "../src/lib/random.js";
import { FEWEST, kendall } from "../src/lib/statistics.js";
import type { Chart, Table } from "../src/report/result.js";
import { axis, captions, column, marks, rankedFindings, tableOf } from "../src/report/vocabulary.js";
import type { Analysis } from "../src/study/analysis.js";
import { collectJob } from "../src/study/job.js";
import type { DatasetName } from "../src/training/datasets.js";
import {
  type RecordedCurves,
  type RecordedRuns,
  recordedCurves,
  recordedTables,
  type TaskLine,
} from "../src/training/recordings.js";
import { type Parameters, parameters, surrogate } from "../src/training/surrogate.js";
import { residualsOf } from "../src/training/surrogate-fit.js";
import {
  datasets,
  datasetTitles,
  estimateOf,
  linesOf,
  settingOf,
  taskUnits,
  truthfulUnder,
} from "./shared/training.js";
import {
  bandNames,
  type ComparedTask,
  type CurvePoint,
  comparedTasks,
  curvesIn,
  errorsIn,
  gainsIn,
  meanAccuracy,
  type RoundErrors,
  regionsIn,
  residualsIn,
} from "./surrogate-fidelity/compared.js";

interface FidelitySettings {
  readonly recordings: Partial<Readonly<Record<DatasetName, RecordedCurves>>>;
  readonly parameters: Readonly<Record<DatasetName, Parameters>>;
  /** Whole runs, which the surrogate makes again. */
  readonly tables: Partial<Readonly<Record<DatasetName, RecordedRuns>>>;
}

export const surrogateFidelity: Analysis<FidelitySettings, Run, TaskLine[][], FidelityResult> = {
  name: "surrogate-fidelity",
  question: "How far is the surrogate from real training, and where is it least to be trusted?",
  part: "appendix",
  settings: () => ({ recordings: recordedCurves, parameters, tables: recordedTables }),
  plan: ({ tables }, { mechanisms }) =>
    Object.entries(tables)
      .flatMap(([dataset, { runs }]) => runs.map((run) => ({ ...run, dataset: dataset as DatasetName })))
      .filter(({ agent, mechanism }) => agent === null && mechanisms.some(({ name }) => name === mechanism))
      .map(({ dataset, mechanism, seed, tasks }) => ({
        cell: { dataset, mechanism, seed, tasks: tasks.length },
        markets: 1,
      })),
  /** A recorded run again under the surrogate: the same workers, costs and arrivals. */
  job: collectJob(
    ({ dataset, mechanism, seed, tasks }: Run, _, context) =>
      linesOf(
        { ...settingOf(truthfulUnder(mechanism), context, stream(seed)), trainer: surrogate({ dataset }) },
        tasks,
      ),
    ({ tasks }) => 1.5 * tasks,
  ),
  conclude: (gathered, { recordings, parameters, tables }) => ({
    recordings,
    tasks: (Object.entries(recordings) as [DatasetName, RecordedCurves][]).flatMap(([dataset, recording]) =>
      comparedTasks(dataset, recording, parameters[dataset]),
    ),
    losses: gathered.flatMap(({ cell, summary }) => lossesOf(cell, tables, summary?.[0] ?? [])),
  }),
  tables,
  charts: (result) => [lossChart(result)],
  findings: ({ tasks, losses }) => {
    const orders = ordersIn(losses);
    const weight = orders.every(({ tau }) => tau === 1) ? 24 : 40;
    return rankedFindings([weight, closenessText(tasks, orders)], [18, doubtText(tasks)]);
  },
  methods,
};

/** A run of tasks that one mechanism selected workers for. */
interface Run {
  readonly dataset: DatasetName;
  readonly mechanism: string;
  readonly seed: string;
  readonly tasks: number;
}

/** Mean losses after the last round over the tasks that count, of a recorded run and of the same under the surrogate. */
function lossesOf({ dataset, mechanism, seed }: Run, tables: FidelitySettings["tables"], again: TaskLine[]) {
  const run = tables[dataset]!.runs.find(
    (one) => one.mechanism === mechanism && one.seed === seed && one.agent === null,
  )!;
  const [real, model] = [run.tasks, again].map((lines) => estimateOf(taskUnits(lines, "loss")));
  const losses = { dataset, mechanism, tasks: real!.n, recorded: real!.mean, surrogate: model!.mean };
  return Number.isFinite(losses.recorded) && Number.isFinite(losses.surrogate) ? [losses] : [];
}

type MechanismLoss = ReturnType<typeof lossesOf>[number];

type Side = "recorded" | "surrogate";

const byLoss = (losses: readonly MechanismLoss[], who: Side): string[] =>
  losses.toSorted((a, b) => a[who] - b[who]).map(({ mechanism }) => mechanism);

/** Kendall's tau of the orders of mechanisms with enough tasks; none where fewer than two have. */
const ordersIn = (losses: readonly MechanismLoss[]) =>
  datasets.flatMap((name) => {
    const own = losses.filter((one) => one.dataset === name && one.tasks >= FEWEST);
    if (own.length < 2) return [];
    const tau = kendall(own.map(({ recorded, surrogate }) => [recorded, surrogate]));
    return [{ tau, text: `${twoPlaces(tau)} on ${datasetTitles[name]}` }];
  });

interface FidelityResult extends Pick<FidelitySettings, "recordings"> {
  readonly tasks: readonly ComparedTask[];
  readonly losses: readonly MechanismLoss[];
}

const dataset = column.text("dataset", "Data set");

function tables({ tasks, losses }: FidelityResult): Table[] {
  return [
    tableOf("residuals", "How far the surrogate is from real training", residualsIn(tasks), [
      dataset,
      column.text("set", "Set"),
      column.count("tasks", "Tasks"),
      column.amount("loss", "Loss off by (root mean square)", ({ loss }) => loss.rmse),
      column.amount("bias", "Loss too high by, on average", ({ loss }) => loss.bias),
      column.amount("worst", "Loss off by at most", ({ loss }) => loss.worst),
      column.amount("accuracy", "Accuracy off by (root mean square)", ({ accuracy }) => accuracy.rmse),
      column.amount("cosine", "Cosine off by (root mean square)", ({ cosine }) => cosine.rmse),
      column.count("tests", "Quality tests", ({ tests }) => tests.n),
      column.share("same", "Tests that end the same", ({ tests }) => tests.same),
      column.share(
        "order",
        "Pairs of different workers whose gains are in the same order",
        ({ order }) => order.same,
      ),
    ]),
    tableOf("regions", "Where the surrogate is off", regionsIn(tasks), [
      dataset,
      column.text("by", "By"),
      column.text("region", "Where"),
      column.count("rounds", "Rounds", ({ inside }) => inside.length),
      column.amount("loss", "Loss off by (root mean square)", ({ loss }) => loss.rmse),
      column.amount("bias", "Loss too high by, on average", ({ loss }) => loss.bias),
      column.share(
        "relative",
        "Loss off by, relative to it",
        ({ loss, inside }) => loss.rmse / mean(inside, ({ recorded }) => recorded.loss)!,
      ),
      column.count("tests", "Quality tests"),
      column.share("same", "Tests that end the same"),
    ]),
    tableOf(
      "curves",
      "Loss and accuracy by round and share of right labels: real training and the surrogate",
      curvesIn(tasks),
      curveColumns,
    ),
    tableOf(
      "gains",
      "What workers of an accuracy were worth in each recorded task, and by the surrogate",
      gainsIn(tasks),
      gainColumns,
    ),
    ...(losses.length === 0 ? [] : [mechanismTable(losses)]),
  ];
}

const curveColumns = [
  dataset,
  column.text("band", "Right labels in the task"),
  column.count("round", "Round"),
  column.count("tasks", "Tasks"),
  column.amount("recorded", "Loss, real"),
  column.amount("surrogate", "Loss, surrogate"),
  column.share("recordedAccuracy", "Accuracy, real"),
  column.share("surrogateAccuracy", "Accuracy, surrogate"),
];

const gainColumns = [
  dataset,
  column.text("task", "Task"),
  column.text("set", "Set"),
  column.text("mix", "Workers of 1.0 : 0.7 : 0.4 : 0.1"),
  column.amount("accuracy", "Accuracy of labels"),
  column.amount("recorded", "Gain × workers, real"),
  column.amount("surrogate", "Gain × workers, surrogate"),
  column.share("recordedPass", "Tests passed, real"),
  column.share("surrogatePass", "Tests passed, surrogate"),
  column.count("tests", "Tests"),
  column.share("same", "End the same"),
];

function mechanismTable(losses: readonly MechanismLoss[]): Table {
  const place = (one: MechanismLoss, who: Side) =>
    byLoss(
      losses.filter((other) => other.dataset === one.dataset),
      who,
    ).indexOf(one.mechanism) + 1;
  const title = "Mean loss after the last round under each mechanism: real training and the surrogate";
  return tableOf("mechanisms", title, losses, [
    column.text("dataset", "Data set", (one) => datasetTitles[one.dataset]),
    column.text("mechanism", "Mechanism"),
    column.count("tasks", "Tasks, real"),
    column.amount("recorded", "Mean loss, real"),
    column.amount("surrogate", "Mean loss, surrogate"),
    column.count("recordedPlace", "Place, real", (one) => place(one, "recorded")),
    column.count("surrogatePlace", "Place, surrogate", (one) => place(one, "surrogate")),
  ]);
}

const recordedIn = ({ recordings }: FidelityResult): DatasetName[] =>
  datasets.filter((name) => recordings[name] !== undefined);

function lossChart(result: FidelityResult): Chart {
  const choices = [
    { field: "dataset", label: "Data set", values: recordedIn(result).map((name) => datasetTitles[name]) },
  ];
  const curves = curvesIn(result.tasks);
  return {
    name: "loss",
    title: "Loss on the test set by round and share of right labels: real training and the surrogate",
    table: "curves",
    choices,
    spec: {
      height: 240,
      encoding: {
        x: { field: "round", type: "ordinal", title: "Round", axis: { labelAngle: 0 } },
        color: {
          ...{ field: "band", type: "ordinal", sort: bandNames, title: "right labels" },
          legend: { columns: { expr: "max(2, floor(width / 100))" } },
        },
      },
      layer: [
        { mark: { type: "line", tooltip: null }, encoding: { y: axis.amount("surrogate", null) } },
        {
          mark: { type: "point", size: 50, opacity: 1 },
          encoding: { y: axis.amount("recorded", null), tooltip: marks.tooltip(curveColumns) },
        },
      ],
    },
    summary: captions(choices, ({ dataset }) => captionOf(curves, dataset!)),
    howToRead:
      "Points are means over recorded tasks of real training, lines the surrogate for the same workers; colours tell by the share of right labels over the whole task.",
  };
}

function captionOf(curves: readonly CurvePoint[], title: string): string {
  const own = curves.filter(({ dataset }) => dataset === title);
  const last = Math.max(...own.map(({ round }) => round));
  const worst = greatest(
    own.filter(({ round }) => round === last),
    ({ surrogate, recorded }) => Math.abs(surrogate - recorded),
  );
  if (worst === undefined) return `Nothing is recorded on ${title}.`;
  const { band, recorded, surrogate, tasks } = worst;
  return `${title}: after round ${last} the surrogate's mean loss is furthest off where ${band} of the labels are right, ${threeDigits(surrogate)} for ${threeDigits(recorded)} (${many(tasks, "task")}).`;
}

/** By tasks the fit has not seen, where there are any; and whether both put mechanisms into the same order by mean loss. */
function closenessText(tasks: readonly ComparedTask[], orders: ReturnType<typeof ordersIn>): string {
  const parts = datasets.flatMap((name) => {
    const own = tasks.filter((task) => task.dataset === name);
    const unseen = own.filter(({ set }) => set !== "fitted");
    const judged = unseen.length === 0 ? own : unseen;
    if (judged.length === 0) return [];
    const { loss } = residualsOf(judged.map(({ rounds }) => rounds));
    const seen = unseen.length === 0 ? " that were fitted" : "";
    return [`${threeDigits(loss.rmse)} on ${datasetTitles[name]} (${many(judged.length, "task")}${seen})`];
  });
  if (parts.length === 0) return "";
  const text = `In tasks that it was not fitted to, the root mean square error of the surrogate's loss is ${listed(parts)}.`;
  if (orders.length === 0) return text;
  return `${text} Kendall's tau between real training and the surrogate in the order of mechanisms by mean loss is ${listed(orders.map((order) => order.text))}.`;
}

/** The regions where losses are furthest off, and where tests end differently most often. */
function doubtText(tasks: readonly ComparedTask[]): string {
  const worst = (of: (errors: RoundErrors) => number, show: (size: number) => string) =>
    datasets.flatMap((name) => {
      const own = tasks.filter(({ dataset }) => dataset === name);
      const region = greatest(regionsIn(own), of);
      if (region === undefined || of(region) === 0) return [];
      const where = `${region.by === "round" ? "in" : "with"} ${region.region} on ${datasetTitles[name]}`;
      return [
        `${where} (${show(of(region))}, overall ${show(of(errorsIn(own.flatMap(({ rounds }) => rounds))))})`,
      ];
    });
  const losses = worst(({ loss }) => loss.rmse, threeDigits);
  const tests = worst(({ same }) => 1 - (same ?? 1), percent);
  const sentences = [
    losses.length > 0 ? `The surrogate's loss is furthest off ${listed(losses)}.` : "",
    tests.length > 0 ? `Its quality tests end differently most often ${listed(tests)}.` : "",
  ];
  return sentences.filter(Boolean).join(" ");
}

/** What was recorded, what that does not cover, and how the two are compared. */
function methods(result: FidelityResult): string[] {
  return [
    ...recordedIn(result).flatMap((name) => recordingMethods(name, result)),
    "The surrogate is compared without its noise, which is drawn anew for each round and worker, while real workers keep their data. Gains, cosines and tests are compared where two or more worked in a round.",
    result.losses.length === 0
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
