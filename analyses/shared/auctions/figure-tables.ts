/** The tables of a figure. */

import type { Estimate } from "../../../src/lib/statistics.js";
import type { Cell, Column, Row, Table } from "../../../src/report/result.js";
import { type Measure, meanOf, perUnit, ratioOf, spent, utility } from "./accounts.js";
import { claimText } from "./claim-text.js";
import type { Judged } from "./claims.js";
import { type Held, repairsIn, setOf } from "./held.js";
import { type Trial, trialRow } from "./variants.js";
import type { Axis } from "./words.js";

/** JSON knows no NaN. */
export const finite = (x: number): number | null => (Number.isFinite(x) ? x : null);

export const interval = ({ mean, low, high }: Estimate): { mean: Cell; low: Cell; high: Cell } => ({
  mean: finite(mean),
  low: finite(low),
  high: finite(high),
});

const axisColumn = ({ name, label }: Axis): Column => ({
  name,
  label,
  kind: name === "workers" ? "count" : "amount",
});

const auction: Column = { name: "auction", label: "Auction", kind: "text" };

const set: Column = { name: "set", label: "Whose", kind: "text" };

const meanColumns = (label: string, from = "95 % from"): Column[] => [
  { name: "mean", label, kind: "amount" },
  { name: "low", label: from, kind: "amount" },
  { name: "high", label: "to", kind: "amount" },
];

/** A row for every auction at every place. */
function rowsOf(held: Held, cells: (auction: string, at: number) => Row): Row[] {
  return held.auctions.flatMap((name) =>
    held.values.map((at) => ({
      auction: name,
      set: setOf(name, held.ours),
      [held.axis.name]: at,
      ...cells(name, at),
    })),
  );
}

const meanAt = ({ ledgers }: Held, name: string, at: number, measure: Measure): Estimate =>
  meanOf(ledgers.get(at)!, name, measure);

export function perUnitTable(held: Held): Table {
  return {
    name: "per-unit",
    title: "Publisher's utility per unit paid",
    columns: [
      auction,
      set,
      axisColumn(held.axis),
      ...meanColumns("Utility per unit paid"),
      { name: "markets", label: "Markets with payments", kind: "count" },
    ],
    rows: rowsOf(held, (name, at) => {
      const mean = meanAt(held, name, at, perUnit);
      return { ...interval(mean), markets: mean.n };
    }),
  };
}

export function utilityTable(held: Held): Table {
  return {
    name: "utility",
    title: "Publisher's utility in all",
    columns: [
      auction,
      set,
      axisColumn(held.axis),
      ...meanColumns("Publisher's utility"),
      { name: "spent", label: "Budget spent", kind: "share" },
    ],
    rows: rowsOf(held, (name, at) => ({
      ...interval(meanAt(held, name, at, utility)),
      spent: meanAt(held, name, at, spent).mean / held.settingAt(at).budget,
    })),
  };
}

const measures = [
  ["in all", utility],
  ["per unit", perUnit],
] as const;

const lineOf = (repair: string, measure: string): string => `${repair}, ${measure}`;

/** The names of the lines in the table of repairs. */
export const repairLines = (held: Held): string[] =>
  repairsIn(held).flatMap((repair) => measures.map(([measure]) => lineOf(repair, measure)));

/** How many intervals the table of repairs has: they hold together. */
export const repairsTogether = (held: Held): number =>
  repairsIn(held).length * measures.length * held.values.length;

/** What each repair reaches of the mechanism in question, in the same markets. */
export function repairsTable(held: Held): Table {
  const { ours, axis, values, ledgers } = held;
  const together = repairsTogether(held);
  const rows = repairsIn(held).flatMap((name) =>
    measures.flatMap(([measure, of]) =>
      values.map((at) => {
        const ratio = ratioOf(ledgers.get(at)!, [name, ours], { measure: of, together });
        return {
          auction: name,
          measure,
          line: lineOf(name, measure),
          [axis.name]: at,
          ...interval(ratio),
          pairs: ratio.n,
        };
      }),
    ),
  );
  return {
    name: "repairs",
    title: `Repairs as a multiple of ${ours}, in the same markets`,
    columns: [
      { name: "auction", label: "Repair", kind: "text" },
      { name: "measure", label: "Publisher's utility", kind: "text" },
      axisColumn(axis),
      ...meanColumns(`Multiple of ${ours}`, "95 % together, from"),
      { name: "pairs", label: "Markets", kind: "count" },
    ],
    rows,
  };
}

export function claimsTable(judged: readonly Judged[], { axis }: Held): Table {
  const rows = judged.map(({ claim, at, gap, verdict }) => ({
    claim: claimText(claim),
    about: claim.kind,
    auction: claim.pair[1],
    [axis.name]: at,
    ...interval(gap.relative),
    difference: finite(gap.difference.mean),
    pairs: gap.difference.n,
    verdict,
  }));
  return {
    name: "claims",
    title: "The paper's claims on utility per unit paid, from differences in the same markets",
    columns: [
      { name: "claim", label: "Claim", kind: "text" },
      axisColumn(axis),
      { name: "verdict", label: "Verdict", kind: "text" },
      { name: "difference", label: "Difference", kind: "amount" },
      { name: "mean", label: "As a share", kind: "share" },
      { name: "low", label: "95 % together, from", kind: "share" },
      { name: "high", label: "to", kind: "share" },
      { name: "pairs", label: "Markets", kind: "count" },
    ],
    rows,
  };
}

export function settingsTable(trials: readonly Trial[], held: Held): Table {
  return {
    name: "settings",
    title: `The claims under other readings and settings: at how many of the ${held.values.length} ${held.axis.nouns} they hold`,
    columns: [
      { name: "setting", label: "Setting", kind: "text" },
      { name: "claim", label: "Claim", kind: "text" },
      { name: "holds", label: "Holds", kind: "count" },
      { name: "before", label: "Holds without the setting", kind: "count" },
      { name: "breaks", label: "Breaks", kind: "count" },
      { name: "undecided", label: "Undecided", kind: "count" },
      { name: "changed", label: "Verdict changes", kind: "text" },
    ],
    rows: trials.map((trial) => trialRow(trial, held)),
  };
}
