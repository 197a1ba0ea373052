/** Values of options: parsers for commander whose errors name the option and the value. */

import { InputError } from "../lib/errors.js";
import { isDecimal } from "../lib/format.js";
import { type Fraction, parseFraction } from "../lib/fraction.js";
import { amountRange, isAmount } from "../market/market.js";

interface NumberRange {
  readonly from: number;
  /** No bound if left out. */
  readonly to?: number;
}

/** A decimal number in a range. */
export function numberOption(flag: string, range: NumberRange): (text: string) => number {
  return (text) => inRange(text, flag, { ...range, noun: "a number", holds: Number.isFinite });
}

/** A budget or a price. */
export function amountOption(flag: string): (text: string) => number {
  const parse = numberOption(flag, { from: 0 });
  return (text) => {
    const value = parse(text);
    if (isAmount(value)) return value;
    throw invalid(flag, amountRange, text);
  };
}

/** A whole number in a range. */
export function integerOption(flag: string, range: NumberRange): (text: string) => number {
  return (text) => inRange(text, flag, { ...range, noun: "an integer", holds: Number.isSafeInteger });
}

/** A decimal or a fraction such as 7/20, exactly. */
export function fractionOption(flag: string, { from, to }: NumberRange & { readonly to: number }) {
  return (text: string): Fraction => {
    const value = /^\d+(\.\d+|\/0*[1-9]\d*)?$/.test(text) ? parseFraction(text) : null;
    if (value?.gte(from) && value.lte(to)) return value;
    throw invalid(flag, `a number or a fraction from ${from} to ${to}`, text);
  };
}

/** Values separated by commas. */
export function listOption<Value>(parse: (text: string) => Value): (text: string) => Value[] {
  return (text) => text.split(",").map((one) => parse(one.trim()));
}

/** Gathers what a repeated option was given. */
export const another = (value: string, before: readonly string[]): string[] => [...before, value];

/** One of a few words; a shell can complete them. */
export function wordOption<Word extends string>(
  flag: string,
  words: readonly Word[],
): ((text: string) => Word) & { readonly words: readonly Word[] } {
  const parse = (text: string): Word => {
    const found = words.find((word) => word === text);
    if (found !== undefined) return found;
    throw invalid(flag, words.map((word) => JSON.stringify(word)).join(" or "), text);
  };
  return Object.assign(parse, { words });
}

/** An option that may be repeated: all its values. */
export const severalOption =
  <Value>(parse: (text: string) => Value) =>
  (text: string, before: readonly Value[] | undefined): readonly Value[] => [...(before ?? []), parse(text)];

/**
 * The value of an option that must be given. Commander's own check comes before it looks for unknown options, and would
 * hide that --worker was meant to be --workers.
 */
export function required<Value>(value: Value | undefined, flag: string, expected: string): Value {
  if (value !== undefined) return value;
  throw new InputError({ source: flag, path: [], expected, kind: "missing" });
}

interface Wanted extends NumberRange {
  readonly noun: string;
  readonly holds: (value: number) => boolean;
}

function inRange(text: string, flag: string, { from, to, noun, holds }: Wanted): number {
  const value = isDecimal(text) ? Number(text) : Number.NaN;
  if (holds(value) && value >= from && value <= (to ?? Infinity)) return value + 0;
  throw invalid(flag, `${noun} ${to === undefined ? `≥ ${from}` : `from ${from} to ${to}`}`, text);
}

/** A number is shown as written, anything else in quotes. */
function invalid(flag: string, expected: string, text: string): InputError {
  const got = isDecimal(text) ? Number(text) : text;
  return new InputError({ source: flag, path: [], expected, kind: "invalid", got });
}
