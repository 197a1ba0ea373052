import fc from "fast-check";
import { parquetMetadata } from "hyparquet";
import { describe, expect, it } from "vitest";
import type { DataColumn, DataRow, DataValue } from "../../src/study/job.js";
import { rowFormats } from "../../src/study/row-files.js";
import { rowPack, unpackRows } from "../../src/study/rows.js";
import { bufferOf, readers } from "./rows-readers.js";

const formats = ["parquet", "jsonl", "csv"] as const;

function packed(rows: readonly DataRow[], columns: readonly DataColumn[]): string {
  const pack = rowPack(columns);
  for (const row of rows) pack.keep(row);
  return pack.packed();
}

/** Rows as they go: packed in blocks, unpacked, and written one block after another. */
async function fileOf(
  format: (typeof formats)[number],
  columns: readonly DataColumn[],
  blocks: readonly (readonly DataRow[])[],
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const writer = (await rowFormats[format]())(columns, async (piece) => void pieces.push(Buffer.from(piece)));
  for (const rows of blocks) {
    for (const block of unpackRows(packed(rows, columns), columns)) await writer.write(block);
  }
  await writer.finish();
  return Buffer.concat(pieces);
}

const number = fc.double({ noNaN: true, noDefaultInfinity: true });

const valuesOf: Record<DataColumn["type"], fc.Arbitrary<DataValue>> = {
  integer: fc.integer(),
  number: fc.oneof(number, fc.constantFrom(5e-324, Number.MAX_VALUE, 0.1 + 0.2, 1e21, 2 ** 53 + 2)),
  boolean: fc.boolean(),
  text: fc.oneof(
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.constantFrom("", '"', ",", "a\r\nb", "\n", "=1+1", "null", "NaN", "ｚ", "😀", "ünï", "\u0000"),
  ),
};

const column = fc.record({
  name: fc.stringMatching(/^[a-zA-Z_]\w{0,8}$/),
  type: fc.constantFrom("integer" as const, "number" as const, "boolean" as const, "text" as const),
  about: fc.constant(""),
});

const tables = fc
  .uniqueArray(column, { minLength: 1, maxLength: 6, selector: ({ name }) => name })
  .chain((columns) => {
    const row = fc.tuple(...columns.map(({ type }) => fc.option(valuesOf[type])));
    return fc.tuple(
      fc.constant(columns),
      fc.array(
        fc.array(
          row.map((values) => Object.fromEntries(columns.map(({ name }, k) => [name, values[k]!]))),
          { maxLength: 30 },
        ),
        { maxLength: 4 },
      ),
    );
  });

/** No format tells −0 from 0. */
const asWritten = (row: DataRow): DataRow =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Object.is(value, -0) ? 0 : value]));

describe.each(formats)("%s", (format) => {
  it("gives back any rows exactly and in their order, whatever the blocks they came in", async () => {
    await fc.assert(
      fc.asyncProperty(tables, async ([columns, blocks]) => {
        const bytes = await fileOf(format, columns, blocks);
        const expected = blocks.flat().map(asWritten);
        expect(await readers[format](bytes, columns)).toEqual(expected);
        expect(await fileOf(format, columns, [blocks.flat()])).toEqual(bytes);
      }),
      { numRuns: 200 },
    );
  });

  it("is a file without rows where there are none", async () => {
    const columns = [{ name: "gain", type: "number", about: "" }] as const;
    expect(await readers[format](await fileOf(format, columns, []), columns)).toEqual([]);
  });
});

const market: DataColumn = { name: "market", type: "integer", about: "" };
const columns: readonly DataColumn[] = [
  market,
  { name: "regime", type: "text", about: "" },
  { name: "gain", type: "number", about: "" },
  { name: "pivotal", type: "boolean", about: "" },
];

describe("parquet", () => {
  it("writes groups of fifty thousand rows as they fill, and holds no more", async () => {
    const block = (from: number) =>
      Array.from({ length: 7000 }, (_, k) => ({ market: from + k, regime: k % 2 ? "a" : null, gain: k / 7 }));
    const sizes: number[] = [];
    const writer = (await rowFormats.parquet())(columns, async (piece) => void sizes.push(piece.length));
    const seen: number[] = [];
    for (let from = 0; from < 112_000; from += 7000) {
      for (const part of unpackRows(packed(block(from), columns), columns)) await writer.write(part);
      seen.push(sizes.length);
    }
    expect(seen).toEqual(seen.map((_, k) => Math.floor(((k + 1) * 7000) / 50_000)));
    const blocks = Array.from({ length: 16 }, (_, k) => block(k * 7000));
    const bytes = await fileOf("parquet", columns, blocks);
    const groups = parquetMetadata(bufferOf(bytes)).row_groups.map(({ num_rows }) => Number(num_rows));
    expect(groups).toEqual([50_000, 50_000, 12_000]);
    const rows = await readers.parquet(bytes, columns);
    expect(rows.every((row, k) => row.market === k)).toBe(true);
    expect(rows).toHaveLength(112_000);
  });

  it("fixes types by the schema, though the first rows hold nothing but null", async () => {
    const empty = Array.from({ length: 3 }, () => ({}));
    const { schema } = parquetMetadata(bufferOf(await fileOf("parquet", columns, [empty])));
    expect(schema.slice(1).map(({ name, type }) => [name, type])).toEqual([
      ["market", "INT32"],
      ["regime", "BYTE_ARRAY"],
      ["gain", "DOUBLE"],
      ["pivotal", "BOOLEAN"],
    ]);
    expect(schema.slice(1).every(({ repetition_type }) => repetition_type === "OPTIONAL")).toBe(true);
  });

  it("bounds texts in the order of their bytes, so that a reader may skip groups by them", async () => {
    const words = ["ｚ", "😀", "a"];
    const bytes = await fileOf("parquet", columns, [words.map((regime) => ({ regime }))]);
    const { statistics } = parquetMetadata(bufferOf(bytes)).row_groups[0]!.columns[1]!.meta_data!;
    expect([statistics!.min_value, statistics!.max_value]).toEqual(["a", "😀"]);
  });
});

describe("jsonl and csv", () => {
  const rows = [
    { market: 0, regime: 'say "no", or', gain: 0.1 + 0.2, pivotal: true },
    { market: 1, regime: "", gain: null, pivotal: false },
  ];

  it("read as anybody would write them", async () => {
    expect((await fileOf("jsonl", columns, [rows])).toString()).toBe(
      `${rows.map((row) => JSON.stringify(row)).join("\n")}\n`,
    );
    expect((await fileOf("csv", columns, [rows])).toString()).toBe(
      'market,regime,gain,pivotal\r\n0,"say ""no"", or",0.30000000000000004,true\r\n1,"",,false\r\n',
    );
  });
});
