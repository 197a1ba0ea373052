/** Counts over many markets, for each claim, regime, reading and family: where it broke, how badly, and which markets show it. */

import { atLeast, type Estimate, FEWEST, share } from "../../src/lib/statistics.js";
import type { Market, Reading } from "../../src/market/market.js";
import { type Regime, regimes } from "../../src/mechanisms/outcome.js";
import type {
  HuntedProperty,
  StartClause,
  Violation,
} from "../../src/verdicts/counterexamples/violations.js";
import { claims, type Judgement } from "../../src/verdicts/properties.js";
import { mergeParts } from "../shared/gains.js";
import type { Examined } from "./breaks.js";

/** paper: the paper's distributions and rules. random: anything, with round numbers in half of them. Never pooled. */
export const families = ["paper", "random"] as const;

export type Family = (typeof families)[number];

export const readings: readonly Reading[] = ["prose", "pseudocode"];

/** A claim, under a condition where it is known to hang on one. */
export interface Claim {
  readonly property: HuntedProperty;
  readonly label: string;
  /** Which lies count, by what they do to the start. */
  readonly start: StartClause;
  /** Of the first-round ratio. */
  readonly ratio: "up to 1/2" | "above 1/2";
}

const plain = (property: HuntedProperty): Claim => ({
  property,
  label: property === "joint" ? `joint: ${claims.joint.name}` : `${property} ${claims[property].name}`,
  start: "any",
  ratio: "up to 1/2",
});

const withHighRatio = (property: HuntedProperty): Claim[] => [
  plain(property),
  { ...plain(property), label: `${property}, ratio above 1/2`, ratio: "above 1/2" },
];

const byStart = (property: HuntedProperty): Claim[] => [
  plain(property),
  { ...plain(property), label: `${property}, start kept`, start: "kept" },
  { ...plain(property), label: `${property}, start moved`, start: "moved" },
];

/** All but P3, which is a matter of time. */
const allClaims: readonly Claim[] = [
  ...withHighRatio("P1"),
  ...withHighRatio("P2"),
  plain("P4"),
  ...byStart("P5"),
  ...byStart("P6"),
  ...byStart("joint"),
];

/** What is tallied. */
export interface Question {
  readonly claim: Claim;
  readonly regime: Regime;
  readonly reading: Reading;
  readonly family: Family;
}

/** The prose and the paper's markets first. */
export const questions: readonly Question[] = readings.flatMap((reading) =>
  families.flatMap((family) =>
    allClaims.flatMap((claim) => regimes.map((regime) => ({ claim, regime, reading, family }))),
  ),
);

const keyOf = ({ claim, regime, reading, family }: Question): string =>
  [claim.label, regime, reading, family].join("; ");

/** A break and the market it is in. */
export interface Break {
  readonly market: Market;
  readonly found: Violation;
}

/** As JSON can hold it; it does not grow with the number of markets. */
export interface Tally {
  readonly markets: number;
  readonly workers: number;
  readonly brokenMarkets: number;
  /** 0 where it takes everybody (P2). */
  readonly brokenWorkers: number;
  readonly exact: boolean;
  /** The largest break. */
  readonly worst: Break | null;
  /** A few to show: the fewest workers first, then the largest part of the budget. */
  readonly shown: readonly Break[];
}

const nothing: Tally = {
  ...{ markets: 0, workers: 0, brokenMarkets: 0, brokenWorkers: 0, exact: true },
  ...{ worst: null, shown: [] },
};

/** What nobody met is absent. */
export type Tallies = Record<string, Tally>;

/** Of one market in one reading: the claims on low, or on high first-round ratios. */
export function talliesOf(
  examined: Examined,
  { ratio, family }: { readonly ratio: Claim["ratio"]; readonly family: Family },
): Tallies {
  const tallies: Tallies = {};
  for (const question of questions) {
    const { claim, reading } = question;
    if (claim.ratio !== ratio || question.family !== family) continue;
    if (reading !== examined.market.rules.reading) continue;
    const tally = tallyOf(examined, question);
    if (tally) tallies[keyOf(question)] = tally;
  }
  return tallies;
}

/** Null where nobody is in the regime. */
function tallyOf(
  { market, regimeOf, properties, exact, breaks }: Examined,
  question: Question,
): Tally | null {
  const { claim, regime } = question;
  const { property, start } = claim;
  if (!properties.includes(property)) return null;
  const asked = market.workers.filter(
    ({ id, reputation }) => regimeOf(id) === regime && (property !== "P4" || reputation > 0),
  );
  if (asked.length === 0) return null;
  const found = breaks
    .filter((one) => one.property === property && one.regime === regime)
    .filter(({ startMoved }) => start === "any" || startMoved === (start === "moved"))
    .map((one) => ({ market, found: one }));
  return {
    markets: 1,
    workers: asked.length,
    brokenMarkets: found.length > 0 ? 1 : 0,
    brokenWorkers: new Set(found.flatMap(({ found: { worker } }) => worker ?? [])).size,
    exact: property === "P1" || property === "P2" || exact,
    worst: found.reduce<Break | null>(worse, null),
    shown: legible(found),
  };
}

