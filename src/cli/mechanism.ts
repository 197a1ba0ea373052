/** From what `--mechanism` says to the mechanism: a registered one, a variant of one, or a user's file. */

import { criticalOf, insideCritical, mechanismNamed, variantOf } from "../mechanisms/index.js";
import {
  type AnyMechanism,
  needsStream,
  type StochasticMechanism,
  withSeed,
} from "../mechanisms/mechanism.js";
import { validatedMechanism } from "../mechanisms/validate.js";
import { type ExtensionKind, loadExtension, splitFile } from "./extension.js";
import { sourceOf } from "./input.js";

const SOURCE = "--mechanism";

const mechanismKind: ExtensionKind<AnyMechanism | StochasticMechanism> = {
  noun: "mechanism",
  required: { name: "string", about: "string", decide: "function" },
};

/** "online", "online:reading=pseudocode", "./mine.ts", "./mine.ts:density=0.5" or "critical(…)" of any of them. */
export async function resolveMechanism(spec: string): Promise<AnyMechanism> {
  const inner = insideCritical(spec);
  if (inner !== null) return criticalOf(await resolveMechanism(inner), spec);
  const { file, settings } = splitFile(spec);
  if (file === null) return mechanismNamed(spec, SOURCE);
  const mine = await loadExtension(file, mechanismKind);
  const varied = variantOf(needsStream(mine) ? withSeed(mine) : mine, settings, SOURCE);
  return validatedMechanism(varied, { source: file, marketNamed: sourceOf });
}
