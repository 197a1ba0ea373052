/**
 * Matchers for vitest and jest, which are not imported: `expect.extend(matchers)` with `import * as matchers from
 * "candor/matchers"`, and then `expect(mechanism).toBeTruthful()`. A failure shows the smallest market found, the lie, why it
 * pays, and the command that replays it.
 */

import { plainError, showValue } from "../lib/errors.js";
import { mechanismNamed } from "../mechanisms/index.js";
import type { AnyMechanism, StochasticMechanism } from "../mechanisms/mechanism.js";
import { validatedMechanism } from "../mechanisms/validate.js";
import {
  type Break,
  breakText,
  type Claim,
  claimText,
  meaningText,
  pairsText,
  trialText,
  tryClaim,
  tryPairs,
  validClaim,
} from "./claims.js";

/** Over which markets a claim is tried, and what counts. */
export interface ClaimOptions extends Omit<Claim, "property"> {
  /** Lets a search that found nothing pass: it cannot show that there is nothing. */
  readonly allowInconclusive?: boolean;
  /** The mechanism's file, for the command that replays a break. */
  readonly file?: string;
}

/** 30 markets of at most 4 workers and 3 rounds if left out; both of a pair are of the regime. */
export type PairsOptions = Omit<ClaimOptions, "start">;

export interface TruthfulOptions extends ClaimOptions {
  /** Lies about the price (P5), the arrival (P6), or both at once, which is so if left out. */
  readonly property?: "P5" | "P6" | "joint";
}

/** What these matchers add to `expect`. */
export interface CandorMatchers<R> {
  /** Nobody gains by a lie about its price or arrival. */
  toBeTruthful(options?: TruthfulOptions): R;
  /** The payments never exceed the budget. */
  toKeepBudget(options?: ClaimOptions): R;
  /** Nobody who tells the truth is paid less than its cost. */
  toBeIndividuallyRational(options?: ClaimOptions): R;
  /** No two workers gain together by lies that they agree on. */
  toResistPairs(options?: PairsOptions): R;
}

declare global {
  /** Both jest and vitest take matchers from here. */
  namespace jest {
    interface Matchers<R, T = Record<never, never>> extends CandorMatchers<R> {}
  }
}

/** What a test runner hands to a matcher, and gets from it. */
interface Asked {
  readonly isNot?: boolean;
}

interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

export function toBeTruthful(this: Asked, received: unknown, options: TruthfulOptions = {}): MatcherResult {
  return answer(this, received, { words: "truthful", claim: { property: "joint", ...options } });
}

export function toKeepBudget(this: Asked, received: unknown, options: ClaimOptions = {}): MatcherResult {
  return answer(this, received, { words: "within its budget", claim: { ...options, property: "P2" } });
}

export function toBeIndividuallyRational(
  this: Asked,
  received: unknown,
  options: ClaimOptions = {},
): MatcherResult {
  return answer(this, received, { words: "individually rational", claim: { ...options, property: "P1" } });
}

export function toResistPairs(this: Asked, received: unknown, options: PairsOptions = {}): MatcherResult {
  return answer(this, received, {
    words: "proof against pairs",
    claim: { ...options, property: "joint" },
    pairs: true,
  });
}

interface MatcherQuestion {
  readonly pairs?: boolean;
  readonly words: string;
  readonly claim: Claim & ClaimOptions;
}

function answer(
  { isNot = false }: Asked,
  received: unknown,
  { words, claim: written, pairs = false }: MatcherQuestion,
): MatcherResult {
  const mechanism = mechanismIn(received);
  const { allowInconclusive = false, file, ...given } = written;
  const claim = validClaim(given, "options");
  const trial = pairs ? tryPairs(mechanism, given) : tryClaim(mechanism, claim);
  const verdict = trialText(claim, trial);
  const title = `expected mechanism ${mechanism.name} ${isNot ? "not " : ""}to be ${words}\n${pairs ? "no two workers gain together by lies about prices and arrivals" : `${claimText(claim)} (${meaningText(claim)})`}`;
  // A search that found nothing shows neither that a claim holds nor that it breaks.
  if (trial.verdict === "inconclusive") {
    const advice = "allowInconclusive: true lets this pass";
    return { pass: allowInconclusive !== isNot, message: () => `${title}\n\nIt is ${verdict}; ${advice}.` };
  }
  const { smallest } = trial;
  const { named, hint } = naming(mechanism, file);
  const shown = (found: Break) =>
    pairs
      ? pairsText(found, named)
      : breakText(claim, found, { mechanism, named, ...(hint !== undefined && { hint }) });
  const details = smallest === null ? "" : `\n\n${shown(smallest)}`;
  return { pass: trial.verdict === "holds", message: () => `${title}\n\nIt ${verdict}.${details}` };
}

function mechanismIn(received: unknown): AnyMechanism {
  const { decide } = (received ?? {}) as Partial<AnyMechanism>;
  if (typeof decide === "function") return validatedMechanism(received as AnyMechanism | StochasticMechanism);
  const expected = `must be a mechanism: an object with name, about and decide, got ${showValue(received)}`;
  throw plainError("expect", expected);
}

/** As the command line knows the mechanism; where only its file does, and that is not told, there is a hint. */
function naming({ name }: AnyMechanism, file: string | undefined): { named: string; hint?: string } {
  if (file !== undefined) return { named: file };
  try {
    mechanismNamed(name);
    return { named: name };
  } catch {
    return { named: "./FILE.ts", hint: `where FILE.ts exports ${name}; the option "file" names it here` };
  }
}
