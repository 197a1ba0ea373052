/** What comes from users' own code is held against a zod schema, and what it is handed is frozen. */

import { z } from "zod";
import { didYouMean, InputError, type Path } from "./errors.js";

interface Checked {
  /** Starts the message: a file, a flag, "market". */
  readonly source: string;
  /** The fields that are known at a path, for schemas that refuse unknown ones. */
  readonly fieldsAt?: (path: Path) => readonly string[];
}

/** The value as the schema makes it, or an InputError with the field and the value; the schema's messages complete "must be …". */
export function conforming<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  checked: Checked,
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw firstProblem(result.error.issues, value, checked);
}

/** A number between bounds; the error completes "must be …". */
export const numberFrom = (low: number, high: number, error: string) =>
  z.number({ error }).min(low, { error }).max(high, { error });

/** A whole number between bounds. */
export const wholeFrom = (low: number, high: number, error: string) =>
  z.int({ error }).min(low, { error }).max(high, { error });

/** A misspelt field is also a missing one: the unknown name is what helps. */
function firstProblem(
  issues: readonly z.core.$ZodIssue[],
  value: unknown,
  { source, fieldsAt = () => [] }: Checked,
): InputError {
  const unknown = issues.find((issue) => issue.code === "unrecognized_keys");
  if (unknown !== undefined) {
    const [key = ""] = unknown.keys;
    const path = pathOf(unknown);
    const known = fieldsAt(path);
    const expected = didYouMean(key, known) || `known are ${known.join(", ")}`;
    return new InputError({ source, path: [...path, key], expected, kind: "unknown" });
  }
  const issue = issues[0]!;
  const path = pathOf(issue);
  const got = valueAt(value, path);
  const kind = got === undefined && path.length > 0 ? "missing" : "invalid";
  return new InputError({ source, path, expected: issue.message, kind, got });
}

const pathOf = ({ path }: z.core.$ZodIssue): Path => path.filter((step) => typeof step !== "symbol");

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, step) =>
      typeof at === "object" && at !== null ? (at as Record<string | number, unknown>)[step] : undefined,
    value,
  );
}

/** A deep copy of lists and plain objects that users' own code cannot write to; whatever else is in them is passed on as it is. */
export function frozenCopy<T>(value: T): T {
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T;
  if (typeof value !== "object" || value === null || !isPlain(value)) return value;
  const entries = Object.entries(value).map(([name, part]) => [name, frozenCopy(part)]);
  return Object.freeze(Object.fromEntries(entries));
}

const isPlain = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype;
