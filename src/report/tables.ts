/** What is shown of tables: cells as a reader sees them, CSV, and the rows that a choice of facets keeps. */

import { regimes } from "../mechanisms/outcome.js";
import type { Cell, Column, Row, Table } from "./result.js";

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

/** What a reader chooses once, and all charts and tables follow. */
export const facets = {
  regime: "Regime",
  reading: "Reading",
  family: "Markets",
  mechanism: "Mechanism",
  lie: "Lie",
  kind: "Kind of lie",
} as const;

export type Facet = keyof typeof facets;

/** What is chosen; a facet that is left out is "all". */
export type Choice = Readonly<Partial<Record<Facet, string>>>;

export const ALL = "all";

export const facetNames = Object.keys(facets) as readonly Facet[];

/** A table that compares auctions has this column; the paper's own stays beside the one that is chosen. */
const COMPARED = "auction";
const PAPERS_AUCTION = "online";

/** The facets a table has. */
const facetsOf = (table: Table): Facet[] =>
  facetNames.filter((facet) => table.columns.some(({ name }) => name === facet));

/** Each facet's values over all tables, "all" left out; facets without a choice are left out too. */
export function choicesIn(tables: readonly Table[]): Map<Facet, string[]> {
  const found = facetNames.map((facet) => {
    const fields = facet === "mechanism" ? [facet, COMPARED] : [facet];
    const having = tables.filter(({ columns }) => columns.some(({ name }) => fields.includes(name)));
    const values = new Set(
      having.flatMap(({ rows }) => rows.flatMap((row) => fields.map((field) => row[field]))),
    );
    const words = [...values].filter((value): value is string => typeof value === "string" && value !== ALL);
    const enough = words.length > 1 || (words.length === 1 && values.has(ALL));
    return [facet, enough ? inOrder(words) : []] as const;
  });
  return new Map(found.filter(([, words]) => words.length > 0));
}

/** Regimes as the paper goes through them; anything else as the tables do. */
function inOrder(words: readonly string[]): string[] {
  const known: readonly string[] = regimes;
  const place = (word: string) => (known.includes(word) ? known.indexOf(word) : known.length);
  return [...words].sort((a, b) => place(a) - place(b));
}

/** The rows that a choice keeps: those of the chosen value, else those it opens with, else those of "all", else every row. */
export function chosenRows(table: Table, choice: Choice): readonly Row[] {
  const rows = facetsOf(table).reduce<readonly Row[]>((kept, facet) => {
    const values = [choice[facet], table.opensWith?.[facet], ALL];
    const found = values.map((value) => kept.filter((row) => row[facet] === value));
    return found.find(({ length }) => length > 0) ?? kept;
  }, table.rows);
  return comparedRows(rows, choice.mechanism);
}

/** The chosen auction beside the paper's, where a table compares it. */
function comparedRows(rows: readonly Row[], chosen: string | undefined): readonly Row[] {
  if (chosen === undefined || !rows.some((row) => row[COMPARED] === chosen)) return rows;
  return rows.filter((row) => row[COMPARED] === chosen || row[COMPARED] === PAPERS_AUCTION);
}
