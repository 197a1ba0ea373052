/** The agent that a word on the command line means: a name with options, a user's own file, or a formula. */

import { agents } from "../../agents/index.js";
import { type AgentEntry, type AnyAgent, isTunable, type Tunable } from "../agents/agent.js";
import { validatedAgent } from "../agents/play.js";
import { didYouMean, plainError, showValue } from "../lib/errors.js";
import { parseSettings, type Settings } from "../lib/options.js";
import { type ExtensionKind, isPath, loadExtension } from "./extension.js";

/** `overbid`, `overbid:factor=1.5`, `./mine.ts`, `./mine.ts:depth=2` or `price = 1.2*cost; arrival = arrival + 1`. */
export async function resolveAgent(spec: string): Promise<AnyAgent> {
  if (/^\s*\w+\s*=/.test(spec)) return (await import("../agents/formula.js")).formulaAgent(spec, "--agent");
  const [, path = spec, fileSettings] = /^(.*\.(?:ts|js|mjs)):(.*)$/.exec(spec) ?? [];
  if (isPath(path)) return tuned(await loadAgent(path), path, fileSettings);
  const [, name = "", settings] = /^([^:]*)(?::(.*))?$/s.exec(spec) ?? [];
  return tuned(agentNamed(name), `agent ${name}`, settings);
}

function agentNamed(name: string): AgentEntry {
  const registry: Readonly<Record<string, AgentEntry>> = agents;
  if (Object.hasOwn(registry, name)) return registry[name]!;
  const guess = didYouMean(name, Object.keys(registry));
  const known = `there are ${Object.keys(registry).join(", ")}`;
  throw plainError(`agent ${showValue(name)}`, `unknown; ${guess === "" ? "" : `${guess} `}${known}`);
}

/** Settings are read even where there is nothing to set: then the first is an error that says so. */
function tuned(entry: AgentEntry, source: string, settings: string | undefined): AnyAgent {
  const options = isTunable(entry) ? entry.options : {};
  const chosen = settings === undefined ? {} : parseSettings(settings, options, source);
  return isTunable(entry) ? entry(chosen as Settings) : entry;
}

const agentKind: ExtensionKind<AnyAgent, Tunable> = {
  noun: "agent",
  required: { name: "string", about: "string", traits: "object", bid: "function" },
  isFactory: (value): value is Tunable => typeof value === "function" && "options" in value,
};

/** The agent in a file, or the factory of one: with options, as tunable() makes it. */
async function loadAgent(path: string): Promise<AgentEntry> {
  const entry = await loadExtension(path, agentKind);
  if (!isTunable(entry)) return validatedAgent(entry, path);
  return Object.assign((settings?: Partial<Settings>) => validatedAgent(entry(settings), path), {
    options: entry.options,
  });
}
