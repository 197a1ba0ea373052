/** A user's own agent: loaded from a file, held against the interface, and its failures put into words. */

import type { AnyAgent, InformedView } from "../agents/agent.js";
import { type AgentEntry, isTunable, type Tunable } from "../agents/tunable.js";
import { InputError, oneLine, plainError } from "../lib/errors.js";
import type { Settings } from "../lib/options.js";
import type { Stream } from "../lib/random.js";
import { type ExtensionKind, loadExtension } from "./extension.js";

const agentKind: ExtensionKind<AnyAgent, Tunable> = {
  noun: "agent",
  required: { name: "string", about: "string", traits: "object", bid: "function" },
  isFactory: (value): value is Tunable => typeof value === "function" && "options" in value,
};

/** The agent in a file, or the factory of one: with options, as tunable() makes it. */
export async function loadAgent(path: string): Promise<AgentEntry> {
  const entry = await loadExtension(path, agentKind);
  if (!isTunable(entry)) return checked(entry, path);
  return Object.assign((settings?: Partial<Settings>) => checked(entry(settings), path), {
    options: entry.options,
  });
}

function checked(agent: AnyAgent, path: string): AnyAgent {
  demandTraits({ ...agent.traits }, path);
  return guarded(agent, path);
}

const isFlag = (value: unknown): boolean => typeof value === "boolean";
const lies: readonly unknown[] = ["price", "time", "start"];

/** What each trait must be, and how that is seen. */
const traitShapes = {
  stochastic: ["true or false", isFlag],
  lies: [
    'a list of "price", "time" and "start"',
    (value: unknown) => Array.isArray(value) && value.every((lie) => lies.includes(lie)),
  ],
  sees: ['"own" or "bids"', (value: unknown) => value === "own" || value === "bids"],
  learns: ["true or false", isFlag],
} as const;

function demandTraits(traits: Readonly<Record<string, unknown>>, source: string): void {
  for (const [name, [expected, holds]] of Object.entries(traitShapes)) {
    const got = traits[name];
    if (holds(got)) continue;
    const kind = got === undefined ? "missing" : "invalid";
    throw new InputError({ source, path: ["traits", name], expected, kind, got });
  }
}

/** A user's agent that fails says so in one line that names its file. */
const guarded = <A extends AnyAgent>(agent: A, path: string): A => ({
  ...agent,
  bid: (view: InformedView, random: Stream) => {
    try {
      return agent.bid(view, random);
    } catch (error) {
      throw plainError(path, `bid failed: ${oneLine(error)}`);
    }
  },
});
