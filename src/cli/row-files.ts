/** Row-level data of analyses, from where finished chunks are kept to a file for each analysis. */

import type { Analysis } from "../analysis.js";
import { plainError, showValue } from "../errors.js";
import type { DataColumn } from "../job.js";
import { csv } from "../rows/csv.js";
import type { RowFormat } from "../rows/format.js";
import { jsonl } from "../rows/jsonl.js";
import { parquet } from "../rows/parquet.js";
import type { Archive } from "../sweep/gather.js";
import { columnsFlaw } from "../sweep/row-check.js";
import { unpackRows } from "../sweep/rows.js";
import { allAnalyses, type ChosenAnalysis } from "./analyses.js";
import type { Session } from "./session.js";
import type { NewFile } from "./write-files.js";

export const rowFormats = { parquet, jsonl, csv } as const satisfies Record<string, RowFormat>;

export type RowFormatName = keyof typeof rowFormats;

/** A study whose chunks hold rows. */
export interface RowSource {
  readonly analysis: string;
  readonly study: string;
  readonly chunks: number;
}

/** The columns of what an analysis's jobs keep; null if they keep nothing. */
export function columnsOf({ name, jobs = {} }: Analysis): readonly DataColumn[] | null {
  const lists = Object.values(jobs).flatMap(({ columns }) => (columns === undefined ? [] : [columns]));
  for (const columns of lists) {
    const flaw = columnsFlaw(columns);
    if (flaw !== undefined) throw plainError(`analysis ${name}`, `columns: ${flaw}`);
  }
  const [first, ...others] = lists;
  if (others.some((other) => JSON.stringify(other) !== JSON.stringify(first)))
    throw plainError(`analysis ${name}`, "columns: all jobs that keep rows must have the same");
  return first ?? null;
}

/** Rows were asked for by name: an analysis that has none is refused before any work. */
export function needRows(chosen: readonly ChosenAnalysis[]): void {
  const without = chosen.find(({ analysis }) => columnsOf(analysis) === null);
  if (without === undefined) return;
  const names = allAnalyses().flatMap(({ analysis }) => (columnsOf(analysis) ? [analysis.name] : []));
  const having = names.length === 0 ? "none of the built-in ones has" : `those that do: ${names.join(", ")}`;
  throw plainError(
    "--data",
    `analysis ${showValue(without.analysis.name)} keeps no row-level data; ${having}`,
  );
}

export interface RowFile extends NewFile {
  /** How many rows were written. */
  rows: number;
}

export interface RowsWanted {
  /** Undefined where nobody asked for rows. */
  readonly format: RowFormatName | undefined;
  /** Those that are done. */
  readonly analyses: readonly Analysis[];
  readonly sources: readonly RowSource[];
  readonly archive: Archive;
}

/** A file for each analysis that keeps rows, in the order of its studies and their markets; read when it is written. */
export function rowFiles({ format, analyses, sources, archive }: RowsWanted, session: Session): RowFile[] {
  return analyses.flatMap((analysis) => {
    const columns = format === undefined ? null : columnsOf(analysis);
    if (format === undefined || columns === null) return [];
    const own = sources.filter((source) => source.analysis === analysis.name);
    const file: RowFile = {
      name: `${analysis.name}.rows.${format}`,
      rows: 0,
      async fill(sink) {
        const writer = rowFormats[format](columns, sink);
        for (const { study, chunk } of chunksOfAll(own)) {
          if (!(await session.goesOn())) return false;
          const block = unpackRows((await archive.read(study, chunk)).rows!, columns);
          await writer.write(block);
          file.rows += block.count;
        }
        await writer.finish();
        return true;
      },
    };
    return [file];
  });
}

function* chunksOfAll(sources: readonly RowSource[]): Generator<{ study: string; chunk: number }> {
  for (const { study, chunks } of sources)
    for (let chunk = 0; chunk < chunks; chunk++) yield { study, chunk };
}
