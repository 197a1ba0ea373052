/** The data of an earlier run, for a comparison. */

import { plainError } from "../lib/errors.js";
import { parseJson } from "../lib/json.js";
import type { ReportData } from "../report/result.js";
import { readText } from "./input.js";

export async function readEarlier(path: string): Promise<ReportData> {
  const value = parseJson(await readText(path), path);
  if (isReportData(value)) return value;
  throw plainError(path, "must be the data.json of a report");
}

function isReportData(value: unknown): value is ReportData {
  if (typeof value !== "object" || value === null) return false;
  const { candor, analyses } = value as Partial<ReportData>;
  return typeof candor === "string" && Array.isArray(analyses) && analyses.every(isSection);
}

const isSection = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  typeof Reflect.get(value, "name") === "string" &&
  hasTables(Reflect.get(value, "result"));

const hasTables = (result: unknown): boolean =>
  result === null ||
  (typeof result === "object" &&
    Array.isArray((result as { tables?: unknown }).tables) &&
    (result as { tables: readonly unknown[] }).tables.every(isTable));

const isTable = (table: unknown): boolean =>
  typeof table === "object" &&
  table !== null &&
  Array.isArray(Reflect.get(table, "columns")) &&
  Array.isArray(Reflect.get(table, "rows"));
