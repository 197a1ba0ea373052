/** What `analyze` and `report` say when they are done. */

import { join } from "node:path";
import type { ReportData, Section } from "../report/result.js";
import type { RowFile } from "./row-files.js";

/** The findings, and where everything is. */
export function summaryText({ analyses }: ReportData, paths: readonly string[], rows: string): string {
  const [first = "nothing", ...rest] = paths;
  const more =
    rest.length === 0 ? "" : `, and ${rest.length} more ${rest.length === 1 ? "file" : "files"} beside it`;
  return `${analyses.map(sectionText).join("\n")}\n\nWrote ${first}${more}.\n${rows}`;
}

export const rowsText = (files: readonly RowFile[], folder: string): string =>
  files
    .map(({ name, rows }) =>
      rows === null
        ? `Interrupted: ${join(folder, name)} is not written.\n`
        : `Wrote ${rows} ${rows === 1 ? "row" : "rows"} to ${join(folder, name)}.\n`,
    )
    .join("");

function sectionText({ name, question, state, error, result }: Section): string {
  const lines = (result?.findings ?? []).map(({ text }) => `  ${text}`);
  if (state === "failed") lines.push(`  failed: ${error}`);
  if (state === "interrupted") lines.push("  interrupted");
  return [`${name}: ${question}`, ...lines].join("\n");
}
