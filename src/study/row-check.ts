/** Holds rows against the columns they were announced with: a file's columns have one type from first to last. */

import { didYouMean, showValue } from "../lib/errors.js";
import type { DataColumn, DataValue } from "./job.js";

interface Kind {
  /** As in "must be …". */
  readonly noun: string;
  readonly holds: (value: unknown) => boolean;
}

const kinds: Readonly<Record<DataColumn["type"], Kind>> = {
  integer: { noun: "an integer of 32 bits", holds: (value) => value === ((value as number) | 0) },
  number: { noun: "a finite number", holds: Number.isFinite },
  boolean: { noun: "true or false", holds: (value) => typeof value === "boolean" },
  text: { noun: "a text", holds: (value) => typeof value === "string" && !LONE.test(value) },
};

/** Half of a character of two halves: no file in UTF-8 can hold it. */
const LONE = /\p{Surrogate}/u;

/** Throws an error of one line where a value, null aside, does not fit its column. */
export function checkValue({ name, type }: DataColumn, value: DataValue): void {
  const { noun, holds } = kinds[type];
  if (!holds(value)) throw new Error(`row: column ${name} must be ${noun} or null, got ${showValue(value)}`);
}

export function unknownColumn(name: string, names: readonly string[]): never {
  const known = didYouMean(name, names) || `its job has ${names.join(", ")}`;
  throw new Error(`row: no column ${showValue(name)}; ${known}`);
}

/** What is wrong with columns that a user's own file may have announced; undefined if nothing is. */
export function columnsFlaw(columns: readonly DataColumn[]): string | undefined {
  if (!Array.isArray(columns) || columns.length === 0)
    return `must be a list of columns, got ${showValue(columns)}`;
  const names = columns.map((column) => column?.name);
  const odd = names.find((name) => typeof name !== "string" || !/^\w+$/.test(name));
  if (names.includes(odd!)) return `a name must be letters, digits and _, got ${showValue(odd)}`;
  const twice = names.find((name, k) => names.indexOf(name) !== k);
  if (twice !== undefined) return `two are called ${showValue(twice)}`;
  const untyped = columns.find(({ type }) => !Object.hasOwn(kinds, type));
  if (untyped === undefined) return undefined;
  return `the type of ${untyped.name} must be one of ${Object.keys(kinds).join(", ")}, got ${showValue(untyped.type)}`;
}
