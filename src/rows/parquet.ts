/** Parquet in groups of rows, each written as soon as it is full. */

import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import type { DataColumn, DataValue } from "../job.js";
import type { RowFormat, Sink } from "./format.js";

/** Rows per group: what is held in memory. */
export const GROUP = 100_000;

const types = {
  integer: { type: "INT32" },
  number: { type: "DOUBLE" },
  boolean: { type: "BOOLEAN" },
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
} as const;

export const parquet: RowFormat = (columns, sink) => {
  const file = new ParquetWriter({ writer: flushing(sink), schema: schemaOf(columns) });
  let held: DataValue[][] = columns.map(() => []);
  const rows = () => held[0]?.length ?? 0;
  const writeGroup = async () => {
    const group = held.map((values) => values.slice(0, GROUP));
    held = held.map((values) => values.slice(GROUP));
    const columnData = columns.map(({ name, type }, k) => ({ name, data: stored(group[k]!, type) }));
    await file.write({ columnData, rowGroupSize: GROUP });
  };
  return {
    async write({ values }) {
      for (const [k, column] of values.entries()) for (const value of column) held[k]!.push(value);
      while (rows() >= GROUP) await writeGroup();
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
function stored(values: readonly DataValue[], type: DataColumn["type"]): unknown[] {
  if (type !== "text") return [...values];
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
