/** Errors a user reads. An error is data (where, what was expected, what was there); its words are made here, once. */

import { isPromise } from "./frozen.js";

export type Path = readonly (string | number)[];

export interface Problem {
  /** File name and, for one of many lines, its number: "m.json", "m.jsonl:17", "--workers". */
  readonly source: string;
  readonly path: Path;
  /** What has to be there, as in "must be …"; or a whole sentence where there is no value to show. */
  readonly expected: string;
  readonly kind: "invalid" | "missing" | "unknown" | "plain";
  readonly got?: unknown;
}

export class InputError extends Error {
  constructor(readonly problem: Problem) {
    super(sentence(problem));
    this.name = "InputError";
  }
}

/** An InputError that needs no value: the sentence says it all. */
export function plainError(source: string, expected: string): InputError {
  return new InputError({ source, path: [], expected, kind: "plain" });
}

function sentence({ source, path, expected, kind, got }: Problem): string {
  const where = [source, showPath(path)].filter((part) => part !== "").join(": ");
  if (kind === "plain") return `${where}: ${expected}`;
  if (kind === "unknown") return `${where}: unknown field${expected === "" ? "" : `; ${expected}`}`;
  if (kind === "missing") return `${where}: missing, must be ${expected}`;
  return `${where}: must be ${expected}, got ${showValue(got)}`;
}

export function showPath(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    const name = /^[\w-]{1,60}$/.test(step) ? step : clip(JSON.stringify(step));
    return text === "" ? name : `${text}.${name}`;
  }, "");
}

/** A value as one short line: a ten-megabyte one must not fill the terminal. */
export function showValue(value: unknown): string {
  if (typeof value === "number" || value === undefined) return String(value);
  if (typeof value === "function") return "a function";
  if (typeof value === "bigint") return `${value}n`;
  if (isPromise(value)) return "a promise";
  try {
    return clip(JSON.stringify(value));
  } catch {
    return "something nested too deeply to show";
  }
}

/** A text as one short line. */
export function clip(text: string): string {
  const line = text.length > 60 ? `${text.slice(0, 57)}…` : text;
  return line.replace(/\s+/g, " ");
}

/** Whatever was thrown, as one line; a parser's second line ends with where it stopped. */
export function oneLine(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const [first = "", second = ""] = text.replace(/^(Input)?Error: /, "").split("\n");
  const [, place] = /:(\d+:\d+)$/.exec(second.trim()) ?? [];
  return `${first.trim().slice(0, 200)}${place === undefined ? "" : ` at ${place}`}`;
}
