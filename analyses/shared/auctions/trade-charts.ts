/** The charts of the trade-off: marks and encodings over its table. */

import { percent, threeDigits } from "../../../src/lib/format.js";
import type { Chart, Row, Table } from "../../../src/report/result.js";
import type { Reading } from "./meter.js";
import { examined, type Trade } from "./trade.js";
import { sizeText } from "./trade-tables.js";

/** Two charts for each size: what the publisher gets against how many gain, and how much they gain. */
export function tradeCharts(trades: readonly Trade[]): Chart[] {
  return trades.flatMap((trade) => [shareChart(trade), gainChart(trade)]);
}

const only = ({ sizes }: Trade): object[] => [{ filter: { field: "size", equal: sizeText(sizes) } }];

const certainty = {
  field: "certainty",
  type: "nominal",
  title: "Gains are",
  scale: { domain: ["exact", "lower bound"] },
};

const unitAxis = { type: "quantitative", title: "Publisher's utility per unit paid", scale: { zero: false } };

/** At least up to 10 %, so that tiny shares look tiny. */
function shareAxis(trade: Trade): object {
  const most = Math.max(
    0.1,
    ...examined(trade).map(({ reading: { share } }) =>
      Number.isFinite(share.high) ? share.high : share.mean,
    ),
  );
  const title = "Workers who can gain by lying";
  return {
    type: "quantitative",
    title,
    axis: { format: "~%" },
    scale: { domain: [0, 1.1 * most], nice: false },
  };
}

function shareChart(trade: Trade): Chart {
  const axis = shareAxis(trade);
  const x = { field: "share", ...axis };
  const y = { field: "mean", ...unitAxis };
  const label = { type: "text", align: "left", dx: 12, dy: -6, tooltip: null };
  return {
    name: `share-${trade.sizes.workers}`,
    title: `What the publisher gets against how many can gain (${sizeText(trade.sizes)})`,
    table: "trade-off",
    spec: {
      height: 380,
      transform: only(trade),
      layer: [
        {
          transform: [{ filter: "isValid(datum.shareHigh)" }],
          mark: "rule",
          encoding: { x: { field: "shareLow", ...axis }, x2: { field: "shareHigh" }, y },
        },
        {
          transform: [{ filter: "isValid(datum.low)" }],
          mark: "rule",
          encoding: { x, y: { field: "low", ...unitAxis }, y2: { field: "high" } },
        },
        { mark: point, encoding: { x, y, color: certainty, shape: certainty } },
        { mark: label, encoding: { x, y: { field: "labelAt", ...unitAxis }, text: { field: "auction" } } },
      ],
    },
    summary: shareSummary(trade),
    howToRead:
      "Up is good for the publisher, left is good for the truth. Lines are 95 % intervals over markets. " +
      "Where gains are lower bounds, a search can miss, in every market: an auction lies at its point or to the right of it, " +
      "and no interval is drawn.",
  };
}

const point = { type: "point", filled: true, size: 80, opacity: 1 };

/** Equal steps multiply, but for those near 0. */
function gainAxis(trade: Trade): object {
  const most = Math.max(1, ...examined(trade).map(({ reading }) => reading.most));
  const scale = { type: "symlog", constant: 0.01, domain: [0, most], nice: false };
  const values = [0, 0.01, 0.1, 1, 10, 100].filter((value) => value <= most);
  return { type: "quantitative", title: "Gain of a worker", scale, axis: { values, format: "~r" } };
}

