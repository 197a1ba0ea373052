/** Agents with options: a factory that knows its options' names, defaults and bounds, so that a command line can too. */

import { InputError } from "../lib/errors.js";
import {
  admits,
  defaultsOf,
  describeOption,
  type Option,
  type Options,
  type Settings,
} from "../lib/options.js";
import type { AnyAgent } from "./agent.js";

/** Called without settings it gives the agent as listed; with some, that agent named after them. */
export interface Tunable<A extends AnyAgent = AnyAgent, O extends Options = Options> {
  (settings?: Partial<Settings<O>>): A;
  readonly options: O;
}

export function tunable<A extends AnyAgent, const O extends Options>(
  options: O,
  make: (settings: Settings<O>) => A,
): Tunable<A, O> {
  const defaults = defaultsOf(options);
  const tuned = (settings: Partial<Settings<O>> = {}) => {
    const all = { ...defaults, ...settings };
    const agent = make(all);
    const changed = Object.entries<number | string>(all).filter(([name, value]) => value !== defaults[name]);
    for (const [name, value] of changed) demand(agent.name, [name, options[name]!], value);
    const suffix = changed.map(([name, value]) => `${name}=${value}`).join(",");
    return suffix === "" ? agent : { ...agent, name: `${agent.name}:${suffix}` };
  };
  return Object.assign(tuned, { options });
}

function demand(agent: string, [name, option]: [string, Option], got: number | string): void {
  if (admits(option, got)) return;
  const expected = describeOption(option);
  throw new InputError({ source: `agent ${agent}`, path: [name], expected, kind: "invalid", got });
}

/** A registry holds agents as they are, and factories of those with options. */
export type AgentEntry = AnyAgent | Tunable;

export const isTunable = (entry: AgentEntry): entry is Tunable => typeof entry === "function";
