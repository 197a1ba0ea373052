/** The charts of who lies. */

import { capital, percent, signed } from "../../src/lib/format.js";
import { difference } from "../../src/lib/tolerance.js";
import type { Chart } from "../../src/report/result.js";
import { lieKinds } from "../../src/verdicts/explain.js";
import { whoText } from "./findings.js";
import { BANDS, causeWords, kinds } from "./people.js";
import type { WhoSummary } from "./summary.js";
import { allTold, bandTable, causeTable, kindTable } from "./tables.js";

const pointTooltip = [
  { field: "reputation", title: "Reputation", format: ".3~f" },
  { field: "density", title: "Density", format: ".3~f" },
  { field: "gain", title: "Gain", format: ".3~f" },
  { field: "kind", title: "Kind of lie" },
  { field: "regime", title: "Regime" },
  { field: "workers", title: "Workers" },
  { field: "ratio", title: "Relative budget" },
];

export function pointChart(who: WhoSummary, exact: boolean): Chart {
  const gains = [0, Math.max(1, Math.ceil(allTold(who, "all")?.most ?? 0))];
  const x = { field: "reputation", type: "quantitative", title: "reputation", scale: { domain: [0, 1] } };
  const y = {
    field: "density",
    type: "quantitative",
    title: "true cost / reputation",
    scale: { type: "log", nice: false, domain: [0.35, 10], clamp: true },
  };
  const size = {
    field: "gain",
    type: "quantitative",
    scale: { type: "sqrt", domain: gains, range: [16, 240] },
    title: "gain of the best lie",
  };
  const color = {
    field: "gain",
    type: "quantitative",
    title: "gain of the best lie",
    scale: { type: "sqrt", domain: gains },
  };
  return {
    name: "people",
    title: exact ? "Who has a lie that pays" : "For whom a lie that pays was found",
    table: "people",
    spec: {
      encoding: { x, y, tooltip: pointTooltip },
      layer: [
        {
          transform: [{ filter: "datum.gain === 0" }],
          mark: { type: "point", filled: false, size: 12, opacity: 0.35 },
        },
        {
          transform: [{ filter: "datum.gain > 0" }],
          mark: { type: "point", filled: true, opacity: 0.9 },
          encoding: { color, size },
        },
      ],
    },
    summary: whoText(who, exact),
    howToRead: `A filled point is a worker ${exact ? "with" : "for whom the search found"} a lie that pays, larger and in another colour the more it brings; small rings are a sample of the others. Densities beyond 10 are drawn at the edge.`,
  };
}

const bandTooltip = (exact: boolean) => [
  { field: "from", title: "Reputation from" },
  { field: "to", title: "to" },
  { field: "share", title: exact ? "Can gain" : "Found to gain", format: ".2%" },
  { field: "low", title: exact ? "95 % from" : "95 %: at least", format: ".2%" },
  ...(exact ? [{ field: "high", title: "to", format: ".2%" }] : []),
  { field: "meanGain", title: "Mean gain of those", format: ".3~f" },
];

export function bandChart(who: WhoSummary, exact: boolean): Chart {
  const rows = bandTable(who, exact).rows.filter(({ regime }) => regime === "all");
  const top = rows.reduce((a, b) => ((b.share as number) > (a.share as number) ? b : a));
  const x = {
    field: "from",
    type: "quantitative",
    bin: { binned: true, step: 1 / BANDS },
    title: "reputation",
  };
  const y = (field: string) => ({
    field,
    type: "quantitative",
    title: exact ? "share who can gain" : "share found to gain",
    axis: { format: "~%" },
  });
  return {
    name: "reputations",
    title: "Who has a lie that pays, by reputation",
    table: "reputations",
    spec: {
      transform: [{ calculate: "(datum.from + datum.to) / 2", as: "middle" }],
      layer: [
        {
          mark: { type: "bar", opacity: 0.6 },
          encoding: {
            x,
            x2: { field: "to" },
            y: y("share"),
            tooltip: bandTooltip(exact),
          },
        },
        ...(exact
          ? [
              {
                mark: "rule",
                encoding: {
                  x: { field: "middle", type: "quantitative" },
                  y: y("low"),
                  y2: { field: "high" },
                },
              },
            ]
          : []),
      ],
    },
    summary: `Share of workers ${exact ? "with" : "for whom the search found"} a lie that pays, by reputation; highest from ${top.from} to ${top.to}: ${percent(top.share as number)}.`,
    howToRead: exact
      ? "Bars are shares of all workers of all markets, lines their 95 % intervals, which allow for workers of one market being alike."
      : "Bars are shares of the workers asked for whom a search found a lie that pays: lower bounds, for a search can miss, in every market.",
  };
}

