/** The charts of critical budgets. */

import { percent, threeDigits } from "../../src/lib/format.js";
import type { Chart } from "../../src/report/result.js";
import { changes } from "../shared/gains/crossings.js";
import { moments, ofSize, type Scanned, whens } from "./moments.js";
import { changeTable, curveTable, momentTable } from "./tables.js";

const ratioAxis = (field: string) => ({
  field,
  type: "quantitative",
  scale: { type: "log", nice: false },
  title: "budget / true cost of all rounds on offer",
  axis: { format: "~g", values: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30] },
});

const curveTooltip = (exact: boolean) => [
  { field: "workers", title: "Workers" },
  { field: "ratio", title: "Relative budget" },
  { field: "share", title: exact ? "A lie pays in" : "A lie was found in", format: ".0%" },
  { field: "low", title: exact ? "95 % from" : "95 %: at least", format: ".0%" },
  ...(exact ? [{ field: "high", title: "to", format: ".0%" }] : []),
  { field: "late", title: "Start late in", format: ".0%" },
  { field: "events", title: "On time, with budget events, in", format: ".0%" },
];

export function curveChart(scanned: readonly Scanned[], exact: boolean): Chart {
  const rows = curveTable(scanned, exact).rows;
  const peaks = ofSize(scanned).map(([size]) => {
    const top = rows
      .filter(({ workers }) => workers === size)
      .reduce((a, b) => ((b.share as number) > (a.share as number) ? b : a));
    return `with ${size} workers at ${threeDigits(top.ratio as number)} (${percent(top.share as number)})`;
  });
  const y = {
    field: "share",
    type: "quantitative",
    title: exact ? "markets in which a lie pays" : "markets in which a lie was found",
    scale: { domain: [0, 1] },
    axis: { format: "~%" },
  };
  const color = { field: "workers", type: "ordinal", title: "workers" };
  return {
    name: "curve",
    title: `Markets in which some lie ${exact ? "pays" : "was found to pay"}`,
    table: "curve",
    spec: {
      encoding: { x: ratioAxis("ratio"), color },
      layer: [
        { mark: "line", encoding: { y } },
        {
          mark: { type: "point", filled: true, size: 20 },
          encoding: {
            y,
            tooltip: curveTooltip(exact),
          },
        },
      ],
    },
    summary: `Share of markets in which some lie ${exact ? "pays" : "was found to pay"}, against the relative budget; highest ${peaks.join(", ")}.`,
    howToRead: exact
      ? "A line per market size. Each point has a 95 % interval over markets, in its tooltip and in the table."
      : "A line per market size. Lies were searched: points are lower bounds, for a search can miss, in every market.",
  };
}

const momentTooltip = [
  { field: "workers", title: "Workers" },
  { field: "moment", title: "Moment" },
  { field: "median", title: "Median relative budget", format: ".3~g" },
  { field: "low", title: "First quartile", format: ".3~g" },
  { field: "high", title: "Third quartile", format: ".3~g" },
  { field: "found", title: "Markets with it" },
  { field: "outside", title: "Pays at the end of the range" },
];

export function momentChart(scanned: readonly Scanned[], exact: boolean): Chart {
  const rows = momentTable(scanned).rows;
  const told = rows
    .filter(({ median }) => median !== null)
    .map(({ workers, moment, median }) => `${workers} workers, ${moment}: ${threeDigits(median as number)}`);
  const color = { field: "moment", type: "nominal", title: null, sort: [...moments] };
  const y = { field: "workers", type: "ordinal", sort: "descending", title: "workers" };
  return {
    name: "moments",
    title: "Where lies first begin and last cease to pay",
    table: "moments",
    spec: {
      height: { step: 22 },
      transform: [{ filter: "datum.median !== null" }],
      encoding: { y, yOffset: { field: "moment" }, color },
      layer: [
        { mark: { type: "rule", strokeWidth: 3 }, encoding: { x: ratioAxis("low"), x2: { field: "high" } } },
        {
          mark: { type: "point", filled: true, size: 80 },
          encoding: {
            x: ratioAxis("median"),
            tooltip: momentTooltip,
          },
        },
      ],
    },
    summary: `Median relative budgets: ${told.length === 0 ? "too few markets have one" : told.join("; ")}.`,
    howToRead: `Points are medians over markets, lines reach from the first to the third quartile.${exact ? "" : " Lies were searched: where one was found to cease to pay, another may still do."}`,
  };
}

const changeTooltip = [
  { field: "change", title: "In the truthful run" },
  { field: "when", title: "Where lies" },
  { field: "share", title: "Share", format: ".1%" },
  { field: "chance", title: "By chance", format: ".1%" },
  { field: "count", title: "Crossings" },
];

export function changeChart(scanned: readonly Scanned[], exact: boolean): Chart {
  const any = changeTable(scanned, exact).rows.filter(({ when }) => when === "any crossing");
  const told = any.map(({ change, share }) => `${change}: ${percent(share as number)}`);
  const x = (field: string) => ({
    field,
    type: "quantitative",
    title: "share of crossings",
    scale: { domain: [0, 1] },
    axis: { format: "~%" },
  });
  const y = { field: "change", type: "nominal", sort: [...changes], title: null, axis: { labelLimit: 240 } };
  const when = { field: "when", type: "nominal", sort: [...whens] };
  return {
    name: "changes",
    title: "What changes in the truthful run where lies begin or cease to pay",
    table: "changes",
    spec: {
      height: { step: 18 },
      encoding: { y, yOffset: when },
      layer: [
        {
          mark: "bar",
          encoding: { x: x("share"), color: { ...when, title: "where lies" }, tooltip: changeTooltip },
        },
        ...(exact ? [{ mark: "rule", encoding: { x: x("low"), x2: { field: "high" } } }] : []),
        { mark: { type: "tick", thickness: 2 }, encoding: { x: x("chance"), tooltip: changeTooltip } },
      ],
    },
    summary:
      told.length === 0
        ? `No lie ${exact ? "ever begins or ceases" : "was found to begin or cease"} to pay.`
        : `At all crossings: ${told.join("; ")}.`,
    howToRead: `Between two budgets next to each other, at one of which a lie pays: what else differs in the truthful run, the first of the list that does. ${exact ? "Lines are 95 % intervals; the" : "The"} tick is how often the same differs between two such budgets anywhere in the range.`,
  };
}
