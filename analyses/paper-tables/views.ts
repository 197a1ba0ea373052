/** The paper's two tables as tables and charts. */

import { listed, many, percent, threeDigits } from "../../src/lib/format.js";
import { type Estimate, FEWEST } from "../../src/lib/statistics.js";
import type { Chart, Finding, Table } from "../../src/report/result.js";
import {
  amountAxis,
  amountColumn,
  captions,
  countColumn,
  estimateColumns,
  type Field,
  fromTogether,
  mechanismColour,
  nameAxis,
  shareColumn,
  tableOf,
  textColumn,
  tooltipOf,
} from "../../src/report/vocabulary.js";
import type { DatasetName } from "../../src/training/datasets.js";
import { accuracyClasses } from "../../src/training/population.js";
import { recordedTables } from "../../src/training/recordings.js";
import { reputationSettings } from "../../src/training/reputation.js";
import {
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

/** One way to read what a table counts in a task. */
interface Measure {
  readonly name: MeasureName;
  /** Begins a sentence. */
  readonly label: string;
}

interface PaperTable {
  readonly number: 1 | 2;
  readonly printed: Printed;
  /** The first is the one that sentences are about; the paper does not say which it means. */
  readonly measures: readonly [Measure, Measure];
}

export const paperQualities: PaperTable = {
  number: 1,
  printed: {
    online: { mnist: 1, fashion: 0.9411 },
    "fixed-threshold": { mnist: 1, fashion: 0.9175 },
    rrafl: { mnist: 1, fashion: 0.8956 },
    vanilla: { mnist: 0.477, fashion: 0.477 },
    "bid-greedy": { mnist: 0.3296, fashion: 0.3296 },
  },
  measures: [
    { name: "goodShare", label: "Share of good workers among the selected" },
    { name: "goodRoundShare", label: "Share of good workers in the rounds worked" },
  ],
};

export const paperLosses: PaperTable = {
  number: 2,
  printed: {
    online: { mnist: 0.4393, fashion: 1.1162 },
    "fixed-threshold": { mnist: 0.4993, fashion: 1.4971 },
    rrafl: { mnist: 0.4389, fashion: 1.1376 },
    vanilla: { mnist: 0.5022, fashion: 1.4566 },
    "bid-greedy": { mnist: 0.5452, fashion: 1.6925 },
  },
  measures: [
    { name: "meanLoss", label: "Mean loss over all rounds" },
    { name: "loss", label: "Loss after the last round" },
  ],
};

/** What the paper printed of a mechanism; null where it did not. */
const printedOf = ({ printed }: PaperTable, mechanism: string, dataset: DatasetName): number | null =>
  Object.hasOwn(printed, mechanism) ? printed[mechanism as keyof Printed][dataset] : null;

/** The surrogate's runs once more, with everybody trusted in full until the first task is over. */
export const TRUST = 1;

/** Where figures come from: tasks of a run that was recorded, seeds of the surrogate, tasks trained in this very run. */
const sources = ["real training", "surrogate", "surrogate, first reputation 1", "trained now"] as const;

export type Source = (typeof sources)[number];

const unitOf = (source: Source): string => (source.startsWith("surrogate") ? "seed" : "task");

export interface Reading extends Units {
  readonly source: Source;
  readonly dataset: DatasetName;
  readonly mechanism: string;
  readonly measure: MeasureName;
}

type Place = Pick<Reading, "source" | "dataset" | "measure">;

/** The readings of one measure from one source on one data set, by mechanism. */
const readingsAt = (readings: readonly Reading[], at: Place): ReadonlyMap<string, Reading> =>
  new Map(
    readings
      .filter((one) => one.source === at.source && one.dataset === at.dataset && one.measure === at.measure)
      .map((one) => [one.mechanism, one]),
  );

type OrderVerdict = "as in the paper" | "the other way round" | "undecided" | "too few to tell";

/** Two mechanisms of which the paper's table puts the first below the second. */
interface Ordered {
  readonly below: string;
  readonly above: string;
  /** The second less the first, unit by unit; the intervals of all pairs hold together with 95 %. */
  readonly gap: Estimate;
  readonly verdict: OrderVerdict;
}

/** A source on one data set, held against the paper. */
interface Comparison {
  readonly place: Place;
  /** Of at least five tasks or seeds. */
  readonly near: readonly { readonly mechanism: string; readonly printed: number; readonly ours: Estimate }[];
  readonly few: readonly { readonly mechanism: string; readonly n: number }[];
  readonly order: readonly Ordered[];
}

/** One for each data set, source and measure that there is something to compare of. */
const comparisonsOf = (table: PaperTable, readings: readonly Reading[]): Comparison[] =>
  datasets.flatMap((dataset) =>
    sources.flatMap((source) =>
      table.measures
        .map(({ name }) => comparisonAt(table, readings, { source, dataset, measure: name }))
        .filter(({ near, few }) => near.length + few.length > 0),
    ),
  );

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

function comparisonAt(table: PaperTable, readings: readonly Reading[], place: Place): Comparison {
  const found = readingsAt(readings, place);
  const present = paperFive.filter((name) => found.has(name));
  const printed = (name: string) => printedOf(table, name, place.dataset)!;
  const all = present.map((mechanism) => {
    const ours = estimateOf(found.get(mechanism)!);
    return { mechanism, printed: printed(mechanism), ours, n: ours.n };
  });
  const pairs = present.flatMap((below) =>
    present.filter((above) => printed(below) < printed(above)).map((above) => ({ below, above })),
  );
  const order = pairs.map(({ below, above }): Ordered => {
    const gap = differenceOf(found.get(above)!, found.get(below)!, pairs.length);
    return { below, above, gap, verdict: verdictOf(gap) };
  });
  return { place, near: all.filter(({ n }) => n >= FEWEST), few: all.filter(({ n }) => n < FEWEST), order };
}

/** Decided only where the whole interval lies on one side. */
export function verdictOf({ low, high, n }: Estimate): OrderVerdict {
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
  readingsTable(paperQualities, readings),
  readingsTable(paperLosses, readings),
  orderTable(readings),
  reputationTable(own),
  recordingsTable(datasets.map((dataset) => recordedTables[dataset])),
];

const tableNames = { 1: "good-workers", 2: "loss" } as const;

/** What the paper printed, or what a reading gives. */
interface Shown {
  readonly dataset: string;
  readonly measure: string;
  readonly mechanism: string;
  readonly source: string;
  readonly value: Omit<Estimate, "n">;
  readonly counted: string;
  readonly idle: number | null;
}

const about = [textColumn("dataset", "Data set"), textColumn("measure", "Measured")];

const columnsOf = ({ number }: PaperTable): Field<Shown>[] => [
  ...about,
  textColumn("mechanism", "Mechanism"),
  textColumn("source", "Source"),
  ...estimateColumns(
    (number === 1 ? shareColumn : amountColumn)("mean", "Mean"),
    ({ value }: Shown) => value,
  ),
  textColumn("counted", "Mean over"),
  countColumn("idle", "Left out: nobody selected"),
];

/** The paper's figures, then every source's. */
function readingsTable(table: PaperTable, readings: readonly Reading[]): Table {
  const shown = datasets.flatMap((dataset) =>
    table.measures.flatMap(({ name, label }): Shown[] => {
      const about = { dataset: datasetTitles[dataset], measure: label };
      const ours = sources.flatMap((source) => [
        ...readingsAt(readings, { source, dataset, measure: name }).values(),
      ]);
      return [
        ...paperFive.map((mechanism) => {
          const value = { mean: printedOf(table, mechanism, dataset)!, low: Number.NaN, high: Number.NaN };
          return { ...about, mechanism, source: PAPER, value, counted: "", idle: null };
        }),
        ...ours.map((reading) => {
          const { mechanism, source, values } = reading;
          const value = estimateOf(reading);
          const counted = many(value.n, unitOf(source));
          return { ...about, mechanism, source, value, counted, idle: values.length - value.n };
        }),
      ];
    }),
  );
  const title = `Table ${table.number} of the paper, and what comes out here`;
  return tableOf(tableNames[table.number], title, shown, columnsOf(table));
}

const PAPER = "the paper";

/** Each pair that the paper puts in an order. */
function orderTable(readings: readonly Reading[]): Table {
  const pairs = [paperQualities, paperLosses].flatMap((table) =>
    comparisonsOf(table, readings).flatMap(({ place: { dataset, source, measure }, order }) =>
      order.map((one) => ({
        ...{ ...one, dataset: datasetTitles[dataset], source },
        measure: table.measures.find(({ name }) => name === measure)!.label,
      })),
    ),
  );
  return tableOf("order", "Mechanisms in the paper's order", pairs, [
    ...about,
    textColumn("source", "Source"),
    textColumn("claim", "The paper has", ({ below, above }) => `${below} below ${above}`),
    ...estimateColumns(amountColumn("mean", "Difference"), ({ gap }: Ordered) => gap, { from: fromTogether }),
    textColumn("verdict", "Here"),
    countColumn("units", "Tasks or seeds", ({ gap }) => gap.n),
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
    textColumn("dataset", "Data set"),
    textColumn("mechanism", "Mechanism"),
    countColumn("task", "Task"),
    textColumn("labels", "Labels right"),
    amountColumn("reputation", "Mean reputation"),
  ]);
}

const datasetChoice = {
  field: "dataset",
  label: "Data set",
  values: datasets.map((dataset) => datasetTitles[dataset]),
};

export const charts = (result: TablesResult): Chart[] => [
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
  const shapes = ["circle", "square", "diamond", "triangle-up"].slice(0, present.length);
  const x = (field: string) =>
    amountAxis(
      field,
      table.number === 1 ? "Good workers among the selected" : "Loss",
      scaleOf(table, readings),
    );
  const shape = {
    ...nameAxis("source", [PAPER, ...present]),
    scale: { domain: [PAPER, ...present], range: [TICK, ...shapes] },
    legend: { symbolStrokeColor: "black", symbolFillColor: "black" },
  };
  const measures = table.number === 1 ? [first!] : [first!, second!];
  const ours = (measure: string) => ({
    filter: `datum.measure === '${measure}' && datum.source !== '${PAPER}'`,
  });
  const printed = { filter: `datum.measure === '${first}' && datum.source === '${PAPER}'` };
  const tall = { filled: false, stroke: "black", strokeWidth: 2, size: (ROW * present.length - 4) ** 2 };
  return {
    height: ROW * present.length * names.length + 10 * names.length,
    transform: [
      { filter: { field: "mechanism", oneOf: names } },
      { filter: { field: "measure", oneOf: measures } },
      { filter: "isValid(datum.mean)" },
    ],
    encoding: { y: nameAxis("mechanism", names) },
    layer: [
      {
        transform: [printed],
        mark: { type: "point", ...tall },
        encoding: {
          x: x("mean"),
          shape,
          tooltip: tooltipOf(columnsOf(table), ["mechanism", "source", "mean"]),
        },
      },
      {
        encoding: {
          yOffset: { field: "source", type: "nominal", sort: present, scale: { domain: present } },
          color: { ...mechanismColour("mechanism", names), legend: null },
        },
        layer: [
          {
            transform: [{ filter: "isValid(datum.low)" }],
            mark: { type: "rule", tooltip: null },
            encoding: { x: x("low"), x2: { field: "high" } },
          },
          ...measures.map((measure, k) => ({
            transform: [ours(measure)],
            mark: { type: "point", filled: k === 0, size: 50 },
            encoding: { x: x("mean"), shape, tooltip: tooltipOf(columnsOf(table)) },
          })),
          {
            transform: [ours(first!)],
            mark: { type: "text", align: "right", tooltip: null },
            encoding: { x: { value: "width" }, text: { field: "counted" }, color: { value: "black" } },
          },
        ],
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

export const findings = (readings: readonly Reading[]): Finding[] => [
  ...datasets.flatMap((dataset) => qualityFinding(readings, dataset)),
  ...startFinding(readings),
  ...lossFinding(readings),
  ...orderFinding(readings),
];

/** "real training (65 tasks of one run each)". */
function sourceText({ place: { source }, near }: Comparison): string {
  const counts = near.map(({ ours }) => ours.n);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const counted = `${least === most ? "" : `${least} to `}${many(most, unitOf(source))}`;
  return source === "surrogate" ? `surrogate (${counted})` : `real training (${counted} of one run each)`;
}

/** Whom each mechanism selects, beside the paper's figure. */
function qualityFinding(readings: readonly Reading[], dataset: DatasetName): Finding[] {
  const found = comparisonBest(paperQualities, readings, { dataset, measure: 0 });
  if (found === undefined) return [];
  const { near, few } = found;
  const each = near.map(
    ({ mechanism, ours: { mean, low, high }, printed }) =>
      `${mechanism} ${percent(mean)} (${percent(low).replace(" %", "")}–${percent(high)}, paper ${percent(printed)})`,
  );
  const left = few.map(({ mechanism, n }) => `${mechanism} (${n})`);
  const without = left.length === 0 ? "" : ` Too few tasks for ${listed(left)}.`;
  const text = `Share of good workers among the selected on ${datasetTitles[dataset]}, ${sourceText(found)}, with 95 % intervals: ${listed(each)}.${without}`;
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
      `on ${datasetTitles[dataset]}, ${sourceText(mean)}, the mean over all rounds is off its figures by ${percent(offOf(mean))} on average and the loss after the last round by ${percent(offOf(last))}`,
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
      : [`on ${datasetTitles[dataset]}, ${sourceText(found)}, ${orderText(found.order)}`];
  });
  if (parts.length === 0) return [];
  const text = `Pairs of mechanisms in the order of the paper's Table 2, by mean loss over all rounds: ${parts.join("; ")} (95 %, all pairs of a data set together).`;
  return [{ text, weight: 48 }];
}

function orderText(order: readonly Ordered[]): string {
  const of = (verdict: OrderVerdict) => order.filter((one) => one.verdict === verdict);
  const [same, reversed, open, few] = [
    of("as in the paper"),
    of("the other way round"),
    of("undecided"),
    of("too few to tell"),
  ];
  const pairs = listed(reversed.map(({ below, above }) => `${below} below ${above}`));
  return [
    `${same.length} of ${order.length - few.length}`,
    ...(reversed.length > 0 ? [`${reversed.length} the other way round (the paper has ${pairs})`] : []),
    ...(open.length > 0 ? [`${open.length} undecided`] : []),
    ...(few.length > 0 ? [`${few.length} with too few tasks`] : []),
  ].join(", ");
}
