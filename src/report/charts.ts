/**
 * Charts: compiled from Vega-Lite to Vega when the report is made, so that the page needs only Vega's runtime; or drawn as SVG.
 * `npm run build` bundles Vega into this file, so that no package is installed for it.
 */

import { type Loader, logger, None, parse, type Renderers, type Spec as VegaSpec, View } from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { compile, type TopLevelSpec } from "vega-lite";
import { clip } from "../lib/errors.js";
import {
  type Chart,
  type Chosen,
  chosenRows,
  openingOf,
  packTable,
  type ReportData,
  type Row,
  type Section,
  summaryOf,
  type Table,
} from "./result.js";
import { chartConfig, inTheme, themes, withNamedColours } from "./theme.js";

const HEIGHT = 270;

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
function compileSpec(spec: object, table: string, width: number | "container" = "container"): VegaSpec {
  const whole = { ...withNamedColours(spec), ...sizeOf(spec, width), data: { name: table } };
  const options = { config: chartConfig as object, logger: logger(None) };
  return withRoomForTitle(compile(whole as TopLevelSpec, options).spec);
}

/** The title of a vertical axis stands between the legends and the view. */
const TITLE_ROOM = 22;

function withRoomForTitle(spec: VegaSpec): VegaSpec {
  if (!spec.axes?.some(({ orient, title }) => orient === "left" && title)) return spec;
  const { legend } = chartConfig;
  return { ...spec, config: { ...spec.config, legend: { ...legend, offset: legend.offset + TITLE_ROOM } } };
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
  const view = viewOf(spec, "none").description(summaryOf(chart, openingOf(chart)));
  try {
    for (const table of tables)
      if (hasData(spec, table.name)) view.data(table.name, ownRows(drawnRows(chart, table)));
    return selfContained(await view.toSVG());
  } finally {
    view.finalize();
  }
}

/** A value in the data can name an address too, as a colour does that is `url(…)`. */
function selfContained(svg: string): string {
  const found = /<[^<>]*(?:\bhref=|url\((?!["']?#))[^<>]*>/.exec(svg);
  if (found) throw new Error("charts load nothing and link to nothing");
  return svg;
}

/** Vega's view: its expressions are interpreted, so that the page needs no eval; nothing is loaded; what goes wrong is thrown. */
export function viewOf(spec: VegaSpec, renderer: Renderers): View {
  const runtime = parse(spec, undefined, { ast: true });
  return new View(runtime, { renderer, expr: expressionInterpreter, loader: nothing, logger: throwing });
}

const refused = async (address: string): Promise<never> => {
  throw new Error(`charts load nothing: ${clip(address)}`);
};

const nothing: Loader = { load: refused, sanitize: refused, http: refused, file: refused };

const throwing = {
  ...logger(None),
  error(failure: unknown): never {
    throw failure instanceof Error ? failure : new Error(String(failure));
  },
};

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

export interface PageChart extends Pick<Chart, "name" | "table" | "choices" | "summary"> {
  readonly spec: VegaSpec;
}

export type Payload = ReturnType<typeof payloadOf>;

/** What the page is given besides its text: data, compiled charts and exhibits, each once. */
export const payloadOf = (data: ReportData, earlier: ReportData | null) => ({
  sections: data.analyses.map((section) => pageSection(section, earlierTables(section, earlier))),
});

const earlierTables = ({ name }: Section, earlier: ReportData | null): readonly Table[] =>
  earlier?.analyses.find((section) => section.name === name)?.result?.tables ?? [];

/** With the same tables in an earlier run, where there are any. */
function pageSection({ name, result }: Section, earlier: readonly Table[]) {
  const { tables = [], charts = [], exhibits = [] } = result ?? {};
  return {
    name,
    tables: tables.map(packTable),
    charts: charts.filter(({ flaw }) => flaw === undefined).map(pageChart),
    exhibits,
    earlier: earlier.filter((old) => tables.some((table) => table.name === old.name)).map(packTable),
  };
}

const pageChart = (chart: Chart): PageChart => {
  const { name, table, choices, summary } = chart;
  return { name, table, summary, ...(choices && { choices }), spec: compileChart(chart) };
};

/** Bytes from which on a report is hard to send to people, and how many of its parts a warning names. */
const LARGE = 10e6;
const NAMED_PARTS = 3;

/** A warning that says what takes the room; null for a report that can be sent to people. */
export function sizeWarning(html: string, payload: Payload): string | null {
  const size = bytesOf(html);
  if (size <= LARGE) return null;
  const parts = payload.sections.flatMap(({ name, tables, exhibits, charts }) => [
    ...tables.map((table) => ({ what: `table ${name}/${table.name}`, bytes: jsonBytes(table) })),
    { what: `exhibits of ${name}`, bytes: jsonBytes(exhibits) },
    { what: `charts of ${name}`, bytes: jsonBytes(charts) },
  ]);
  const heaviest = parts.sort((a, b) => b.bytes - a.bytes).slice(0, NAMED_PARTS);
  const named = heaviest.map(({ what, bytes }) => `${what} ${megabytes(bytes)}`).join(", ");
  return `the report is large (${megabytes(size)}); most of it: ${named}`;
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

const jsonBytes = (value: unknown): number => bytesOf(JSON.stringify(value));

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
