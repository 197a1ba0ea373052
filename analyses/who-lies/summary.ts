/** What is kept of the people of many markets: counts, means, sketches, the largest gains and a sample. */

import { group as grouped } from "d3-array";
import {
  bottomK,
  countsOf,
  type Keyed,
  mergeCounts,
  mergeSketches,
  type PooledCounts,
  type Sketch,
  sketchOf,
} from "../../src/lib/summaries.js";
import { negligible } from "../../src/lib/tolerance.js";
import type { Regime } from "../../src/mechanisms/outcome.js";
import type { Row } from "../../src/report/result.js";
import type { Causes, LieKind } from "../../src/verdicts/explain.js";
import { mergeParts, type Witness } from "../shared/gains/summary.js";
import { bandOf, causeNames, gainsOf, kinds, type Liar, liarsAmong, type Person, total } from "./people.js";

/** Workers whose reputations are in one band. */
export interface Band {
  /** Of its workers, those who gain. */
  readonly share: PooledCounts;
  /** All gains added up. */
  readonly total: number;
}

/** Workers whose best lie is of one kind. */
export interface Told {
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

export const groups = ["gaining", "others"] as const;

export type Group = (typeof groups)[number];

interface Traits {
  readonly reputation: Sketch;
  readonly density: Sketch;
}

export interface WhoSummary {
  readonly seen: number;
  readonly gained: number;
  readonly bands: Record<string, Band>;
  readonly kinds: Record<string, Told>;
  readonly traits: Readonly<Record<Group, Traits>>;
  readonly shown: Shown;
  /** Rows of the scatter, in the order of their keys. */
  readonly points: Readonly<Record<Group, readonly Keyed<Row>[]>>;
  /** The largest gain of each kind. */
  readonly most: Record<string, Witness>;
}

/** At most so many points of either group. */
export type Shown = Readonly<Record<Group, number>>;

export const bandKey = (regime: Regime | "all", band: number): string => `${regime} ${band}`;

export const kindKey = (regime: Regime | "all", kind: LieKind): string => `${regime} ${kind}`;

const regimesOf = ({ regime }: Person): readonly (Regime | "all")[] => [regime, "all"];

/** One market, at all its budgets; `draw` gives a key to each who may be shown. */
export function summaryOfMarket(people: readonly Person[], shown: Shown, draw: () => number): WhoSummary {
  const liars = liarsAmong(people);
  const split = { gaining: liars, others: people.filter(({ lie }) => !lie) };
  const by = <Value>(value: (group: Group) => Value) => ({
    gaining: value("gaining"),
    others: value("others"),
  });
  return {
    seen: people.length,
    gained: liars.length,
    bands: bandsOf(people),
    kinds: kindsOf(liars),
    traits: by((group) => traitsOf(split[group])),
    shown,
    points: by((group) => pointsOf(split[group], shown[group], draw)),
    most: mostOf(liars),
  };
}

function bandsOf(people: readonly Person[]): Record<string, Band> {
  const placed = people.flatMap((person) =>
    regimesOf(person).map((regime) => ({ person, key: bandKey(regime, bandOf(person)) })),
  );
  const bands = [...grouped(placed, ({ key }) => key)].map(([key, part]) => {
    const gains = part.flatMap(({ person }) => person.lie?.gain ?? []);
    return [key, { share: countsOf(gains.length, part.length), total: total(gains) }];
  });
  return Object.fromEntries(bands);
}

/** Every kind in each regime where somebody gains: one that nobody tells has a share of 0 there. */
function kindsOf(liars: readonly Liar[]): Record<string, Told> {
  const placed = liars.flatMap((liar) => regimesOf(liar).map((regime) => ({ liar, regime })));
  const told = [...grouped(placed, ({ regime }) => regime).values()].flatMap((part) =>
    kinds.map((kind) => {
      const mine = part.flatMap(({ liar }) => (liar.lie.kind === kind ? [liar] : []));
      return [kindKey(part[0]!.regime, kind), toldBy(mine, part.length)];
    }),
  );
  return Object.fromEntries(told);
}

function toldBy(liars: readonly Liar[], among: number): Told {
  const gains = gainsOf(liars);
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

const eachCause = (value: (name: keyof Causes) => number): Causes =>
  Object.fromEntries(causeNames.map((name) => [name, value(name)])) as Record<keyof Causes, number>;

const traitsOf = (people: readonly Person[]): Traits => ({
  reputation: sketchOf(people.map(({ reputation }) => reputation)),
  density: sketchOf(people.map(({ density }) => density)),
});

function pointsOf(people: readonly Person[], most: number, draw: () => number): Keyed<Row>[] {
  const visible = people.filter(({ reputation }) => reputation > 0);
  const drawn = bottomK(
    visible.map((person) => ({ key: draw(), item: person })),
    most,
  );
  return drawn.map(({ key, item }) => ({ key, item: pointOf(item) }));
}

const pointOf = ({ regime, reputation, density, lie, workers, ratio }: Person): Row => ({
  regime,
  kind: lie?.kind ?? null,
  reputation,
  density: Number(density.toPrecision(4)),
  gain: Number((lie?.gain ?? 0).toPrecision(4)),
  workers,
  ratio,
});

function mostOf(liars: readonly Liar[]): Record<string, Witness> {
  const most: Record<string, Witness> = {};
  for (const { lie, workers, k, ratio } of liars) {
    const { bid, truthful, gain, regime, kind } = lie;
    if (gain > (most[kind]?.gain ?? 0)) most[kind] = { workers, k, ratio, bid, truthful, gain, regime };
  }
  return most;
}

/** Of different markets; it changes the left one. */
export function mergeWho(left: WhoSummary, right: WhoSummary): WhoSummary {
  const { shown } = left;
  const points = (group: Group) => bottomK([...left.points[group], ...right.points[group]], shown[group]);
  for (const group of groups)
    for (const trait of ["reputation", "density"] as const)
      mergeSketches(left.traits[group][trait], right.traits[group][trait]);
  return {
    seen: left.seen + right.seen,
    gained: left.gained + right.gained,
    bands: mergeParts(left.bands, right.bands, mergeBands),
    kinds: mergeParts(left.kinds, right.kinds, mergeTold),
    traits: left.traits,
    shown,
    points: { gaining: points("gaining"), others: points("others") },
    most: mergeParts(left.most, right.most, (a, b) => (b.gain > a.gain ? b : a)),
  };
}

const mergeBands = (a: Band, b: Band): Band => ({
  share: mergeCounts(a.share, b.share),
  total: a.total + b.total,
});

const mergeTold = (a: Told, b: Told): Told => ({ ...addTold(a, b), share: mergeCounts(a.share, b.share) });

/** Of different kinds in the same markets: all but their shares. */
export const addTold = (a: Omit<Told, "share">, b: Omit<Told, "share">): Omit<Told, "share"> => ({
  count: a.count + b.count,
  total: a.total + b.total,
  most: Math.max(a.most, b.most),
  explained: a.explained + b.explained,
  causes: eachCause((name) => a.causes[name] + b.causes[name]),
  helping: eachCause((name) => a.helping[name] + b.helping[name]),
});
