/** How large a report is, and what takes the room. */

import type { Payload } from "./payload.js";

const LARGE = 10e6;
const TOLD = 3;

/** A warning that says what takes the room; null for a report that can be sent to people. */
export function sizeWarning(html: string, payload: Payload): string | null {
  const size = bytesOf(html);
  if (size <= LARGE) return null;
  const parts = payload.sections.flatMap(({ name, tables, exhibits, charts }) => [
    ...tables.map((table) => ({ what: `table ${name}/${table.name}`, bytes: jsonBytes(table) })),
    { what: `exhibits of ${name}`, bytes: jsonBytes(exhibits) },
    { what: `charts of ${name}`, bytes: jsonBytes(charts) },
  ]);
  const heaviest = parts.sort((a, b) => b.bytes - a.bytes).slice(0, TOLD);
  const told = heaviest.map(({ what, bytes }) => `${what} ${megabytes(bytes)}`).join(", ");
  return `the report is large (${megabytes(size)}); most of it: ${told}`;
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

const jsonBytes = (value: unknown): number => bytesOf(JSON.stringify(value));

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
