/** What is kept of the workers of many markets, by regime: who gains, by which kind of lie, and why. */

import { group, rollups } from "d3-array";
import { countsOf, mergeCounts, type PooledCounts } from "../../src/lib/summaries.js";
import { negligible } from "../../src/lib/tolerance.js";
import type { Regime } from "../../src/mechanisms/outcome.js";
import type { Causes } from "../../src/verdicts/explain.js";
import { type LieKind, lieKinds } from "../../src/verdicts/explain.js";
import { mergeParts, type PayingLie, type Place, type Witness } from "../shared/gains.js";

/** A worker of a market under one budget. */
export interface Person extends Place {
  readonly regime: Regime;
  readonly reputation: number;
  /** Null where no lie pays. */
  readonly lie: ExplainedLie | null;
}

interface ExplainedLie extends PayingLie {
  readonly kind: LieKind;
  /** Null where the mechanism is not the paper's. */
  readonly causes: Causes | null;
}

type Liar = Person & { readonly lie: ExplainedLie };

export const kinds = Object.keys(lieKinds) as LieKind[];

/** Workers whose reputations are in one band. */
export interface Band {
  /** Of its workers, those who gain. */
  readonly share: PooledCounts;
  /** All gains added up. */
  readonly total: number;
}

/** Workers whose best lie is of one kind. */
export interface KindSummary {
  /** Of those who gain, those who gain most by this kind. */
  readonly share: PooledCounts;
  readonly count: number;
  readonly total: number;
  readonly most: number;
  /** Of those whose causes are known: how many, each cause added up, and how many it helps. */
  readonly explained: number;
  readonly causes: Causes;
  readonly helping: Causes;
}

export interface WhoSummary {
  readonly bands: Record<string, Band>;
  readonly kinds: Record<string, KindSummary>;
  /** The largest gain of each kind. */
  readonly most: Record<string, Witness>;
}

export const BANDS = 10;

/** Which of the bands of reputations. */
const bandOf = (reputation: number): number => Math.min(BANDS - 1, Math.floor(reputation * BANDS));

export const bandKey = (regime: Regime, band: number): string => `${regime} ${band}`;

export const kindKey = (regime: Regime, kind: LieKind): string => `${regime} ${kind}`;

/** One market, at all its budgets. */
export function summaryOfMarket(people: readonly Person[]): WhoSummary {
  const liars = people.flatMap((person) => (person.lie ? [{ ...person, lie: person.lie }] : []));
  return {
    bands: Object.fromEntries(
      rollups(people, summaryOfBand, ({ regime, reputation }) => bandKey(regime, bandOf(reputation))),
    ),
    kinds: kindsOf(liars),
    most: mostOf(liars),
  };
}

function summaryOfBand(people: readonly Person[]): Band {
  const gains = people.flatMap(({ lie }) => lie?.gain ?? []);
  return { share: countsOf(gains.length, people.length), total: total(gains) };
}

export const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Every kind in each regime where somebody gains: one that nobody tells has a share of 0 there. */
function kindsOf(liars: readonly Liar[]): Record<string, KindSummary> {
  const found = [...group(liars, ({ regime }) => regime)].flatMap(([regime, part]) =>
    kinds.map((kind) => {
      const mine = part.filter(({ lie }) => lie.kind === kind);
      return [kindKey(regime, kind), summaryOfKind(mine, part.length)];
    }),
  );
  return Object.fromEntries(found);
}

function summaryOfKind(liars: readonly Liar[], among: number): KindSummary {
  const gains = liars.map(({ lie }) => lie.gain);
  const known = liars.flatMap(({ lie }) => lie.causes ?? []);
  return {
    share: countsOf(liars.length, among),
    count: liars.length,
    total: total(gains),
    most: gains.reduce((most, gain) => Math.max(most, gain), 0),
    explained: known.length,
    causes: eachCause((name) => total(known.map((causes) => causes[name]))),
    helping: eachCause((name) => known.filter((causes) => helps(causes, name)).length),
  };
}

/** Whether a cause adds to a gain; beside the largest it must be more than rounding. */
const helps = (causes: Causes, name: keyof Causes): boolean =>
  causes[name] > negligible(Math.max(...Object.values(causes).map(Math.abs)));

export const causeWords: Readonly<Record<keyof Causes, string>> = {
  rounds: "rounds won or given up",
  price: "a better or worse price",
  budget: "the budget's limits",
  start: "the start moved",
};

export const causeNames = Object.keys(causeWords) as (keyof Causes)[];

const eachCause = (value: (name: keyof Causes) => number): Causes =>
  Object.fromEntries(causeNames.map((name) => [name, value(name)])) as Record<keyof Causes, number>;

function mostOf(liars: readonly Liar[]): Record<string, Witness> {
  const most: Record<string, Witness> = {};
  for (const { lie, workers, k, ratio } of liars) {
    const { bid, truthful, gain, regime, kind } = lie;
    if (gain > (most[kind]?.gain ?? 0)) most[kind] = { workers, k, ratio, bid, truthful, gain, regime };
  }
  return most;
}

/** Of different markets; it changes the left one. */
export const mergeWho = (left: WhoSummary, right: WhoSummary): WhoSummary => ({
  bands: mergeParts(left.bands, right.bands, (a, b) => ({
    share: mergeCounts(a.share, b.share),
    total: a.total + b.total,
  })),
  kinds: mergeParts(left.kinds, right.kinds, (a, b) => ({
    ...addKinds(a, b),
    share: mergeCounts(a.share, b.share),
  })),
  most: mergeParts(left.most, right.most, (a, b) => (b.gain > a.gain ? b : a)),
});

/** Of different kinds in the same markets: all but their shares. */
export type AllKinds = Omit<KindSummary, "share">;

const addKinds = (a: AllKinds, b: AllKinds): AllKinds => ({
  count: a.count + b.count,
  total: a.total + b.total,
  most: Math.max(a.most, b.most),
  explained: a.explained + b.explained,
  causes: eachCause((name) => a.causes[name] + b.causes[name]),
  helping: eachCause((name) => a.helping[name] + b.helping[name]),
});

/** All lies that pay in a regime, whatever their kind; null where none does. */
export function allKinds(who: WhoSummary, regime: Regime): AllKinds | null {
  const [first, ...others] = kinds.flatMap((kind) => who.kinds[kindKey(regime, kind)] ?? []);
  return first ? others.reduce<AllKinds>(addKinds, first) : null;
}
