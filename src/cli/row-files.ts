/** Row-level data of analyses, from where finished chunks are kept to a file for each analysis. */

import { plainError, showValue } from "../lib/errors.js";
import type { Section } from "../report/result.js";
import type { AnyAnalysis } from "../study/analysis.js";
import type { Archive } from "../study/gather.js";
import type { AnyJob, DataColumn } from "../study/job.js";
import { csv, jsonl, parquet, type RowFormat, type RowWriter } from "../study/row-formats.js";
import { columnsFlaw, type RowBlock, unpackRows } from "../study/rows.js";
import { allAnalyses, type ChosenAnalysis } from "./analyses.js";
import type { NewFile } from "./report-files.js";
import type { Session } from "./session.js";

export const rowFormats = { parquet, jsonl, csv } as const satisfies Record<string, RowFormat>;

export type RowFormatName = keyof typeof rowFormats;

/** A study whose chunks hold rows. */
export interface RowSource {
  readonly analysis: string;
  readonly study: string;
  readonly chunks: number;
}

/** The columns of what an analysis's jobs keep; null if they keep nothing. */
function columnsOf(analysis: AnyAnalysis): readonly DataColumn[] | null {
  const { name } = analysis;
  const jobs: readonly AnyJob[] =
    "job" in analysis ? [analysis.job] : Object.values<AnyJob>(analysis.jobs ?? {});
  const lists = jobs.flatMap(({ columns }) => (columns === undefined ? [] : [columns]));
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
  /** How many were written; null until all are. */
  rows: number | null;
}

interface RowsWanted {
  /** Undefined where nobody asked for rows. */
  readonly format: RowFormatName | undefined;
  readonly analyses: readonly ChosenAnalysis[];
  /** What became of each. */
  readonly sections: readonly Section[];
  readonly sources: ReadonlyMap<string, RowSource>;
  readonly archive: Archive;
}

/** A file for each finished analysis that keeps rows; they are read when it is written. */
export function rowFiles({ format, analyses, sections, ...from }: RowsWanted, session: Session): RowFile[] {
  if (format === undefined) return [];
  return analyses.flatMap(({ analysis }, k) => {
    const { name } = analysis;
    const columns = columnsOf(analysis);
    if (columns === null || sections[k]?.state !== "done") return [];
    const file: RowFile = {
      name: `${name}.rows.${format}`,
      rows: null,
      async fill(sink) {
        const places = placesOf(name, from.sources);
        const read = async ({ study, chunk }: Place) =>
          unpackRows((await from.archive.read(study, chunk)).rows!, columns);
        file.rows = await copyRows(
          { name, places, read, writer: rowFormats[format](columns, sink) },
          session,
        );
        return file.rows !== null;
      },
    };
    return [file];
  });
}

interface Place {
  readonly study: string;
  readonly chunk: number;
}

/** In the order of the analysis's studies and their markets. */
const placesOf = (analysis: string, sources: RowsWanted["sources"]): Place[] =>
  [...sources.values()]
    .filter((source) => source.analysis === analysis)
    .flatMap(({ study, chunks }) => Array.from({ length: chunks }, (_, chunk) => ({ study, chunk })));

interface Copying {
  readonly name: string;
  readonly places: readonly Place[];
  readonly read: (place: Place) => Promise<Iterable<RowBlock>>;
  readonly writer: RowWriter;
}

/** How many; null if it was interrupted. */
async function copyRows({ name, places, read, writer }: Copying, session: Session): Promise<number | null> {
  const gauge = session.gauge();
  const what = `writes the rows of ${name}`;
  let rows = 0;
  for (const [k, place] of places.entries()) {
    if (!(await session.goesOn())) return null;
    gauge.show({ done: k / places.length, what, items: rows, unit: "rows", begins: k === 0 });
    for (const block of await read(place)) {
      await writer.write(block);
      rows += block.count;
    }
  }
  await writer.finish();
  gauge.clear();
  return rows;
}
