/** What a contract is made of: checks that any test runner can run. */

import * as fc from "fast-check";

export interface Check {
  /** Reads as a sentence about the extension. */
  readonly title: string;
  /** Throws if it is not so; the message holds the smallest case found, and fast-check's seed and path. */
  run(): void;
}

export interface CheckOptions {
  /** How many random cases each check tries. */
  readonly runs?: number | undefined;
  readonly seed?: number | undefined;
}

/** A check that something holds for every case, which it does unless it throws. */
export function checkAll<Case>(
  title: string,
  cases: fc.Arbitrary<Case>,
  { runs = 100, seed, holds }: CheckOptions & { readonly holds: (one: Case) => unknown },
): Check {
  const parameters = seed === undefined ? { numRuns: runs } : { numRuns: runs, seed };
  return {
    title,
    run: () =>
      fc.assert(
        fc.property(cases, (one) => void holds(one)),
        parameters,
      ),
  };
}
