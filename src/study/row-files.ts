/** Row-level data as files: the formats, and a file for each analysis, read from where finished chunks are kept. */

import { plainError, showValue } from "../lib/errors.js";
import { quotedField } from "../report/tables.js";
import type { Analysis } from "./analysis.js";
import type { Computed } from "./compute.js";
import type { DataColumn, DataValue } from "./job.js";
import { ByteWriter, ParquetWriter } from "./parquet.js";
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

type RowFormat = (columns: readonly DataColumn[], sink: Sink) => RowWriter;

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

/** Rows per group: what is held in memory. Twice as many take 100 MB more, and make the file no smaller. */
const GROUP = 50_000;

const types = {
  integer: { type: "INT32" },
  number: { type: "DOUBLE" },
  boolean: { type: "BOOLEAN" },
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
} as const;

const parquet: RowFormat = (columns, sink) => {
  const file = new ParquetWriter({ writer: flushing(sink), schema: schemaOf(columns) });
  let held: DataValue[][] = columns.map(() => []);
  const rows = () => held[0]!.length;
  const writeGroup = async () => {
    const columnData = columns.map(({ name, type }, k) => ({ name, data: stored(held[k]!, type) }));
    held = columns.map(() => []);
    await file.write({ columnData, rowGroupSize: GROUP });
  };
  return {
    async write({ count, values }) {
      for (let from = 0; from < count; ) {
        const to = Math.min(count, from + GROUP - rows());
        for (const [k, column] of values.entries()) for (let r = from; r < to; r++) held[k]!.push(column[r]!);
        from = to;
        if (rows() === GROUP) await writeGroup();
      }
    },
    async finish() {
      if (rows() > 0) await writeGroup();
      await file.finish();
    },
  };
};

const schemaOf = (columns: readonly DataColumn[]) => [
  { name: "root", num_children: columns.length },
  ...columns.map(({ name, type }) => ({ name, repetition_type: "OPTIONAL" as const, ...types[type] })),
];

/** Texts as bytes: the writer would find the least and the greatest of texts in an order that is not that of Parquet. */
function stored(values: DataValue[], type: DataColumn["type"]): unknown[] {
  if (type !== "text") return values;
  const encoder = new TextEncoder();
  const known = new Map<DataValue, Uint8Array | null>([[null, null]]);
  return values.map((text) => {
    if (!known.has(text)) known.set(text, encoder.encode(String(text)));
    return known.get(text);
  });
}

/** Hands on what it holds after each group. */
class FlushingWriter extends ByteWriter {
  constructor(private readonly sink: Sink) {
    super();
  }

  async flush(): Promise<void> {
    await this.sink(this.getBytes());
    this.index = 0;
  }

  override async finish(): Promise<void> {
    await this.flush();
  }
}

const flushing = (sink: Sink) => new FlushingWriter(sink);

export const rowFormats = { parquet, jsonl, csv } as const satisfies Record<string, RowFormat>;

export type RowFormatName = keyof typeof rowFormats;

/** The columns of what an analysis's job keeps; null if it keeps nothing. */
function columnsOf({ name, job, timed }: Analysis): readonly DataColumn[] | null {
  if (job.columns === undefined || timed) return null;
  const flaw = columnsFlaw(job.columns);
  if (flaw !== undefined) throw plainError(`analysis ${name}`, `columns: ${flaw}`);
  return job.columns;
}

/** Rows were asked for by name: an analysis that has none is refused before any work. */
export async function demandRows(
  chosen: readonly Analysis[],
  builtIn: () => Promise<readonly Analysis[]>,
): Promise<void> {
  const without = chosen.find((analysis) => columnsOf(analysis) === null);
  if (without === undefined) return;
  const names = (await builtIn()).filter(columnsOf).map(({ name }) => name);
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
export function rowFiles(runs: readonly AnalysisRun[], format: RowFormatName, terminal: Terminal): RowFile[] {
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
