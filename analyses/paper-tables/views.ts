/** The paper's two tables as tables, charts and sentences. */

import { listed, many, percent, rounded, threeDigits } from "../../src/lib/format.js";
import { FEWEST } from "../../src/lib/statistics.js";
import type { Chart, Column, Finding, Row, Table } from "../../src/report/result.js";
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
import { reputationSettings } from "../../src/training/reputation.js";
import { datasets, datasetTitles, estimateOf, recordingsTable } from "../shared/training.js";
import {
  type Comparison,
  comparisonsOf,
  type Ordered,
  type OrderVerdict,
  type PaperTable,
  paperFive,
  paperLosses,
  paperQualities,
  printedOf,
  type Reading,
  readingsAt,
  sources,
  TRUST,
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
    title:
      "Mechanisms in the paper's order (intervals hold for all pairs of a data set, source and measure together)",
    columns: [
      textColumn("dataset", "Data set"),
      textColumn("measure", "Measured"),
      textColumn("source", "Source"),
      textColumn("claim", "The paper has"),
      amountColumn("mean", "Difference"),
      ...intervalColumns("amount"),
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
    title: table.number === 1 ? first : "Loss",
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

/** What real training gives beside the paper's figures; where none is recorded, the surrogate. */
function captionOf(table: PaperTable, readings: readonly Reading[], dataset: DatasetName): string {
  const of = (k: 0 | 1) => comparisonBest(table, readings, { dataset, measure: k });
  const [main, other] = [of(0), of(1)];
  if (main === undefined) return `Nothing is known of the paper's mechanisms on ${datasetTitles[dataset]}.`;
  const text = (comparison: Comparison) =>
    listed(comparison.near.map(({ mechanism, ours }) => `${mechanism} ${show(table)(ours.mean)}`)) ||
    "too few tasks";
  const [first, second] = table.measures;
  const beside = table.number === 1 || other === undefined ? "" : `; ${lower(second.label)}: ${text(other)}`;
  return `${first.label} on ${datasetTitles[dataset]}, ${main.place.source}: ${text(main)}${beside}. The paper has ${listed(main.near.map(({ printed }) => show(table)(printed))) || "no figures"}.`;
}

/** Of real training where at least two mechanisms have enough tasks, else of the surrogate. */
function comparisonBest(
  table: PaperTable,
  readings: readonly Reading[],
  { dataset, measure }: { readonly dataset: DatasetName; readonly measure: 0 | 1 },
): Comparison | undefined {
  const { name } = table.measures[measure];
  const here = comparisonsOf(table, readings).filter(
    ({ place }) => place.dataset === dataset && place.measure === name,
  );
  const from = (source: string) => here.find((one) => one.place.source === source && one.near.length > 1);
  return from("real training") ?? from("surrogate");
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
        y: { field: "reputation", type: "quantitative", title: "Mean reputation", scale: { domain: [0, 1] } },
        color: { field: "labels", type: "ordinal", sort: null, title: "labels right" },
        tooltip: tooltipOf(columns),
      },
    },
    summary: captions([datasetChoice], (chosen) => captionFor(chosen.dataset!)),
    howToRead:
      "A line is the mean reputation, after each task, of all workers with this share of right labels, selected or not.",
  };
}

export const findingsOf = ({ readings }: TablesResult): Finding[] => [
  ...datasets.flatMap((dataset) => qualityFinding(readings, dataset)),
  ...startFinding(readings),
  ...lossFinding(readings),
  ...orderFinding(readings),
];

/** "real training (one run for each, 65 tasks counted)". */
function sourceText({ place: { source }, near }: Comparison): string {
  const counts = near.map(({ ours }) => ours.n);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const counted = `${least === most ? "" : `${least} to `}${many(most, unitOf(source))}`;
  return source === "surrogate"
    ? `the surrogate (${counted})`
    : `real training (one run for each, ${counted} counted)`;
}

/** Whom each mechanism selects, beside the paper's figure. */
function qualityFinding(readings: readonly Reading[], dataset: DatasetName): Finding[] {
  const found = comparisonBest(paperQualities, readings, { dataset, measure: 0 });
  if (found === undefined) return [];
  const { near, few } = found;
  const each = near.map(({ mechanism, ours: { mean, low, high }, printed }) => {
    return `${mechanism} ${percent(mean)} (95 %: ${percent(low)} to ${percent(high)}; paper ${percent(printed)})`;
  });
  const left = few.map(({ mechanism, n }) => `${mechanism} (${n})`);
  const without = left.length === 0 ? "" : ` Too few tasks for ${listed(left)}.`;
  const text = `Share of good workers among the selected in ${sourceText(found)} on ${datasetTitles[dataset]}: ${listed(each)}.${without}`;
  return [{ text, weight: dataset === "mnist" ? 60 : 50 }];
}

