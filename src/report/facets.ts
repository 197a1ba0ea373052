/** Facets: what a reader chooses once, and all charts and tables follow. */

import { regimes } from "../mechanisms/regime.js";
import type { Row, Table } from "./result.js";

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
const PAPERS = "online";

/** The facets a table has. */
export const facetsOf = (table: Table): Facet[] =>
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
  return rows.filter((row) => row[COMPARED] === chosen || row[COMPARED] === PAPERS);
}
