/** The tables of the truthfulness map. */

import { rounded } from "../../src/lib/format.js";
import { atLeast, FEWEST_FOR_PERCENTILES } from "../../src/lib/statistics.js";
import { pooledShare, quantileFrom, type Sketch } from "../../src/lib/summaries.js";
import { regimes } from "../../src/mechanisms/outcome.js";
import type { Column, Row, Table } from "../../src/report/result.js";
import { lies } from "../shared/gains/gain-counts.js";
import type { Summary } from "../shared/gains/summary.js";
import { type Cell, overall, type Sized, witnessOf } from "./cells.js";

/** What a search says of everybody is a lower bound: it has no upper end. */
const estimated = (exact: boolean): Column[] => [
  { name: "share", label: exact ? "Can gain" : "Found to gain", kind: "share" },
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

function estimates({ share: counts, moving, total, gains, most }: Summary, exact: boolean): Row {
  const { hits: gained, size: seen } = counts;
  const share = exact ? pooledShare(counts) : atLeast(pooledShare(counts));
  const quantile = (part: number) => (gained < FEWEST_FOR_PERCENTILES ? null : inSketch(gains, part));
  return {
    share: rounded(share.mean),
    low: rounded(share.low),
    high: rounded(share.high),
    moving: rounded(moving / seen),
    meanGain: rounded(total / gained),
    medianGain: quantile(0.5),
    gain95: quantile(0.95),
    maxGain: rounded(most?.gain ?? 0),
    markets: share.n,
    seen,
  };
}

/** Three digits: a sketch knows no more. */
const inSketch = (gains: Sketch, share: number): number | null =>
  rounded(Number(quantileFrom(gains, share).toPrecision(3)));

const mapColumns = (exact: boolean): Column[] => [
  { name: "regime", label: "Regime", kind: "text" },
  { name: "lie", label: "Lie", kind: "text" },
  { name: "workers", label: "Workers", kind: "count" },
  { name: "ratio", label: "Relative budget", kind: "amount" },
  ...estimated(exact),
  { name: "witness", label: "Witness", kind: "text" },
];

export function mapTable(
  cells: readonly Cell[],
  { witnesses, exact }: { readonly witnesses: ReadonlySet<string>; readonly exact: boolean },
): Table {
  return {
    name: "map",
    title: "Who can gain, by relative budget and number of workers",
    columns: mapColumns(exact),
    rows: cells.map((cell) => {
      const { regime, lie, workers, ratio, seen } = cell;
      const name = witnessOf(cell)?.name ?? "";
      const witness = witnesses.has(name) && (lie === "all" || lie === "joint") ? name : null;
      return { regime, lie, workers, ratio, ...estimates(seen, exact), witness };
    }),
  };
}

const situationColumns = (exact: boolean): Column[] => [
  { name: "situation", label: "Regime", kind: "text" },
  { name: "told", label: "What is misstated", kind: "text" },
  ...estimated(exact),
  { name: "gained", label: exact ? "Could gain" : "Found to gain", kind: "count" },
  { name: "gainedMoving", label: "of them by moving the start", kind: "count" },
];

/** Regimes as a plain column: a reader's choice of one regime must not empty the comparison of all. */
export function situationTable(sizes: readonly Sized[], exact: boolean): Table {
  const rows = (["all", ...regimes] as const).flatMap((regime) =>
    lies.flatMap((told): Row[] => {
      const part = overall(sizes, regime, told);
      if (!part) return [];
      const counts = { gained: part.share.hits, gainedMoving: part.moving };
      return [{ situation: regime, told, ...estimates(part, exact), ...counts }];
    }),
  );
  return {
    name: "situations",
    title: "Who can gain, by regime and by what is misstated",
    columns: situationColumns(exact),
    rows,
  };
}
