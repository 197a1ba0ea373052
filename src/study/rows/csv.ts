/** CSV (RFC 4180) with the names of columns first. */

import { quotedField } from "../../report/tables.js";
import type { DataValue } from "../job.js";
import type { RowFormat } from "./format.js";

export const csv: RowFormat = (columns, sink) => {
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