function gainChart(trade: Trade): Chart {
  const axis = gainAxis(trade);
  const sort = { field: "gain", order: "ascending" };
  const y = { field: "auction", type: "nominal", title: null, sort, axis: { labelLimit: 240 } };
  const tick = { type: "tick", thickness: 2 };
  return {
    name: `gain-${trade.sizes.workers}`,
    title: `How much lying brings (${sizeText(trade.sizes)})`,
    table: "trade-off",
    spec: {
      transform: only(trade),
      layer: [
        {
          transform: [{ filter: "isValid(datum.gainHigh)" }],
          mark: "rule",
          encoding: { y, x: { field: "gainLow", ...axis }, x2: { field: "gainHigh" } },
        },
        { mark: point, encoding: { y, x: { field: "gain", ...axis }, color: certainty, shape: certainty } },
        {
          transform: [{ filter: "datum.most > 0" }],
          mark: tick,
          encoding: { y, x: { field: "most", ...axis }, color: certainty },
        },
      ],
    },
    summary: gainSummary(trade),
    howToRead:
      "Points are mean gains over all workers looked at, also those who cannot gain, with 95 % intervals over markets, " +
      "but for lower bounds, which have none; " +
      "ticks are the largest gains found. Equal steps to the right multiply a gain, but for those below 0.01.",
  };
}

/** The auction in question, and those at either end; the table has all of them. */
function shareSummary(trade: Trade): string {
  const dots = examined(trade).toSorted((a, b) => b.unit.mean - a.unit.mean);
  const [most, least] = [dots[0]!, dots.at(-1)!];
  const named = dots.filter((dot) => dot.auction === trade.ours || dot === most || dot === least);
  const each = named.map(
    ({ auction, unit, reading }) =>
      `${auction} gives ${threeDigits(unit.mean)} per unit paid, and ${gainersText(reading)}`,
  );
  return `${sizeText(trade.sizes)}, from the most per unit paid to the least: ${each.join("; ")}.`;
}

const gainersText = ({ share, gainers, certainty }: Reading): string => {
  if (certainty === "lower bound") return `${percent(share.mean)} of the workers asked were found to gain`;
  return gainers === 0 ? "none of the workers asked can gain" : `${percent(share.mean)} of workers can gain`;
};

/** Who gains most, and where nothing can be gained. */
function gainSummary(trade: Trade): string {
  const dots = examined(trade);
  const top = dots.reduce((a, b) => (b.reading.gain.mean > a.reading.gain.mean ? b : a));
  const none = dots.filter(({ reading }) => reading.certainty === "exact" && reading.gainers === 0);
  const most =
    top.reading.gainers === 0
      ? "no gain was found in any auction"
      : `the average worker gains most in ${top.auction} (${threeDigits(top.reading.gain.mean)}, ${top.reading.certainty})`;
  const nobody =
    none.length === 0 ? "" : `; no worker asked can gain in ${none.length} of ${dots.length} auctions`;
  return `${sizeText(trade.sizes)}: ${most}${nobody}.`;
}

/** Table rows with the heights of labels, so that none covers another. */
export function withLabels(table: Table): Table {
  const sizes = [...new Set(table.rows.map(({ size }) => size))];
  return { ...table, rows: sizes.flatMap((size) => labelled(table.rows.filter((row) => row.size === size))) };
}

/** A label is as wide as this part of the chart, and as high as this one. */
const [WIDE, HIGH] = [0.4, 0.05];

/** From the top down, each label as near to its point as those above it leave room. */
function labelled(rows: readonly Row[]): Row[] {
  const [x, y] = [(row: Row) => Number(row.share), (row: Row) => Number(row.mean)];
  const extent = (of: (row: Row) => number) => Math.max(...rows.map(of)) - Math.min(...rows.map(of));
  const [wide, high] = [WIDE * Math.max(0.1, extent(x)), HIGH * extent(y)];
  const placed: { x: number; at: number }[] = [];
  return [...rows]
    .sort((a, b) => y(b) - y(a))
    .map((row) => {
      const near = placed.filter((other) => Math.abs(other.x - x(row)) < wide).map(({ at }) => at);
      const at = Math.min(y(row), ...near.map((other) => other - high));
      placed.push({ x: x(row), at });
      return { ...row, labelAt: at };
    });
}
