/** Cells of the map: a market size, a budget, a regime and a lie; and what was seen there. */

import { threeDigits } from "../../src/lib/format.js";
import type { Market } from "../../src/market/market.js";
import { type Regime, regimes } from "../../src/mechanisms/outcome.js";
import type { Exhibit } from "../../src/report/result.js";
import { type LieName, lies } from "../shared/gains/gain-counts.js";
import { mergeSummaries, type Summary, type Witness } from "../shared/gains/summary.js";
import { type MapSummary, partOf } from "./survey.js";

/** "all" regimes: everybody; "all" lies: any lie, which is the joint one. */
type OrAll<Name> = Name | "all";

/** What was seen of markets of one size. */
export interface Sized {
  readonly workers: number;
  readonly ratios: readonly number[];
  readonly summary: MapSummary;
}

export interface Cell {
  readonly regime: OrAll<Regime>;
  readonly lie: OrAll<LieName>;
  readonly workers: number;
  readonly ratio: number;
  readonly seen: Summary;
}

export function cellsOf(sizes: readonly Sized[]): Cell[] {
  return sizes.flatMap(({ workers, ratios, summary }) =>
    ratios.flatMap((ratio) =>
      (["all", ...regimes] as const).flatMap((regime) =>
        (["all", ...lies] as const).flatMap((lie): Cell[] => {
          const seen = partOf(summary, { ratio, regime, lie: lie === "all" ? "joint" : lie });
          return seen ? [{ regime, lie, workers, ratio, seen }] : [];
        }),
      ),
    ),
  );
}

/** Over all sizes and budgets; null where nobody was in that regime. */
export function overall(sizes: readonly Sized[], regime: OrAll<Regime>, lie: LieName): Summary | null {
  const parts = sizes.flatMap(({ summary }) => partOf(summary, { ratio: "all", regime, lie }) ?? []);
  // Merging changes the left one: the first starts from a copy.
  return parts.reduce<Summary | null>(
    (sum, part) => (sum ? mergeSummaries(sum, part) : structuredClone(part)),
    null,
  );
}

interface Shown {
  readonly name: string;
  readonly title: string;
  readonly witness: Witness;
}

/** The largest gain of a cell. */
export function witnessOf({ workers, ratio, seen }: Cell): Shown | null {
  const witness = seen.most;
  if (!witness) return null;
  const { regime, gain, truthful, bid } = witness;
  const name = `map-${workers}-${ratio}-${regime.replace(" ", "-")}`;
  const title = `${workers} workers at relative budget ${ratio}, ${regime}: worker ${bid.worker} gains ${threeDigits(gain)} on top of ${threeDigits(truthful)}`;
  return { name, title, witness };
}

export interface Stage {
  readonly mechanism: string;
  /** Draws a witness's market again. */
  readonly marketOf: (witness: Witness) => Market;
}

/** The worst cell of each regime first, then one of every cell in which somebody gains. */
export function exhibitsOf(cells: readonly Cell[], { mechanism, marketOf }: Stage): Exhibit[] {
  const everyLie = cells.filter(({ lie }) => lie === "all");
  const worst = regimes.flatMap((regime) => worstCell(everyLie, regime) ?? []);
  const found = [...worst, ...everyLie.filter(({ regime }) => regime === "all")].flatMap(
    (cell) => witnessOf(cell) ?? [],
  );
  const unique = new Map(found.map((shown) => [shown.name, shown]));
  return [...unique.values()].map(({ name, title, witness }) => ({
    name,
    title,
    market: marketOf(witness),
    mechanism,
    lie: witness.bid,
  }));
}

/** The cell with the highest share; null where nobody gains. */
export function worstCell(cells: readonly Cell[], regime: OrAll<Regime>): Cell | null {
  const there = cells.filter((cell) => cell.regime === regime && cell.lie === "all");
  const [first = null, ...others] = there;
  const worst = others.reduce((a, b) => (a && gaining(a) >= gaining(b) ? a : b), first);
  return worst && gaining(worst) > 0 ? worst : null;
}

/** The share of workers who gain. */
export const gaining = ({ seen: { share } }: Pick<Cell, "seen">): number => share.hits / share.size;

export const everything = (cells: readonly Cell[]): Cell[] =>
  cells.filter(({ regime, lie }) => regime === "all" && lie === "all");

export const placeOf = ({ workers, ratio }: Cell): string =>
  `${workers} workers at a relative budget of ${ratio}`;
