/** Values of options: parsers for commander whose errors name the option and the value. */

import { InputError } from "../lib/errors.js";
import { isDecimal } from "../lib/format.js";
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

/** One of a few words. */
export function wordOption<Word extends string>(
  flag: string,
  words: readonly Word[],
): (text: string) => Word {
  return (text) => {
    const found = words.find((word) => word === text);
    if (found !== undefined) return found;
    throw invalid(flag, words.map((word) => JSON.stringify(word)).join(" or "), text);
  };
}

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
