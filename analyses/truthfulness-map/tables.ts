/** The tables of the truthfulness map. */

import { quantileFrom, type Sketch } from "../../src/lib/sketch.js";
import { regimes } from "../../src/mechanisms/regime.js";
import type { Column, Row, Table } from "../../src/report/result.js";
import { lies } from "../shared/gains/gain-counts.js";
import { rounded } from "../shared/gains/number-words.js";
import { shareFrom } from "../shared/gains/over-markets.js";
import type { Summary } from "../shared/gains/summary.js";
import { type Cell, overall, type Sized, witnessOf } from "./cells.js";

const estimated: readonly Column[] = [
  { name: "share", label: "Can gain", kind: "share" },
  { name: "low", label: "95 % from", kind: "share" },
  { name: "high", label: "to", kind: "share" },
  { name: "moving", label: "Gain by moving the start", kind: "share" },
  { name: "meanGain", label: "Mean gain of those who gain", kind: "amount" },
  { name: "medianGain", label: "Median gain of those", kind: "amount" },
  { name: "gain95", label: "95th percentile", kind: "amount" },
  { name: "maxGain", label: "Largest gain", kind: "amount" },
  { name: "markets", label: "Markets", kind: "count" },
  { name: "seen", label: "Workers asked", kind: "count" },
];

function estimates(summary: Summary): Row {
  const { seen, gained, total, gains, most } = summary;
  const share = shareFrom(summary.share);
  return {
    share: rounded(share.mean),
    low: rounded(share.low),
    high: rounded(share.high),
    moving: rounded(summary.moved.mean),
    meanGain: rounded(total / gained),
    medianGain: inSketch(gains, 0.5),
    gain95: inSketch(gains, 0.95),
    maxGain: rounded(most?.gain ?? 0),
    markets: share.n,
    seen,
  };
}

/** Three digits: a sketch knows no more. */
const inSketch = (gains: Sketch, share: number): number | null =>
  rounded(Number(quantileFrom(gains, share).toPrecision(3)));

const mapColumns: readonly Column[] = [
  { name: "regime", label: "Regime", kind: "text" },
  { name: "lie", label: "Lie", kind: "text" },
  { name: "workers", label: "Workers", kind: "count" },
  { name: "ratio", label: "Relative budget", kind: "amount" },
  ...estimated,
  { name: "witness", label: "Witness", kind: "text" },
];

export function mapTable(cells: readonly Cell[], witnesses: ReadonlySet<string>): Table {
  return {
    name: "map",
    title: "Who can gain, by relative budget and number of workers",
    columns: mapColumns,
    rows: cells.map((cell) => {
      const { regime, lie, workers, ratio, seen } = cell;
      const name = witnessOf(cell)?.name ?? "";
      const witness = witnesses.has(name) && (lie === "all" || lie === "joint") ? name : null;
      return { regime, lie, workers, ratio, ...estimates(seen), witness };
    }),
  };
}

const situationColumns: readonly Column[] = [
  { name: "situation", label: "Regime", kind: "text" },
  { name: "told", label: "What is misstated", kind: "text" },
  ...estimated,
  { name: "gained", label: "Could gain", kind: "count" },
  { name: "gainedMoving", label: "of them by moving the start", kind: "count" },
];

/** Regimes as a plain column: a reader's choice of one regime must not empty the comparison of all. */
export function situationTable(sizes: readonly Sized[]): Table {
  const rows = (["all", ...regimes] as const).flatMap((regime) =>
    lies.flatMap((told): Row[] => {
      const part = overall(sizes, regime, told);
      if (!part) return [];
      return [
        { situation: regime, told, ...estimates(part), gained: part.gained, gainedMoving: part.moving },
      ];
    }),
  );
  return {
    name: "situations",
    title: "Who can gain, by regime and by what is misstated",
    columns: situationColumns,
    rows,
  };
}
