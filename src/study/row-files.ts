/** Row-level data as files: the formats, and a file for each analysis, read from where finished chunks are kept. */

import { plainError } from "../lib/errors.js";
import { quotedField } from "../report/result.js";
import type { Analysis } from "./analysis.js";
import type { Computed } from "./compute.js";
import type { DataColumn, DataValue } from "./job.js";
import { barOn, type Terminal } from "./progress.js";
import { columnsFlaw, type RowBlock, unpackRows } from "./rows.js";
import type { AnalysisRun } from "./run-study.js";

/** Takes the file's content piece by piece, and waits until a piece is written. */
export type Sink = (piece: string | Uint8Array) => Promise<void>;

interface RowWriter {
  write(block: RowBlock): Promise<void>;
  /** Whatever is left; nothing is written afterwards. */
  finish(): Promise<void>;
}

export type RowFormat = (columns: readonly DataColumn[], sink: Sink) => RowWriter;

const csv: RowFormat = (columns, sink) => {
  let head = `${columns.map(({ name }) => name).join(",")}\r\n`;
  const write = async (text: string) => {
    await sink(head + text);
    head = "";
  };
  return {
    async write({ count, values }) {
      const lines = Array.from({ length: count }, (_, r) => values.map((column) => field(column[r]!)));
      await write(lines.map((fields) => `${fields.join(",")}\r\n`).join(""));
    },
    finish: () => write(""),
  };
};

/** Exact, for programs that read it: null is an empty field, and an empty text is quoted. */
function field(value: DataValue): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  return value === "" ? '""' : quotedField(value);
}

const jsonl: RowFormat = (columns, sink) => {
  const names = columns.map(({ name }) => `${JSON.stringify(name)}:`);
  return {
    async write({ count, values }) {
      const lines = Array.from({ length: count }, (_, r) => {
        const fields = names.map((name, k) => name + JSON.stringify(values[k]![r]));
        return `{${fields.join(",")}}\n`;
      });
      await sink(lines.join(""));
    },
    async finish() {},
  };
};

/** Parquet's is loaded only when it is asked for. */
export const rowFormats = {
  parquet: async () => (await import("./parquet.js")).parquet,
  jsonl: async () => jsonl,
  csv: async () => csv,
} as const satisfies Record<string, () => Promise<RowFormat>>;

export type RowFormatName = keyof typeof rowFormats;

/** The columns of what an analysis's job keeps; null if it keeps nothing. */
export function columnsOf({ name, job, timed }: Analysis): readonly DataColumn[] | null {
  if (job.columns === undefined || timed) return null;
  const flaw = columnsFlaw(job.columns);
  if (flaw !== undefined) throw plainError(`analysis ${name}`, `columns: ${flaw}`);
  return job.columns;
}

export interface RowFile {
  readonly name: string;
  /** Writes the content piece by piece; false if it was interrupted, and there shall be no file. */
  readonly fill: (sink: Sink) => Promise<boolean>;
  /** How many were written; null until all are. */
  rows: number | null;
}

/** A file for each finished analysis that keeps rows; they are read when it is written. */
export function rowFiles(runs: readonly AnalysisRun[], format: RowFormatName, terminal: Terminal): RowFile[] {
  return runs.flatMap(({ analysis, section, computed }) => {
    const columns = columnsOf(analysis);
    if (columns === null || computed === null || section.state !== "done") return [];
    const file: RowFile = {
      name: `${analysis.name}.rows.${format}`,
      rows: null,
      async fill(sink) {
        const writer = (await rowFormats[format]())(columns, sink);
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
  const gauge = barOn(terminal.line);
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
