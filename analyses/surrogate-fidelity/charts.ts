/** The charts of the surrogate's fidelity. */

import { listed, percent, threeDigits } from "../../src/lib/format.js";
import type { Chart, Row, Table } from "../../src/report/result.js";
import type { DatasetName } from "../../src/training/datasets.js";
import { bandNames, titles } from "./scenes.js";

const color = { field: "band", type: "nominal", sort: [...bandNames], title: "right labels" };

/** Points are real, lines the surrogate. */
function curveChart(dataset: DatasetName, table: Table, what: "loss" | "accuracy"): Chart {
  const title = titles[dataset];
  const rows = table.rows.filter((row) => row.dataset === title);
  const [real, model] =
    what === "loss" ? ["recorded", "surrogate"] : ["recordedAccuracy", "surrogateAccuracy"];
  const y = (field: string) => ({
    field,
    type: "quantitative",
    title: what === "loss" ? "loss on the test set" : "share told right",
    axis: what === "loss" ? {} : { format: "~%" },
  });
  const tooltip = [
    { field: "band", title: "Right labels" },
    { field: "round", title: "Round" },
    { field: "tasks", title: "Tasks" },
    { field: real, title: "Real", format: ".3~g" },
    { field: model, title: "Surrogate", format: ".3~g" },
  ];
  return {
    name: `${what}-${dataset}`,
    title: `${title}: ${what} by round, by how many labels are right`,
    table: table.name,
    spec: {
      transform: [{ filter: `datum.dataset === '${title}'` }],
      encoding: { x: { field: "round", type: "ordinal", title: "round", axis: { labelAngle: 0 } }, color },
      layer: [
        { mark: "line", encoding: { y: y(model!) } },
        { mark: { type: "point", filled: true, size: 50 }, encoding: { y: y(real!), tooltip } },
      ],
    },
    summary: `${title}, mean ${what} in the last round, real against surrogate: ${lastOf(rows, real!, model!)}.`,
    howToRead:
      "Points are means over recorded tasks of real training, lines the surrogate for the same workers; colours tell by the share of right labels over the whole task.",
  };
}

function lastOf(rows: readonly Row[], real: string, model: string): string {
  const last = Math.max(...rows.map((row) => Number(row.round)));
  const told = rows
    .filter((row) => row.round === last)
    .map(
      (row) =>
        `${threeDigits(Number(row[real]))} against ${threeDigits(Number(row[model]))} with ${row.band} right`,
    );
  return listed(told);
}

function gainChart(dataset: DatasetName, table: Table): Chart {
  const title = titles[dataset];
  const rows = table.rows.filter((row) => row.dataset === title);
  const axis = (field: string, who: string) => ({
    field,
    type: "quantitative",
    title: `gain × workers, ${who}`,
  });
  const sided = rows.filter((row) => Number(row.recorded) >= 0 === Number(row.surrogate) >= 0).length;
  const tooltip = [
    { field: "task", title: "Task" },
    { field: "mix", title: "1.0 : 0.7 : 0.4 : 0.1" },
    { field: "accuracy", title: "Accuracy of labels" },
    { field: "recorded", title: "Real", format: ".3~g" },
    { field: "surrogate", title: "Surrogate", format: ".3~g" },
    { field: "same", title: "Tests that end the same", format: ".0%" },
  ];
  return {
    name: `gains-${dataset}`,
    title: `${title}: what workers are worth, real against surrogate`,
    table: table.name,
    spec: {
      transform: [{ filter: `datum.dataset === '${title}'` }],
      encoding: { x: axis("surrogate", "surrogate"), y: axis("recorded", "real") },
      layer: [
        {
          mark: { type: "point", filled: true, size: 50 },
          encoding: {
            color: { field: "accuracy", type: "ordinal", sort: "descending", title: "accuracy of labels" },
            tooltip,
          },
        },
        {
          mark: { type: "line", strokeDash: [4, 4], color: "black" },
          encoding: { y: axis("surrogate", "real") },
        },
      ],
    },
    summary: `${title}: for ${percent(sided / rows.length)} of ${rows.length} groups of workers the surrogate agrees with real training on whether their updates help or harm.`,
    howToRead:
      "A point per recorded task and accuracy of workers: the mean over rounds of what the loss would be higher without one of them, times the number of workers. On the dashed line both agree.",
  };
}

export const chartsOf = (datasets: readonly DatasetName[], curves: Table, gains: Table): Chart[] =>
  datasets.flatMap((dataset) => [
    curveChart(dataset, curves, "loss"),
    curveChart(dataset, curves, "accuracy"),
    gainChart(dataset, gains),
  ]);
