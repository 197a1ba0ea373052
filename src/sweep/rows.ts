/** Row-level data on their way from where they were made to the file: packed, for there are many. */

import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { DataRow } from "../job.js";

/** The columns once, then a list of values per row; all rows of a job have the same columns. */
export function packRows(rows: readonly DataRow[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map((row) => columns.map((column) => row[column] ?? null));
  return deflateRawSync(JSON.stringify([columns, values]), { level: 1 }).toString("base64");
}

export function unpackRows(packed: string): DataRow[] {
  const [columns, values] = JSON.parse(inflateRawSync(Buffer.from(packed, "base64")).toString()) as [
    string[],
    DataRow[string][][],
  ];
  return values.map((row) => Object.fromEntries(columns.map((column, k) => [column, row[k]!])));
}
