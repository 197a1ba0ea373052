/** Row-level data on their way from where they were made to the file: packed, for there are many. */

import { endianness } from "node:os";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { showValue, unknownName } from "../lib/errors.js";
import type { DataColumn, DataRow, DataValue } from "./job.js";

/** Rows by column: for each, its values in the order of rows. */
export interface RowBlock {
  readonly count: number;
  readonly values: readonly (readonly DataValue[])[];
}

interface RowPack {
  readonly keep: (row: DataRow) => void;
  readonly packed: () => string;
}

const BYTES = 8;

/** Takes rows, checks them, and packs them: of each value only a number stays. */
export function rowPack(columns: readonly DataColumn[]): RowPack {
  const packs = new Map(columns.map((column) => [column.name, new ColumnPack(column)]));
  let count = 0;
  const keep = (row: DataRow) => {
    for (const name in row) {
      const pack = packs.get(name);
      if (pack === undefined)
        throw unknownName("row", name, { noun: "column", names: [...packs.keys()], known: "its job has" });
      const value: DataValue | undefined = row[name];
      if (value !== null && value !== undefined) pack.put(count, value);
    }
    count++;
  };
  return { keep, packed: () => packed([...packs.values()], count) };
}

/** NaN stands for null; a text for its place among the column's. */
class ColumnPack {
  readonly words = new Map<DataValue, number>();
  private codes = new Float64Array(256).fill(Number.NaN);

  constructor(private readonly column: DataColumn) {}

  put(row: number, value: DataValue): void {
    this.reserve(row + 1);
    if (this.column.type === "text") {
      this.codes[row] = this.words.get(value) ?? this.learn(value);
    } else {
      checkValue(this.column, value);
      // Adding 0 takes the sign from −0.
      this.codes[row] = Number(value) + 0;
    }
  }

  /** In the same bytes everywhere. */
  bytes(count: number): Buffer {
    this.reserve(count);
    const bytes = Buffer.from(this.codes.buffer, 0, count * BYTES);
    return endianness() === "LE" ? bytes : Buffer.from(bytes).swap64();
  }

  private learn(text: DataValue): number {
    checkValue(this.column, text);
    this.words.set(text, this.words.size);
    return this.words.size - 1;
  }

  private reserve(rows: number): void {
    if (this.codes.length >= rows) return;
    const codes = new Float64Array(Math.max(rows, 2 * this.codes.length)).fill(Number.NaN);
    codes.set(this.codes);
    this.codes = codes;
  }
}

/** So many bytes of rows may a chunk have before they are deflated: who reads them must know where to stop. */
const MOST_BYTES = 128 << 20;

/** A head in JSON, its length before it; then a number per value, column by column. */
function packed(packs: readonly ColumnPack[], count: number): string {
  demandFewRows(packs.length, count, 0);
  const texts = packs.map(({ words }) => [...words.keys()]);
  const head = Buffer.from(JSON.stringify({ count, texts }));
  const length = Buffer.alloc(4);
  demandFewRows(packs.length, count, head.length);
  length.writeUInt32LE(head.length);
  const whole = Buffer.concat([length, head, ...packs.map((pack) => pack.bytes(count))]);
  return deflateRawSync(whole, { level: 1 }).toString("base64");
}

function demandFewRows(columns: number, count: number, texts: number): void {
  if (columns * count * BYTES + texts + 4 <= MOST_BYTES) return;
  throw new Error(
    `row: ${count} rows of ${columns} columns are too many for one chunk of markets: they may take ${MOST_BYTES >> 20} MB`,
  );
}

/** All bytes, where the numbers start, and what the head says. */
function opened(packed: string) {
  const bytes = inflateRawSync(Buffer.from(packed, "base64"), { maxOutputLength: MOST_BYTES });
  const start = 4 + bytes.readUInt32LE(0);
  const head: { count: number; texts: string[][] } = JSON.parse(bytes.toString("utf8", 4, start));
  return { bytes, start, ...head };
}

