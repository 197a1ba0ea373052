/** Two runs compared: which cells of which tables changed. */

import { cellText } from "./cells.js";
import { type ReportData, tablesOf } from "./data.js";
import type { Cell, Column, Row, Table } from "./result.js";

export interface Change {
  /** The cells that name the row, in words. */
  readonly row: string;
  readonly column: Column;
  readonly before: Cell;
  readonly after: Cell;
}

export interface TableChanges {
  readonly analysis: string;
  readonly table: string;
  /** The columns that tell rows apart; null where nothing does and rows are compared by their place. */
  readonly keys: readonly string[] | null;
  readonly compared: number;
  /** Rows that only one of the runs has. */
  readonly added: number;
  readonly gone: number;
  /** The largest first. */
  readonly changes: readonly Change[];
}

export interface Difference {
  readonly tables: readonly TableChanges[];
  /** Tables that only one of the runs has, as analysis/table. */
  readonly added: readonly string[];
  readonly gone: readonly string[];
}

export function compareRuns(before: ReportData, after: ReportData): Difference {
  const [old, now] = [byPath(before), byPath(after)];
  const shared = [...now].filter(([path]) => old.has(path));
  return {
    tables: shared.map(([path, { analysis, table }]) => ({
      analysis,
      table: table.name,
      ...compareTables(old.get(path)!.table, table),
    })),
    added: [...now.keys()].filter((path) => !old.has(path)),
    gone: [...old.keys()].filter((path) => !now.has(path)),
  };
}

const byPath = (data: ReportData) =>
  new Map(tablesOf(data).map((found) => [`${found.analysis}/${found.table.name}`, found]));

function compareTables(before: Table, after: Table): Omit<TableChanges, "analysis" | "table"> {
  const keys = keysOf(before, after);
  const nameOf = (row: Row, place: number) =>
    keys === null ? `row ${place + 1}` : JSON.stringify(keys.map(({ name }) => row[name] ?? null));
  const old = new Map(before.rows.map((row, place) => [nameOf(row, place), row]));
  const named = after.rows.map((row, place) => [nameOf(row, place), row] as const);
  const pairs = named.flatMap(([name, row]) => (old.has(name) ? [{ name, row, was: old.get(name)! }] : []));
  const values = after.columns.filter((column) => !keys?.includes(column));
  const changes = pairs.flatMap(({ name, row, was }) =>
    values
      .filter((column) => (row[column.name] ?? null) !== (was[column.name] ?? null))
      .map((column) => change(keys === null ? name : keyText(row, keys), column, was, row)),
  );
  return {
    keys: keys?.map(({ name }) => name) ?? null,
    compared: pairs.length,
    added: after.rows.length - pairs.length,
    gone: before.rows.length - pairs.length,
    changes: changes.sort((a, b) => extent(b) - extent(a)),
  };
}

const change = (row: string, column: Column, was: Row, is: Row): Change => ({
  row,
  column,
  before: was[column.name] ?? null,
  after: is[column.name] ?? null,
});

const keyText = (row: Row, keys: readonly Column[]): string =>
  keys.map(({ name, label, kind }) => `${label} ${cellText(row[name], kind)}`).join(", ");

/** Tables name their rows first: the fewest leading columns that tell the rows of both runs apart. */
function keysOf(before: Table, after: Table): readonly Column[] | null {
  for (let count = 1; count < after.columns.length; count++) {
    const keys = after.columns.slice(0, count);
    if ([before, after].every(({ rows }) => tellApart(rows, keys))) return keys;
  }
  return null;
}

const tellApart = (rows: readonly Row[], keys: readonly Column[]): boolean =>
  new Set(rows.map((row) => JSON.stringify(keys.map(({ name }) => row[name] ?? null)))).size === rows.length;

/** Relative for numbers; anything else that changed comes first. */
function extent({ before, after }: Change): number {
  if (typeof before !== "number" || typeof after !== "number") return Number.POSITIVE_INFINITY;
  return Math.abs(after - before) / Math.max(Math.abs(before), Math.abs(after));
}
