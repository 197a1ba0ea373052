/** The paper's claims about its Figures 2 and 3, judged at each of their places from paired differences. */

import { type Gap, gapOf, type Ledgers, type Pair, perUnit } from "./accounts.js";

/** The benchmarks of the paper's figures. */
export const benchmarks = {
  best: "approximate-optimal",
  close: ["rrafl", "proportional-share"],
  above: ["fixed-threshold", "vanilla", "bid-greedy"],
} as const;

/** The paper says "close" without a number: no further below than this counts as close here. */
export const CLOSE = 0.05;

/** Of one auction against another: at least as good, not far below it, or above it, per unit paid. */
export interface Claim {
  readonly kind: "best" | "close" | "above";
  readonly pair: Pair;
}

export type Verdict = "holds" | "breaks" | "undecided";

/** A claim at one place of the figure. */
export interface Judged {
  readonly claim: Claim;
  readonly at: number;
  readonly gap: Gap;
  readonly verdict: Verdict;
}

/** The claims that can be judged: of the mechanism in question, against those benchmarks that are there. */
export function claimsOf(ours: string, present: readonly string[]): Claim[] {
  const { best, close, above } = benchmarks;
  const claims = (kind: Claim["kind"], one: string, others: readonly string[]): Claim[] =>
    [...new Set(others)]
      .filter((other) => other !== one && present.includes(other) && present.includes(one))
      .map((other) => ({ kind, pair: [one, other] }));
  return [
    ...claims("best", best, [ours, ...close, ...above]),
    ...claims("close", ours, close),
    ...claims("above", ours, above),
  ];
}

/** At one place, of so many judgements that are to hold together with 95 %. */
export interface Where {
  readonly at: number;
  readonly together: number;
}

export function judge(claim: Claim, { at, together }: Where, ledgers: Ledgers): Judged {
  const gap = gapOf(ledgers, claim.pair, { measure: perUnit, together });
  return { claim, at, gap, verdict: verdictOf(claim.kind, gap) };
}

/** Decided only where the whole interval lies on one side. */
function verdictOf(kind: Claim["kind"], { difference, relative }: Gap): Verdict {
  const { low, high } = difference;
  if (kind === "best") return low >= 0 ? "holds" : high < 0 ? "breaks" : "undecided";
  if (kind === "above") return low > 0 ? "holds" : high <= 0 ? "breaks" : "undecided";
  return relative.low >= -CLOSE ? "holds" : relative.high < -CLOSE ? "breaks" : "undecided";
}

/** The claim with another auction in the place of one it speaks of; null if it does not speak of it. */
export function replaced({ kind, pair: [one, other] }: Claim, name: string, by: string): Claim | null {
  if (one === name) return { kind, pair: [by, other] };
  return other === name ? { kind, pair: [one, by] } : null;
}

export const isVerdict =
  (verdict: Verdict) =>
  (judged: Judged): boolean =>
    judged.verdict === verdict;