/** Whether a text is what packing gives for rows of these columns. */
export function isPacked(text: string, columns: readonly DataColumn[]): boolean {
  try {
    const { bytes, start, count, texts } = opened(text);
    const fits = Number.isInteger(count) && bytes.length === start + columns.length * count * BYTES;
    if (!fits || texts.length !== columns.length || !texts.every(isTexts)) return false;
    return columns.every(({ type }, k) => {
      const { stored } = kinds[type];
      for (let r = 0; r < count; r++) {
        const code = bytes.readDoubleLE(start + (k * count + r) * BYTES);
        if (!Number.isNaN(code) && !stored(code, texts[k]!.length)) return false;
      }
      return true;
    });
  } catch {
    return false;
  }
}

/** Rows that are unpacked at once. */
const BLOCK = 8192;

/** Block by block: as plain values rows take many times the memory. */
export function* unpackRows(packed: string, columns: readonly DataColumn[]): Generator<RowBlock> {
  const { bytes, start, count, texts } = opened(packed);
  const decode = columns.map(({ type }, k) => decoders[type](texts[k]!));
  for (let from = 0; from < count; from += BLOCK) {
    const length = Math.min(BLOCK, count - from);
    const values = columns.map((_, k) =>
      Array.from({ length }, (_, r) => {
        const code = bytes.readDoubleLE(start + (k * count + from + r) * BYTES);
        return Number.isNaN(code) ? null : decode[k]!(code);
      }),
    );
    yield { count: length, values };
  }
}

type Decoder = (texts: readonly string[]) => (code: number) => DataValue;

const decoders: Readonly<Record<DataColumn["type"], Decoder>> = {
  integer: () => (code) => code,
  number: () => (code) => code,
  boolean: () => (code) => code === 1,
  text: (texts) => (code) => texts[code]!,
};

interface Kind {
  /** As in "must be …". */
  readonly noun: string;
  readonly holds: (value: unknown) => boolean;
  /** Whether a number is what packing makes of a value, in a column of so many texts. */
  readonly stored: (code: number, texts: number) => boolean;
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

const is32 = (value: unknown): boolean => value === ((value as number) | 0);
const isText = (value: unknown): boolean => typeof value === "string" && !LONE.test(value);

const kinds: Readonly<Record<DataColumn["type"], Kind>> = {
  integer: { noun: "an integer of 32 bits", holds: is32, stored: is32 },
  number: { noun: "a finite number", holds: Number.isFinite, stored: Number.isFinite },
  boolean: {
    noun: "true or false",
    holds: (value) => typeof value === "boolean",
    stored: (code) => code === 0 || code === 1,
  },
  text: {
    noun: "a text",
    holds: isText,
    stored: (code, texts) => Number.isInteger(code) && code >= 0 && code < texts,
  },
};

/** Half of a character of two halves: no file in UTF-8 can hold it. */
const LONE = /\p{Surrogate}/u;

/** Throws an error of one line where a value, null aside, does not fit its column. */
function checkValue({ name, type }: DataColumn, value: DataValue): void {
  const { noun, holds } = kinds[type];
  if (!holds(value)) throw new Error(`row: column ${name} must be ${noun} or null, got ${showValue(value)}`);
}

/** What is wrong with columns that a user's own file may have announced; undefined if nothing is. */
export function columnsFlaw(columns: readonly DataColumn[]): string | undefined {
  if (!Array.isArray(columns) || columns.length === 0)
    return `must be a list of columns, got ${showValue(columns)}`;
  const names = columns.map((column) => column?.name);
  const odd = names.find((name) => typeof name !== "string" || !/^\w+$/.test(name));
  if (names.includes(odd!)) return `a name must be letters, digits and _, got ${showValue(odd)}`;
  const twice = names.find((name, k) => names.indexOf(name) !== k);
  if (twice !== undefined) return `two are called ${showValue(twice)}`;
  const untyped = columns.find(({ type }) => !Object.hasOwn(kinds, type));
  if (untyped === undefined) return undefined;
  return `the type of ${untyped.name} must be one of ${Object.keys(kinds).join(", ")}, got ${showValue(untyped.type)}`;
}
