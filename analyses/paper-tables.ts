/** Tables 1 and 2 of the paper: its figures, real training that was recorded, and the surrogate for every mechanism. */

import { greatest, mean } from "d3-array";
import { listed, many, percent, shareWithInterval, threeDigits } from "../src/lib/format.js";
import { stream } from "../src/lib/random.js";
import { type Estimate, FEWEST, meanAlone } from "../src/lib/statistics.js";
import type { Chart, Finding, Table } from "../src/report/result.js";
import {
  axis,
  captions,
  colour,
  column,
  type Field,
  marks,
  rankedFindings,
  tableOf,
} from "../src/report/vocabulary.js";
import type { Analysis, Gathered } from "../src/study/analysis.js";
import { collectJob, jobByKind, type OfKind } from "../src/study/job.js";
import type { DatasetName } from "../src/training/datasets.js";
import { accuracyClasses, FIRST_COUNTED, paperTaskRules } from "../src/training/population.js";
import {
  type RecordedRuns,
  recordedHistory,
  recordedTables,
  type TaskLine,
} from "../src/training/recordings.js";
import { reputationSettings } from "../src/training/reputation.js";
import { missingFor, trainerNamed } from "../src/training/trainers.js";
import {
  datasetChoice,
  datasetNamed,
  datasets,
  datasetTitles,
  differenceOf,
  estimateOf,
  linesOf,
  type MeasureName,
  type Population,
  recordingsTable,
  type SeriesCell,
  type SeriesFound,
  seedUnits,
  seriesJob,
  settingOf,
  taskUnits,
  truthfulUnder,
  type Units,
  usualRuns,
} from "./shared/training.js";

/** The mechanisms of the paper's tables, in its order. */
const paperFive = ["online", "fixed-threshold", "rrafl", "vanilla", "bid-greedy"] as const;

type Printed = Readonly<Record<(typeof paperFive)[number], Readonly<Record<DatasetName, number>>>>;

const table1: Printed = {
  online: { mnist: 1, fashion: 0.9411 },
  "fixed-threshold": { mnist: 1, fashion: 0.9175 },
  rrafl: { mnist: 1, fashion: 0.8956 },
  vanilla: { mnist: 0.477, fashion: 0.477 },
  "bid-greedy": { mnist: 0.3296, fashion: 0.3296 },
};

const table2: Printed = {
  online: { mnist: 0.4393, fashion: 1.1162 },
  "fixed-threshold": { mnist: 0.4993, fashion: 1.4971 },
  rrafl: { mnist: 0.4389, fashion: 1.1376 },
  vanilla: { mnist: 0.5022, fashion: 1.4566 },
  "bid-greedy": { mnist: 0.5452, fashion: 1.6925 },
};

/** The paper does not say which of two ways it means; of each table, the first is the one that sentences are about. */
const paperMeasures = [
  { name: "goodShare", label: "Share of good workers among the selected", printed: table1, show: percent },
  {
    name: "goodRoundShare",
    label: "Share of good workers in the rounds worked",
    printed: table1,
    show: percent,
  },
  { name: "meanLoss", label: "Mean loss over all rounds", printed: table2, show: threeDigits },
  { name: "loss", label: "Loss after the last round", printed: table2, show: threeDigits },
] as const;

type Measure = (typeof paperMeasures)[number];

const [good, , meanLoss, lastLoss] = paperMeasures;

/** The surrogate's runs once more, with everybody trusted in full until the first task is over. */
const TRUST = 1;

/** Where figures come from: tasks of a run that was recorded, seeds of the surrogate, tasks trained in this very run. */
const sources = [
  "real training",
  "real training, own history",
  "surrogate",
  "surrogate, first reputation 1",
  "surrogate, own history",
  "trained now",
] as const;

/** The options of a public implementation of RRAFL. */
const ownHistory = { tolerance: 0.01, contribution: "history" } as const;

type Source = (typeof sources)[number];

const unitOf = (source: Source): string => (source.startsWith("surrogate") ? "seed" : "task");

interface Reading extends Units {
  readonly source: Source;
  readonly dataset: DatasetName;
  readonly mechanism: string;
  readonly measure: MeasureName;
}

interface Place {
  readonly source: Source;
  readonly dataset: DatasetName;
  readonly measure: Measure;
}

