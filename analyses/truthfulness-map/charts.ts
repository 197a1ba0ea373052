/** The charts of the truthfulness map. */

import { percent, threeDigits } from "../../src/lib/format.js";
import { regimes } from "../../src/mechanisms/outcome.js";
import type { Chart } from "../../src/report/result.js";
import { largest, lies } from "../shared/gains/gain-counts.js";
import { type Cell, everything, gaining, overall, placeOf, type Sized, worstCell } from "./cells.js";

const axes = {
  x: {
    field: "ratio",
    type: "ordinal",
    title: "budget / true cost of all rounds on offer",
    axis: { labelAngle: 0 },
  },
  y: { field: "workers", type: "ordinal", sort: "descending", title: "workers" },
};

const tooltip = (exact: boolean) => [
  { field: "workers", title: "Workers" },
  { field: "ratio", title: "Relative budget" },
  { field: "regime", title: "Regime" },
  { field: "lie", title: "Lie" },
  { field: "share", title: exact ? "Can gain" : "Found to gain", format: ".2%" },
  { field: "low", title: exact ? "95 % from" : "95 %: at least", format: ".2%" },
  ...(exact ? [{ field: "high", title: "to", format: ".2%" }] : []),
  { field: "moving", title: "by moving the start", format: ".2%" },
  { field: "meanGain", title: "Mean gain of those", format: ".3~f" },
  { field: "medianGain", title: "Median gain", format: ".3~f" },
  { field: "gain95", title: "95th percentile", format: ".3~f" },
  { field: "maxGain", title: "Largest gain", format: ".3~f" },
  { field: "markets", title: "Markets" },
];

function heatmap(color: object, exact: boolean): object {
  const told = { tooltip: tooltip(exact) };
  return {
    height: { step: 28 },
    encoding: axes,
    layer: [
      { mark: "rect", encoding: { color, ...told } },
      {
        transform: [{ filter: "datum.share === 0" }],
        mark: { type: "point", size: 6, filled: true },
        encoding: told,
      },
    ],
  };
}

const legendShares = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];

/** Those that stand far enough from each other on a legend that ends at `most`, on its scale of square roots. */
function legendUpTo(most: number): number[] {
  const kept = [0];
  for (const share of legendShares)
    if (share <= most && Math.sqrt(share / most) - Math.sqrt(kept.at(-1)! / most) >= 0.28) kept.push(share);
  return kept;
}

export function shareChart(cells: readonly Cell[], exact: boolean): Chart {
  const top = Math.max(0.01, ...cells.map(gaining));
  const most = Math.ceil(top * 20) / 20;
  const scale = { type: "sqrt", domain: [0, most] };
  const worst = worstCell(cells, "all");
  const empty = everything(cells).filter(({ seen }) => seen.share.hits === 0).length;
  const peak = worst ? ` It is highest with ${placeOf(worst)}: ${percent(gaining(worst))}.` : "";
  return {
    name: "share",
    title: "Share of workers who can gain by lying",
    table: "map",
    spec: heatmap(
      {
        field: "share",
        type: "quantitative",
        title: exact ? "can gain" : "found to gain",
        scale,
        legend: { format: "~%", values: legendUpTo(most) },
      },
      exact,
    ),
    summary: `Share of workers who ${exact ? "can gain" : "were found to gain"}, over relative budget and number of workers.${peak} In ${empty} of ${everything(cells).length} cells nobody ${exact ? "could" : "was"}.`,
    howToRead: `Each cell is a market size and a budget, relative to the true cost of all rounds on offer. The colour is the share of all workers of its markets for whom a lie that pays ${exact ? "exists; a dot marks cells where nobody has one" : "was found; a dot marks cells where the search found none, which does not mean that there is none"}; an empty place had no worker in the chosen regime.`,
  };
}

export function gainChart(cells: readonly Cell[], exact: boolean): Chart {
  const top = largest(cells.map(({ seen }) => seen.most));
  const scale = { type: "sqrt", domain: [0, Math.max(1, Math.ceil(top?.gain ?? 0))] };
  const where = everything(cells).find(({ seen }) => top && seen.most?.gain === top.gain);
  return {
    name: "gain",
    title: exact ? "Largest gain by lying" : "Largest gain found",
    table: "map",
    spec: heatmap({ field: "maxGain", type: "quantitative", title: "largest gain", scale }, exact),
    summary: where
      ? `The largest gain, ${threeDigits(top!.gain)}, is found with ${placeOf(where)}.`
      : exact
        ? "Nobody gains anything."
        : "The search found no gain.",
    howToRead:
      "The same cells; the colour is the largest gain of any worker seen there, in money. A round costs a worker a third on average. More markets can only find larger ones.",
  };
}

export function situationChart(sizes: readonly Sized[], exact: boolean): Chart {
  const shares = regimes.map((regime) => {
    const part = overall(sizes, regime, "joint");
    return part ? `${regime}: ${percent(gaining({ seen: part }))}` : `${regime}: nobody was in it`;
  });
  const y = { field: "situation", type: "nominal", sort: ["all", ...regimes], title: null };
  const told = { field: "told", type: "nominal", sort: [...lies] };
  const x = (field: string) => ({
    field,
    type: "quantitative",
    title: `share of workers ${exact ? "who can gain" : "found to gain"}`,
    axis: { format: "~%" },
  });
  return {
    name: "situations",
    title: `Who ${exact ? "can gain" : "was found to gain"}, by regime and by what is misstated`,
    table: "situations",
    spec: {
      encoding: { y, yOffset: told, color: { ...told, title: "misstated" } },
      layer: [
        ...(exact ? [{ mark: "rule", encoding: { x: x("low"), x2: { field: "high" } } }] : []),
        {
          mark: { type: "point", filled: true, size: 60 },
          encoding: {
            x: x("share"),
            tooltip: [
              { field: "situation", title: "Regime" },
              { field: "told", title: "Misstated" },
              ...tooltip(exact).slice(4),
            ],
          },
        },
      ],
    },
    summary: `Share of workers ${exact ? "who can gain" : "found to gain"} by misstating price, arrival or both, by regime: ${shares.join("; ")}.`,
    howToRead: exact
      ? "Points are shares of all workers of all markets, lines their 95 % intervals, which allow for workers of one market being alike; where nobody gained, the line ends at the rule-of-three bound, and where only a few markets showed a gain it is as wide as their number allows."
      : "Points are shares of all workers asked for whom a search found a lie that pays. They are lower bounds: a search can miss, in every market, so no interval is drawn.",
  };
}
