/** Charts: compiled from Vega-Lite to Vega when the report is made, so that the page needs only Vega's runtime; or drawn as SVG. */

import { logger, None, parse, type Spec as VegaSpec, View } from "vega";
import { compile, type TopLevelSpec } from "vega-lite";
import type { Chart, Row, Table } from "./result.js";
import { type Chosen, chosenRows, openingOf } from "./tables.js";
import { chartConfig, inTheme, themes, withNamedColours } from "./theme.js";

export type { Spec as VegaSpec } from "vega";

const HEIGHT = 300;

const compiled = new WeakMap<Chart, VegaSpec>();

/** The chart as Vega with colours by name; its data sets are named after tables and empty. */
export function compileChart(chart: Chart): VegaSpec {
  const known = compiled.get(chart);
  if (known) return known;
  const spec = compileSpec(chart.spec, chart.table);
  compiled.set(chart, spec);
  return spec;
}

/** As wide as its container on a page; so many pixels where there is none. */
export function compileSpec(
  spec: object,
  table: string,
  width: number | "container" = "container",
): VegaSpec {
  const whole = { ...withNamedColours(spec), ...sizeOf(spec, width), data: { name: table } };
  return compile(whole as TopLevelSpec, { config: chartConfig as object, logger: logger(None) }).spec;
}

/** Views side by side have sizes of their own. */
function sizeOf(spec: object, width: number | "container"): object {
  if (isComposed(spec)) return {};
  const { height = HEIGHT } = spec as { height?: unknown };
  return { width, height, autosize: { type: "fit-x", contains: "padding" } };
}

const compositions = ["facet", "concat", "hconcat", "vconcat", "repeat"];

function isComposed(spec: object): boolean {
  const channels = Object.keys((spec as { encoding?: object }).encoding ?? {});
  return (
    compositions.some((name) => name in spec) ||
    channels.some((channel) => ["row", "column", "facet"].includes(channel))
  );
}

const SVG_WIDTH = 640;

/** A chart alone, as an SVG file for a paper: in print colours, as it opens. */
export async function chartSvg(chart: Chart, tables: readonly Table[]): Promise<string> {
  const compiled = compileSpec(chart.spec, chart.table, SVG_WIDTH);
  const spec = JSON.parse(inTheme(JSON.stringify(compiled), themes.light));
  const view = new View(parse(spec), { renderer: "none" });
  for (const table of tables)
    if (hasData(spec, table.name)) view.data(table.name, ownRows(drawnRows(chart, table)));
  const svg = await view.toSVG();
  view.finalize();
  return svg;
}

/** A choice is about the figure's own table; others it draws are shown whole. */
export const drawnRows = (
  chart: Pick<Chart, "table" | "choices">,
  { name, rows }: Pick<Table, "name" | "rows">,
  chosen: Chosen = openingOf(chart),
): readonly Row[] => (name === chart.table ? chosenRows(rows, chosen) : rows);

/** Whether a specification draws a table. */
export const hasData = (spec: { data?: readonly { name: string }[] }, table: string): boolean =>
  spec.data?.some(({ name }) => name === table) ?? false;

/** Vega marks the rows it is given: each view gets its own. */
export const ownRows = (rows: readonly Row[]): Row[] => rows.map((row) => ({ ...row }));