/** The readings of one measure from one source on one data set, by mechanism. */
const readingsAt = (readings: readonly Reading[], { source, dataset, measure }: Place) =>
  new Map(
    readings
      .filter((one) => one.source === source && one.dataset === dataset && one.measure === measure.name)
      .map((one) => [one.mechanism, one]),
  );

/** Of real training where at least two mechanisms have enough tasks, else of the surrogate. */
const comparisonBest = (readings: readonly Reading[], at: Omit<Place, "source">) =>
  (["real training", "surrogate"] as const)
    .map((source) => comparisonAt(readings, { ...at, source }))
    .find(({ near }) => near.length > 1);

/** A source on one data set held against the paper: figures of at least five tasks or seeds, and pairs in the paper's order. */
function comparisonAt(readings: readonly Reading[], place: Place) {
  const found = readingsAt(readings, place);
  const present = paperFive.filter((name) => found.has(name));
  const printed = (name: (typeof paperFive)[number]) => place.measure.printed[name][place.dataset];
  const near = present
    .map((name) => ({ mechanism: name, printed: printed(name), ours: estimateOf(found.get(name)!) }))
    .filter(({ ours }) => ours.n >= FEWEST);
  const pairs = present.flatMap((below) =>
    present.filter((above) => printed(below) < printed(above)).map((above) => ({ below, above })),
  );
  const order = pairs.map(({ below, above }) => {
    const gap = differenceOf(found.get(above)!, found.get(below)!, pairs.length);
    return { below, above, gap, verdict: verdictOf(gap) };
  });
  return { ...place, near, order };
}

type Comparison = ReturnType<typeof comparisonAt>;

/** Decided only where the whole interval lies on one side. */
function verdictOf({ low, high, n }: Estimate) {
  if (n < FEWEST) return "too few to tell";
  if (low > 0) return "as in the paper";
  return high < 0 ? "the other way round" : "undecided";
}

interface TablesResult {
  readonly readings: readonly Reading[];
  /** The mechanism in question. */
  readonly own: string;
  readonly methods: readonly string[];
}

const tables = ({ readings, own }: TablesResult): Table[] => [
  tableOf(
    "measured",
    "Tables 1 and 2 of the paper, and what comes out here",
    shownIn(readings),
    shownColumns,
  ),
  orderTable(readings),
  reputationTable(own),
  recordingsTable([...datasets.map((dataset) => recordedTables[dataset]), recordedHistory]),
];

const about = [column.text("dataset", "Data set"), column.text("measure", "Measured")];

const PAPER = "the paper";

/** The paper's figures, then every source's. */
const shownIn = (readings: readonly Reading[]) =>
  datasets.flatMap((dataset) =>
    paperMeasures.flatMap((measure) => {
      const about = { dataset: datasetTitles[dataset], measure: measure.label };
      const printed = paperFive.map((mechanism) => {
        const value = meanAlone(measure.printed[mechanism][dataset], 1);
        return { ...about, mechanism, source: PAPER, value, counted: "", idle: null };
      });
      const ours = sources.flatMap((source) => [
        ...readingsAt(readings, { source, dataset, measure }).values(),
      ]);
      const shown = ours.map((reading) => {
        const { mechanism, source, values } = reading;
        const value = estimateOf(reading);
        const counted = many(value.n, unitOf(source));
        return { ...about, mechanism, source, value, counted, idle: values.length - value.n };
      });
      return [...printed, ...shown];
    }),
  );

type Shown = ReturnType<typeof shownIn>[number];

const shownColumns: Field<Shown>[] = [
  ...about,
  column.text("mechanism", "Mechanism"),
  column.text("source", "Source"),
  ...column.estimate(column.amount("mean", "Mean"), ({ value }: Shown) => value),
  column.text("counted", "Mean over"),
  column.count("idle", "Left out: nobody selected"),
];

type Pair = Comparison["order"][number];

/** Each pair that the paper puts in an order. */
function orderTable(readings: readonly Reading[]): Table {
  const pairs = datasets.flatMap((dataset) =>
    sources.flatMap((source) =>
      paperMeasures.flatMap((measure) => {
        const about = { dataset: datasetTitles[dataset], source, measure: measure.label };
        const { order } = comparisonAt(readings, { source, dataset, measure });
        return order.map((one) => ({ ...about, ...one }));
      }),
    ),
  );
  return tableOf("order", "Mechanisms in the paper's order", pairs, [
    ...about,
    column.text("source", "Source"),
    column.text("claim", "The paper has", ({ below, above }) => `${below} below ${above}`),
    ...column.estimate(column.amount("mean", "Difference"), ({ gap }: Pair) => gap, column.together),
    column.text("verdict", "Here"),
    column.count("units", "Tasks or seeds", ({ gap }) => gap.n),
  ]);
}

