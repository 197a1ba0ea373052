/** Counts over many markets: where a property broke, how often, how badly, and which market shows it best. */

import { atLeast, type Estimate, share } from "../../../src/lib/statistics.js";
import type { Market } from "../../../src/market/market.js";
import type { Regime } from "../../../src/mechanisms/outcome.js";
import type { HuntedProperty, Violation } from "../../../src/verdicts/counterexamples/violations.js";
import type { Judgement } from "../../../src/verdicts/properties.js";
import type { Look } from "./breaks.js";

/** What a lie does to the start. */
export const lieCases = {
  any: "any lie",
  moved: "lies that move the start",
  kept: "lies that keep the start",
} as const;

export type LieCase = keyof typeof lieCases;

/** A look with the name of the drawn market: both readings of one market are one market. */
export interface NamedLook extends Look {
  readonly name: string;
}

export interface Question {
  readonly property: HuntedProperty;
  readonly regime: Regime;
  readonly lies: LieCase;
}

/** A break and the market it is in. */
export interface Scene {
  readonly market: Market;
  readonly found: Violation;
}

/** As JSON can hold it; it does not grow with the number of markets. */
export interface Tally extends Question {
  readonly markets: number;
  readonly workers: number;
  readonly brokenMarkets: number;
  /** 0 where it takes everybody (P2). */
  readonly brokenWorkers: number;
  readonly exact: boolean;
  /** The largest break. */
  readonly worst: Scene | null;
  /** A few to show: the fewest workers first, then the largest part of the budget. */
  readonly scenes: readonly Scene[];
}

const matches: Record<LieCase, (found: Violation) => boolean> = {
  any: () => true,
  moved: ({ startMoved }) => startMoved,
  kept: ({ startMoved }) => !startMoved,
};

export function tally(looks: readonly NamedLook[], question: Question): Tally {
  const there = looks
    .filter(({ properties }) => properties.includes(question.property))
    .map((look) => ({ look, ids: seen(look, question) }))
    .filter(({ ids }) => ids.length > 0);
  const scenes = there.flatMap(({ look }) => scenesOf(look, question));
  const markets = countNames(there.map(({ look: { name }, ids }) => ({ name, ids })));
  const broken = countNames(scenes.map(({ name, scene }) => ({ name, ids: idsOf(scene.found) })));
  return {
    ...question,
    markets: markets.names,
    workers: markets.ids,
    brokenMarkets: broken.names,
    brokenWorkers: broken.ids,
    exact: takesNoSearch(question.property) || there.every(({ look }) => look.exact),
    worst: scenes.map(({ scene }) => scene).reduce<Scene | null>(worse, null),
    scenes: legible(scenes.map(({ scene }) => scene)),
  };
}

/** Of different markets; of equal breaks the left one's is kept. */
export const mergeTallies = (left: Tally, right: Tally): Tally => ({
  ...left,
  markets: left.markets + right.markets,
  workers: left.workers + right.workers,
  brokenMarkets: left.brokenMarkets + right.brokenMarkets,
  brokenWorkers: left.brokenWorkers + right.brokenWorkers,
  exact: left.exact && right.exact,
  worst: right.worst ? worse(left.worst, right.worst) : left.worst,
  scenes: legible([...left.scenes, ...right.scenes]),
});

const worse = (top: Scene | null, scene: Scene): Scene =>
  top && top.found.amount >= scene.found.amount ? top : scene;

function scenesOf({ name, market, breaks }: NamedLook, { property, regime, lies }: Question) {
  return breaks
    .filter((found) => found.property === property && found.regime === regime && matches[lies](found))
    .map((found) => ({ name, scene: { market, found } }));
}

/** How many names, and how many ids under different names. */
function countNames(items: readonly { name: string; ids: readonly number[] }[]): {
  names: number;
  ids: number;
} {
  const byName = new Map<string, Set<number>>();
  for (const { name, ids } of items) {
    const known = byName.get(name);
    if (known) for (const id of ids) known.add(id);
    else byName.set(name, new Set(ids));
  }
  return { names: byName.size, ids: [...byName.values()].reduce((sum, ids) => sum + ids.size, 0) };
}

const idsOf = ({ worker }: Violation): number[] => (worker === null ? [] : [worker]);

/** Workers of the regime; for P4 those with a reputation. */
function seen({ market, inRegime }: Look, { property, regime }: Question): readonly number[] {
  if (property !== "P4") return inRegime[regime];
  const reputed = new Set(market.workers.filter(({ reputation }) => reputation > 0).map(({ id }) => id));
  return inRegime[regime].filter((id) => reputed.has(id));
}

/** How many scenes are put to exact arithmetic before a break counts as rounding. */
const ASKED = 5;

const legible = (scenes: readonly Scene[]): Scene[] => [...scenes].sort(byLegibility).slice(0, ASKED);

function byLegibility(a: Scene, b: Scene): number {
  const part = ({ market, found }: Scene) => found.amount / market.rules.budget;
  return a.market.workers.length - b.market.workers.length || part(b) - part(a);
}

/** One run decides them, whatever the mechanism. */
const takesNoSearch = (property: HuntedProperty): boolean => property === "P1" || property === "P2";

/** Of markets, the share in which it broke, with its 95 % interval; without an upper end where breaks were searched for. */
export const brokenShare = ({ brokenMarkets, markets, exact }: Tally): Estimate =>
  exact ? share(brokenMarkets, markets) : atLeast(share(brokenMarkets, markets));

/** A tally with the scene that exact arithmetic confirms; `certified` is null where there is nothing to ask. */
export interface Judged extends Tally {
  readonly share: Estimate;
  readonly judgement: Judgement | null;
  readonly witness: (Scene & { readonly certified: boolean | null }) | null;
}

export type Certify = (scene: Scene) => boolean | null;

/** Null where no market had such a worker. */
export function judge(tally: Tally, certify: Certify): Judged {
  const told = { ...tally, share: brokenShare(tally) };
  if (told.markets === 0) return { ...told, judgement: null, witness: null };
  if (told.brokenMarkets === 0)
    return { ...told, judgement: told.exact ? "holds" : "undecided", witness: null };
  for (const scene of told.scenes) {
    const certified = certify(scene);
    if (certified !== false) return { ...told, judgement: "breaks", witness: { ...scene, certified } };
  }
  return { ...told, judgement: "undecided", witness: null };
}
