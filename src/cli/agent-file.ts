/** A user's own agent: loaded from a file, and held against the interface. */

import { type AgentEntry, type AnyAgent, isTunable, type Tunable } from "../agents/agent.js";
import { validatedAgent } from "../agents/play.js";
import type { Settings } from "../lib/options.js";
import { type ExtensionKind, loadExtension } from "./extension.js";

const agentKind: ExtensionKind<AnyAgent, Tunable> = {
  noun: "agent",
  required: { name: "string", about: "string", traits: "object", bid: "function" },
  isFactory: (value): value is Tunable => typeof value === "function" && "options" in value,
};

/** The agent in a file, or the factory of one: with options, as tunable() makes it. */
export async function loadAgent(path: string): Promise<AgentEntry> {
  const entry = await loadExtension(path, agentKind);
  if (!isTunable(entry)) return validatedAgent(entry, path);
  return Object.assign((settings?: Partial<Settings>) => validatedAgent(entry(settings), path), {
    options: entry.options,
  });
}
