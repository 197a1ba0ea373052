/** Row-level data as a Parquet file. `npm run build` bundles what writes them, so that no package is installed for it. */

import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import type { DataColumn, DataValue } from "./job.js";
import type { RowFormat, Sink } from "./row-files.js";

/** Rows per group: what is held in memory. Twice as many take 100 MB more, and make the file no smaller. */
const GROUP = 50_000;

const types = {
  integer: { type: "INT32" },
  number: { type: "DOUBLE" },
  boolean: { type: "BOOLEAN" },
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
} as const;

export const parquet: RowFormat = (columns, sink) => {
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