/** Of the mechanism in question where it was recorded, else of the first that was. */
function reputationTable(own: string): Table {
  const rows = datasets.flatMap((dataset) => {
    const runs = usualRuns(dataset);
    const run = runs.find(({ mechanism }) => mechanism === own) ?? runs[0];
    return (run?.tasks ?? []).flatMap(({ task, reputations }) =>
      accuracyClasses.map((accuracy, k) => ({
        ...{ dataset: datasetTitles[dataset], mechanism: run!.mechanism, task },
        labels: `${Math.round(100 * accuracy)} %`,
        reputation: reputations[k],
      })),
    );
  });
  const title = "Mean reputation by label accuracy, task by task, in recorded real training";
  return tableOf("reputation", title, rows, [
    column.text("dataset", "Data set"),
    column.text("mechanism", "Mechanism"),
    column.count("task", "Task"),
    column.text("labels", "Labels right"),
    column.amount("reputation", "Mean reputation"),
  ]);
}

const charts = (result: TablesResult): Chart[] => [
  measuredChart(result),
  reputationChart(reputationTable(result.own)),
];

/** The paper's five mechanisms and the one in question. */
function measuredChart({ readings, own }: TablesResult): Chart {
  const names = [...new Set([...paperFive, own])].filter((name) =>
    readings.some(({ mechanism }) => mechanism === name),
  );
  const choices = [
    { field: "measure", label: "Measured", values: paperMeasures.map(({ label }) => label) },
    datasetChoice,
  ];
  return {
    name: "measured",
    title: "Good workers and losses: the paper's Tables 1 and 2, real training and the surrogate",
    table: "measured",
    choices,
    spec: marksOf(readings, names),
    summary: captions(choices, (chosen) => {
      const measure = paperMeasures.find(({ label }) => label === chosen.measure)!;
      return captionOf(readings, { dataset: datasetNamed(chosen.dataset!), measure });
    }),
    howToRead: `Lines are 95 % intervals, over the tasks of one run or over the surrogate's seeds. Below ${FEWEST} tasks or seeds there is none, and their number stands beside the mark.`,
  };
}

const ROW = 11;

/** A vertical line. */
const TICK = "M0,-1V1";

const shares = paperMeasures.flatMap(({ label, show }) => (show === percent ? [label] : []));

/** Labels of the axis: in per cent where the measure drawn is a share. */
const SHARE_OR_LOSS = `indexof(${JSON.stringify(shares)}, data('measured')[0].measure) < 0 ? datum.label : format(datum.value, '~%')`;

function marksOf(readings: readonly Reading[], names: readonly string[]): object {
  const present = sources.filter((source) => readings.some((one) => one.source === source));
  const shapes = ["circle", "square", "diamond", "triangle-up"].slice(0, present.length);
  const labels = { labelExpr: SHARE_OR_LOSS };
  const x = (field: string) => axis.amount(field, null, { axis: labels, scale: { zero: true, padding: 12 } });
  const shape = {
    ...axis.name("source", [PAPER, ...present]),
    scale: { domain: [PAPER, ...present], range: [TICK, ...shapes] },
    legend: {
      symbolStrokeColor: "black",
      symbolFillColor: "black",
      columns: 2,
      labelExpr: "replace(datum.label, 'first reputation', 'start at')",
    },
  };
  const tooltip = marks.tooltip(shownColumns);
  const tall = { filled: false, stroke: "black", strokeWidth: 2, size: (ROW * present.length - 4) ** 2 };
  return {
    height: (ROW * present.length + 8) * names.length,
    transform: [{ filter: { field: "mechanism", oneOf: names } }, { filter: "isValid(datum.mean)" }],
    encoding: { y: axis.name("mechanism", names) },
    layer: [
      {
        transform: [{ filter: `datum.source === '${PAPER}'` }],
        mark: { type: "point", ...tall },
        encoding: { x: x("mean"), shape, tooltip },
      },
      {
        transform: [{ filter: `datum.source !== '${PAPER}'` }],
        encoding: {
          yOffset: { field: "source", type: "nominal", sort: present, scale: { domain: present } },
          color: { ...colour.mechanism("mechanism", names), legend: null },
        },
        layer: [
          {
            transform: [{ filter: "isValid(datum.low)" }],
            mark: { type: "rule", tooltip: null },
            encoding: { x: x("low"), x2: { field: "high" } },
          },
          { mark: { type: "point", size: 50 }, encoding: { x: x("mean"), shape, tooltip } },
          {
            transform: [{ filter: "!isValid(datum.low)" }],
            mark: { type: "text", align: "left", dx: 8, tooltip: null },
            encoding: { x: x("mean"), text: { field: "counted" }, color: { value: "black" } },
          },
        ],
      },
    ],
  };
}

