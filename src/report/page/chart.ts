/** A chart in the page: drawn by Vega, in the colours of the theme, with the rows of the choice. */

import { parse, View } from "vega";
import type { VegaSpec } from "../charts.js";
import { hasData, ownRows } from "../drawing.js";
import type { Row, Table } from "../result.js";
import { inTheme, type Theme, themes } from "../theme.js";
import { fitted } from "./fit.js";
import { theme } from "./theme-toggle.js";
import { hideTooltip, showTooltip, wordsOf } from "./tooltip.js";

export interface ChartSource {
  readonly place: HTMLElement;
  readonly spec: VegaSpec;
  /** The rows of each table as they are to be shown now. */
  readonly tables: () => readonly (Pick<Table, "name" | "rows"> & Partial<Table>)[];
  /** Called with the row of a mark that is clicked; what a click would do, in words, or "". */
  readonly click?: { act(row: Row): void; hint(row: Row): string };
}

export interface LiveChart {
  /** Shows the rows of now. */
  refresh(): Promise<void>;
  /** Draws it anew, in the colours and the width of now. */
  redraw(): Promise<void>;
  svg(): Promise<string>;
}

export async function liveChart(source: ChartSource): Promise<LiveChart> {
  let view = await draw(source, theme());
  return {
    async refresh() {
      fill(view, source);
      await view.runAsync();
    },
    async redraw() {
      view.finalize();
      view = await draw(source, theme());
    },
    svg: () => printed(source),
  };
}

async function draw(source: ChartSource, colours: Theme): Promise<View> {
  const { place, spec } = source;
  const view = new View(parse(fitted(themed(spec, colours), place.clientWidth)), { renderer: "svg" });
  view.initialize(place);
  fill(view, source);
  converse(view, source);
  await view.runAsync();
  return view;
}

const themed = (spec: VegaSpec, colours: Theme): VegaSpec =>
  JSON.parse(inTheme(JSON.stringify(spec), colours));

function fill(view: View, { spec, tables }: ChartSource): void {
  for (const { name, rows } of tables())
    if (hasData(spec as { data?: { name: string }[] }, name)) view.data(name, ownRows(rows));
}

/** Tooltips and clicks. */
function converse(view: View, { tables, click }: ChartSource): void {
  view.tooltip((_, event, item, value) => {
    if (value === null || value === undefined || value === "") return hideTooltip();
    const row = (item?.datum ?? {}) as Row;
    const own = tableOf(row, tables());
    showTooltip(event as MouseEvent, wordsOf(value, own), click?.hint(row) ?? "");
  });
  if (!click) return;
  view.addEventListener("click", (_, item) => {
    if (item?.datum) click.act(item.datum as Row);
  });
}

/** The table a row is from: the one whose columns it has most of. */
function tableOf(row: Row, tables: ReturnType<ChartSource["tables"]>): Table | undefined {
  const shared = ({ columns = [] }: Partial<Table>) => columns.filter(({ name }) => name in row).length;
  const [best] = [...tables].sort((a, b) => shared(b) - shared(a));
  return best?.columns ? (best as Table) : undefined;
}

/** In print colours, whatever the page wears. */
async function printed({ place, spec, tables }: ChartSource): Promise<string> {
  const view = new View(parse(fitted(themed(spec, themes.light), place.clientWidth)), { renderer: "none" });
  fill(view, { place, spec, tables });
  if (spec.signals?.some(({ name }) => name === "width")) view.signal("width", place.clientWidth);
  const svg = await view.toSVG();
  view.finalize();
  return svg;
}
