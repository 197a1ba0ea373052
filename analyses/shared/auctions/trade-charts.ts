/** The charts of the trade-off: marks and encodings over its table. */

import type { Chart, Row, Table } from "../../../src/report/result.js";
import type { Reading } from "./meter.js";
import { examined, type Trade } from "./trade.js";
import { sizeText } from "./trade-tables.js";
import { amount, percent } from "./words.js";

/** Two charts for each size: what the publisher gets against how many gain, and how much they gain. */
export function tradeCharts(trades: readonly Trade[]): Chart[] {
  return trades.flatMap((trade) => [shareChart(trade), gainChart(trade)]);
}

const only = ({ sizes }: Trade): object[] => [{ filter: { field: "size", equal: sizeText(sizes) } }];

const certainty = {
  field: "certainty",
  type: "nominal",
  title: "Gains are",
  scale: { domain: ["proved", "exact", "lower bound"] },
};

const unitAxis = { type: "quantitative", title: "Publisher's utility per unit paid", scale: { zero: false } };

/** At least up to 10 %, so that tiny shares look tiny. */
function shareAxis(trade: Trade): object {
  const most = Math.max(0.1, ...examined(trade).map(({ reading }) => reading.share.high));
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
        { mark: "rule", encoding: { x: { field: "shareLow", ...axis }, x2: { field: "shareHigh" }, y } },
        { mark: "rule", encoding: { x, y: { field: "low", ...unitAxis }, y2: { field: "high" } } },
        { mark: point, encoding: { x, y, color: certainty, shape: certainty } },
        { mark: label, encoding: { x, y: { field: "labelAt", ...unitAxis }, text: { field: "auction" } } },
      ],
    },
    summary: summaryOf(
      trade,
      ({ share, gainers }) => (gainers === 0 ? "nobody" : percent(share.mean)),
      "can gain",
    ),
    howToRead:
      "Up is good for the publisher, left is good for the truth. Lines are 95 % intervals over markets; " +
      "where gains are lower bounds, an auction lies at its point or to the right of it.",
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
        { mark: "rule", encoding: { y, x: { field: "gainLow", ...axis }, x2: { field: "gainHigh" } } },
        { mark: point, encoding: { y, x: { field: "gain", ...axis }, color: certainty, shape: certainty } },
        {
          transform: [{ filter: "datum.most > 0" }],
          mark: tick,
          encoding: { y, x: { field: "most", ...axis }, color: certainty },
        },
      ],
    },
    summary: summaryOf(
      trade,
      ({ gain, most, gainers }) =>
        gainers === 0 ? "nothing" : `${amount(gain.mean)}, at most ${amount(most)},`,
      "is gained by the average worker",
    ),
    howToRead:
      "Points are mean gains over all workers looked at, also those who cannot gain, with 95 % intervals over markets; " +
      "ticks are the largest gains found. Equal steps to the right multiply a gain, but for those below 0.01.",
  };
}

function summaryOf(trade: Trade, gains: (reading: Reading) => string, verb: string): string {
  const each = examined(trade).map(
    ({ auction, unit, reading }) =>
      `${auction} gives ${amount(unit.mean)} per unit paid and ${gains(reading)} ${verb} (${reading.certainty})`,
  );
  return `${sizeText(trade.sizes)}: ${each.join("; ")}.`;
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
