/** The tables of an analysis of one of the paper's tables. */

import type { Column, Row, Table } from "../../../src/report/result.js";
import { accuracyClasses } from "../../../src/training/population.js";
import type { RecordedRuns, TaskLine } from "../../../src/training/recordings.js";
import { interval } from "../auctions/figure-tables.js";
import type { Comparison } from "./against-paper.js";
import { datasetTitles, type PaperTable, printedOf } from "./paper-tables.js";
import { estimateOf, type Reading } from "./readings.js";

const place: readonly Column[] = [
  { name: "dataset", label: "Data set", kind: "text" },
  { name: "measure", label: "Measured", kind: "text" },
  { name: "source", label: "Source", kind: "text" },
];

const ends = (label: string, kind: Column["kind"], from = "95 % from"): Column[] => [
  { name: "mean", label, kind },
  { name: "low", label: from, kind },
  { name: "high", label: "to", kind },
];

const labelOf = ({ measures }: PaperTable, name: string): string =>
  measures.find((measure) => measure.name === name)!.label;

/** Every source beside the paper's figures. */
export function readingsTable(table: PaperTable, readings: readonly Reading[]): Table {
  const rows = readings.map((reading): Row => {
    const { dataset, measure, source, auction, unit, values } = reading;
    const mine = estimateOf(reading);
    return {
      dataset: datasetTitles[dataset],
      measure: labelOf(table, measure),
      source,
      auction,
      paper: printedOf(table, auction, dataset),
      ...interval(mine),
      units: mine.n,
      unit: unit === "task" ? "tasks" : "seeds",
      without: values.length - mine.n,
    };
  });
  return {
    name: "readings",
    title: `Table ${table.number} of the paper, and what comes out here`,
    columns: [
      ...place,
      { name: "auction", label: "Auction", kind: "text" },
      { name: "paper", label: "Paper", kind: table.kind },
      ...ends("Mean", table.kind),
      { name: "units", label: "Mean over", kind: "count" },
      { name: "unit", label: "of", kind: "text" },
      { name: "without", label: "Left out: nobody selected", kind: "count" },
    ],
    rows,
  };
}

/** Each pair that the paper puts in an order. */
export function orderTable(table: PaperTable, comparisons: readonly Comparison[]): Table {
  const rows = comparisons.flatMap(({ place: { source, dataset, measure }, order }) =>
    order.map(({ below, above, gap, verdict }): Row => {
      const about = { dataset: datasetTitles[dataset], measure: measure.label, source };
      return { ...about, claim: `${below} below ${above}`, ...interval(gap), verdict, units: gap.n };
    }),
  );
  return {
    name: "order",
    title: "Mechanisms in the paper's order",
    columns: [
      ...place,
      { name: "claim", label: "The paper has", kind: "text" },
      ...ends("Difference", table.kind, "95 %, all pairs together, from"),
      { name: "verdict", label: "Here", kind: "text" },
      { name: "units", label: "Tasks or seeds", kind: "count" },
    ],
    rows,
  };
}

/** When and how runs were recorded. */
export function recordingsTable(all: readonly RecordedRuns[]): Table {
  const rows = all.flatMap(({ provenance, runs }) =>
    runs.map(
      (run): Row => ({
        command: run.command,
        finished: run.finished,
        tasks: run.tasks.length,
        minutes: run.seconds === null ? null : Math.round(run.seconds / 6) / 10,
        candor: provenance === null ? "" : [provenance.candor, provenance.commit ?? ""].join(" ").trim(),
        software: provenance === null ? "" : `TensorFlow.js ${provenance.tfjs}, Node ${provenance.node}`,
        machine: provenance?.machine ?? "",
      }),
    ),
  );
  return {
    name: "recordings",
    title: "When and how the recorded runs were made",
    columns: [
      { name: "command", label: "Command", kind: "text" },
      { name: "finished", label: "On", kind: "text" },
      { name: "tasks", label: "Tasks", kind: "count" },
      { name: "minutes", label: "Minutes", kind: "amount" },
      { name: "candor", label: "candor", kind: "text" },
      { name: "software", label: "With", kind: "text" },
      { name: "machine", label: "On a machine of", kind: "text" },
    ],
    rows,
  };
}

/** Reputation by label accuracy, task by task, in a recorded run. */
export function reputationTable(
  about: { dataset: string; auction: string },
  lines: readonly TaskLine[],
): Table {
  return {
    name: "reputation",
    title: `Reputation in a recorded run of ${about.auction} on ${about.dataset}`,
    columns: [
      { name: "task", label: "Task", kind: "count" },
      { name: "labels", label: "Labels right", kind: "text" },
      { name: "reputation", label: "Mean reputation", kind: "amount" },
    ],
    rows: lines.flatMap(({ task, reputations }) =>
      accuracyClasses.map((accuracy, k) => ({
        task,
        labels: `${Math.round(100 * accuracy)} %`,
        reputation: reputations[k] ?? null,
      })),
    ),
  };
}
