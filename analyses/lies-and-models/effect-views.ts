/** The effects of liars as a table and charts. */

import { many, signed } from "../../src/lib/format.js";
import type { Chart, Column, Row, Table } from "../../src/report/result.js";
import type { DatasetName } from "../../src/training/datasets.js";
import { finite } from "../shared/auctions/figure-tables.js";
import { datasets, datasetTitles } from "../shared/paper-tables/paper-tables.js";
import { type Effect, type EffectMeasure, effectMeasures } from "./effects.js";

const TRUTH = "truthful";

export const populationText = ({ agent, part, source }: Pick<Effect, "agent" | "part" | "source">): string =>
  agent === null || source === "recorded" || part === "all" ? (agent ?? TRUTH) : `half ${agent}`;

const text = (name: string, label: string): Column => ({ name, label, kind: "text" });
const number = (name: string, label: string): Column => ({ name, label, kind: "amount" });

/** Rows for every population and measure. */
export function effectsTable(effects: readonly Effect[]): Table {
  return {
    name: "effects",
    title: "What populations of liars do to the model, beside a truthful one",
    columns: [
      text("dataset", "Data set"),
      text("agent", "Workers play"),
      text("line", "Source, and who plays"),
      text("measure", "Measured"),
      number("mean", "Mean"),
      number("low", "95 % from"),
      number("high", "to"),
      number("change", "On top of the truth"),
      number("changeLow", "95 % from"),
      number("changeHigh", "to"),
      text("direction", "Than the truth (95 %, all populations together)"),
      { name: "units", label: "Seeds or tasks", kind: "count" },
    ],
    rows: effects.map(effectRow),
  };
}

const whoText = { all: "all lie", half: "half lie" } as const;

const effectRow = ({ dataset, source, agent, part, measure, level, change, direction }: Effect): Row => ({
  dataset: datasetTitles[dataset],
  agent: agent ?? TRUTH,
  line: `${source}, ${whoText[part]}`,
  measure: effectMeasures[measure],
  mean: finite(level.mean),
  low: finite(level.low),
  high: finite(level.high),
  change: change === null ? null : finite(change.mean),
  changeLow: change === null ? null : finite(change.low),
  changeHigh: change === null ? null : finite(change.high),
  direction,
  units: level.n,
});

/** What changes in the loss and in the quality of selection, on each data set. */
export const effectCharts = (effects: readonly Effect[]): Chart[] =>
  datasets.flatMap((dataset) =>
    (["loss", "goodShare"] as const).flatMap((measure) => {
      const drawn = effects.filter(
        (one) => one.dataset === dataset && one.measure === measure && (one.change?.n ?? 0) > 0,
      );
      return drawn.length === 0 ? [] : [chartOf({ dataset, measure, drawn })];
    }),
  );

interface Drawn {
  readonly dataset: DatasetName;
  readonly measure: EffectMeasure;
  readonly drawn: readonly Effect[];
}

const ticks = [-1, -0.3, -0.1, -0.03, -0.01, 0, 0.01, 0.03, 0.1, 0.3, 1];

/** Changes around this are drawn to scale, larger ones by their logarithm: most are small, a few are huge. */
const FINEST = 0.01;

function chartOf({ dataset, measure, drawn }: Drawn): Chart {
  const title = `${effectMeasures[measure]}, on top of a truthful population`;
  const series = (["surrogate, all lie", "surrogate, half lie", "recorded, all lie"] as const).filter(
    (name) => drawn.some(({ source, part }) => name === `${source}, ${whoText[part]}`),
  );
  const y = { field: "agent", type: "nominal", sort: null, title: null };
  const x = {
    type: "quantitative",
    title,
    scale: { type: "symlog", constant: FINEST },
    axis: { values: ticks, format: "~g" },
  };
  const line = { field: "line", type: "nominal", scale: { domain: series }, title: null };
  const dodged = { y, yOffset: { field: "line", type: "nominal", sort: series }, color: line };
  return {
    name: `${measure}-${dataset}`,
    title: `${title}: ${datasetTitles[dataset]}`,
    table: "effects",
    spec: {
      height: { step: 9 * series.length },
      transform: [
        { filter: { field: "dataset", equal: datasetTitles[dataset] } },
        { filter: { field: "measure", equal: effectMeasures[measure] } },
        { filter: "isValid(datum.change)" },
      ],
      layer: [
        { mark: "rule", encoding: { x: { datum: 0 } } },
        {
          transform: [{ filter: "isValid(datum.changeLow)" }],
          mark: "rule",
          encoding: { ...dodged, x: { ...x, field: "changeLow" }, x2: { field: "changeHigh" } },
        },
        { mark: "point", encoding: { ...dodged, shape: line, x: { ...x, field: "change" } } },
      ],
    },
    summary: summaryOf({ dataset, measure, drawn }),
    howToRead:
      "A dot is the mean difference to a truthful population with the same costs, arrivals and noise; its line is the " +
      "95 % interval, over seeds for the surrogate and over the tasks of one run for what was recorded; of fewer than five there is none. The scale is logarithmic away from 0.",
  };
}

function summaryOf({ dataset, measure, drawn }: Drawn): string {
  const sorted = [...drawn].sort((a, b) => a.change!.mean - b.change!.mean);
  const of = (effect: Effect) =>
    `${signed(effect.change!.mean)} with ${populationText(effect)} (${effect.source}, ${unitsText(effect)})`;
  return `${effectMeasures[measure]} on ${datasetTitles[dataset]}, on top of a truthful population: from ${of(sorted[0]!)} to ${of(sorted.at(-1)!)}.`;
}

/** "12 seeds", "7 tasks". */
export const unitsText = ({ source, level, change }: Pick<Effect, "source" | "level" | "change">): string =>
  many((change ?? level).n, source === "surrogate" ? "seed" : "task");
