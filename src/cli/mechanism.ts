/** From what `--mechanism` says to the mechanism: a registered one, a variant of one, or a user's file. */

import { oneLine, plainError, showValue } from "../lib/errors.js";
import { type AnyMechanism, adapt, type Outcome } from "../mechanisms/mechanism.js";
import { mechanismNamed, variantOf } from "../mechanisms/variant.js";
import { type ExtensionKind, loadExtension, splitFile } from "./extension.js";

const SOURCE = "--mechanism";

const mechanismKind: ExtensionKind<AnyMechanism> = {
  noun: "mechanism",
  required: { name: "string", about: "string", decide: "function" },
};

/** "online", "online:reading=pseudocode", "./mine.ts" or "./mine.ts:density=0.5". */
export async function resolveMechanism(spec: string): Promise<AnyMechanism> {
  const { file, settings } = splitFile(spec);
  if (file === null) return mechanismNamed(spec, SOURCE);
  return guarded(variantOf(await loadExtension(file, mechanismKind), settings, SOURCE), file);
}

/** A user's mechanism that fails says so in one line that names its file. */
function guarded(mechanism: AnyMechanism, path: string): AnyMechanism {
  return adapt(
    mechanism,
    (rules) => rules,
    (decide) => {
      const outcome = attempt(decide, path);
      if (Array.isArray(outcome?.workers)) return outcome;
      throw plainError(
        path,
        `decide must return an outcome with a list of workers, got ${showValue(outcome)}`,
      );
    },
  );
}

function attempt(decide: () => Outcome, path: string): Outcome {
  try {
    return decide();
  } catch (error) {
    throw plainError(path, `decide failed: ${oneLine(error)}`);
  }
}
