/** Row-level data on their way from where they were made to the file: packed, for there are many. */

import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { DataColumn, DataRow, DataValue } from "../job.js";
import { rowCheck } from "./row-check.js";

/** Rows by column: for each, its values in the order of rows. */
export interface RowBlock {
  readonly count: number;
  readonly values: readonly (readonly DataValue[])[];
}

export interface RowPack {
  readonly keep: (row: DataRow) => void;
  readonly packed: () => string;
}

/** Takes rows, checks them, and packs them. */
export function rowPack(columns: readonly DataColumn[]): RowPack {
  const check = rowCheck(columns);
  const rows: DataRow[] = [];
  const keep = (row: DataRow) => {
    check(row);
    rows.push(row);
  };
  return { keep, packed: () => packRows(rows, columns) };
}

const BYTES = 8;

/** A head in JSON, its length before it; then a number per value, column by column, in the same bytes everywhere. */
export function packRows(rows: readonly DataRow[], columns: readonly DataColumn[]): string {
  const numbers = new DataView(new ArrayBuffer(rows.length * columns.length * BYTES));
  const texts = columns.map(({ name }, k) => {
    const words = new Map<string, number>();
    for (const [r, row] of rows.entries())
      numbers.setFloat64((k * rows.length + r) * BYTES, coded(row[name], words), true);
    return [...words.keys()];
  });
  const head = Buffer.from(JSON.stringify({ count: rows.length, texts }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  const whole = Buffer.concat([length, head, new Uint8Array(numbers.buffer)]);
  return deflateRawSync(whole, { level: 1 }).toString("base64");
}

/** NaN stands for null; a text for its place among the column's; adding 0 takes the sign from −0. */
function coded(value: DataValue | undefined, words: Map<string, number>): number {
  if (value === null || value === undefined) return Number.NaN;
  if (typeof value !== "string") return Number(value) + 0;
  const known = words.get(value);
  if (known !== undefined) return known;
  words.set(value, words.size);
  return words.size - 1;
}

export function unpackRows(packed: string, columns: readonly DataColumn[]): RowBlock {
  const bytes = inflateRawSync(Buffer.from(packed, "base64"));
  const start = 4 + bytes.readUInt32LE(0);
  const { count, texts } = JSON.parse(bytes.toString("utf8", 4, start)) as {
    count: number;
    texts: string[][];
  };
  const values = columns.map(({ type }, k) => {
    const decode = decoders[type](texts[k]!);
    const from = start + k * count * BYTES;
    return Array.from({ length: count }, (_, r) => {
      const code = bytes.readDoubleLE(from + r * BYTES);
      return Number.isNaN(code) ? null : decode(code);
    });
  });
  return { count, values };
}

type Decoder = (texts: readonly string[]) => (code: number) => DataValue;

const decoders: Readonly<Record<DataColumn["type"], Decoder>> = {
  integer: () => (code) => code,
  number: () => (code) => code,
  boolean: () => (code) => code === 1,
  text: (texts) => (code) => texts[code]!,
};
