/** The mechanism that a name on the command line means. */

import { plainError, showValue } from "../errors.js";
import type { AnyMechanism } from "../mechanism.js";
import { mechanisms } from "../mechanisms/index.js";
import { didYouMean } from "../suggest.js";

export async function resolveMechanism(name: string): Promise<AnyMechanism> {
  const found = new Map<string, AnyMechanism>(Object.entries(mechanisms)).get(name);
  if (found !== undefined) return found;
  const guess = didYouMean(name, Object.keys(mechanisms));
  throw plainError(
    "--mechanism",
    `there is no ${showValue(name)}; ${guess || "candor list shows what there is"}`,
  );
}
