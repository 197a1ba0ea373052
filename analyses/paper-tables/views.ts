/** The paper's two tables as tables and charts. */

import { listed, many, percent, rounded, threeDigits } from "../../src/lib/format.js";
import type { Chart, Column, Row, Table } from "../../src/report/result.js";
import {
  amountColumn,
  captions,
  countColumn,
  intervalCells,
  intervalColumns,
  mechanismColour,
  shareColumn,
  textColumn,
  tooltipOf,
} from "../../src/report/vocabulary.js";
import type { DatasetName } from "../../src/training/datasets.js";
import { accuracyClasses } from "../../src/training/population.js";
import { recordedTables } from "../../src/training/recordings.js";
import { datasets, datasetTitles, estimateOf, recordingsTable } from "../shared/training.js";
import {
  type Comparison,
  comparisonBest,
  comparisonsOf,
  type PaperTable,
  paperFive,
  paperLosses,
  paperQualities,
  printedOf,
  type Reading,
  readingsAt,
  sources,
  unitOf,
} from "./compute.js";

export interface TablesResult {
  readonly readings: readonly Reading[];
  /** The mechanism in question. */
  readonly own: string;
  readonly methods: readonly string[];
}

export const tablesOf = ({ readings, own }: TablesResult): Table[] => [
  readingsTable(paperQualities, readings),
  readingsTable(paperLosses, readings),
  orderTable(readings),
  reputationTable(own),
  recordingsTable(datasets.map((dataset) => recordedTables[dataset])),
];

const tableNames = { 1: "good-workers", 2: "loss" } as const;

const columnsOf = ({ number }: PaperTable): Column[] => {
  const numbers = number === 1 ? shareColumn : amountColumn;
  return [
    textColumn("dataset", "Data set"),
    textColumn("measure", "Measured"),
    textColumn("mechanism", "Mechanism"),
    textColumn("source", "Source"),
    numbers("mean", "Mean"),
    ...intervalColumns(number === 1 ? "share" : "amount"),
    textColumn("counted", "Mean over"),
    countColumn("idle", "Left out: nobody selected"),
  ];
};

/** The paper's figures, then every source's. */
function readingsTable(table: PaperTable, readings: readonly Reading[]): Table {
  const rows = datasets.flatMap((dataset) =>
    table.measures.flatMap(({ name, label }) => {
      const about = { dataset: datasetTitles[dataset], measure: label };
      const ours = sources.flatMap((source) => [
        ...readingsAt(readings, { source, dataset, measure: name }).values(),
      ]);
      return [
        ...paperFive.map((mechanism) => ({ ...about, ...paperRow(table, mechanism, dataset) })),
        ...ours.map((reading) => ({ ...about, ...readingRow(reading) })),
      ];
    }),
  );
  const title = `Table ${table.number} of the paper, and what comes out here`;
  return { name: tableNames[table.number], title, columns: columnsOf(table), rows };
}

const paperRow = (table: PaperTable, mechanism: string, dataset: DatasetName): Row => ({
  mechanism,
  source: PAPER,
  mean: printedOf(table, mechanism, dataset),
  low: null,
  high: null,
  counted: "",
  idle: null,
});

function readingRow(reading: Reading): Row {
  const { mechanism, source, values } = reading;
  const ours = estimateOf(reading);
  const counted = many(ours.n, unitOf(source));
  const idle = values.length - ours.n;
  return { mechanism, source, mean: rounded(ours.mean), ...intervalCells(ours), counted, idle };
}

const PAPER = "the paper";

/** Each pair that the paper puts in an order. */
function orderTable(readings: readonly Reading[]): Table {
  const rows = [paperQualities, paperLosses].flatMap((table) =>
    comparisonsOf(table, readings).flatMap(({ place, order }) =>
      order.map(({ below, above, gap, verdict }): Row => {
        const measure = table.measures.find(({ name }) => name === place.measure)!.label;
        const about = { dataset: datasetTitles[place.dataset], measure, source: place.source };
        const claim = `${below} below ${above}`;
        return { ...about, claim, mean: rounded(gap.mean), ...intervalCells(gap), verdict, units: gap.n };
      }),
    ),
  );
  return {
    name: "order",
    title: "Mechanisms in the paper's order",
    columns: [
      textColumn("dataset", "Data set"),
      textColumn("measure", "Measured"),
      textColumn("source", "Source"),
      textColumn("claim", "The paper has"),
      amountColumn("mean", "Difference"),
      ...intervalColumns("amount", "95 % together, from"),
      textColumn("verdict", "Here"),
      countColumn("units", "Tasks or seeds"),
    ],
    rows,
  };
}

