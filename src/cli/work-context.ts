/** What an analysis and its jobs know, made the same way wherever they run. */

import { builtInAgents } from "../../agents/index.js";
import type { SomeSettings } from "../lib/options.js";
import { stream } from "../lib/random.js";
import { mechanisms } from "../mechanisms/index.js";
import type { AnyMechanism } from "../mechanisms/mechanism.js";
import type { AnyAnalysis } from "../study/analysis.js";
import type { Profile, WorkContext } from "../study/job.js";

interface Chosen {
  readonly analysis: AnyAnalysis;
  readonly settings: SomeSettings;
  readonly seed: string;
  readonly profile: Profile;
  readonly mechanism: AnyMechanism;
}

export function workContext({ analysis, settings, seed, profile, mechanism }: Chosen): WorkContext {
  const known: readonly AnyMechanism[] = Object.values(mechanisms);
  return {
    stream: stream(seed).fork(analysis.name),
    profile,
    options: settings,
    mechanism,
    mechanisms: known.includes(mechanism) ? known : [mechanism, ...known],
    agents: builtInAgents(),
  };
}
