/** What an analysis says: tables, charts, sentences, and markets to replay; and how a reader sees its cells and choices. */

import { brief, whole, withoutControls } from "../lib/format.js";
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
 * Rows of plain values. A cell that is the name of an exhibit links to it on the live bench; so does a cell whose column has a
 * companion of the same name with "Witness" behind it that names one.
 */
export interface Table {
  readonly name: string;
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** The one table of the first screen. */
  readonly firstScreen?: true;
}

/** What a reader may choose for a figure; it opens with the first value. */
export interface Choice {
  /** A column of the figure's table: the rows with the chosen value are drawn. */
  readonly field: string;
  readonly label: string;
  readonly values: readonly string[];
  /** What the reader sees in place of a value, as captions and legends have it; the address keeps the value. */
  readonly words?: Readonly<Record<string, string>>;
}

/** A text for one combination of choices. */
export interface ChosenText {
  /** The chosen value of each field. */
  readonly chosen: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface Chart {
  readonly name: string;
  readonly title: string;
  /** A Vega-Lite specification without data: it draws the table named here. */
  readonly table: string;
  readonly spec: object;
  readonly choices?: readonly Choice[];
  /** What it shows, for those who cannot see it; computed from the data, for each combination of choices. */
  readonly summary: string | readonly ChosenText[];
  readonly howToRead: string;
  /** The one picture of the first screen. */
  readonly firstScreen?: true;
  /** Why it cannot be drawn, which stands in its place; found when a result is checked. */
  readonly flaw?: string;
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
  /** Those of others who lie together with this one. */
  readonly others?: readonly Bid[];
}

/** What an analysis has established about a mechanism: a sentence on its card. */
export interface MechanismNote {
  readonly mechanism: string;
  /** How, as in "Computed: …", "Proved: …" or "Sampled: …". */
  readonly text: string;
}

export interface AnalysisResult {
  readonly tables: readonly Table[];
  readonly charts: readonly Chart[];
  readonly findings: readonly Finding[];
  /** How it was found: what was drawn, how much of it, what is exact, what was not looked at. */
  readonly methods: readonly string[];
  readonly exhibits?: readonly Exhibit[];
  readonly mechanismNotes?: readonly MechanismNote[];
  /** What is proved of the claims in the first screen's table: one line below it. */
  readonly firstScreenNote?: string;
}

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

/** A result as it will be read again, before anything is drawn: NaN and infinities are null, control characters are written out. */
export const asRead = (result: AnalysisResult): AnalysisResult =>
  JSON.parse(JSON.stringify(result), (_, value) => {
    if (typeof value === "string") return withoutControls(value);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [withoutControls(name), inner]));
  });

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

/** As `brief` in the terminal, with thousands in groups and a true minus sign. */
export function amountText(amount: number): string {
  if (amount === Number.POSITIVE_INFINITY) return "unbounded";
  if (Number.isInteger(amount)) return grouped(amount);
  if (Math.abs(amount) >= 1e4) return grouped(Math.round(amount));
  const text = Math.abs(amount) < 1e-4 ? amount.toExponential(2) : brief(amount);
  return text.replace("-", "−");
}

const trimmed = (text: string): string => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

const grouped = (amount: number): string => `${amount < 0 ? "−" : ""}${whole(Math.abs(amount))}`;

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
