/** What the paper claims of utility per unit paid, judged at every place of a figure, and again under other readings and settings. */

import { percent } from "../../src/lib/format.js";
import { variantOf } from "../../src/mechanisms/index.js";
import type { AnyMechanism } from "../../src/mechanisms/mechanism.js";
import { type Accounts, type Gap, gapOf, type Pair } from "../shared/publisher.js";

/** What the paper says of its mechanism and of those it is drawn beside. */
export const benchmarks = {
  best: "approximate-optimal",
  close: ["rrafl", "proportional-share"],
  above: ["fixed-threshold", "vanilla", "bid-greedy"],
} as const;

/** The paper says "close" without a number: no further below than this counts as close here. */
export const CLOSE = 0.05;

/** Of one auction against another: at least as good, not far below it, or above it, per unit paid. */
interface Claim {
  readonly kind: "best" | "close" | "above";
  readonly pair: Pair;
}

export type Verdict = "holds" | "breaks" | "undecided";

/** A claim at one place of a figure. */
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

/** A figure's places with the accounts found there, and how many judgements are to hold together with 95 %. */
interface Evidence {
  readonly accounts: ReadonlyMap<number, Accounts>;
  readonly together: number;
}

export const judged = (claim: Claim, { accounts, together }: Evidence): Judged[] =>
  [...accounts].map(([at, here]) => {
    const gap = gapOf(here, claim.pair, { measure: "per unit paid", together });
    return { claim, at, gap, verdict: verdictOf(claim.kind, gap) };
  });

/** Decided only where the whole interval lies on one side. */
function verdictOf(kind: Claim["kind"], { difference, relative }: Gap): Verdict {
  const { low, high } = difference;
  if (kind === "best") return low >= 0 ? "holds" : high < 0 ? "breaks" : "undecided";
  if (kind === "above") return low > 0 ? "holds" : high <= 0 ? "breaks" : "undecided";
  return relative.low >= -CLOSE ? "holds" : relative.high < -CLOSE ? "breaks" : "undecided";
}

/** A reading or setting that might change a verdict, and the auction in whose place it is put. */
interface Variant {
  readonly base: string;
  readonly mechanism: AnyMechanism;
}

const rulesTried = [
  "reading=pseudocode",
  "firstRoundRatio=0.1",
  "firstRoundRatio=0.2",
  "firstRoundRatio=0.5",
] as const;

const optionsTried: Readonly<Record<string, readonly string[]>> = {
  vanilla: ["seed=1", "seed=2"],
  "fixed-threshold": ["density=0.5", "density=1"],
};

/** Of the mechanism in question under other rules, where it leaves them open, and of benchmarks with other options. */
export function variantsOf(ours: AnyMechanism, mechanisms: readonly AnyMechanism[]): Variant[] {
  const settled = ours.variantOf?.rules ?? {};
  const free = rulesTried.filter((setting) => !(setting.split("=")[0]! in settled));
  const vary = (mechanism: AnyMechanism, settings: readonly string[]): Variant[] =>
    settings.map((setting) => ({ base: mechanism.name, mechanism: variantOf(mechanism, setting) }));
  const others = mechanisms.filter(({ name }) => name !== ours.name);
  return [...vary(ours, free), ...others.flatMap((other) => vary(other, optionsTried[other.name] ?? []))];
}

/** A claim with a variant in it, beside the same claim without. */
export interface Trial {
  readonly setting: string;
  readonly claim: Claim;
  readonly plain: readonly Judged[];
  readonly varied: readonly Judged[];
}

export const trialsOf = (
  variants: readonly Variant[],
  plain: readonly Judged[],
  evidence: Evidence,
): Trial[] =>
  variants.flatMap(({ base, mechanism: { name } }) =>
    [...new Set(plain.map(({ claim }) => claim))]
      .filter(({ pair }) => pair.includes(base))
      .map((claim) => {
        const [one, other] = claim.pair.map((each) => (each === base ? name : each)) as [string, string];
        const varied: Claim = { kind: claim.kind, pair: [one, other] };
        const before = plain.filter((each) => each.claim === claim);
        return { setting: name, claim: varied, plain: before, varied: judged(varied, evidence) };
      }),
  );

export function claimText({ kind, pair: [one, other] }: Claim): string {
  if (kind === "close") return `${one} is at most ${percent(CLOSE)} below ${other}`;
  return `${one} gives ${kind === "best" ? "at least as much as" : "more than"} ${other}`;
}