/** Of the mechanism in question where it was recorded, else of the first that was. */
function reputationTable(own: string): Table {
  const rows = datasets.flatMap((dataset) => {
    const { runs } = recordedTables[dataset];
    const run = runs.find(({ mechanism }) => mechanism === own) ?? runs[0];
    return (run?.tasks ?? []).flatMap(({ task, reputations }) =>
      accuracyClasses.map((accuracy, k) => ({
        dataset: datasetTitles[dataset],
        mechanism: run!.mechanism,
        task,
        labels: `${Math.round(100 * accuracy)} %`,
        reputation: reputations[k] ?? null,
      })),
    );
  });
  return {
    name: "reputation",
    title: "Mean reputation by label accuracy, task by task, in recorded real training",
    columns: [
      textColumn("dataset", "Data set"),
      textColumn("mechanism", "Mechanism"),
      countColumn("task", "Task"),
      textColumn("labels", "Labels right"),
      amountColumn("reputation", "Mean reputation"),
    ],
    rows,
  };
}

const datasetChoice = {
  field: "dataset",
  label: "Data set",
  values: datasets.map((dataset) => datasetTitles[dataset]),
};

export const chartsOf = (result: TablesResult): Chart[] => [
  readingsChart(paperQualities, result),
  readingsChart(paperLosses, result),
  reputationChart(reputationTable(result.own)),
];

/** The paper's five mechanisms and the one in question. */
function readingsChart(table: PaperTable, { readings, own }: TablesResult): Chart {
  const names = [...new Set([...paperFive, own])].filter((name) =>
    readings.some(({ mechanism }) => mechanism === name),
  );
  const [first, second] = table.measures;
  const titles = {
    1: "Share of good workers among the selected: the paper's Table 1, real training and the surrogate",
    2: "Loss: the paper's Table 2, real training and the surrogate",
  };
  const hollow =
    table.number === 1
      ? ""
      : `A filled mark is the ${lower(first.label)}, a hollow one the ${lower(second.label)}. `;
  return {
    name: tableNames[table.number],
    title: titles[table.number],
    table: tableNames[table.number],
    choices: [datasetChoice],
    spec: marksOf(table, readings, names),
    summary: captions([datasetChoice], (chosen) => captionOf(table, readings, datasetNamed(chosen.dataset!))),
    howToRead: `${hollow}Lines are 95 % intervals, over the tasks of one run or over the surrogate's seeds, whose number stands on the right; below five there is none.`,
  };
}

const datasetNamed = (title: string): DatasetName => datasets.find((one) => datasetTitles[one] === title)!;

const ROW = 13;

/** A vertical line. */
const TICK = "M0,-1V1";

function marksOf(table: PaperTable, readings: readonly Reading[], names: readonly string[]): object {
  const [first, second] = table.measures.map(({ label }) => label);
  const present = sources.filter((source) => readings.some((one) => one.source === source));
  const y = { field: "mechanism", type: "nominal", sort: names, title: null };
  const row = { y, yOffset: { field: "source", type: "nominal", sort: present, scale: { domain: present } } };
  const shapes = ["circle", "square", "diamond", "triangle-up"].slice(0, present.length);
  const shape = {
    field: "source",
    type: "nominal",
    title: null,
    sort: [PAPER, ...present],
    scale: { domain: [PAPER, ...present], range: [TICK, ...shapes] },
    legend: { symbolStrokeColor: "black", symbolFillColor: "black" },
  };
  const color = { ...mechanismColour("mechanism", names), legend: null };
  const x = (field: string) => ({
    field,
    type: "quantitative",
    title: table.number === 1 ? "Good workers among the selected" : "Loss",
    ...scaleOf(table, readings),
  });
  const tooltip = tooltipOf(columnsOf(table));
  const point = (measure: string, filled: boolean) => ({
    transform: [{ filter: `datum.measure === '${measure}' && datum.source !== '${PAPER}'` }],
    mark: { type: "point", filled, size: 50 },
    encoding: { ...row, x: x("mean"), shape, color, tooltip },
  });
  const measures = table.number === 1 ? [first!] : [first!, second!];
  return {
    height: ROW * present.length * names.length + 10 * names.length,
    transform: [
      { filter: { field: "mechanism", oneOf: names } },
      { filter: { field: "measure", oneOf: measures } },
      { filter: "isValid(datum.mean)" },
    ],
    layer: [
      {
        transform: [{ filter: `datum.measure === '${first}' && datum.source === '${PAPER}'` }],
        mark: {
          type: "point",
          filled: false,
          stroke: "black",
          strokeWidth: 2,
          size: (ROW * present.length - 4) ** 2,
        },
        encoding: {
          y,
          x: x("mean"),
          shape,
          tooltip: tooltipOf(columnsOf(table), ["mechanism", "source", "mean"]),
        },
      },
      {
        transform: [{ filter: "isValid(datum.low)" }],
        mark: { type: "rule", tooltip: null },
        encoding: { ...row, x: x("low"), x2: { field: "high" }, color },
      },
      ...measures.map((measure, k) => point(measure, k === 0)),
      {
        transform: [{ filter: `datum.measure === '${first}' && datum.source !== '${PAPER}'` }],
        mark: { type: "text", align: "right", tooltip: null },
        encoding: { ...row, x: { value: "width" }, text: { field: "counted" } },
      },
    ],
  };
}

