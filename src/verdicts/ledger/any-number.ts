/** What is proved of the paper's auction for any number of workers and rounds: the one place where the ledger asks. */

import type { TheoremName } from "./claims.js";
import type { ReadingChoice } from "./readings.js";

/** A verdict for any number, with what it rests on besides the checked proof, or what is missing. */
export interface AnyNumber {
  readonly verdict: "proved" | "proved, given" | "not proved";
  readonly given: readonly string[];
  readonly why: string | null;
}

/** No proof for any number is there to ask. */
export const settledForAny = (_theorem: TheoremName, _reading: ReadingChoice): AnyNumber => ({
  verdict: "not proved",
  given: [],
  why: "no proof for any number of workers was made",
});
