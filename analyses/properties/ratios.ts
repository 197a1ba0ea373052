/** P1 and P2 against the first-round ratio: the same markets at every ratio, in both readings. */

import type { Chart, Finding, Row, Table } from "../../src/analysis.js";
import { share } from "../../src/statistics.js";
import type { NamedLook } from "../../src/survey/scoreboard.js";
import { listed, many, percent, rounded } from "../../src/survey/words.js";
import { readings } from "./draws.js";

export const ratioProperties = ["P1", "P2"] as const;

export function ratioTable(looks: readonly NamedLook[]): Table {
  const ratios = [...new Set(looks.map(({ market }) => market.rules.firstRoundRatio))].sort((a, b) => a - b);
  const rows = ratioProperties.flatMap((property) =>
    readings.flatMap((reading) =>
      ratios.map((ratio) => {
        const there = looks.filter(
          ({ market: { rules } }) => rules.reading === reading && rules.firstRoundRatio === ratio,
        );
        return ratioRow({ property, reading, ratio }, there);
      }),
    ),
  );
  return {
    name: "ratios",
    title: "P1 and P2 against the first-round ratio",
    columns: [
      { name: "property", label: "property", kind: "text" },
      { name: "reading", label: "reading", kind: "text" },
      { name: "ratio", label: "first-round ratio", kind: "amount" },
      { name: "markets", label: "markets", kind: "count" },
      { name: "broken", label: "broken", kind: "count" },
      { name: "share", label: "share broken", kind: "share" },
      { name: "low", label: "95 % from", kind: "share" },
      { name: "high", label: "to", kind: "share" },
      { name: "worst", label: "worst, of the budget", kind: "share" },
    ],
    rows,
  };
}

interface Setting {
  readonly property: (typeof ratioProperties)[number];
  readonly reading: string;
  readonly ratio: number;
}

function ratioRow({ property, reading, ratio }: Setting, looks: readonly NamedLook[]): Row {
  const parts = looks.map(({ market, breaks }) => {
    const amounts = breaks.filter((found) => found.property === property).map(({ amount }) => amount);
    return Math.max(0, ...amounts) / market.rules.budget;
  });
  const broken = parts.filter((part) => part > 0).length;
  const { mean, low, high } = share(broken, looks.length);
  const worst = rounded(Math.max(0, ...parts));
  const shares = { share: rounded(mean), low: rounded(low), high: rounded(high), worst };
  return { property, reading, ratio, markets: looks.length, broken, ...shares };
}

export function ratioChart(table: Table): Chart {
  const x = {
    field: "ratio",
    type: "quantitative",
    title: "first-round ratio",
    scale: { domain: [0.05, 1] },
  };
  const y = { type: "quantitative", title: null, axis: { format: ".0%" } };
  const colour = { field: "property", type: "nominal", title: null };
  const dash = { field: "reading", type: "nominal", title: null };
  return {
    name: "ratios",
    title: "Share of markets in which P1 and P2 break, against the first-round ratio",
    table: table.name,
    spec: {
      layer: [
        { mark: { type: "rule", strokeDash: [4, 4] }, encoding: { x: { datum: 0.5 } } },
        {
          mark: { type: "area" },
          encoding: { x, y: { ...y, field: "low" }, y2: { field: "high" }, color: colour, detail: dash },
        },
        {
          mark: { type: "line", point: true },
          encoding: { x, y: { ...y, field: "share" }, color: colour, strokeDash: dash, shape: dash },
        },
      ],
    },
    summary: ratioSentence(table),
    howToRead:
      "Each point is the share of markets in which a property breaks at one ratio, with its 95 % interval; the dashed rule marks 1/2.",
  };
}

export const ratioFinding = (table: Table): Finding => ({ text: ratioSentence(table), weight: 60 });

function ratioSentence({ rows }: Table): string {
  const low = rows.filter(({ ratio }) => Number(ratio) <= 0.5);
  const upToHalf = sum(low, "broken");
  const below =
    upToHalf === 0
      ? `Up to a first-round ratio of 1/2 neither P1 nor P2 broke in ${many(sum(low, "markets") / 2, "run")}`
      : `Up to a first-round ratio of 1/2 P1 or P2 broke in ${many(upToHalf, "run")} of ${many(sum(low, "markets"), "check")}`;
  const high = rows.filter(({ ratio }) => Number(ratio) > 0.5);
  const parts = ratioProperties.flatMap((property) =>
    readings.map((reading) => above(high, property, reading)),
  );
  return `${below}; above it, ${listed(parts)}.`;
}

function above(rows: readonly Row[], property: string, reading: string): string {
  const mine = rows.filter((row) => row.property === property && row.reading === reading);
  const broken = sum(mine, "broken");
  const where = `${property} (${reading})`;
  if (broken === 0) return `${where} broke in none of ${many(sum(mine, "markets"), "run")}`;
  const worst = Math.max(...mine.map((row) => Number(row.worst)));
  return `${where} broke in ${percent(broken / sum(mine, "markets"))}, at worst by ${percent(worst)} of the budget`;
}

const sum = (rows: readonly Row[], field: string): number =>
  rows.reduce((total, row) => total + Number(row[field]), 0);
