/** Reads row files back as a notebook does: by the format alone, and with the types of the columns where it has none. */

import { parquetReadObjects } from "hyparquet";
import type { DataColumn, DataRow, DataValue } from "../../src/study/job.js";

type Reader = (bytes: Buffer, columns: readonly DataColumn[]) => Promise<DataRow[]>;

export const readers: Readonly<Record<"parquet" | "jsonl" | "csv", Reader>> = {
  parquet: (bytes) => parquetReadObjects({ file: bufferOf(bytes) }) as Promise<DataRow[]>,
  jsonl: async (bytes) => {
    const lines = bytes.toString().split("\n");
    if (lines.pop() !== "") throw new Error("the last line does not end");
    return lines.map((line) => JSON.parse(line));
  },
  csv: async (bytes, columns) => {
    const [head, ...lines] = csvLines(bytes.toString());
    if (head!.map(({ text }) => text).join() !== columns.map(({ name }) => name).join())
      throw new Error("the first line does not hold the columns");
    return lines.map((fields) =>
      Object.fromEntries(columns.map(({ name, type }, k) => [name, valueIn(fields[k]!, type)])),
    );
  },
};

export const bufferOf = (bytes: Buffer): ArrayBuffer => new Uint8Array(bytes).buffer;

interface Field {
  readonly text: string;
  readonly quoted: boolean;
}

/** RFC 4180: fields in quotes may hold anything, with quotes doubled; others end at a comma or a line's end. */
function csvLines(text: string): Field[][] {
  const lines: Field[][] = [[]];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  for (let at = 0; at < text.length; at = field.lastIndex) {
    const [, quoted, plain, end] = field.exec(text)!;
    lines.at(-1)!.push({ text: quoted?.replaceAll('""', '"') ?? plain ?? "", quoted: quoted !== undefined });
    if (end === "\r\n") lines.push([]);
  }
  if (lines.pop()!.length > 0) throw new Error("the last line does not end");
  return lines;
}

function valueIn({ text, quoted }: Field, type: DataColumn["type"]): DataValue {
  if (text === "" && !quoted) return null;
  if (type === "text") return text;
  return type === "boolean" ? text === "true" : Number(text);
}
