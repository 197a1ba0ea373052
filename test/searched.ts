/** Mechanisms whose best lies are searched for: plain decisions, with no text to work them out from. */

import type { AnyMechanism } from "../src/auction/mechanism.js";

export function withoutText<M extends AnyMechanism>({ program: _, ...mechanism }: M): Omit<M, "program"> {
  return mechanism;
}