/** Where the first reputation decides whether a figure of Table 1 is met: the mechanism that it matters most for. */
function startFinding(readings: readonly Reading[]): Finding[] {
  const of = (source: "surrogate" | "surrogate, first reputation 1", dataset: DatasetName) =>
    readingsAt(readings, { source, dataset, measure: "goodShare" });
  const changes = paperFive.flatMap((mechanism) => {
    const pairs = datasets.flatMap((dataset) => {
      const [usual, trusted] = [
        of("surrogate", dataset).get(mechanism),
        of("surrogate, first reputation 1", dataset).get(mechanism),
      ];
      if (usual === undefined || trusted === undefined) return [];
      const [before, after] = [estimateOf(usual), estimateOf(trusted)];
      return before.n < FEWEST || after.n < FEWEST ? [] : [{ dataset, before, after }];
    });
    return pairs.length < datasets.length
      ? []
      : [
          {
            mechanism,
            pairs,
            change: Math.max(...pairs.map(({ before, after }) => Math.abs(after.mean - before.mean))),
          },
        ];
  });
  const [most] = changes.sort((a, b) => b.change - a.change);
  if (most === undefined || most.change < 0.1) return [];
  const shares = (which: "before" | "after") =>
    listed(most.pairs.map((pair) => `${percent(pair[which].mean)} on ${datasetTitles[pair.dataset]}`));
  const printed = listed(
    most.pairs.map(({ dataset }) => percent(printedOf(paperQualities, most.mechanism, dataset)!)),
  );
  const n = Math.min(...most.pairs.map(({ before, after }) => Math.min(before.n, after.n)));
  const text = `The first reputation, which the paper does not give, decides what ${most.mechanism} selects: where all start with ${reputationSettings().start}, the share of good workers is ${shares("before")}; where all start with ${TRUST}, it is ${shares("after")} (surrogate, ${many(n, "seed")}; the paper has ${printed}).`;
  return [{ text, weight: 55 }];
}

/** Which loss the paper means: how far each reading of "average loss" is off its figures. */
function lossFinding(readings: readonly Reading[]): Finding[] {
  const parts = datasets.flatMap((dataset) => {
    const both = ([0, 1] as const).map((measure) =>
      comparisonBest(paperLosses, readings, { dataset, measure }),
    );
    const [mean, last] = both;
    if (mean === undefined || last === undefined) return [];
    return [
      `on ${datasetTitles[dataset]}, in ${sourceText(mean)}, the mean over all rounds is off its figures by ${percent(offOf(mean))} on average and the loss after the last round by ${percent(offOf(last))}`,
    ];
  });
  if (parts.length === 0) return [];
  return [
    { text: `The paper's Table 2 does not say which loss it averages: ${parts.join("; ")}.`, weight: 45 },
  ];
}

const offOf = ({ near }: Comparison): number =>
  near.reduce((sum, { ours, printed }) => sum + Math.abs(ours.mean - printed) / printed, 0) / near.length;

/** Whether mechanisms come in the order of Table 2. */
function orderFinding(readings: readonly Reading[]): Finding[] {
  const parts = datasets.flatMap((dataset) => {
    const found = comparisonBest(paperLosses, readings, { dataset, measure: 0 });
    return found === undefined
      ? []
      : [`on ${datasetTitles[dataset]}, in ${sourceText(found)}, ${orderText(found.order)}`];
  });
  if (parts.length === 0) return [];
  const text = `Pairs of mechanisms in the order of the paper's Table 2, by mean loss over all rounds: ${parts.join("; ")} (95 %, all pairs of a data set together).`;
  return [{ text, weight: 48 }];
}

function orderText(order: readonly Ordered[]): string {
  const of = (verdict: OrderVerdict) => order.filter((one) => one.verdict === verdict);
  const pairs = (verdict: OrderVerdict) =>
    listed(of(verdict).map(({ below, above }) => `${below} below ${above}`));
  const reversed = of("the other way round");
  const open = order.length - of("as in the paper").length - reversed.length;
  return [
    `${of("as in the paper").length} of ${order.length}`,
    ...(reversed.length > 0
      ? [`${reversed.length} the other way round (the paper has ${pairs("the other way round")})`]
      : []),
    ...(open > 0 ? [`${open} undecided`] : []),
  ].join(", ");
}