/** Where real training is farthest from the paper's figures; where none is recorded, the surrogate. */
function captionOf(readings: readonly Reading[], at: Omit<Place, "source">): string {
  const { show, label } = at.measure;
  const found = comparisonBest(readings, at);
  const about = `${label} on ${datasetTitles[at.dataset]}`;
  if (found === undefined) return `${about}: too few of the paper's mechanisms have ${FEWEST} tasks or more.`;
  const far = greatest(found.near, ({ ours, printed }) => Math.abs(ours.mean - printed))!;
  return `${about}: ${sourceText(found)} is farthest from the paper for ${far.mechanism}, ${show(far.ours.mean)} beside ${show(far.printed)}.`;
}

/** "real training (65 tasks of one run each)". */
function sourceText({ source, near }: Comparison): string {
  const counts = near.map(({ ours }) => ours.n);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const counted = `${least === most ? "" : `${least} to `}${many(most, unitOf(source))}`;
  return source === "surrogate" ? `the surrogate (${counted})` : `real training (${counted} of one run each)`;
}

/** How reputation parts the good from the bad. */
function reputationChart({ name, title, columns, rows }: Table): Chart {
  const captionFor = (dataset: string): string => {
    const own = rows.filter((row) => row.dataset === dataset && row.reputation !== null);
    const last = Math.max(...own.map(({ task }) => Number(task)));
    const end = own.filter(({ task }) => task === last);
    const [best, worst] = [end[0], end.at(-1)];
    if (!best || !worst) return `No run on ${dataset} is recorded.`;
    const text = ({ labels, reputation }: typeof best) =>
      `${threeDigits(Number(reputation))} where ${labels} of the labels are right`;
    return `One run of real training under ${best.mechanism} on ${dataset}: after ${last} tasks the mean reputation is ${text(best)} and ${text(worst)}.`;
  };
  return {
    name,
    title,
    table: name,
    choices: [datasetChoice],
    spec: {
      height: 230,
      mark: "line",
      encoding: {
        x: axis.amount("task", "Task"),
        y: axis.amount("reputation", null, { scale: { domain: [0, 1] } }),
        color: {
          ...{ field: "labels", type: "ordinal", sort: null, title: "labels right" },
          legend: { symbolType: "stroke", symbolStrokeWidth: 3 },
        },
        tooltip: marks.tooltip(columns),
      },
    },
    summary: captions([datasetChoice], (chosen) => captionFor(chosen.dataset!)),
    howToRead:
      "A line is the mean reputation, after each task, of all workers with this share of right labels, selected or not.",
  };
}

const findings = ({ readings, own }: TablesResult): Finding[] =>
  rankedFindings(
    [60, qualityText(readings, own)],
    [55, [startText(readings), historyText(readings)].filter((text) => text !== "").join(" ")],
    [45, lossText(readings)],
    [48, orderText(readings)],
  );

const bestOn = (readings: readonly Reading[], measure: Measure) =>
  datasets.flatMap((dataset) => comparisonBest(readings, { dataset, measure }) ?? []);

/** Whom the mechanism in question selects, beside the paper's figure. */
function qualityText(readings: readonly Reading[], own: string): string {
  const parts = bestOn(readings, good).flatMap(({ dataset, source, near }) =>
    near
      .filter(({ mechanism }) => mechanism === own)
      .map(({ ours, printed }) => {
        const from = source === "surrogate" ? "of the surrogate" : "of one run of real training";
        return `on ${datasetTitles[dataset]} ${shareWithInterval(ours)}, where the paper has ${percent(printed)} (${many(ours.n, unitOf(source))} ${from})`;
      }),
  );
  return parts.length > 0
    ? `Share of good workers among those that ${own} selects: ${parts.join("; ")}.`
    : "";
}

