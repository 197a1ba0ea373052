/** A table as CSV (RFC 4180). */

import type { Cell, Table } from "./result.js";

export function csvText({ columns, rows }: Pick<Table, "columns" | "rows">): string {
  const head = columns.map(({ name }) => field(name));
  const body = rows.map((row) => columns.map(({ name }) => field(row[name] ?? null)));
  return [head, ...body].map((fields) => `${fields.join(",")}\r\n`).join("");
}

/** Numbers in full; a text that a spreadsheet would take for a formula stays a text. */
function field(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell !== "string") return String(cell);
  return quotedField(/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell);
}

export const quotedField = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
