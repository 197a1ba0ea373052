/**
 * Options of commands: a table says of each its name, its value, what it is about, its range and its default; the type of what
 * was given follows from the table. Errors name the option and the value.
 */

import { type Command, Option } from "commander";
import { InputError } from "../lib/errors.js";
import { dashed, isDecimal } from "../lib/format.js";
import { type Fraction, parseFraction } from "../lib/fraction.js";
import { admitted, describeOption, type Settable } from "../lib/options.js";
import { amountRange, isAmount } from "../market/market.js";
import type { Session } from "./session.js";

export interface Entry<Value> {
  /** What stands for its value in the help, as in "<n>"; a switch takes none. */
  readonly hint?: string;
  readonly about: string;
  /** From what was typed; `flag` starts the message of an error, `before` is what the same option gave before. */
  readonly read: (text: string, flag: string, before?: Value) => Value;
  /** The few words that there are: a shell can complete them. */
  readonly words?: readonly string[] | undefined;
  readonly usual?: Value | undefined;
  readonly hidden?: boolean;
  /** The name of an option that cannot be given with it. */
  readonly conflicts?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: a table holds options of all kinds of values.
type Table = Readonly<Record<string, Entry<any>>>;

type Given<T extends Table> = { readonly [Name in keyof T]: ReturnType<T[Name]["read"]> };
type Certain<T extends Table> = {
  [N in keyof T]: T[N] extends { usual: object | string | number } ? N : never;
};

/** What a command is given: the options that have a default, and perhaps the others. */
export type FlagsOf<T extends Table> = Pick<Given<T>, Certain<T>[keyof T]> &
  Partial<Omit<Given<T>, Certain<T>[keyof T]>>;

interface Definition {
  /** Its name, as in "<market...>", and what it is. */
  readonly argument?: readonly [name: string, about: string];
  readonly options: Table;
  /** What the help ends with. */
  readonly help: string;
}

/** What a command's module exports as `define`; `run` is given the argument, if there is one, the flags and the session. */
export const command =
  ({ argument, options, help }: Definition, run: (...given: never[]) => unknown) =>
  (bare: Command, session: Session): void => {
    if (argument) bare.argument(...argument);
    addOptions(bare, options)
      .addHelpText("after", help)
      .action((...given) => Reflect.apply(run, undefined, [...given.slice(0, -1), session]));
  };

/** Adds the options of a table: minWorkers is --min-workers. */
function addOptions(command: Command, table: Table): Command {
  for (const [name, entry] of Object.entries(table)) {
    const { hint, about, usual, hidden = false, conflicts = [] } = entry;
    const flag = flagOf(name);
    const option = new Option(hint === undefined ? flag : `${flag} ${hint}`, about).hideHelp(hidden);
    if (hint !== undefined) option.argParser(parserOf(flag, entry));
    command.addOption(option.default(usual).conflicts(conflicts));
  }
  return command;
}

/** Flags as they can be typed again, their values as they are; what is undefined is left out, a list is an option that is repeated. */
export const typed = (flags: Readonly<Record<string, Typed | readonly string[]>>): string[] =>
  Object.entries(flags).flatMap(([name, values]) =>
    [values].flat().flatMap((one) => (one === undefined ? [] : `${flagOf(name)} ${one}`)),
  );

type Typed = string | number | undefined;

const flagOf = (name: string): string => `--${dashed(name)}`;

/** For commander, and for the completion of the words that there are. */
const parserOf = <Value>(flag: string, { read, words }: Entry<Value>) =>
  Object.assign((text: string, before?: Value) => read(text, flag, before), { words });

export const flag = (about: string): Entry<boolean> => ({ about, read: () => true });

/** A value that is read in a way of its own; `default` says what it is unless given. */
export function value<Value>(
  hint: string,
  about: string,
  read: Entry<Value>["read"],
  words?: readonly string[],
) {
  const entry = { hint, about, read, words };
  return { ...entry, default: (usual: Value) => ({ ...entry, usual }) };
}

export const text = (hint: string, about: string) => value(hint, about, (typed): string => typed);

interface NumberRange {
  readonly from: number;
  /** No bound if left out. */
  readonly to?: number;
}

/** What the schema of an option admits: the same as behind a mechanism's name. */
export const ranged = <Value extends number | string>(hint: string, about: string, range: Settable[string]) =>
  value(
    hint,
    about,
    (typed, flag): Value => {
      const found = admitted(range, typed);
      if (found !== null) return found as Value;
      throw invalid(flag, describeOption(range), typed);
    },
    "among" in range ? range.among : undefined,
  );

/** A decimal number in a range. */
export const number = (hint: string, about: string, range: NumberRange) => ranged<number>(hint, about, range);

/** A whole number in a range. */
export const integer = (hint: string, about: string, range: NumberRange) =>
  ranged<number>(hint, about, { ...range, whole: true });

/** One of a few words. */
export const word = <Word extends string>(hint: string, about: string, words: readonly Word[]) =>
  ranged<Word>(hint, about, { among: words });

/** A budget or a price. */
export const amount = (hint: string, about: string) =>
  value(hint, about, (typed, flag) => {
    const found = number(hint, about, { from: 0 }).read(typed, flag);
    if (isAmount(found)) return found;
    throw invalid(flag, amountRange, typed);
  });

/** A decimal or a fraction such as 7/20, exactly. */
export const fraction = (hint: string, about: string, { from, to }: Required<NumberRange>) =>
  value(hint, about, (typed, flag): Fraction => {
    const found = /^\d+(\.\d+|\/0*[1-9]\d*)?$/.test(typed) ? parseFraction(typed) : null;
    if (found?.gte(from) && found.lte(to)) return found;
    throw invalid(flag, `a number or a fraction from ${from} to ${to}`, typed);
  });

/** An argument that is one of a few words. */
export const wordArgument = (command: string, words: readonly string[]) =>
  parserOf(command, word("", "", words));

/** Values separated by commas. */
export const list = <Value>({ hint = "", about, read }: Entry<Value>) =>
  value(hint, about, (typed, flag): readonly Value[] =>
    typed.split(",").map((one) => read(one.trim(), flag)),
  );

/** May be repeated: all its values. */
export const several = <Value>({ hint = "", about, read }: Entry<Value>) =>
  value<readonly Value[]>(hint, about, (typed, flag, before = []) => [...before, read(typed, flag)]);

/** Texts, as often as it is given. */
export const texts = (hint: string, about: string) => several(text(hint, about)).default([]);

/**
 * The value of an option that must be given. Commander's own check comes before it looks for unknown options, and would
 * hide that --worker was meant to be --workers.
 */
export function required<Value>(value: Value | undefined, flag: string, expected: string): Value {
  if (value !== undefined) return value;
  throw new InputError({ source: flag, path: [], expected, kind: "missing" });
}

/** A number is shown as written, anything else in quotes. */
export function invalid(flag: string, expected: string, typed: string): InputError {
  const got = isDecimal(typed) ? Number(typed) : typed;
  return new InputError({ source: flag, path: [], expected, kind: "invalid", got });
}