/** Where the first reputation decides whether a figure of Table 1 is met: where it matters most. */
function startText(readings: readonly Reading[]): string {
  const changes = datasets.flatMap((dataset) => {
    const [usual, trusted] = (["surrogate", "surrogate, first reputation 1"] as const).map((source) =>
      readingsAt(readings, { source, dataset, measure: good }),
    );
    return paperFive
      .filter((mechanism) => usual!.has(mechanism) && trusted!.has(mechanism))
      .map((mechanism) => {
        const [before, after] = [estimateOf(usual!.get(mechanism)!), estimateOf(trusted!.get(mechanism)!)];
        return { dataset, mechanism, before, after };
      });
  });
  const enough = changes.filter(({ before, after }) => Math.min(before.n, after.n) >= FEWEST);
  const most = greatest(enough, ({ before, after }) => Math.abs(after.mean - before.mean));
  if (most === undefined || Math.abs(most.after.mean - most.before.mean) < 0.1) return "";
  const { dataset, mechanism, before, after } = most;
  return `The first reputation, which the paper does not give, decides what ${mechanism} selects on ${datasetTitles[dataset]} under the surrogate (${many(after.n, "seed")}). Where all start with ${reputationSettings().start}, ${percent(before.mean)} of the selected are good workers; where all start with ${TRUST}, ${shareWithInterval(after)}.`;
}

/** What the other form of the reputation's formula changes: under the surrogate, and in real training where that was recorded. */
function historyText(readings: readonly Reading[]): string {
  const surrogate = historyChange(readings, ["surrogate", "surrogate, own history"]);
  const real = historyChange(readings, ["real training", "real training, own history"]);
  if (surrogate === "") return "";
  const also = real === "" ? "" : ` In real training that was recorded, ${real}.`;
  return `With contributions relative to a worker's own history and a tolerance of ${ownHistory.tolerance}, as in a public implementation of RRAFL, under the surrogate ${surrogate}.${also}`;
}

/** Of the mechanism and data set where the formula changes most. */
function historyChange(
  readings: readonly Reading[],
  [usual, other]: readonly [usual: Source, other: Source],
): string {
  const changes = datasets.flatMap((dataset) => {
    const at = (source: Source, measure: Measure) => readingsAt(readings, { source, dataset, measure });
    const names = paperFive.filter((name) => at(usual, good).has(name) && at(other, good).has(name));
    return names.map((mechanism) => {
      const of = (source: Source, measure: Measure) => estimateOf(at(source, measure).get(mechanism)!);
      return {
        where: `${mechanism} on ${datasetTitles[dataset]}`,
        before: of(usual, good),
        after: of(other, good),
        losses: [of(usual, meanLoss), of(other, meanLoss)].map(({ mean }) => threeDigits(mean)),
      };
    });
  });
  const enough = changes.filter(({ before, after }) => Math.min(before.n, after.n) >= FEWEST);
  const most = greatest(enough, ({ before, after }) => Math.abs(after.mean - before.mean));
  if (most === undefined) return "";
  const { where, before, after, losses } = most;
  return `${where} selects ${shareWithInterval(after)} good workers in place of ${shareWithInterval(before)}, with a mean loss of ${losses[1]} in place of ${losses[0]}`;
}

/** Which loss the paper means: how far each reading of "average loss" is off its figures. */
function lossText(readings: readonly Reading[]): string {
  const off = ({ near }: Comparison) =>
    percent(mean(near, ({ ours, printed }) => Math.abs(ours.mean - printed) / printed)!);
  const each = (measure: Measure) =>
    listed(bestOn(readings, measure).map((found) => `${off(found)} on ${datasetTitles[found.dataset]}`));
  if (each(meanLoss) === "" || each(lastLoss) === "") return "";
  return `The paper does not say which loss its Table 2 averages. The mean over all rounds is off its figures by ${each(meanLoss)}, the loss after the last round by ${each(lastLoss)} (averages over mechanisms).`;
}