/** Of different markets; of equal breaks the left one's is kept. */
export const mergeTallies = (left: Tallies, right: Tallies): Tallies =>
  mergeParts({ ...left }, right, (a, b) => ({
    markets: a.markets + b.markets,
    workers: a.workers + b.workers,
    brokenMarkets: a.brokenMarkets + b.brokenMarkets,
    brokenWorkers: a.brokenWorkers + b.brokenWorkers,
    exact: a.exact && b.exact,
    worst: b.worst ? worse(a.worst, b.worst) : a.worst,
    shown: legible([...a.shown, ...b.shown]),
  }));

const worse = (top: Break | null, next: Break): Break =>
  top && top.found.amount >= next.found.amount ? top : next;

/** How many breaks are put to exact arithmetic before they count as rounding. */
const ASKED = 5;

const legible = (breaks: readonly Break[]): Break[] => [...breaks].sort(byLegibility).slice(0, ASKED);

function byLegibility(a: Break, b: Break): number {
  const part = ({ market, found }: Break) => found.amount / market.rules.budget;
  return a.market.workers.length - b.market.workers.length || part(b) - part(a);
}

/** A tally with a break that exact arithmetic confirms; `certified` is null where there is nothing to ask. */
export interface Judged extends Question, Tally {
  /** Of markets, those in which it broke. */
  readonly share: Estimate;
  /** Null of too few markets. */
  readonly judgement: Judgement | null;
  readonly witness: (Break & { readonly certified: boolean | null }) | null;
}

export type Certify = (found: Break) => boolean | null;

export function judge(question: Question, tallies: Tallies, certify: Certify): Judged {
  const tally = tallies[keyOf(question)] ?? nothing;
  const { markets, brokenMarkets, exact, shown } = tally;
  const judged = { ...question, ...tally, share: brokenShare(tally) };
  if (markets < FEWEST) return { ...judged, judgement: null, witness: null };
  if (brokenMarkets === 0) return { ...judged, judgement: exact ? "holds" : "undecided", witness: null };
  for (const found of shown) {
    const certified = certify(found);
    if (certified !== false) return { ...judged, judgement: "breaks", witness: { ...found, certified } };
  }
  return { ...judged, judgement: "undecided", witness: null };
}

/** No interval of too few markets, and no upper end where breaks were searched for. */
function brokenShare({ brokenMarkets, markets, exact }: Tally): Estimate {
  const found = share(brokenMarkets, markets);
  if (markets < FEWEST) return { ...found, low: Number.NaN, high: Number.NaN };
  return exact ? found : atLeast(found);
}

export const ratioProperties = ["P1", "P2"] as const;

/** Markets in which a property breaks at a ratio, in one reading. */
export interface RatioCount {
  readonly markets: number;
  readonly broken: number;
  /** The largest break, of the budget. */
  readonly worst: number;
}

/** P1 and P2 at one first-round ratio; tallies of claims only above 1/2, where there are claims on them. */
export interface RatioSummary {
  /** By property, reading and family. */
  readonly counts: Readonly<Record<string, RatioCount>>;
  readonly tallies: Tallies;
}

export const ratioKey = (property: string, reading: string, family: Family): string =>
  `${property} ${reading} ${family}`;

export const noRatios: RatioSummary = { counts: {}, tallies: {} };

export function ratioCounts({ market, breaks }: Examined, family: Family): RatioSummary["counts"] {
  const { reading, budget } = market.rules;
  const counts = ratioProperties.map((property): [string, RatioCount] => {
    const amounts = breaks.filter((found) => found.property === property).map(({ amount }) => amount);
    const worst = Math.max(0, ...amounts) / budget;
    return [ratioKey(property, reading, family), { markets: 1, broken: worst > 0 ? 1 : 0, worst }];
  });
  return Object.fromEntries(counts);
}

export function mergeRatios(left: RatioSummary, right: RatioSummary): RatioSummary {
  const counts = mergeParts({ ...left.counts }, right.counts, (a, b) => ({
    markets: a.markets + b.markets,
    broken: a.broken + b.broken,
    worst: Math.max(a.worst, b.worst),
  }));
  return { counts, tallies: mergeTallies(left.tallies, right.tallies) };
}
