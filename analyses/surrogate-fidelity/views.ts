/** The surrogate's fidelity as tables, charts and sentences. */

import { mean, sum } from "d3-array";
import { listed, many, percent, threeDigits } from "../../src/lib/format.js";
import { FEWEST, kendall } from "../../src/lib/statistics.js";
import type { Chart, Finding, Table } from "../../src/report/result.js";
import {
  amountAxis,
  amountColumn,
  captions,
  countColumn,
  shareColumn,
  tableOf,
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

const residualsIn = (tasks: readonly ComparedTask[]) =>
  perDataset(tasks, (own) =>
    setNames.flatMap((set) => {
      const chosen = own.filter((task) => task.set === set);
      return chosen.length === 0 ? [] : [{ set, ...residualsOf(chosen.map(({ rounds }) => rounds)) }];
    }),
  );

type ResidualsOf = ReturnType<typeof residualsIn>[number];

/** Errors by region, over all recorded tasks. */
const regionsIn = (tasks: readonly ComparedTask[]) =>
  perDataset(tasks, (own) => {
    const rounds = own.flatMap((task) => task.rounds);
    return Object.entries(regions).flatMap(([by, some]) =>
      some.flatMap(([region, has]) => {
        const inside = rounds.filter(has);
        if (inside.length === 0) return [];
        const loss = errorsOf(inside.map(({ surrogate, recorded }) => [surrogate.loss, recorded.loss]));
        const tests = inside.filter(({ workers }) => workers.length > 1).flatMap(testsOf);
        return [{ by, region, inside, loss, tests: tests.length, same: mean(tests, Number) ?? null }];
      }),
    );
  });

type RegionOf = ReturnType<typeof regionsIn>[number];

/** Means over tasks of the same band, round by round. */
const curvesIn = (tasks: readonly ComparedTask[]) =>
  perDataset(tasks, (own) =>
    bandNames.flatMap((band) => {
      const chosen = own.filter((task) => bandOfTask(task) === band);
      const rounds = chosen[0]?.rounds.map((_, k) => chosen.map((task) => task.rounds[k]!)) ?? [];
      return rounds.map((same) => {
        const of = (who: Side, what: "loss" | "accuracy") => mean(same, (round) => round[who][what])!;
        return {
          ...{ band, round: same[0]!.round, tasks: same.length },
          recorded: of("recorded", "loss"),
          surrogate: of("surrogate", "loss"),
          recordedAccuracy: of("recorded", "accuracy"),
          surrogateAccuracy: of("surrogate", "accuracy"),
        };
      });
    }),
  );

type CurvePoint = ReturnType<typeof curvesIn>[number];

/** One for each task and accuracy of workers: gains are means over rounds, times the number of workers. */
const gainsIn = (tasks: readonly ComparedTask[]) =>
  perDataset(tasks, (own) =>
    own.flatMap(({ task, set, rounds }) => {
      const count = (one: number) => task.accuracies.filter((accuracy) => accuracy === one).length;
      const mix = CLASSES.map(count).join(" : ");
      const all = updatesIn(rounds);
      return CLASSES.flatMap((accuracy) => {
        const some = all.filter((one) => one.accuracy === accuracy);
        return some.length === 0 ? [] : [{ task: task.seed, set, mix, accuracy, ...gainsOf(some) }];
      });
    }),
  );

type GainPoint = ReturnType<typeof gainsIn>[number];

function gainsOf(updates: readonly Update[]) {
  const over = (of: (update: Update) => number) => mean(updates, of)!;
  return {
    recorded: over((one) => one.recorded),
    surrogate: over((one) => one.surrogate),
    recordedPass: over((one) => Number(one.recorded >= 0)),
    surrogatePass: over((one) => Number(one.surrogate >= 0)),
    tests: updates.length,
    same: over((one) => Number(one.same)),
  };
}

const dataset = textColumn("dataset", "Data set");

export const tables = ({ tasks, runs }: FidelityResult): Table[] => [
  tableOf("residuals", "How far the surrogate is from real training", residualsIn(tasks), [
    dataset,
    textColumn("set", "Set"),
    countColumn("tasks", "Tasks"),
    amountColumn("loss", "Loss off by (root mean square)", ({ loss }) => loss.rmse),
    amountColumn("bias", "Loss too high by, on average", ({ loss }) => loss.bias),
    amountColumn("worst", "Loss off by at most", ({ loss }) => loss.worst),
    amountColumn("accuracy", "Accuracy off by (root mean square)", ({ accuracy }) => accuracy.rmse),
    amountColumn("cosine", "Cosine off by (root mean square)", ({ cosine }) => cosine.rmse),
    countColumn("tests", "Quality tests", ({ tests }) => tests.n),
    shareColumn("same", "Tests that end the same", ({ tests }) => tests.same),
    shareColumn(
      "order",
      "Pairs of different workers whose gains are in the same order",
      ({ order }) => order.same,
    ),
  ]),
  tableOf("regions", "Where the surrogate is off", regionsIn(tasks), [
    dataset,
    textColumn("by", "By"),
    textColumn("region", "Where"),
    countColumn("rounds", "Rounds", ({ inside }) => inside.length),
    amountColumn("loss", "Loss off by (root mean square)", ({ loss }) => loss.rmse),
    amountColumn("bias", "Loss too high by, on average", ({ loss }) => loss.bias),
    shareColumn(
      "relative",
      "Loss off by, relative to it",
      ({ loss, inside }) => loss.rmse / mean(inside, ({ recorded }) => recorded.loss)!,
    ),
    countColumn("tests", "Quality tests"),
    shareColumn("same", "Tests that end the same"),
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
  ...(runs.length === 0 ? [] : [mechanismTable(mechanismLosses(runs))]),
];

/** Whatever is made of the tasks of each data set, with its title. */
const perDataset = <Item>(tasks: readonly ComparedTask[], items: (own: ComparedTask[]) => Item[]) =>
  datasets.flatMap((name) =>
    items(tasks.filter((task) => task.dataset === name)).map((item) => ({
      dataset: datasetTitles[name],
      ...item,
    })),
  );

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

const CLASSES = [1, 0.7, 0.4, 0.1];

function mechanismTable(losses: readonly MechanismLoss[]): Table {
  const place = (one: MechanismLoss, who: Side) =>
    byLoss(
      losses.filter((other) => other.dataset === one.dataset),
      who,
    ).indexOf(one.mechanism) + 1;
  const title = "Mean loss after the last round under each mechanism: real training and the surrogate";
  return tableOf("mechanisms", title, losses, [
    textColumn("dataset", "Data set", (one) => datasetTitles[one.dataset]),
    textColumn("mechanism", "Mechanism"),
    countColumn("tasks", "Tasks, real"),
    amountColumn("recorded", "Mean loss, real"),
    amountColumn("surrogate", "Mean loss, surrogate"),
    countColumn("recordedPlace", "Place, real", (one) => place(one, "recorded")),
    countColumn("surrogatePlace", "Place, surrogate", (one) => place(one, "surrogate")),
  ]);
}

const recordedIn = ({ recordings }: FidelityResult): DatasetName[] =>
  datasets.filter((name) => recordings[name] !== undefined);

const ofDataset = <Item extends { readonly dataset: string }>(
  items: readonly Item[],
  title: string,
): Item[] => items.filter(({ dataset }) => dataset === title);

export function charts(result: FidelityResult): Chart[] {
  const values = recordedIn(result).map((name) => datasetTitles[name]);
  const choices = [{ field: "dataset", label: "Data set", values }];
  const [curves, gains] = [curvesIn(result.tasks), gainsIn(result.tasks)];
  return [
    {
      name: "loss",
      title: "Loss on the test set by round and share of right labels: real training and the surrogate",
      table: "curves",
      choices,
      spec: curveSpec,
      summary: captions(choices, ({ dataset }) => curveCaption(ofDataset(curves, dataset!), dataset!)),
      howToRead:
        "Points are means over recorded tasks of real training, lines the surrogate for the same workers; colours tell by the share of right labels over the whole task.",
    },
    {
      name: "gains",
      title: "What workers are worth: real training and the surrogate",
      table: "gains",
      choices,
      spec: gainSpec,
      summary: captions(choices, ({ dataset }) => gainCaption(ofDataset(gains, dataset!), dataset!)),
      howToRead:
        "A point is one recorded task and one accuracy of workers: by how much the loss would be higher without one of them, mean over rounds, times the number of workers. On the dashed line both agree.",
    },
  ];
}

const curveSpec = {
  height: 260,
  encoding: {
    x: { field: "round", type: "ordinal", title: "Round", axis: { labelAngle: 0 } },
    color: { field: "band", type: "ordinal", sort: bandNames, title: "right labels" },
  },
  layer: [
    { mark: { type: "line", tooltip: null }, encoding: { y: amountAxis("surrogate", null) } },
    {
      mark: { type: "point", size: 50 },
      encoding: { y: amountAxis("recorded", null), tooltip: tooltipOf(curveColumns) },
    },
  ],
};

function curveCaption(points: readonly CurvePoint[], title: string): string {
  const last = Math.max(...points.map(({ round }) => round));
  const off = ({ surrogate, recorded }: CurvePoint) => Math.abs(surrogate - recorded);
  const [worst] = points.filter(({ round }) => round === last).sort((a, b) => off(b) - off(a));
  if (worst === undefined) return `Nothing is recorded on ${title}.`;
  const { band, recorded, surrogate, tasks } = worst;
  return `${title}: after round ${last} the surrogate's mean loss is furthest off where ${band} of the labels are right, ${threeDigits(surrogate)} for ${threeDigits(recorded)} (${many(tasks, "task")}).`;
}

const gainAxis = (field: string, who: string) => amountAxis(field, `Gain × workers, ${who}`);

const gainSpec = {
  height: 260,
  encoding: { x: gainAxis("surrogate", "surrogate"), y: gainAxis("recorded", "real") },
  layer: [
    {
      mark: { type: "line", strokeDash: [4, 4], color: "black", tooltip: null },
      encoding: { y: gainAxis("surrogate", "real") },
    },
    {
      mark: { type: "point", size: 50 },
      encoding: {
        color: {
          ...{ field: "accuracy", type: "ordinal", sort: "descending" },
          ...{ title: "accuracy of labels", legend: { offset: 40 } },
        },
        tooltip: tooltipOf(gainColumns),
      },
    },
  ],
};

function gainCaption(points: readonly GainPoint[], title: string): string {
  const agreed = points.filter(({ recorded, surrogate }) => recorded >= 0 === surrogate >= 0);
  return `${title}: real training and surrogate agree on whether workers of an accuracy help or harm in ${agreed.length} of ${points.length} cases (tasks and accuracies).`;
}

export function findings(result: FidelityResult): Finding[] {
  const [residuals, regions] = [residualsIn(result.tasks), regionsIn(result.tasks)];
  return [
    ...orderFinding(result),
    ...recordedIn(result)
      .map((name) => datasetTitles[name])
      .flatMap((title) => [
        closenessFinding(title, ofDataset(residuals, title)),
        doubtFinding(title, ofDataset(regions, title)),
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
function closenessFinding(title: string, residuals: readonly ResidualsOf[]): Finding {
  const unseen = residuals.filter(({ set }) => set !== "fitted");
  const judged = unseen.length === 0 ? residuals : unseen;
  const each = judged.map(
    ({ set, tasks, loss, tests }) =>
      `${set}, ${many(tasks, "task")}: ${threeDigits(loss.rmse)}, at most ${threeDigits(loss.worst)}; ${percent(tests.same)} of ${many(tests.n, "quality test")} end the same`,
  );
  const agreed = Math.min(...judged.map(({ tests }) => tests.same));
  const text = `${title}: the surrogate's loss is off real training's by (root mean square over rounds) ${each.join("; ")}.`;
  return { text, weight: agreed < 0.9 ? 45 : 22 };
}

/** How much further off than overall a region must be to be named. */
const NOTABLE = 1.5;

/** Regions where losses are off by much more than overall, or tests end differently more often. */
function doubtFinding(title: string, regions: readonly RegionOf[]): Finding {
  const first = regions.filter(({ by }) => by === regions[0]!.by);
  const overall = (of: (region: RegionOf) => number, weight: (region: RegionOf) => number) =>
    sum(first, (one) => of(one) * weight(one)) / sum(first, weight);
  const loss = Math.sqrt(
    overall(
      (one) => one.loss.rmse ** 2,
      ({ inside }) => inside.length,
    ),
  );
  const differing = ({ same }: RegionOf) => 1 - (same ?? 1);
  const differ = overall(differing, ({ tests }) => tests);
  const far = regions.filter((one) => one.loss.rmse > NOTABLE * loss);
  const wrong = regions.filter((one) => differing(one) > NOTABLE * differ);
  const losses = far.map((one) => `${one.region} (${threeDigits(one.loss.rmse)})`);
  const tests = wrong.map((one) => `${one.region} (${percent(differing(one))})`);
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
export function methods(result: FidelityResult): string[] {
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