/** Whether mechanisms come in the order of Table 2. */
function orderText(readings: readonly Reading[]): string {
  const found = bestOn(readings, meanLoss);
  if (found.length === 0) return "";
  const parts = found.map(({ dataset, order }) => {
    const of = (verdict: Pair["verdict"]) => order.filter((one) => one.verdict === verdict).length;
    const reversed = of("the other way round");
    const judged = order.length - of("too few to tell");
    return `${of("as in the paper")} of ${judged} on ${datasetTitles[dataset]}${reversed > 0 ? ` (${reversed} the other way round)` : ""}`;
  });
  return `Pairs of mechanisms whose mean losses over all rounds come in the order of the paper's Table 2: ${listed(parts)} (95 %, all pairs of a data set together).`;
}

interface PaperTablesSettings {
  /** Runs under the surrogate. */
  readonly seeds: number;
  readonly tasks: number;
  /** Tasks trained for real, for each of the paper's mechanisms and data sets. */
  readonly live: number;
  /** Recorded runs on MNIST whose first task is trained again. */
  readonly again: number;
}

const profiles = {
  quick: { seeds: 6, tasks: 70, live: 0, again: 3 },
  full: { seeds: 100, tasks: 70, live: 70, again: 5 },
} as const satisfies Record<string, PaperTablesSettings>;

type Cell = SeriesCell | LiveCell;

type Summary = OfKind<"series", SeriesFound> | OfKind<"live", readonly Live[]>;

/** The same data set is trained on again, to see whether what was recorded comes out. */
const AGAIN = "mnist";

/** Of the paper's five, those that look at reputation run a second time, with another first reputation. */
function populationsOf(names: readonly string[]): Population[] {
  const judging = ["online", "fixed-threshold", "rrafl"].filter((name) => names.includes(name));
  return [
    ...names.map(truthfulUnder),
    ...judging.map((name) => ({ ...truthfulUnder(name), start: TRUST })),
    ...judging.map((name) => ({ ...truthfulUnder(name), reputation: ownHistory })),
  ];
}

const measures = paperMeasures.map(({ name }) => name);

const tasksRead = (
  about: Pick<Reading, "source" | "dataset" | "mechanism">,
  lines: Parameters<typeof taskUnits>[0],
): Reading[] => measures.map((measure) => ({ ...about, measure, ...taskUnits(lines, measure) }));

const recordedReadings = (dataset: DatasetName): Reading[] => {
  const read = (source: Source, runs: RecordedRuns["runs"]) =>
    runs.flatMap(({ mechanism, tasks }) => tasksRead({ source, dataset, mechanism }, tasks));
  const history = recordedHistory.dataset === dataset ? recordedHistory.runs : [];
  return [...read("real training", usualRuns(dataset)), ...read("real training, own history", history)];
};

type Found = readonly Gathered<Cell, Summary>[];

/** Of the cells trained for real: what came of each. */
const trainedIn = (gathered: Found) =>
  gathered.flatMap(({ cell, summary }) =>
    cell.kind === "live" && summary?.kind === "live" ? [{ cell, live: summary.summary[0]! }] : [],
  );

const trainedReadings = (gathered: Found): Reading[] =>
  trainedIn(gathered).flatMap(({ cell: { dataset, mechanism, seed }, live }) =>
    seed === null && "lines" in live
      ? tasksRead({ source: "trained now", dataset, mechanism }, live.lines)
      : [],
  );

const surrogateReadings = ({ cell, summary }: Gathered<Cell, Summary>): Reading[] => {
  if (cell.kind !== "series" || summary?.kind !== "series") return [];
  return cell.populations.flatMap(({ mechanism, start, reputation }, k) => {
    const changed = reputation === undefined ? "surrogate, first reputation 1" : "surrogate, own history";
    const source = start === null && reputation === undefined ? "surrogate" : changed;
    const means = summary.summary.map((seed) => seed[k]!);
    return measures.map((measure) => {
      return { source, dataset: cell.dataset, mechanism, measure, ...seedUnits(means, measure) };
    });
  });
};

