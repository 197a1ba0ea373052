/** What the paper claims of utility per unit paid, judged at every place of a figure, and again under other readings and settings. */

import type { AnyMechanism } from "../../src/auction/mechanism.js";
import { percent } from "../../src/lib/format.js";
import { variantOf } from "../../src/mechanisms/index.js";
import { type SampleVerdict, sampleVerdict } from "../../src/verdicts/ledger/verdicts.js";
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
export interface Claim {
  readonly kind: "best" | "close" | "above";
  readonly pair: Pair;
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

/** A claim at each place of a figure. */
export const judged = (claim: Claim, { accounts, together }: Evidence) =>
  [...accounts].map(([at, here]) => {
    const gap = gapOf(here, claim.pair, { measure: "per unit paid", together });
    return { claim, at, gap, verdict: verdictOf(claim.kind, gap) };
  });

export type Judged = ReturnType<typeof judged>[number];

/** Decided only where the whole interval lies on one side. */
function verdictOf(kind: Claim["kind"], { difference, relative }: Gap): SampleVerdict {
  return kind === "close" ? sampleVerdict(relative, -CLOSE) : sampleVerdict(difference, 0, kind === "above");
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

/**
 * Readings and settings that might change a verdict, and the auctions in whose place they are put: the mechanism in question
 * under other rules, where it leaves them open, and benchmarks with other options.
 */
export function variantsOf(ours: AnyMechanism, mechanisms: readonly AnyMechanism[]) {
  const settled = ours.variantOf?.rules ?? {};
  const free = rulesTried.filter((setting) => !(setting.split("=")[0]! in settled));
  const vary = (mechanism: AnyMechanism, settings: readonly string[]) =>
    settings.map((setting) => ({ base: mechanism.name, mechanism: variantOf(mechanism, setting) }));
  const others = mechanisms.filter(({ name }) => name !== ours.name);
  return [...vary(ours, free), ...others.flatMap((other) => vary(other, optionsTried[other.name] ?? []))];
}

/** Claims with a variant in them, each beside the same claim without. */
export const trialsOf = (
  variants: ReturnType<typeof variantsOf>,
  plain: readonly Judged[],
  evidence: Evidence,
) =>
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

/** The name of an auction whose rounds are worth the internal reputation. */
export const byInternal = (auction: string): string => `${auction}, by re`;

/** Claims with utilities by internal reputation, each beside the same claim by reputation. */
export const internalTrialsOf = (plain: readonly Judged[], evidence: Evidence) =>
  [...new Set(plain.map(({ claim }) => claim))].map((claim) => {
    const [one, other] = claim.pair;
    const varied: Claim = { kind: claim.kind, pair: [byInternal(one), byInternal(other)] };
    const before = plain.filter((each) => each.claim === claim);
    return { setting: "internal reputation", claim, plain: before, varied: judged(varied, evidence) };
  });

export function claimText({ kind, pair: [one, other] }: Claim): string {
  if (kind === "close") return `${one} is at most ${percent(CLOSE)} below ${other}`;
  return `${one} gives ${kind === "best" ? "at least as much as" : "more than"} ${other}`;
}
