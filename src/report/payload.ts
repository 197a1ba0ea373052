/** What the page is given besides its text: data, compiled charts and exhibits, each once. */

import { compileChart, compileSpec, type VegaSpec } from "./charts.js";
import { type PackedTable, packTable, type ReportData, type Section } from "./data.js";
import { landscapeSpec, landscapeTable } from "./landscape-spec.js";
import type { Exhibit, Table } from "./result.js";

export interface PageChart {
  readonly name: string;
  readonly table: string;
  readonly spec: VegaSpec;
}

interface PageSection {
  readonly name: string;
  readonly tables: readonly PackedTable[];
  readonly charts: readonly PageChart[];
  readonly exhibits: readonly Exhibit[];
  /** The same tables in an earlier run, where there are any. */
  readonly earlier: readonly PackedTable[];
}

export interface Payload {
  readonly sections: readonly PageSection[];
  /** The landscape of the live bench. */
  readonly landscape: VegaSpec;
}

export const payloadOf = (data: ReportData, earlier: ReportData | null): Payload => ({
  sections: data.analyses.map((section) => pageSection(section, earlierTables(section, earlier))),
  landscape: compileSpec(landscapeSpec, landscapeTable),
});

const earlierTables = ({ name }: Section, earlier: ReportData | null): readonly Table[] =>
  earlier?.analyses.find((section) => section.name === name)?.result?.tables ?? [];

function pageSection({ name, result }: Section, earlier: readonly Table[]): PageSection {
  const { tables = [], charts = [], exhibits = [] } = result ?? {};
  return {
    name,
    tables: tables.map(packTable),
    charts: charts.map((chart) => ({ name: chart.name, table: chart.table, spec: compileChart(chart) })),
    exhibits,
    earlier: earlier.filter((old) => tables.some((table) => table.name === old.name)).map(packTable),
  };
}

/** Bytes from which on a report is hard to send to people, and how many of its parts a warning names. */
const LARGE = 10e6;
const NAMED_PARTS = 3;

/** A warning that says what takes the room; null for a report that can be sent to people. */
export function sizeWarning(html: string, payload: Payload): string | null {
  const size = bytesOf(html);
  if (size <= LARGE) return null;
  const parts = payload.sections.flatMap(({ name, tables, exhibits, charts }) => [
    ...tables.map((table) => ({ what: `table ${name}/${table.name}`, bytes: jsonBytes(table) })),
    { what: `exhibits of ${name}`, bytes: jsonBytes(exhibits) },
    { what: `charts of ${name}`, bytes: jsonBytes(charts) },
  ]);
  const heaviest = parts.sort((a, b) => b.bytes - a.bytes).slice(0, NAMED_PARTS);
  const named = heaviest.map(({ what, bytes }) => `${what} ${megabytes(bytes)}`).join(", ");
  return `the report is large (${megabytes(size)}); most of it: ${named}`;
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

const jsonBytes = (value: unknown): number => bytesOf(JSON.stringify(value));

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
