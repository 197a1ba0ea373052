/** P1 and P2 against the first-round ratio: the same markets at every ratio, in both readings. */

import { listed, many, percent, rounded } from "../../src/lib/format.js";
import { share } from "../../src/lib/statistics.js";
import type { Reading } from "../../src/market/market.js";
import type { Chart, Finding, Row, Table } from "../../src/report/result.js";
import type { NamedLook } from "../shared/gains/scoreboard.js";
import { drawnAs, type Family, families, readings } from "./draws.js";

export const ratioProperties = ["P1", "P2"] as const;

/** Markets in which a property breaks at a ratio, in one reading. */
export interface RatioCount {
  readonly markets: number;
  readonly broken: number;
  /** The largest break, of the budget. */
  readonly worst: number;
}

/** By property, reading and family of markets. */
export type RatioCounts = Record<string, RatioCount>;

const keyOf = (property: string, reading: string, family: Family): string =>
  `${property} ${reading} ${family}`;

/** Of one market in every reading. */
export function ratiosOf(looks: readonly NamedLook[], family: Family): RatioCounts {
  const counts = looks.flatMap(({ market, breaks }) =>
    ratioProperties.map((property): [string, RatioCount] => {
      const amounts = breaks.filter((found) => found.property === property).map(({ amount }) => amount);
      const worst = Math.max(0, ...amounts) / market.rules.budget;
      return [
        keyOf(property, market.rules.reading, family),
        { markets: 1, broken: worst > 0 ? 1 : 0, worst },
      ];
    }),
  );
  return Object.fromEntries(counts);
}

export const mergeRatios = (left: RatioCount, right: RatioCount): RatioCount => ({
  markets: left.markets + right.markets,
  broken: left.broken + right.broken,
  worst: Math.max(left.worst, right.worst),
});

/** What was seen at one ratio. */
export interface AtRatio {
  readonly ratio: number;
  readonly counts: RatioCounts;
}

export function ratioTable(seen: readonly AtRatio[]): Table {
  const rows = ratioProperties.flatMap((property) =>
    readings.flatMap((reading) =>
      families.flatMap((family) =>
        seen.map(({ ratio, counts }) => ({
          property,
          reading,
          family,
          ratio,
          ...estimates(counts[keyOf(property, reading, family)] ?? { markets: 0, broken: 0, worst: 0 }),
        })),
      ),
    ),
  );
  return {
    name: "ratios",
    title: "P1 and P2 against the first-round ratio",
    columns: [
      { name: "property", label: "property", kind: "text" },
      { name: "reading", label: "reading", kind: "text" },
      { name: "family", label: "markets drawn", kind: "text" },
      { name: "ratio", label: "first-round ratio", kind: "amount" },
      { name: "markets", label: "markets", kind: "count" },
      { name: "broken", label: "broken", kind: "count" },
      { name: "share", label: "share broken", kind: "share" },
      { name: "low", label: "95 % from", kind: "share" },
      { name: "high", label: "to", kind: "share" },
      { name: "worst", label: "worst, of the budget", kind: "share" },
    ],
    rows,
    opensWith: { family: families[0] },
  };
}

function estimates({ markets, broken, worst }: RatioCount) {
  const { mean, low, high } = share(broken, markets);
  const shares = { share: rounded(mean), low: rounded(low), high: rounded(high), worst: rounded(worst) };
  return { markets, broken, ...shares };
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
    summary: readings.map((reading) => ratioSentence(table, reading, families[0])).join(" "),
    howToRead:
      "Each point is the share of markets in which a property breaks at one ratio, with its 95 % interval; the dashed rule marks 1/2.",
  };
}

/** One for each reading, the prose first. */
export const ratioFindings = (table: Table): Finding[] =>
  readings.map((reading, k) => ({
    text: families.map((family) => ratioSentence(table, reading, family)).join(" "),
    weight: 60 - 15 * k,
  }));

function ratioSentence({ rows }: Table, reading: Reading, family: Family): string {
  const mine = rows.filter((row) => row.reading === reading && row.family === family);
  const low = mine.filter(({ ratio }) => Number(ratio) <= 0.5);
  const high = mine.filter(({ ratio }) => Number(ratio) > 0.5);
  const parts = (some: readonly Row[]) =>
    listed(ratioProperties.map((property) => brokenText(some, property)));
  return `In markets ${drawnAs[family]} (${reading}), up to a first-round ratio of 1/2 ${parts(low)}; above it ${parts(high)}.`;
}

function brokenText(rows: readonly Row[], property: string): string {
  const mine = rows.filter((row) => row.property === property);
  const [broken, markets] = [sum(mine, "broken"), sum(mine, "markets")];
  if (broken === 0) return `${property} broke in none of ${many(markets, "run")}`;
  const worst = Math.max(...mine.map((row) => Number(row.worst)));
  return `${property} broke in ${percent(broken / markets)} of ${many(markets, "run")}, at worst by ${percent(worst)} of the budget`;
}

const sum = (rows: readonly Row[], field: string): number =>
  rows.reduce((total, row) => total + Number(row[field]), 0);
