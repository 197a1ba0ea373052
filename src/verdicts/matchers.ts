/**
 * Matchers for vitest and jest, which are not imported: `expect.extend(matchers)` with `import * as matchers from
 * "candor/matchers"`, and then `expect(mechanism).toBeTruthful()`. A failure shows the smallest market found, the lie, why it
 * pays, and the command that replays it.
 */

import type { AnyMechanism, StochasticMechanism } from "../auction/mechanism.js";
import { plainError, showValue } from "../lib/errors.js";
import { capital } from "../lib/format.js";
import { mechanismNamed, mechanisms } from "../mechanisms/index.js";
import { validatedMechanism } from "../mechanisms/validate.js";
import {
  breakText,
  type Claim,
  claimText,
  meaningText,
  measureText,
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

/** 30 markets of at most 4 workers and 3 rounds if left out; a pair is tight if money turned either of them down. */
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

export const toBeTruthful = matcher("truthful", (options: TruthfulOptions) => ({
  property: "joint",
  ...options,
}));

export const toKeepBudget = matcher("within its budget", (options: ClaimOptions) => ({
  ...options,
  property: "P2",
}));

export const toBeIndividuallyRational = matcher("individually rational", (options: ClaimOptions) => ({
  ...options,
  property: "P1",
}));

const PAIRS = "no two workers gain together by lies about prices and arrivals";

export const toResistPairs = matcher(
  "proof against pairs",
  (options: PairsOptions) => ({ ...options, property: "joint" }),
  true,
);

/** A matcher that holds a mechanism to the claim that its options make; `words` completes "to be …". */
function matcher<Options>(words: string, claimOf: (options: Options) => Claim & ClaimOptions, pairs = false) {
  return function (this: Asked, received: unknown, options = {} as Options): MatcherResult {
    const { isNot = false } = this;
    const mechanism = mechanismIn(received);
    const { allowInconclusive = false, file, ...given } = claimOf(options);
    const claim = validClaim(given, "options");
    const trial = (pairs ? tryPairs : tryClaim)(mechanism, claim);
    const verdict = trialText(claim, trial, measureText(mechanism));
    const claimed = pairs ? PAIRS : `${claimText(claim)} (${meaningText(claim)})`;
    const title = `expected mechanism ${mechanism.name} ${isNot ? "not " : ""}to be ${words}\n${claimed}`;
    // A search that found nothing shows neither that a claim holds nor that it breaks.
    if (trial.verdict === "none found" && !trial.decided) {
      const advice = "allowInconclusive: true lets this pass";
      return {
        pass: allowInconclusive !== isNot,
        message: () => `${title}\n\nInconclusive: ${verdict}; ${advice}.`,
      };
    }
    const { smallest } = trial;
    const details =
      smallest && `\n\n${breakText(claim, smallest, { mechanism, ...naming(mechanism, file) })}`;
    return {
      pass: trial.verdict !== "breaks",
      message: () => `${title}\n\n${capital(verdict)}.${details ?? ""}`,
    };
  };
}

function mechanismIn(received: unknown): AnyMechanism {
  const { decide } = (received ?? {}) as Partial<AnyMechanism>;
  if (typeof decide === "function") return validatedMechanism(received as AnyMechanism | StochasticMechanism);
  const expected = `must be a mechanism: an object with name, about and decide, got ${showValue(received)}`;
  throw plainError("expect", expected);
}

/** As the command line knows the mechanism; where only its file does, and that is not told, there is a hint. */
function naming(mechanism: AnyMechanism, file: string | undefined): { named: string; hint?: string } {
  const { name } = mechanism;
  if (file !== undefined) return { named: file };
  if (isKnown(mechanism)) return { named: name };
  return { named: "./FILE.ts", hint: `where FILE.ts exports ${name}; the option "file" names it here` };
}

/** Whether its name is that of this very mechanism, or of a variant. */
function isKnown(mechanism: AnyMechanism): boolean {
  const registry: Readonly<Record<string, AnyMechanism>> = mechanisms;
  const { name } = mechanism;
  if (Object.hasOwn(registry, name)) return registry[name] === mechanism;
  try {
    mechanismNamed(name);
    return true;
  } catch {
    return false;
  }
}