/** From 0, with room on the right for the number of tasks. */
function scaleOf(table: PaperTable, readings: readonly Reading[]): object {
  if (table.number === 1)
    return {
      scale: { domain: [0, 1.3], nice: false },
      axis: { format: "~%", values: [0, 0.2, 0.4, 0.6, 0.8, 1] },
    };
  const ours = readings
    .filter(({ measure, mechanism }) => measure === "meanLoss" && Object.hasOwn(table.printed, mechanism))
    .map((reading) => estimateOf(reading).mean)
    .filter(Number.isFinite);
  const most = Math.max(...ours, ...Object.values(table.printed).flatMap((one) => Object.values(one)));
  return { scale: { domain: [0, 1.3 * most], nice: false } };
}

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const show = ({ number }: PaperTable): ((x: number) => string) => (number === 1 ? percent : threeDigits);

/** Where real training is nearest to the paper's figures and where farthest; where none is recorded, the surrogate. */
function captionOf(table: PaperTable, readings: readonly Reading[], dataset: DatasetName): string {
  const found = comparisonBest(table, readings, { dataset, measure: 0 });
  const about = `${table.measures[0].label} on ${datasetTitles[dataset]}`;
  if (found === undefined) return `${about}: too few of the paper's mechanisms have five tasks or more.`;
  const sorted = found.near.toSorted(
    (a, b) => Math.abs(a.ours.mean - a.printed) - Math.abs(b.ours.mean - b.printed),
  );
  const text = ({ mechanism, ours, printed }: Comparison["near"][number]) =>
    `${mechanism} (${show(table)(ours.mean)}, paper ${show(table)(printed)})`;
  return `${about}: ${found.place.source} is nearest to the paper for ${text(sorted[0]!)} and farthest from it for ${text(sorted.at(-1)!)}.`;
}

/** How reputation parts the good from the bad. */
function reputationChart({ name, title, columns, rows }: Table): Chart {
  const captionFor = (dataset: string): string => {
    const own = rows.filter((row) => row.dataset === dataset);
    const last = Math.max(...own.map(({ task }) => Number(task)));
    const end = own.filter(({ task, reputation }) => task === last && reputation !== null);
    const each = end.map(
      ({ labels, reputation }) =>
        `${threeDigits(Number(reputation))} where ${labels} of the labels are right`,
    );
    return end.length === 0
      ? `No run on ${dataset} is recorded.`
      : `After ${last} tasks under ${end[0]!.mechanism} on ${dataset}, one run of real training, the mean reputation is ${listed(each)}.`;
  };
  return {
    name,
    title,
    table: name,
    choices: [datasetChoice],
    spec: {
      height: 220,
      mark: "line",
      encoding: {
        x: { field: "task", type: "quantitative", title: "Task" },
        y: { field: "reputation", type: "quantitative", title: null, scale: { domain: [0, 1] } },
        color: { field: "labels", type: "ordinal", sort: null, title: "labels right" },
        tooltip: tooltipOf(columns),
      },
    },
    summary: captions([datasetChoice], (chosen) => captionFor(chosen.dataset!)),
    howToRead:
      "A line is the mean reputation, after each task, of all workers with this share of right labels, selected or not.",
  };
}
