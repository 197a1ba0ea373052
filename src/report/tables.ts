/** What is shown of tables and figures: cells as a reader sees them, CSV, and what a choice keeps. */

import type { Cell, Chart, ChosenText, Column, Row, Table } from "./result.js";

/** Not a number, not yet one, or none at all. */
const NOTHING = "–";

/** A cell in its column's words: 3.1 %, 24,000, 0.4512, yes. */
export function cellText(cell: Cell | undefined, kind: Column["kind"]): string {
  if (cell === null || cell === undefined) return NOTHING;
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  if (typeof cell === "string") return cell;
  if (kind === "share") return percentText(cell);
  return kind === "count" ? grouped(Math.round(cell)) : amountText(cell);
}

function percentText(share: number): string {
  const percent = share * 100;
  if (percent === 0 || Math.abs(percent) >= 99.95) return `${Math.round(percent)} %`;
  const digits = Math.abs(percent) >= 10 ? 1 : Math.abs(percent) >= 0.1 ? 2 : 3;
  return `${trimmed(percent.toFixed(digits))} %`;
}

/** Four significant digits. */
export function amountText(amount: number): string {
  if (Number.isInteger(amount)) return grouped(amount);
  if (Math.abs(amount) >= 1e4) return grouped(Math.round(amount));
  const text = Math.abs(amount) < 1e-4 ? amount.toExponential(2) : trimmed(amount.toPrecision(4));
  return text.replace("-", "−");
}

const trimmed = (text: string): string => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

const grouped = (whole: number): string =>
  String(Math.abs(whole))
    .replace(/^/, whole < 0 ? "−" : "")
    .replace(/\B(?=(\d{3})+(?!\d))/g, ",");

/** A table as CSV (RFC 4180). */
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

/** What is chosen of a figure: a value for each of its fields. */
export type Chosen = Readonly<Record<string, string>>;

/** What a figure opens with: the first value of each choice. */
export const openingOf = ({ choices = [] }: Pick<Chart, "choices">): Chosen =>
  Object.fromEntries(choices.map(({ field, values }) => [field, values[0]!]));

/** The rows that a figure draws: those with the chosen values. */
export const chosenRows = (rows: readonly Row[], chosen: Chosen): readonly Row[] =>
  rows.filter((row) => Object.entries(chosen).every(([field, value]) => row[field] === value));

/** What a figure shows, in words, of what is chosen. */
export function summaryOf({ summary }: Pick<Chart, "summary">, chosen: Chosen): string {
  if (typeof summary === "string") return summary;
  const fits = (text: ChosenText) =>
    Object.entries(text.chosen).every(([field, value]) => chosen[field] === value);
  return summary.find(fits)?.text ?? "";
}

/** The name of the column that holds a cell's exhibit: the cell then opens it on the live bench. */
export const witnessColumn = (column: string): string => `${column}Witness`;

/** The columns to show: not those that only say which exhibit another column's cell opens, nor empty ones. */
export function shownColumns({ columns, rows }: Pick<Table, "columns" | "rows">): readonly Column[] {
  const names = new Set(columns.map(({ name }) => name));
  const opens = (name: string) => names.has(name.replace(/Witness$/, "")) && name.endsWith("Witness");
  return columns.filter(({ name }) => !opens(name) && rows.some((row) => (row[name] ?? null) !== null));
}