function methodsOf(gathered: Found, { seeds, tasks }: PaperTablesSettings): string[] {
  const starts =
    "The paper does not give the reputation that workers start with; here it is 0.5, and 1 in a second run of those mechanisms that look at reputation. Its formula of reputation is RRAFL's, with the weights 0.4 and 0.6 and the steepness 5.5 of a public implementation (second-hand; steps over tasks are our own). That implementation lets an update pass that costs at most 0.01 and takes contributions relative to the worker's own history: “surrogate, own history” is so, with the tolerance of loss and the history of one task. All workers tell the truth.";
  return [
    ...datasets.map((dataset) => recordedText(dataset, recordedTables[dataset])),
    `Real training on ${datasetTitles[AGAIN]} with --reputation tolerance=${ownHistory.tolerance},contribution=${ownHistory.contribution} was recorded on ${listed([...new Set(recordedHistory.runs.map(({ finished }) => finished))].sort())}, in tasks: ${listed(recordedHistory.runs.map(({ mechanism, tasks }) => `${mechanism} (${tasks.length})`))}; on ${datasetTitles.fashion}, and of the other mechanisms, none is recorded.`,
    ...trainedNowText(gathered),
    `The surrogate ran ${many(seeds, "time")} over ${many(tasks, "task")} under every mechanism, with the same workers, costs, arrivals and noise in each; intervals are over these runs. It is a curve fitted to real training; the appendix says how well.`,
    "Intervals of real training are over the tasks of one run, which share workers, data and reputations: they are likely too narrow. Below five tasks there is no interval and no verdict.",
    "The order of two mechanisms is judged by intervals that hold with 95 % for all pairs of a table, data set and source together (Bonferroni). The paper prints no intervals.",
    starts,
  ];
}

/** When and how the recorded runs were made, or that there are none. */
function recordedText(dataset: DatasetName, { runs, provenance }: RecordedRuns): string {
  const title = datasetTitles[dataset];
  if (runs.length === 0 || provenance === null) return `No run on ${title} is recorded.`;
  const days = [...new Set(runs.map(({ finished }) => finished))].sort();
  const each = listed(
    runs.map(
      ({ mechanism, tasks, settings }) =>
        `${mechanism} (${tasks.length}${settings?.reputation ? `, with reputation ${settings.reputation}` : ""})`,
    ),
  );
  const seeds = listed([...new Set(runs.map(({ seed }) => seed))]);
  return `Real training on ${title} was recorded on ${listed(days)} with TensorFlow.js ${provenance.tfjs} and seed ${seeds}, one run for each mechanism (number of tasks): ${each}. Tasks count from the ${FIRST_COUNTED}th on, as in the paper.`;
}

/** Whether real training gives what was recorded, and what is missing for it. */
function trainedNowText(gathered: Found): string[] {
  const found = trainedIn(gathered);
  const lacking = new Map(
    found.flatMap(({ cell, live }) => ("missing" in live ? [[cell.dataset, live.missing] as const] : [])),
  );
  const again = found.flatMap(({ cell, live }) =>
    cell.seed !== null && "lines" in live ? [{ cell, line: live.lines[0]! }] : [],
  );
  const off = Math.max(...again.map(({ cell, line }) => deviationOf(cell, line)));
  const same =
    off < 1e-9 ? "exactly the recorded losses" : `losses within ${off.toPrecision(1)} of the recorded ones`;
  const names = listed(again.map(({ cell }) => cell.mechanism));
  const text = `The first recorded task on ${datasetTitles[AGAIN]} under ${names} was trained again in this run and gave ${same}.`;
  return [
    ...(again.length === 0 ? [] : [text]),
    ...[...lacking].map(
      ([dataset, why]) =>
        `Nothing was trained on ${datasetTitles[dataset]} in this run, for something is missing: ${why}.`,
    ),
  ];
}

/** Real training takes its time: how much, before it begins. */
function durationText(live: number, threads: number): string {
  const each = datasets.map((dataset) => liveCost({ dataset, tasks: live }));
  const total = each.reduce((sum, one) => sum + paperFive.length * one, 0);
  const time = aboutHowLong(Math.max(total / threads, ...each));
  const what = `${live} tasks for each of ${paperFive.length} mechanisms on ${listed(datasets.map((one) => datasetTitles[one]))}`;
  return `trains real models, ${what}: ${time} on ${many(threads, "thread")}; "paper-tables:live=0" leaves that out`;
}

/** "about 40 minutes", "about 3 hours". */
function aboutHowLong(milliseconds: number): string {
  const minutes = milliseconds / 60_000;
  if (minutes < 1.5) return "about a minute";
  return minutes < 100 ? `about ${Math.round(minutes)} minutes` : `about ${Math.round(minutes / 60)} hours`;
}

