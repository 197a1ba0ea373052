/** A chart alone, as an SVG file for a paper. */

import { parse, View } from "vega";
import { compileSpec } from "./charts.js";
import { chosenRows } from "./facets.js";
import type { Chart, Row, Table } from "./result.js";
import { inTheme, themes } from "./theme.js";

const WIDTH = 640;

/** The chart in print colours with nothing chosen. */
export async function chartSvg(chart: Chart, tables: readonly Table[]): Promise<string> {
  const compiled = compileSpec(chart.spec, chart.table, WIDTH);
  const spec = JSON.parse(inTheme(JSON.stringify(compiled), themes.light));
  const view = new View(parse(spec), { renderer: "none" });
  for (const table of tables)
    if (hasData(spec, table.name)) view.data(table.name, ownRows(chosenRows(table, {})));
  const svg = await view.toSVG();
  view.finalize();
  return svg;
}

/** Whether a specification draws a table. */
export const hasData = (spec: { data?: readonly { name: string }[] }, table: string): boolean =>
  spec.data?.some(({ name }) => name === table) ?? false;

/** Vega marks the rows it is given: each view gets its own. */
export const ownRows = (rows: readonly Row[]): Row[] => rows.map((row) => ({ ...row }));
