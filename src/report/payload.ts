/** What the page is given besides its text: data, compiled charts and exhibits, each once. */

import { compileChart, compileSpec, type VegaSpec } from "./charts.js";
import { type PackedTable, packTable, type ReportData, type Section } from "./data.js";
import { landscapeSpec, landscapeTable } from "./landscape-chart.js";
import type { Exhibit, Table } from "./result.js";

export interface PageChart {
  readonly name: string;
  readonly table: string;
  readonly spec: VegaSpec;
}

export interface PageSection {
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