const kindTooltip = [
  { field: "kind", title: "Kind of lie" },
  { field: "regime", title: "Regime" },
  { field: "count", title: "Workers" },
  { field: "share", title: "Of all paying lies", format: ".1%" },
  { field: "part", title: "Of all that is gained", format: ".1%" },
  { field: "meanGain", title: "Mean gain", format: ".3~f" },
  { field: "maxGain", title: "Largest gain", format: ".3~f" },
];

export function kindChart(who: WhoSummary, exact: boolean): Chart {
  const rows = kindTable(who, exact).rows.filter(({ regime }) => regime === "all");
  const told = rows.map(({ kind, part }) => `${kind} ${percent(part as number)}`);
  const y = { field: "kind", type: "nominal", sort: kinds, title: null };
  const x = (field: string) => ({
    field,
    type: "quantitative",
    title: "share",
    scale: { domain: [0, 1] },
    axis: { format: "~%" },
  });
  return {
    name: "kinds",
    title: "Kinds of lie: how often, and how much of all that is gained",
    table: "kinds",
    spec: {
      height: { step: 34 },
      encoding: { y },
      layer: [
        { mark: { type: "bar", opacity: 0.6 }, encoding: { x: x("part"), tooltip: kindTooltip } },
        ...(exact ? [{ mark: "rule", encoding: { x: x("low"), x2: { field: "high" } } }] : []),
        {
          mark: { type: "point", filled: true, size: 70, opacity: 1, color: "black", stroke: "white" },
          encoding: { x: x("share"), tooltip: kindTooltip },
        },
      ],
    },
    summary:
      told.length === 0
        ? exact
          ? "No lie pays."
          : "The search found no lie that pays."
        : `Of all that is gained: ${told.join(", ")}.`,
    howToRead: `Bars: the part of all that is gained. Points: the share of all paying lies ${exact ? "that are of this kind, with its 95 % interval" : "found that are of this kind"}. ${kinds.map((kind) => `${capital(lieKinds[kind])}.`).join(" ")}`,
  };
}

const causeTooltip = [
  { field: "cause", title: "Cause" },
  { field: "kind", title: "Kind of lie" },
  { field: "regime", title: "Regime" },
  { field: "mean", title: "Mean part of a gain", format: "+.3~f" },
  { field: "part", title: "Of all that is gained", format: "+.1%" },
  { field: "helping", title: "Lies it helps" },
];

export function causeChart(who: WhoSummary): Chart {
  const rows = causeTable(who).rows.filter(({ regime, kind }) => regime === "all" && kind === "all");
  const largest = Math.max(0, ...rows.map(({ mean }) => Math.abs(mean as number)));
  const told = rows.map(({ cause, mean }) => `${cause} ${signed(difference(mean as number, 0, largest))}`);
  return {
    name: "causes",
    title: "Where gains come from",
    table: "causes",
    spec: {
      height: { step: 34 },
      mark: "bar",
      encoding: {
        y: {
          field: "cause",
          type: "nominal",
          sort: Object.values(causeWords),
          title: null,
          axis: { labelLimit: 260 },
        },
        x: { field: "mean", type: "quantitative", title: "mean part of a gain" },
        tooltip: causeTooltip,
      },
    },
    summary: `The mean gain is made up of: ${told.join("; ")}.`,
    howToRead:
      "The four causes add up to the gain. Rounds and price are what the lie brings as if money had no end and the start did not move: by the paper's proofs never a gain. The start's part is what moving it would bring if money had no end; what the budget then takes back is in the budget's part.",
  };
}
