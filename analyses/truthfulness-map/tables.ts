/** The tables of the truthfulness map. */

import type { Column, Row, Table } from "../../src/analysis.js";
import { regimes } from "../../src/regime.js";
import { lies, type Sight, summed } from "../../src/survey/sights.js";
import { rounded } from "../../src/survey/words.js";
import { type Cell, chosen, witnessOf } from "./cells.js";

const estimated: readonly Column[] = [
  { name: "share", label: "Can gain", kind: "share" },
  { name: "low", label: "95 % from", kind: "share" },
  { name: "high", label: "to", kind: "share" },
  { name: "moving", label: "Gain by moving the start", kind: "share" },
  { name: "meanGain", label: "Mean gain of those who gain", kind: "amount" },
  { name: "maxGain", label: "Largest gain", kind: "amount" },
  { name: "markets", label: "Markets", kind: "count" },
  { name: "seen", label: "Workers asked", kind: "count" },
];

function estimates(sights: readonly Sight[]): Row {
  const { share, seen, meanGain, most } = summed(sights);
  const moving = summed(sights, (sight) => sight.moving).share.mean;
  return {
    share: rounded(share.mean),
    low: rounded(share.low),
    high: rounded(share.high),
    moving: rounded(moving),
    meanGain: rounded(meanGain),
    maxGain: rounded(most?.gain ?? 0),
    markets: share.n,
    seen,
  };
}

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
      const { regime, lie, workers, ratio, sights } = cell;
      const name = witnessOf(cell)?.name ?? "";
      const witness = witnesses.has(name) && (lie === "all" || lie === "joint") ? name : null;
      return { regime, lie, workers, ratio, ...estimates(sights), witness };
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
export function situationTable(sights: readonly Sight[]): Table {
  const rows = (["all", ...regimes] as const).flatMap((regime) =>
    lies.flatMap((told): Row[] => {
      const part = chosen(sights, regime, told);
      if (part.length === 0) return [];
      const { gained, moving } = summed(part);
      return [{ situation: regime, told, ...estimates(part), gained, gainedMoving: moving }];
    }),
  );
  return {
    name: "situations",
    title: "Who can gain, by regime and by what is misstated",
    columns: situationColumns,
    rows,
  };
}
