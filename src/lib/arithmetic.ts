/** What a user's expression may do: comparisons, operators and functions, with the values mathjs gives them. */

import * as mathjs from "mathjs/number";

type Operation = (...values: number[]) => number;

/** As mathjs compares, and [M13]: 0.1 + 0.2 equals 0.3. */
const equal = (a: number, b: number): boolean =>
  a === b || Math.abs(a - b) <= Math.max(1e-12 * Math.max(Math.abs(a), Math.abs(b)), 1e-15);

export const comparisons = new Map<string, (a: number, b: number) => boolean>([
  ["smaller", (a, b) => a < b && !equal(a, b)],
  ["smallerEq", (a, b) => a < b || equal(a, b)],
  ["larger", (a, b) => a > b && !equal(a, b)],
  ["largerEq", (a, b) => a > b || equal(a, b)],
  ["equal", equal],
  ["unequal", (a, b) => !equal(a, b)],
]);

export const operators = new Map<string, Operation>([
  ["add", (a, b) => a! + b!],
  ["subtract", (a, b) => a! - b!],
  ["multiply", (a, b) => a! * b!],
  ["divide", (a, b) => a! / b!],
  ["pow", (a, b) => a! ** b!],
  ["mod", (a, b) => mathjs.mod(a!, b!)],
  ["unaryMinus", (a) => -a!],
  ["unaryPlus", (a) => a!],
]);

/** A function and how many values it takes. */
export interface NamedFunction {
  readonly least: number;
  readonly most: number;
  readonly run: Operation;
}

export const functions = new Map<string, NamedFunction>([
  ["abs", { least: 1, most: 1, run: (x) => Math.abs(x!) }],
  ["ceil", { least: 1, most: 1, run: (x) => mathjs.ceil(x!) }],
  ["floor", { least: 1, most: 1, run: (x) => mathjs.floor(x!) }],
  ["round", { least: 1, most: 1, run: (x) => mathjs.round(x!) }],
  ["sqrt", { least: 1, most: 1, run: (x) => Math.sqrt(x!) }],
  ["cbrt", { least: 1, most: 1, run: (x) => Math.cbrt(x!) }],
  ["exp", { least: 1, most: 1, run: (x) => Math.exp(x!) }],
  ["log", { least: 1, most: 2, run: (x, base) => Math.log(x!) / (base === undefined ? 1 : Math.log(base)) }],
  ["log2", { least: 1, most: 1, run: (x) => Math.log2(x!) }],
  ["log10", { least: 1, most: 1, run: (x) => Math.log10(x!) }],
  ["min", { least: 1, most: Infinity, run: Math.min }],
  ["max", { least: 1, most: Infinity, run: Math.max }],
  ["pow", { least: 2, most: 2, run: (x, y) => x! ** y! }],
  ["sign", { least: 1, most: 1, run: (x) => Math.sign(x!) }],
]);

/** "1", "1 or 2", "at least 1". */
export function arityOf({ least, most }: NamedFunction): string {
  if (most === Infinity) return `at least ${least}`;
  return least === most ? `${least}` : `${least} or ${most}`;
}
