/** What a report is made of: the results of analyses, and how they came about. */

import type { AnalysisResult, Cell, Row, Table } from "./result.js";

/** quick: minutes' patience, about ten seconds an analysis. full: the sample sizes of a paper. */
export type Profile = "quick" | "full";

/** The parts of a report in their order; an analysis that names none stands in the last. */
export const parts = {
  gains: "Where lying pays",
  claims: "The paper's claims",
  strategies: "Strategies",
  mechanisms: "Mechanisms compared",
  training: "What training makes of it",
  appendix: "Appendix",
  own: "More analyses",
} as const;

export type PartName = keyof typeof parts;

/** An analysis and what became of it. */
export interface Section {
  readonly name: string;
  readonly question: string;
  readonly state: "done" | "failed" | "interrupted";
  /** What went wrong; null unless failed. */
  readonly error: string | null;
  /** Null unless done. */
  readonly result: AnalysisResult | null;
  readonly part?: PartName;
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
