/** JSON text to a value, with errors a user reads. */

import { clip, plainError } from "./errors.js";

/**
 * Like JSON.parse, but says where the text breaks off. The words NaN and Infinity, which some programs write, are read
 * as the numbers they mean, so that the checks that follow can name the field that holds them.
 */
export function parseJson(text: string, source: string): unknown {
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  try {
    return JSON.parse(body);
  } catch (error) {
    if (body.trim() === "") throw plainError(source, "empty, must hold JSON");
    const lenient = parseWithWords(body);
    if (lenient !== undefined) return lenient.value;
    throw plainError(source, `not valid JSON${describe(body, String((error as Error).message))}`);
  }
}

/** JSON on one line; what has no bound is "unbounded", for JSON knows no infinity. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value, (_, field) => (field === Number.POSITIVE_INFINITY ? "unbounded" : field));

/** ` at line 3, column 7: Expected ',' …`, from the engine's own words. */
function describe(text: string, message: string): string {
  const [, what = message, position] = /^(.*?)(?: in JSON)? at position (\d+)/s.exec(message) ?? [];
  const end = text.trimEnd().length;
  const ended = /end of JSON input|Unterminated string/.test(message) || Number(position) >= end;
  const at = ended ? end : position === undefined ? undefined : Number(position);
  const after = /after JSON/.test(message) ? " (several markets go into a .jsonl file, one per line)" : "";
  const reason = ended ? "the text ends too early" : clip(what.replace(/ is not valid JSON$/, ""));
  return `${at === undefined ? "" : ` at ${place(text, at)}`}: ${reason}${after}`;
}

function place(text: string, position: number): string {
  const before = text.slice(0, position);
  const column = `column ${position - before.lastIndexOf("\n")}`;
  return text.trimEnd().includes("\n") ? `line ${before.split("\n").length}, ${column}` : column;
}

/** Marks a bare NaN; cannot be meant by anybody. */
const NOT_A_NUMBER = "\u0000NaN";

function parseWithWords(text: string): { value: unknown } | undefined {
  if (!/NaN|Infinity/.test(text)) return undefined;
  const numbers: Readonly<Record<string, string>> = { NaN: JSON.stringify(NOT_A_NUMBER), Infinity: "1e999" };
  const plain = text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|NaN|Infinity/gs, (part) => numbers[part] ?? part);
  try {
    return { value: JSON.parse(plain, (_, value) => (value === NOT_A_NUMBER ? Number.NaN : value)) };
  } catch {
    return undefined;
  }
}
