/** Errors a user reads. An error is data (where, what was expected, what was there); its words are made here, once. */

export type Path = readonly (string | number)[];

interface Problem {
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

/** An InputError about a value that is not what it must be. */
export const invalidError = (source: string, path: Path, expected: string, got: unknown): InputError =>
  new InputError({ source, path, expected, kind: "invalid", got });

function sentence({ source, path, expected, kind, got }: Problem): string {
  const where = [source, showPath(path)].filter((part) => part !== "").join(": ");
  if (kind === "plain") return `${where}: ${expected}`;
  if (kind === "unknown") return `${where}: unknown field${expected === "" ? "" : `; ${expected}`}`;
  if (kind === "missing") return `${where}: missing, must be ${expected}`;
  return `${where}: must be ${expected}, got ${showValue(got)}`;
}

function showPath(path: Path): string {
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

/** Whether a value is, or behaves as, a promise. */
export const isPromise = (value: unknown): boolean =>
  typeof (value as PromiseLike<unknown> | null | undefined)?.then === "function";

/** Whether an error says that somebody wrote to frozen data. */
export const isWriteToFrozen = (error: unknown): boolean =>
  error instanceof TypeError &&
  /read only property|not extensible|Cannot delete property|only a getter/.test(error.message);

/** A text as one short line. */
export function clip(text: string): string {
  const line = text.length > 60 ? `${text.slice(0, 57)}…` : text;
  return line.replace(/\s+/g, " ");
}

/** Whatever was thrown, as one line; a parser's second line ends with where it stopped. */
export function oneLine(error: unknown): string {
  const text = textOf(error);
  const [first = "", second = ""] = text.replace(/^(Input)?Error: /, "").split("\n");
  const [, place] = /:(\d+:\d+)$/.exec(second.trim()) ?? [];
  return `${first.trim().slice(0, 200)}${place === undefined ? "" : ` at ${place}`}`;
}

function textOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** What a user's code threw, as something that can be looked at: it may be anything, and fail when it is. */
export function readable(thrown: unknown): unknown {
  try {
    textOf(thrown);
    return thrown;
  } catch {
    return new Error("something that cannot be shown");
  }
}

/** A message and, where it is known, the line of the user's file that an error comes from, as in "… (mine.ts:12)". */
export function withPlace(message: string, error: unknown): string {
  const place = placeOf(error);
  return place === null ? message : `${message} (${place})`;
}

/** Where candor's files are; in a bundle that has no address they cannot be told apart. */
const OURS = import.meta.url === undefined ? null : new URL("../../", import.meta.url).pathname;

/** Whether a frame of a stack is in a file of the user's: not in one of candor's, of a package or of the platform. */
export function isUsersFile(file: string): boolean {
  const path = file.replace(/^file:\/\//, "");
  if (path.startsWith("node:") || path.includes("/node_modules/")) return false;
  return OURS === null || !path.startsWith(OURS);
}

/** The innermost place in a file of the user's. */
function placeOf(error: unknown): string | null {
  try {
    const { stack } = error as { readonly stack?: unknown };
    for (const frame of typeof stack === "string" ? stack.split("\n") : []) {
      const [, path, line] = /^\s+at (?:.*\()?(?:file:\/\/)?(\/.*|[A-Z]:.*):(\d+):\d+\)?$/.exec(frame) ?? [];
      if (path === undefined || !isUsersFile(path)) continue;
      return `${path.split(/[\\/]/).at(-1)}:${line}`;
    }
  } catch {
    // It has no place that can be read.
  }
  return null;
}

/** The candidate closest to a name, if it is close enough to be a slip of the pen. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > 60) return undefined;
  const allowed = Math.max(1, Math.floor(name.length / 3));
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance <= allowed && distance < candidate.length && distance < (best?.distance ?? Infinity))
      best = { candidate, distance };
  }
  return best?.candidate;
}

/** `did you mean "x"?`, or nothing. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const guess = nearest(name, candidates);
  return guess === undefined ? "" : `did you mean "${guess}"?`;
}

/** That there is nothing of a name, with the guess and with what there is, which `known` introduces: "there are", "it has". */
export function unknownName(
  source: string,
  name: string,
  { noun = "", names, known = "there are" }: { noun?: string; names: readonly string[]; known?: string },
): InputError {
  const guess = didYouMean(name, names);
  const what = `no ${noun}${noun && " "}${showValue(name)}`;
  return plainError(
    source,
    `${what}; ${[guess, known, names.join(", ")].filter((part) => part !== "").join(" ")}`,
  );
}

/** Insertions, deletions, replacements and swaps of neighbours that turn a into b (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? before[j - 2]! + 1 : replaced;
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, replaced, swapped));
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
