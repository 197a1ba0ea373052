/** Agents with options: a factory that knows its options' names, defaults and bounds, so that a command line can too. */

import type { AnyAgent } from "./agent.js";
import { InputError } from "./errors.js";

export interface Option {
  readonly default: number;
  readonly from: number;
  /** No bound if left out. */
  readonly to?: number;
  /** Whole numbers only. */
  readonly whole?: boolean;
}

export type Options = Readonly<Record<string, Option>>;
export type Settings<O extends Options> = { readonly [K in keyof O]: number };

/** Called without settings it gives the agent as listed; with some, that agent named after them. */
export interface Tunable<A extends AnyAgent = AnyAgent, O extends Options = Options> {
  (settings?: Partial<Settings<O>>): A;
  readonly options: O;
}

export function tunable<A extends AnyAgent, const O extends Options>(
  options: O,
  make: (settings: Settings<O>) => A,
): Tunable<A, O> {
  const defaults = Object.fromEntries(
    Object.entries(options).map(([name, option]) => [name, option.default]),
  );
  const tuned = (settings: Partial<Settings<O>> = {}) => {
    const all = { ...defaults, ...settings } as Settings<O>;
    const agent = make(all);
    const changed = Object.entries<number>(all).filter(([name, value]) => value !== defaults[name]);
    for (const [name, value] of changed) check(agent.name, [name, options[name]!], value);
    const suffix = changed.map(([name, value]) => `${name}=${value}`).join(",");
    return suffix === "" ? agent : { ...agent, name: `${agent.name}:${suffix}` };
  };
  return Object.assign(tuned, { options });
}

function check(agent: string, [name, option]: [string, Option], value: number): void {
  const { from, to = Number.POSITIVE_INFINITY, whole } = option;
  const fits = value >= from && value <= to && Number.isFinite(value) && !(whole && !Number.isInteger(value));
  if (fits) return;
  const bounds = option.to === undefined ? `≥ ${from}` : `from ${from} to ${to}`;
  const expected = `a ${whole ? "whole " : ""}number ${bounds}`;
  throw new InputError({ source: `agent ${agent}`, path: [name], expected, kind: "invalid", got: value });
}

/** A registry holds agents as they are, and factories of those with options. */
export type AgentEntry = AnyAgent | Tunable;

export const isTunable = (entry: AgentEntry): entry is Tunable => typeof entry === "function";
