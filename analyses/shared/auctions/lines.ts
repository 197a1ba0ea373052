/** Lines with their intervals as Vega-Lite: rows with columns mean, low and high along an axis. */

import type { Axis } from "./words.js";

export interface Look {
  readonly x: Pick<Axis, "name" | "label">;
  /** The column that names a row's line; auction if left out. */
  readonly field?: string;
  /** The lines to draw, in the order of the legend. */
  readonly names: readonly string[];
  /** Of the vertical axis. */
  readonly title: string;
  /** The name of the thickest line. */
  readonly thick: string;
  /** A condition on rows. */
  readonly filter?: string;
  /** Of the numbers on the vertical axis. */
  readonly format?: string;
  /** A height to mark. */
  readonly level?: number;
}

/** As many names side by side as there is room for. */
const legend = {
  columns: { expr: "width > 560 ? 3 : width > 380 ? 2 : 1" },
  columnPadding: 8,
  labelLimit: 240,
  symbolOpacity: 1,
  symbolStrokeWidth: 2,
};

export function lines(look: Look): object {
  const { x, field = "auction", names, filter, level } = look;
  const named = { field, type: "nominal", scale: { domain: names }, title: null, legend };
  const along = { x: { field: x.name, type: "quantitative", title: x.label }, color: named };
  const y = heightOf(look);
  const dashes = { type: "rule", strokeDash: [4, 4] };
  return {
    transform: [{ filter: { field, oneOf: names } }, ...(filter ? [{ filter }] : [])],
    layer: [
      ...(level === undefined ? [] : [{ mark: dashes, encoding: { y: { datum: level } } }]),
      {
        transform: [{ filter: "isValid(datum.low)" }],
        mark: { type: "area", opacity: 0.15, tooltip: null },
        encoding: { ...along, y: y("low"), y2: { field: "high" } },
      },
      {
        mark: { type: "line", tooltip: null },
        encoding: { ...along, y: y("mean"), size: widthOf(look) },
      },
      { mark: { type: "point", filled: true, size: 40 }, encoding: { ...along, shape: named, y: y("mean") } },
    ],
  };
}

const heightOf =
  ({ title, format }: Look) =>
  (field: string): object => ({
    field,
    type: "quantitative",
    title,
    scale: { zero: false },
    ...(format ? { axis: { format } } : {}),
  });

const widthOf = ({ field = "auction", thick }: Look): object => ({
  condition: { test: `datum[${JSON.stringify(field)}] === ${JSON.stringify(thick)}`, value: 3 },
  value: 1.5,
});
