/** From a chart's Vega-Lite to Vega: done when the report is made, so that the page needs only Vega's runtime. */

import { logger, None, type Spec as VegaSpec } from "vega";
import { compile, type TopLevelSpec } from "vega-lite";
import type { Chart } from "./result.js";
import { chartConfig, withNamedColours } from "./theme.js";

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

export function isComposed(spec: object): boolean {
  const channels = Object.keys((spec as { encoding?: object }).encoding ?? {});
  return (
    compositions.some((name) => name in spec) ||
    channels.some((channel) => ["row", "column", "facet"].includes(channel))
  );
}
