/** The paper's two tables as tables, charts and sentences. */

import { greatest, mean } from "d3-array";
import { listed, many, percent, shareWithInterval, threeDigits } from "../../src/lib/format.js";
import { type Estimate, FEWEST, meanAlone } from "../../src/lib/statistics.js";
import type { Chart, Finding, Table } from "../../src/report/result.js";
import {
  axis,
  captions,
  colour,
  column,
  type Field,
  marks,
  rankedFindings,
  tableOf,
} from "../../src/report/vocabulary.js";
import type { DatasetName } from "../../src/training/datasets.js";
import { accuracyClasses } from "../../src/training/population.js";
import { recordedTables } from "../../src/training/recordings.js";
import { reputationSettings } from "../../src/training/reputation.js";
import {
  datasetChoice,
  datasetNamed,
  datasets,
  datasetTitles,
  differenceOf,
  estimateOf,
  type MeasureName,
  recordingsTable,
  type Units,
} from "../shared/training.js";

/** The mechanisms of the paper's tables, in its order. */
export const paperFive = ["online", "fixed-threshold", "rrafl", "vanilla", "bid-greedy"] as const;

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
export const paperMeasures = [
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
export const TRUST = 1;

/** Where figures come from: tasks of a run that was recorded, seeds of the surrogate, tasks trained in this very run. */
const sources = ["real training", "surrogate", "surrogate, first reputation 1", "trained now"] as const;

type Source = (typeof sources)[number];

const unitOf = (source: Source): string => (source.startsWith("surrogate") ? "seed" : "task");

export interface Reading extends Units {
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

export interface TablesResult {
  readonly readings: readonly Reading[];
  /** The mechanism in question. */
  readonly own: string;
  readonly methods: readonly string[];
}

export const tables = ({ readings, own }: TablesResult): Table[] => [
  tableOf(
    "measured",
    "Tables 1 and 2 of the paper, and what comes out here",
    shownIn(readings),
    shownColumns,
  ),
  orderTable(readings),
  reputationTable(own),
  recordingsTable(datasets.map((dataset) => recordedTables[dataset])),
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
    const { runs } = recordedTables[dataset];
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

export const charts = (result: TablesResult): Chart[] => [
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

export const findings = ({ readings, own }: TablesResult): Finding[] =>
  rankedFindings(
    [60, qualityText(readings, own)],
    [55, startText(readings)],
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
