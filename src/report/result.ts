/** What an analysis says: tables, charts, sentences, and markets to replay. */

import type { Bid, Market } from "../market/market.js";

export type Cell = string | number | boolean | null;

export type Row = Readonly<Record<string, Cell>>;

export interface Column {
  /** The field in each row. */
  readonly name: string;
  readonly label: string;
  /** count: whole numbers; share: 0..1, shown in per cent; amount: a real number; text. */
  readonly kind: "count" | "share" | "amount" | "text";
}

/**
 * Rows of plain values. Columns named regime, reading, family, mechanism, lie or kind are facets: a reader's choice keeps
 * the rows with the chosen value, where there are any. In a column named auction, which compares mechanisms, it keeps the
 * chosen one and the paper's. A table with such a column has rows for the choice "all" too, where
 * adding up the others would be wrong.
 */
export interface Table {
  readonly name: string;
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** By facet, the value whose rows are shown while nothing is chosen: what must not be pooled has no rows for "all". */
  readonly opensWith?: Readonly<Record<string, string>>;
}

export interface Chart {
  readonly name: string;
  readonly title: string;
  /** A Vega-Lite specification without data: it draws the table named here. */
  readonly table: string;
  readonly spec: object;
  /** What it shows, for those who cannot see it; computed from the data. */
  readonly summary: string;
  readonly howToRead: string;
}

/** A sentence computed from the data; the heaviest ones, on a scale from 0 to 100, open the report. */
export interface Finding {
  readonly text: string;
  readonly weight: number;
}

/** A market in which something happened that a reader may want to replay. */
export interface Exhibit {
  readonly name: string;
  readonly title: string;
  readonly market: Market;
  readonly mechanism: string;
  /** The lie; null where the truthful run itself is to be looked at. */
  readonly lie: Bid | null;
}

export interface AnalysisResult {
  readonly tables: readonly Table[];
  readonly charts: readonly Chart[];
  readonly findings: readonly Finding[];
  /** What was not looked at, or only sampled, and how much. */
  readonly leftOut: readonly string[];
  readonly exhibits?: readonly Exhibit[];
}

/** quick: minutes' patience, about ten seconds an analysis. full: the sample sizes of a paper. */
export type Profile = "quick" | "full";

/** An analysis and what became of it. */
export interface Section {
  readonly name: string;
  readonly question: string;
  readonly state: "done" | "failed" | "interrupted";
  /** What went wrong; null unless failed. */
  readonly error: string | null;
  /** Null unless done. */
  readonly result: AnalysisResult | null;
  /** Measures time. */
  readonly timed?: boolean;
}

/** Everything a seed fixes: the same command gives the same data, byte for byte. */
export interface ReportData {
  readonly candor: string;
  readonly seed: string;
  readonly profile: Profile;
  readonly mechanism: string;
  readonly analyses: readonly Section[];
}

/** How this run went; different every time. */
export interface Provenance {
  /** The command that makes the report again. */
  readonly command: string;
  readonly seconds: number;
  readonly threads: number;
  readonly finishedAt: string;
}

/** As text: what a seed fixes, or what was measured; what JSON cannot hold is null. */
export function dataText(data: ReportData, which: "fixed" | "measured" = "fixed"): string {
  const analyses = data.analyses.filter(({ timed = false }) => timed === (which === "measured"));
  return `${JSON.stringify({ ...data, analyses }, null, 1)}\n`;
}

/** A result as it will be read again: NaN and infinities become null, before anything is drawn. */
export const asRead = (result: AnalysisResult): AnalysisResult => JSON.parse(JSON.stringify(result));

/** A table with each row as a list: field names are stored once. */
export interface PackedTable extends Omit<Table, "rows"> {
  readonly fields: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

export function packTable({ rows, ...table }: Table): PackedTable {
  const fields = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return { ...table, fields, rows: rows.map((row) => fields.map((field) => row[field] ?? null)) };
}

export function unpackTable({ fields, rows, ...table }: PackedTable): Table {
  const unpack = (cells: readonly Cell[]): Row =>
    Object.fromEntries(fields.map((field, k) => [field, cells[k] ?? null]));
  return { ...table, rows: rows.map(unpack) };
}

/** All tables of finished analyses, with the name of theirs. */
export const tablesOf = (data: ReportData): { analysis: string; table: Table }[] =>
  data.analyses.flatMap(({ name, result }) =>
    (result?.tables ?? []).map((table) => ({ analysis: name, table })),
  );
