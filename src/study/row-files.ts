/** Row-level data of analyses, from where finished chunks are kept to a file for each analysis. */

import { plainError, showValue } from "../lib/errors.js";
import type { Analysis } from "./analysis.js";
import type { Computed } from "./compute.js";
import type { DataColumn } from "./job.js";
import { type RowFormatName, type RowWriter, rowFormats, type Sink } from "./row-formats.js";
import { columnsFlaw, unpackRows } from "./rows.js";
import type { AnalysisRun, Terminal } from "./run-study.js";

/** The columns of what an analysis's job keeps; null if it keeps nothing. */
function columnsOf({ name, job, timed }: Analysis): readonly DataColumn[] | null {
  if (job.columns === undefined || timed) return null;
  const flaw = columnsFlaw(job.columns);
  if (flaw !== undefined) throw plainError(`analysis ${name}`, `columns: ${flaw}`);
  return job.columns;
}

/** Rows were asked for by name: an analysis that has none is refused before any work. */
export function demandRows(chosen: readonly Analysis[], builtIn: readonly Analysis[]): void {
  const without = chosen.find((analysis) => columnsOf(analysis) === null);
  if (without === undefined) return;
  const names = builtIn.filter(columnsOf).map(({ name }) => name);
  throw plainError(
    "--data",
    `analysis ${showValue(without.name)} keeps no row-level data; those that do: ${names.join(", ")}`,
  );
}

export interface RowFile {
  readonly name: string;
  /** Writes the content piece by piece; false if it was interrupted, and there shall be no file. */
  readonly fill: (sink: Sink) => Promise<boolean>;
  /** How many were written; null until all are. */
  rows: number | null;
}

/** A file for each finished analysis that keeps rows; they are read when it is written. */
export function rowFiles(
  runs: readonly AnalysisRun[],
  format: RowFormatName | undefined,
  terminal: Terminal,
): RowFile[] {
  if (format === undefined) return [];
  return runs.flatMap(({ analysis, section, computed }) => {
    const columns = columnsOf(analysis);
    if (columns === null || computed === null || section.state !== "done") return [];
    const file: RowFile = {
      name: `${analysis.name}.rows.${format}`,
      rows: null,
      async fill(sink) {
        const writer = rowFormats[format](columns, sink);
        file.rows = await copyRows({ name: analysis.name, columns, computed, writer }, terminal);
        return file.rows !== null;
      },
    };
    return [file];
  });
}

interface Copying {
  readonly name: string;
  readonly columns: readonly DataColumn[];
  readonly computed: Computed;
  readonly writer: RowWriter;
}

/** How many; null if it was interrupted. */
async function copyRows(copying: Copying, terminal: Terminal): Promise<number | null> {
  const { name, columns, computed, writer } = copying;
  const gauge = terminal.gauge();
  const what = `writes the rows of ${name}`;
  let rows = 0;
  for (const k of computed.chunks.keys()) {
    if (!(await terminal.goesOn())) return null;
    gauge.show({ done: k / computed.chunks.length, what, items: rows, unit: "rows" });
    for (const block of unpackRows((await computed.read(k)).rows!, columns)) {
      await writer.write(block);
      rows += block.count;
    }
  }
  await writer.finish();
  gauge.clear();
  return rows;
}
