/** Charts of several views have fixed sizes: on a narrow screen they stand one below the other, as wide as it is. */

import type { VegaSpec } from "../charts.js";

/** Room for an axis and its labels beside each view. */
const MARGIN = 70;
const GAP = 20;

interface Sized {
  readonly name: string;
  readonly value?: unknown;
}

/** The specification as it fits into a width. */
export const fitted = (spec: VegaSpec, width: number): VegaSpec => inColumns(withLegends(spec, width), width);

/** Below this legends stand one below the other, with few entries in a row. */
const NARROW = 520;
const ENTRY = 125;

function withLegends(spec: VegaSpec, width: number): VegaSpec {
  if (width >= NARROW) return spec;
  const { config = {} } = spec;
  const columns = Math.max(1, Math.floor((width - MARGIN) / ENTRY));
  const layout = { top: { direction: "vertical", anchor: "end", margin: 6 } };
  const legend = { ...(config as { legend?: object }).legend, columns, layout };
  return { ...spec, config: { ...config, legend } } as VegaSpec;
}

function inColumns(spec: VegaSpec, width: number): VegaSpec {
  const layout = spec.layout as { columns?: unknown } | undefined;
  const sizes = ((spec.signals ?? []) as readonly Sized[]).filter(isWidth);
  if (!layout || sizes.length === 0) return spec;
  const widest = Math.max(...sizes.map(({ value }) => value));
  const fits = Math.max(1, Math.floor((width + GAP) / (widest + MARGIN)));
  const columns = typeof layout.columns === "number" ? Math.min(layout.columns, fits) : fits;
  const most = Math.max(120, width - MARGIN);
  const signals = (spec.signals ?? []).map((signal) =>
    isWidth(signal as Sized)
      ? { ...signal, value: Math.min((signal as { value: number }).value, most) }
      : signal,
  );
  const wraps = layout.columns === undefined || typeof layout.columns === "number";
  return { ...spec, signals, ...(wraps && { layout: { ...layout, columns } }) } as VegaSpec;
}

const isWidth = (signal: Sized): signal is Sized & { value: number } =>
  /(^|_)width$/.test(signal.name) && typeof signal.value === "number";