/** Real training within the analysis: the paper's tasks anew, or the first of a recorded run again. */
interface LiveCell {
  readonly kind: "live";
  readonly dataset: DatasetName;
  readonly mechanism: string;
  readonly tasks: number;
  /** Of a recorded run; null for one of this analysis's own. */
  readonly seed: string | null;
}

/** What was trained, or what is missing for it. */
type Live = { readonly lines: readonly TaskLine[] } | { readonly missing: string };

const TRAINER = "tfjs";

/** Rough: milliseconds to train and judge one worker's update, and workers in a round, on average over the paper's five. */
const UPDATE: Readonly<Record<DatasetName, number>> = { mnist: 75, fashion: 600 };

const WORKERS = 12;

/** About how many milliseconds one thread takes. */
const liveCost = ({ dataset, tasks }: Pick<LiveCell, "dataset" | "tasks">): number =>
  tasks * paperTaskRules.rounds * WORKERS * UPDATE[dataset];

const liveJob = collectJob(async (cell: LiveCell, k, context): Promise<Live> => {
  const { dataset, mechanism, tasks, seed } = cell;
  const missing = await missingFor(TRAINER, { dataset });
  if (missing !== null) return { missing };
  const own = seed === null ? context.stream.fork("live").fork(k) : stream(seed);
  const trainer = await trainerNamed(TRAINER, { dataset });
  return { lines: await linesOf({ ...settingOf(truthfulUnder(mechanism), context, own), trainer }, tasks) };
}, liveCost);

/** The first tasks of recorded runs in which all tell the truth: so many, those with the fewest workers first. */
const againCells = (mechanisms: readonly string[], count: number): LiveCell[] =>
  usualRuns(AGAIN)
    .filter(({ mechanism }) => mechanisms.includes(mechanism))
    .filter(({ trainer, tasks }) => trainer === TRAINER && tasks.length > 0)
    .sort((a, b) => a.tasks[0]!.selected - b.tasks[0]!.selected)
    .slice(0, count)
    .map(({ mechanism, seed }) => ({ kind: "live", dataset: AGAIN, mechanism, seed, tasks: 1 }));

/** By how much losses that were trained again differ from the recorded ones, at most. */
function deviationOf({ mechanism, seed }: LiveCell, found: TaskLine): number {
  const run = usualRuns(AGAIN).find((one) => one.mechanism === mechanism && one.seed === seed);
  const recorded = run?.tasks[0]?.losses ?? [];
  return Math.max(0, ...recorded.map((loss, round) => Math.abs(loss - found.losses[round]!)));
}

export const paperTables: Analysis<PaperTablesSettings, Cell, Summary, TablesResult> = {
  name: "paper-tables",
  question:
    "Which mechanisms select good workers and lead to good models, once reputation follows from training?",
  part: "training",
  options: {
    seeds: { from: 2, to: 100_000, whole: true },
    tasks: { from: 1, to: 100_000, whole: true },
    live: { from: 0, to: 10_000, whole: true },
    again: { from: 0, to: 5, whole: true },
  },
  duration: ({ live }, threads) => (live === 0 ? null : durationText(live, threads)),
  settings: ({ profile, options }) => ({ ...profiles[profile], ...options }),
  plan: ({ seeds, tasks, live, again }, { mechanisms }) => {
    const names = mechanisms.map(({ name }) => name);
    const five = paperFive.filter((name) => names.includes(name));
    const populations = populationsOf(names);
    const series = datasets.map((dataset): SeriesCell => ({ kind: "series", dataset, tasks, populations }));
    const anew = datasets.flatMap((dataset) =>
      five.map((mechanism): LiveCell => ({ kind: "live", dataset, mechanism, tasks: live, seed: null })),
    );
    const trained = [...(live > 0 ? anew : []), ...againCells(names, again)];
    return [
      ...series.map((cell) => ({ cell, markets: seeds })),
      ...trained.map((cell) => ({ cell, markets: 1 })),
    ];
  },
  job: jobByKind<Cell, Summary>({ series: seriesJob, live: liveJob }),
  conclude: (gathered, settings, { mechanism }) => ({
    readings: [
      ...datasets.flatMap(recordedReadings),
      ...gathered.flatMap(surrogateReadings),
      ...trainedReadings(gathered),
    ],
    own: mechanism.name,
    methods: methodsOf(gathered, settings),
  }),
  tables,
  charts,
  findings,
  methods: ({ methods }) => methods,
};
