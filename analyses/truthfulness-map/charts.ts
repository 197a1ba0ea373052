/** The charts of the truthfulness map. */

import { regimes } from "../../src/mechanisms/regime.js";
import type { Chart } from "../../src/report/result.js";
import { largest, lies } from "../shared/gains/gain-counts.js";
import { money, percent } from "../shared/gains/number-words.js";
import { type Cell, everything, overall, placeOf, type Sized, worstCell } from "./cells.js";

const axes = {
  x: {
    field: "ratio",
    type: "ordinal",
    title: "budget / true cost of all rounds on offer",
    axis: { labelAngle: 0 },
  },
  y: { field: "workers", type: "ordinal", sort: "descending", title: "workers" },
};

const tooltip = [
  { field: "workers", title: "Workers" },
  { field: "ratio", title: "Relative budget" },
  { field: "regime", title: "Regime" },
  { field: "lie", title: "Lie" },
  { field: "share", title: "Can gain", format: ".2%" },
  { field: "low", title: "95 % from", format: ".2%" },
  { field: "high", title: "to", format: ".2%" },
  { field: "moving", title: "by moving the start", format: ".2%" },
  { field: "meanGain", title: "Mean gain of those", format: ".3~f" },
  { field: "medianGain", title: "Median gain", format: ".3~f" },
  { field: "gain95", title: "95th percentile", format: ".3~f" },
  { field: "maxGain", title: "Largest gain", format: ".3~f" },
  { field: "markets", title: "Markets" },
];

function heatmap(color: object): object {
  return {
    height: { step: 28 },
    encoding: axes,
    layer: [
      { mark: "rect", encoding: { color, tooltip } },
      {
        transform: [{ filter: "datum.share === 0" }],
        mark: { type: "point", size: 6, filled: true },
        encoding: { tooltip },
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

export function shareChart(cells: readonly Cell[]): Chart {
  const top = Math.max(0.01, ...cells.map(({ seen }) => seen.share.mean));
  const most = Math.ceil(top * 20) / 20;
  const scale = { type: "sqrt", domain: [0, most] };
  const worst = worstCell(cells, "all");
  const empty = everything(cells).filter(({ seen }) => seen.gained === 0).length;
  const peak = worst ? ` It is highest with ${placeOf(worst)}: ${percent(worst.seen.share.mean)}.` : "";
  return {
    name: "share",
    title: "Share of workers who can gain by lying",
    table: "map",
    spec: heatmap({
      field: "share",
      type: "quantitative",
      title: "can gain",
      scale,
      legend: { format: "~%", values: legendUpTo(most) },
    }),
    summary: `Share of workers who can gain, over relative budget and number of workers.${peak} In ${empty} of ${everything(cells).length} cells nobody could.`,
    howToRead:
      "Each cell is a market size and a budget, relative to the true cost of all rounds on offer. The colour is the share of workers with a lie that pays, as a mean over markets; a dot marks cells where nobody has one; an empty place had no worker in the chosen regime.",
  };
}

export function gainChart(cells: readonly Cell[]): Chart {
  const top = largest(cells.map(({ seen }) => seen.most));
  const scale = { type: "sqrt", domain: [0, Math.max(1, Math.ceil(top?.gain ?? 0))] };
  const where = everything(cells).find(({ seen }) => top && seen.most?.gain === top.gain);
  return {
    name: "gain",
    title: "Largest gain by lying",
    table: "map",
    spec: heatmap({ field: "maxGain", type: "quantitative", title: "largest gain", scale }),
    summary: where
      ? `The largest gain, ${money(top!.gain)}, is found with ${placeOf(where)}.`
      : "Nobody gains anything.",
    howToRead:
      "The same cells; the colour is the largest gain of any worker seen there, in money. A round costs a worker a third on average. More markets can only find larger ones.",
  };
}

export function situationChart(sizes: readonly Sized[]): Chart {
  const shares = regimes.map((regime) => {
    const part = overall(sizes, regime, "joint");
    return part ? `${regime}: ${percent(part.share.mean)}` : `${regime}: nobody was in it`;
  });
  const y = { field: "situation", type: "nominal", sort: ["all", ...regimes], title: null };
  const told = { field: "told", type: "nominal", sort: [...lies] };
  const x = (field: string) => ({
    field,
    type: "quantitative",
    title: "share of workers who can gain",
    axis: { format: "~%" },
  });
  return {
    name: "situations",
    title: "Who can gain, by regime and by what is misstated",
    table: "situations",
    spec: {
      encoding: { y, yOffset: told, color: { ...told, title: "misstated" } },
      layer: [
        { mark: "rule", encoding: { x: x("low"), x2: { field: "high" } } },
        {
          mark: { type: "point", filled: true, size: 60 },
          encoding: {
            x: x("share"),
            tooltip: [
              { field: "situation", title: "Regime" },
              { field: "told", title: "Misstated" },
              ...tooltip.slice(4),
            ],
          },
        },
      ],
    },
    summary: `Share of workers who can gain by misstating price, arrival or both, by regime: ${shares.join("; ")}.`,
    howToRead:
      "Points are means over markets, lines their 95 % intervals over markets; where nobody gained, the line ends at the rule-of-three bound, and where only a few markets showed a gain it is as wide as their number allows.",
  };
}
