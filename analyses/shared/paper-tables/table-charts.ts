/** The charts of an analysis of one of the paper's tables: dots with intervals by mechanism, the paper's figure as a tick. */

import { listed, many, percent, threeDigits } from "../../../src/lib/format.js";
import type { Chart, Table } from "../../../src/report/result.js";
import type { DatasetName } from "../../../src/training/datasets.js";
import { datasets, datasetTitles, type PaperTable, printedOf } from "./paper-tables.js";
import { estimateOf, type Reading, readingsAt, type Source, sources } from "./readings.js";

/** One for each data set and measure that something is known of. */
export function readingCharts(table: PaperTable, readings: readonly Reading[]): Chart[] {
  return datasets.flatMap((dataset) =>
    table.measures
      .filter(({ name }) => readings.some((one) => one.dataset === dataset && one.measure === name))
      .map((measure, k) => chartOf({ table, readings, dataset, measure, first: k === 0 })),
  );
}

interface Drawn {
  readonly table: PaperTable;
  readonly readings: readonly Reading[];
  readonly dataset: DatasetName;
  readonly measure: PaperTable["measures"][number];
  readonly first: boolean;
}

function chartOf(drawn: Drawn): Chart {
  const { table, readings, dataset, measure, first } = drawn;
  const mine = readings.filter((one) => one.dataset === dataset && one.measure === measure.name);
  const named = (some: readonly Reading[]) => some.map(({ auction }) => auction);
  const names = [...new Set([...named(mine.filter(({ unit }) => unit === "seed")), ...named(mine)])];
  const present = sources.filter((source) => mine.some((one) => one.source === source));
  return {
    name: first ? dataset : `${dataset}-${measure.name}`,
    title: `${measure.label} on ${datasetTitles[dataset]}, beside the paper's Table ${table.number}`,
    table: "readings",
    spec: dots(drawn, { names, present }),
    summary: summaryOf(drawn, names, present),
    howToRead:
      "A dot is a mean with its 95 % interval: over seeds for the surrogate, over the tasks of one run for what was " +
      "trained for real, where tasks share workers and reputations and the interval is likely too narrow; of fewer than five " +
      "there is none. " +
      "The tick is the paper's figure; where there is none, the paper has no such mechanism.",
  };
}

function dots(
  { table, dataset, measure }: Drawn,
  { names, present }: { names: readonly string[]; present: readonly Source[] },
): object {
  const y = { field: "auction", type: "nominal", sort: names, title: null, axis: { labelLimit: 200 } };
  const x = {
    type: "quantitative",
    title: measure.label,
    scale: { zero: table.kind === "share" },
    axis: { format: table.kind === "share" ? "~%" : "~g" },
  };
  const source = { field: "source", type: "nominal", sort: present };
  const dodged = { y, yOffset: source };
  const color = { ...source, scale: { domain: present }, title: null };
  const where = [datasetTitles[dataset], measure.label];
  return {
    height: { step: present.length === 1 ? 22 : 13 },
    transform: [
      { filter: { field: "dataset", equal: where[0] } },
      { filter: { field: "measure", equal: where[1] } },
    ],
    layer: [
      {
        transform: [{ filter: "isValid(datum.paper)" }],
        mark: { type: "tick", thickness: 3, color: "black", orient: "vertical", tooltip: null },
        encoding: { ...dodged, x: { field: "paper", ...x } },
      },
      {
        transform: [{ filter: "isValid(datum.low)" }],
        mark: "rule",
        encoding: { ...dodged, color, x: { field: "low", ...x }, x2: { field: "high" } },
      },
      { mark: "point", encoding: { ...dodged, color, shape: color, x: { field: "mean", ...x } } },
    ],
  };
}

function summaryOf(
  { table, readings, dataset, measure }: Drawn,
  names: readonly string[],
  present: readonly Source[],
): string {
  const show = table.kind === "share" ? percent : threeDigits;
  const each = names.map((name) => {
    const said = present.flatMap((source) => {
      const reading = readingsAt(readings, { source, dataset, measure }).get(name);
      if (!reading) return [];
      const { mean, n } = estimateOf(reading);
      return [`${source} ${show(mean)} (${many(n, reading.unit)})`];
    });
    const printed = printedOf(table, name, dataset);
    return `${name} ${listed(said)}${printed === null ? "" : ` (paper ${show(printed)})`}`;
  });
  return `${measure.label} on ${datasetTitles[dataset]}: ${each.join("; ")}.`;
}

/** How reputation parts the good from the bad. */
export function reputationChart(table: Table): Chart {
  const last = Math.max(...table.rows.map(({ task }) => Number(task)));
  const end = table.rows.filter(({ task, reputation }) => task === last && reputation !== null);
  return {
    name: "reputation",
    title: table.title,
    table: "reputation",
    spec: {
      mark: "line",
      encoding: {
        x: { field: "task", type: "quantitative", title: "Task" },
        y: { field: "reputation", type: "quantitative", title: "Mean reputation" },
        color: { field: "labels", type: "nominal", sort: null, title: "Labels right" },
      },
    },
    summary: `After ${last} tasks the mean reputation of workers is ${listed(
      end.map(
        ({ labels, reputation }) => `${threeDigits(Number(reputation))} with ${labels} of labels right`,
      ),
    )}.`,
    howToRead:
      "A line is the mean reputation of all workers whose labels are right to this share, after each task.",
  };
}
