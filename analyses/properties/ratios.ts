/** P1 and P2 against the first-round ratio: the same markets at every ratio, in both readings. */

import { listed, many, percent, rounded } from "../../src/lib/format.js";
import { share } from "../../src/lib/statistics.js";
import type { Chart, Finding, Row, Table } from "../../src/report/result.js";
import type { NamedLook } from "../shared/gains/scoreboard.js";
import { readings } from "./draws.js";

export const ratioProperties = ["P1", "P2"] as const;

/** Markets in which a property breaks at a ratio, in one reading. */
export interface RatioCount {
  readonly markets: number;
  readonly broken: number;
  /** The largest break, of the budget. */
  readonly worst: number;
}

/** By property and reading. */
export type RatioCounts = Record<string, RatioCount>;

const keyOf = (property: string, reading: string): string => `${property} ${reading}`;

/** Of one market in every reading. */
export function ratiosOf(looks: readonly NamedLook[]): RatioCounts {
  const counts = looks.flatMap(({ market, breaks }) =>
    ratioProperties.map((property): [string, RatioCount] => {
      const amounts = breaks.filter((found) => found.property === property).map(({ amount }) => amount);
      const worst = Math.max(0, ...amounts) / market.rules.budget;
      return [keyOf(property, market.rules.reading), { markets: 1, broken: worst > 0 ? 1 : 0, worst }];
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
      seen.map(({ ratio, counts }) => ({
        property,
        reading,
        ratio,
        ...estimates(counts[keyOf(property, reading)] ?? { markets: 0, broken: 0, worst: 0 }),
      })),
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
