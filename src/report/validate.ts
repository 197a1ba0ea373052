/** What an analysis returned, checked: a user's own file may return anything. */

import { showValue } from "../lib/errors.js";
import { compileChart } from "./charts.js";
import { asRead } from "./data.js";
import type { AnalysisResult, Chart } from "./result.js";

/** The result as it will be read again, with every chart compiled; throws an error that says what is wrong. */
export function checkedResult(given: AnalysisResult): AnalysisResult {
  const result = asRead(given);
  for (const part of ["tables", "charts", "findings", "leftOut"] as const)
    if (!Array.isArray(result?.[part]))
      throw new Error(`${part} must be a list, got ${showValue(result?.[part])}`);
  for (const part of ["tables", "charts", "exhibits"] as const) checkNames(part, result[part] ?? []);
  const tables = new Set(result.tables.map(({ name }) => name));
  for (const chart of result.charts) checkChart(chart, tables);
  return result;
}

/** Names become file names and addresses. */
function checkNames(part: string, items: readonly { readonly name: string }[]): void {
  const seen = new Set<string>();
  for (const { name } of items) {
    const fine = part === "exhibits" ? typeof name === "string" : /^[\w-]+$/.test(name);
    if (!fine) throw new Error(`${part}: a name must be letters, digits, _ and -, got ${showValue(name)}`);
    if (seen.has(name)) throw new Error(`${part}: two are called ${showValue(name)}`);
    seen.add(name);
  }
}

function checkChart(chart: Chart, tables: ReadonlySet<string>): void {
  if (!tables.has(chart.table))
    throw new Error(`chart ${chart.name} draws the table ${showValue(chart.table)}, which is not there`);
  try {
    compileChart(chart);
  } catch (error) {
    throw new Error(`chart ${chart.name} cannot be drawn: ${error instanceof Error ? error.message : error}`);
  }
}
