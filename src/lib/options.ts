/** Named options with defaults and bounds: what `name:option=value,…` on a command line may set. */

import { InputError, plainError, showValue, unknownName } from "./errors.js";
import { isDecimal, listed } from "./format.js";

interface NumberOption {
  readonly default: number;
  readonly from: number;
  /** No bound if left out. */
  readonly to?: number;
  /** Whole numbers only. */
  readonly whole?: boolean;
}

interface WordOption {
  readonly default: string;
  readonly among: readonly string[];
}

export type Option = NumberOption | WordOption;
export type Options = Readonly<Record<string, Option>>;

/** Options whose default is somebody else's to say. */
export type Settable = Readonly<Record<string, Omit<NumberOption, "default"> | Omit<WordOption, "default">>>;

/** One value per option. */
export type Settings<O extends Options = Options> = {
  readonly [K in keyof O]: O[K] extends WordOption ? O[K]["among"][number] : number;
};

export type SomeSettings = Readonly<Record<string, number | string>>;

export function defaultsOf<const O extends Options>(options: O): Settings<O> {
  const pairs = Object.entries(options).map(([name, option]) => [name, option.default]);
  return Object.fromEntries(pairs) as Settings<O>;
}

/** Reads "density=0.5,seed=7" and holds it against what exists; the source starts every message. */
export function parseSettings(text: string, options: Settable, source: string): SomeSettings {
  const settings = new Map<string, number | string>();
  for (const part of text.split(",")) {
    const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(part) ?? [];
    if (name === undefined || value === undefined)
      throw plainError(source, `options are written name=value, got ${showValue(part)}`);
    if (settings.has(name)) throw plainError(source, `option ${showValue(name)} is given twice`);
    const option = Object.hasOwn(options, name) ? options[name]! : unknownOption(name, options, source);
    settings.set(name, readValue(value, option, { source, path: [name] }));
  }
  return Object.fromEntries(settings);
}

function unknownOption(name: string, options: Settable, source: string): never {
  const names = Object.keys(options);
  throw unknownName(source, name, {
    noun: "option",
    names,
    known: names.length === 0 ? "it has none" : "it has",
  });
}

function readValue(
  text: string,
  option: Settable[string],
  where: { source: string; path: string[] },
): number | string {
  const value = admitted(option, text);
  if (value !== null) return value;
  throw new InputError({ ...where, expected: describeOption(option), kind: "invalid", got: text });
}

/** The value that a text sets an option to; null where it may not be set so. */
export function admitted(option: Settable[string], text: string): number | string | null {
  // No −0.
  const value = "among" in option || !isDecimal(text) ? text : Number(text) + 0;
  return admits(option, value) ? value : null;
}

/** Whether an option may be set to this. */
export function admits(option: Settable[string], value: number | string): boolean {
  if ("among" in option) return option.among.some((word) => word === value);
  if (typeof value !== "number" || (option.whole && !Number.isSafeInteger(value))) return false;
  return value >= option.from && value <= (option.to ?? Number.MAX_VALUE);
}

/** What a value must be, as in "must be …". */
export function describeOption(option: Settable[string]): string {
  if ("among" in option)
    return listed(
      option.among.map((word) => JSON.stringify(word)),
      "or",
    );
  const bounds = option.to === undefined ? `≥ ${option.from}` : `from ${option.from} to ${option.to}`;
  return `${option.whole ? "an integer" : "a number"} ${bounds}`;
}
